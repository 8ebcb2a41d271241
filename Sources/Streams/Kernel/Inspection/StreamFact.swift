/// A fact that a part of a live stream tells an inspection about itself.
///
/// The kernel tells numbers and objects, which the module `StreamInspection` puts into words. So a program that doesn't link
/// that module doesn't contain any text for it, and hardly any code. For the same reason, the facts don't have payloads: each
/// comes with a number and an object, whose meaning the comments below state.
///
/// A part tells its facts under its own lock. The listener must not call anything unknown, and must release the objects
/// only later.
@usableFromInline
package enum StreamFact {
  // MARK: What it is

  /// The object calls the subscriber, and the generic arguments of its type name the subscribers that follow
  /// downstream.
  case sender
  /// The number is the type of the object that calls the subscriber (``type(of:)``), if that object must not be retained.
  case senderType
  /// The object is a ``Box`` of the subscriber.
  case subscriber
  /// The object is a ``Box`` of the operator's name.
  case operatorName
  /// The object is a ``Box`` of the name of the operator whose subscription this is.
  case linkName
  /// The object is a ``Box`` of this source's name.
  case sourceName
  /// The object is a ``Box`` of the scheduler or the actor that delivers.
  case place
  /// The object is a ``Box`` of the last timer's date.
  case date
  /// This is the subscription to the object, such as a subject.
  case owner
  /// The object is a ``Box`` of the file and line that created the source.
  case location
  /// The object is the source's state. The observer may know where it was created.
  case made

  /// The sink's values are counted. The number is the observer's entry for it.
  case counted
  /// The number of values that the sink has received.
  case received
  /// The number is the time of the last value that the sink has received.
  case lastReceived
  /// The subscriber sets a property of the object, which it retains.
  case target
  /// The number of values that have arrived at this operator since observation began.
  case arrived
  /// The number of values that this part has sent to its subscriber since observation began.
  case sent

  // MARK: Where its values come from

  /// A source that may still send. The number is its slot. The object is its subscription, subscriber list or other
  /// object, if there's one.
  case upstream
  /// The source of the slot has ended.
  case ended
  /// The number of sources that aren't told, because there are too many.
  case others

  // MARK: What it waits for

  /// The number is the raw value of the demand that has been requested and not fulfilled.
  case demand
  /// Values have been requested.
  case requested
  /// The number of values that wait to be delivered.
  case waiting
  /// The number of waiting values that may be delivered.
  case ready
  /// The number of waiting values for which there's room without more memory: the most that ever waited, or up to twice as
  /// many.
  case capacity
  /// Values of the slot wait until values of other slots arrive.
  case kept
  /// The number of values that wait in the slot told last, if there may be several.
  case amount
  /// The number of values that may wait.
  case bound
  /// The number of values that the operator holds, to send them with others.
  case held
  /// The number of values that are sent together.
  case batch
  /// The number of sources that are running.
  case running
  /// The number is the raw value of the demand for sources that may run at a time.
  case limit
  /// The number of sources that have followed one another in the same slot.
  case succeeded
  /// The number of sources that may follow.
  case successors
  /// Values pass.
  case open
  /// Values don't pass.
  case closed
  case timer
  /// A delivery has been requested from a scheduler or an actor, and hasn't begun. The number is the time of the request, in
  /// hundredths of a second since observation began, modulo 65,536, or 0.
  case scheduled
  case delivering
  case result
  /// The promise hasn't been called.
  case promised
  /// The promise hasn't been called, and nothing can call it any more.
  case abandoned
  /// A task produces the values. The number is 1 if an operator started it, for a value.
  case task
  case taskWaits
  /// A task iterates over the values. The number is 1 if it awaits the next one.
  case iterated

  // MARK: Where it is in its life

  /// No subscription has arrived.
  case unconnected
  /// Nothing more is accepted. Waiting values are still delivered.
  case finishing
  /// Nothing more is delivered.
  case over
  case subscribers
  /// The values come from a property that is marked `@Published`.
  case published
  /// There may be a newer value that the subscriber hasn't received, for lack of demand.
  case stale
}

extension StreamFact {
  /// A container for something that doesn't need to be an object. Casting a value with `as AnyObject` takes half a millisecond
  /// for each new type, during which a part's lock would be held.
  package final class Box {
    package let content: Any

    package init(_ content: Any) { self.content = content }
  }

  @usableFromInline package typealias Tell = (StreamFact, Int, AnyObject?) -> Void

  /// The maximum number of sources that a part tells, so its lock is held for a bounded time.
  package static var maxReportedSources: Int { 64 }

  /// Tells the facts of a part of a live stream, such as a subscriber's subscription or a subject's subscriber list. Tells
  /// nothing about other objects.
  package static func tell(of part: AnyObject, _ tell: Tell) {
    switch part {
    case let part as UpstreamLink: part.inspect(tell)
    case let part as Engine: part.inspect(tell)
    case let part as DemandSource: part.inspect(tell)
    case let part as SingleValueSource: part.inspect(tell)
    case let part as HandleEventsSubscription: tell(.upstream, 0, part.link)
    case let part as MultipliedSubscription:
      tell(.upstream, 0, part.link)
      tell(.batch, part.factor, nil)
    case let part as ReplaceEmptySubscription: tell(.upstream, 0, part.link)
    case let part as SubscribeOnSubscription: tell(.upstream, 0, part.link)
    default: (part as? any InspectedPart)?.inspect(tell)
    }
  }
}

/// A subject that an operator creates, such as one for each group.
@usableFromInline
package protocol NamedSubject: AnyObject {
  var name: String { get }
}

/// A part of a stream that tells its facts itself: one of another module, or a subscriber whose link is another object.
package protocol InspectedPart: AnyObject {
  func inspect(_ tell: StreamFact.Tell)
}

extension Subscribers.Sink: InspectedPart {
  package func inspect(_ tell: StreamFact.Tell) { tell(.upstream, 0, subscriber.link) }
}

extension Subscribers.Assign: InspectedPart {
  package func inspect(_ tell: StreamFact.Tell) {
    tell(.upstream, 0, link)
    if let object { tell(.target, 0, object as AnyObject) }
  }
}

extension StreamFact {
  /// Returns the type that a ``senderType`` tells.
  package static func type(of number: Int) -> Any.Type { unsafeBitCast(number, to: Any.Type.self) }
}
