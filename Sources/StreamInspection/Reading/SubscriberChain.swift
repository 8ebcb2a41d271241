internal import Streams

/// The subscribers that a source's values pass through, one after another, as far as the source's type shows them.
///
/// A source holds its subscriber, which holds the next one, and so on: the chain is part of the type. It ends where
/// values are handed to an object that has a type of its own: the child of an operator with several inputs, a sink, or
/// an erased subscriber.
struct SubscriberChain {
  struct Link {
    /// The name of the operator. It's empty if the link is a part of another operator.
    let name: String
    let kind: Kind
    /// The counter of an operator without an object, if its values are counted.
    var counter: FlowCounter?
    /// The slot at which the chain ends, in an operator with several inputs.
    var slot: Int?
  }

  enum Kind {
    /// The operator doesn't have an object of its own.
    case passes
    /// The operator has an object of its own, which is the subscription of the subscriber that follows.
    case hasObject
    /// A connectable publisher, which doesn't have an object either.
    case connectable
    /// Values are handed to a part that isn't an operator of this chain.
    case ends
    /// The subscriber that follows has been erased.
    case erased
    /// A subscriber from other code.
    case foreign
  }

  private(set) var links: [Link] = []

  /// Creates the chain that begins at a subscriber, or at its caller.
  ///
  /// - Parameters:
  ///   - type: The type of the chain's beginning.
  ///   - object: The chain's beginning, if it's known. It holds the subscribers whose values are counted.
  ///   - subscriber: The subscriber that the beginning calls, if that's known instead.
  init(_ type: Any.Type, heldBy object: Any? = nil, _ subscriber: Any? = nil) {
    var next: Any.Type? = type
    var holder = object
    while let type = next {
      next = nil
      let counter = (holder as? any InspectedSubscriber)?.flow
      switch SubscriberRole(of: type) {
      case .sends(_, let subscriber), .iterates(_, let subscriber): next = subscriber
      case .passes(let name, let subscriber):
        (next, _) = (subscriber, append(counter?.name?.text ?? name, .passes, counter))
      case .links(let name, let subscriber): (next, _) = (subscriber, append(name, .hasObject))
      case .connects(let subscriber): (next, _) = (subscriber, append("multicast", .connectable))
      case .ends: links.append(Link(name: "", kind: .ends, slot: (holder as? any SlotSubscriber)?.slot))
      case .erases: append("", .erased)
      case nil: append(GenericType(type).text, .foreign)
      }
      guard next != nil else { return }
      holder = holder.map { Self.subscriber(heldBy: $0) as Any? } ?? subscriber
    }
  }

  private mutating func append(_ name: String, _ kind: Kind, _ counter: FlowCounter? = nil) {
    links.append(Link(name: name, kind: kind, counter: counter))
  }

  /// Returns the subscriber that another subscriber, or its caller, hands values to.
  static func subscriber(heldBy holder: Any) -> Any? {
    // Only the first field is read, because the stream may be changing the others.
    Mirror(reflecting: holder).children.first { $0.label == "downstream" }?.value
  }

  /// Appends the chain that follows the erased subscriber at the end of this chain.
  mutating func append(_ other: SubscriberChain) {
    if links.last?.kind == .erased { links.removeLast() }
    links += other.links
  }

  /// Keeps the given number of subscribers with objects of their own, counted from the downstream end, and drops
  /// everything before them.
  mutating func keep(objects count: Int) {
    var surplus = links.count { $0.kind == .hasObject } - count
    links = Array(
      links.drop { link in
        guard surplus > 0 else { return false }
        if link.kind == .hasObject { surplus -= 1 }
        return true
      })
  }

  mutating func dropHead() { links = Array(links.dropFirst()) }
}

extension SubscriberRole {
  /// Creates the role of a type, unless the type belongs to other code.
  init?(of type: Any.Type) {
    guard let type = type as? any InspectedSubscriber.Type else { return nil }
    self = type.role
  }
}
