/// A type that states its role among a stream's subscribers.
///
/// A source holds its subscriber, which holds the next one. So the source's type names all of them, as long as they're nested
/// in one another as values or objects. The module `StreamInspection` asks each type for its role.
@usableFromInline
package protocol InspectedSubscriber {
  static var role: SubscriberRole { get }

  /// The counter of an operator without an object, if streams are observed. It also holds a name that the operator's type
  /// doesn't state.
  var flow: FlowCounter? { get }
}

extension InspectedSubscriber {
  @usableFromInline package var flow: FlowCounter? { nil }
}

/// The role of a type among a stream's subscribers.
@usableFromInline
package enum SubscriberRole {
  /// The object through which a source calls its subscriber. The source has a name, unless it's a subject or an operator.
  case sends(name: String?, to: Any.Type)
  /// The object through which the publisher of a sequence calls its subscriber.
  case iterates(Any.Type, to: Any.Type)
  /// An operator without an object. If the name is empty, it's a part of the adjacent operator.
  case passes(String, to: Any.Type)
  /// An operator with an object, which serves as the next subscriber's subscription. If the name is empty, it's a part of the
  /// operator downstream.
  case links(String, to: Any.Type)
  /// A connectable publisher, without an object.
  case connects(to: Any.Type)
  /// A subscriber that passes its values to another part of the stream.
  case ends
  case erases
}

extension StageSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .links(S.name, to: Downstream.self) }
}

extension Reducer: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .links(R.name, to: Downstream.self) }
}

extension TrampolineSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole {
    .links("", to: AnySubscriber<Input, Failure>.self)
  }
}

extension AnySubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .erases }
}

/// The name by which a program called an operator, if the publisher's type serves several operators.
///
/// A pointer to a static string: it takes one word, and copying it is free.
@usableFromInline @frozen
package struct OperatorName: @unchecked Sendable {
  // Sendable because the memory of a static string never changes and is never released.
  @usableFromInline let start: UnsafePointer<UInt8>

  @inlinable
  package init(_ name: StaticString) { start = name.utf8Start }

  @usableFromInline
  package var text: String { String(cString: start) }
}
