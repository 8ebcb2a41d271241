/// A fact that a part of a live stream tells an inspection about itself.
///
/// The kernel tells numbers and objects, which the module `StreamInspection` puts into words. So a program that doesn't link
/// that module doesn't contain its text, and hardly any code for it. For the same reason, the facts don't have payloads: each
/// comes with a number and an object, whose meaning the comments below state.
///
/// A part tells its facts under its own lock. The listener must not call unknown code, and must release the objects only after
/// the lock has been released.
@usableFromInline
package enum StreamFact {
  // MARK: What it is

  /// The object calls the subscriber. The generic arguments of the object's type name the subscribers that follow downstream.
  case sender
  /// The number represents the type of the object that calls the subscriber (``type(of:)``), if that object must not be
  /// retained.
  case senderType
  /// The object is a ``Box`` with the subscriber.
  case subscriber
  /// The object is a ``Box`` with the operator's name.
  case operatorName
  /// The object is a ``Box`` with the name of the operator to which this subscription belongs.
  case linkName
  /// The object is a ``Box`` with this source's name.
  case sourceName
  /// The object is a ``Box`` with the scheduler or the actor that delivers.
  case place
  /// The object is a ``Box`` with the last timer's date.
  case date
  /// This is the subscription to the object, such as a subject.
  case owner
  /// The object is a ``Box`` with the file and line where the source was created.
  case location
  /// The object is the source's state. The observer may know where the source was created.
  case made

  /// The sink's values are counted. The number is the observer's entry for the sink.
  case counted
  /// The number of values that the sink has received.
  case received
  /// The number is the time at which the sink received its last value.
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
  /// The source in the slot has ended.
  case ended
  /// The number of sources that aren't reported, because there are too many.
  case others

  // MARK: What it waits for

  /// The number is the raw value of the demand that has been requested but not met.
  case demand
  /// Values have been requested.
  case requested
  /// The number of values waiting for delivery.
  case waiting
  /// The number of waiting values that may be delivered.
  case ready
  /// The number of values that can wait without another allocation: the most that ever waited, or up to twice as many.
  case capacity
  /// Values from the slot wait until values from other slots arrive.
  case kept
  /// The number of values waiting in the slot reported last, if there may be several.
  case amount
  /// The maximum number of values that may wait.
  case bound
  /// The number of values that the operator holds until it sends them with others.
  case held
  /// The number of values that are sent together.
  case batch
  /// The number of sources that are running.
  case running
  /// The number is the raw value of the demand that limits how many sources run at a time.
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
  /// The promise hasn't been called, and nothing can call it anymore.
  case abandoned
  /// A task produces the values. The number is 1 if an operator started the task for a value.
  case task
  case taskWaits
  /// A task iterates over the values. The number is 1 if the task is awaiting the next value.
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
  /// A container that turns any value into an object. Casting a value with `as AnyObject` takes half a millisecond for each new
  /// type, during which a part's lock would be held.
  package final class Box {
    package let content: Any

    package init(_ content: Any) { self.content = content }
  }

  @usableFromInline package typealias Tell = (StreamFact, Int, AnyObject?) -> Void

  /// The maximum number of sources that a part reports, to bound the time for which its lock is held.
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

/// A part that tells its facts itself: one from another module, or a subscriber whose link is a separate object.
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
  /// Returns the type that the number of a ``senderType`` represents.
  package static func type(of number: Int) -> Any.Type { unsafeBitCast(number, to: Any.Type.self) }
}
