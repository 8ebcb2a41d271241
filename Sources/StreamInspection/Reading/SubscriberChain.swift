/// The subscribers through which the values of a source pass, one after another, as far as the type of the source
/// tells.
///
/// A source holds its subscriber, which holds the next one, and so on: the chain is part of the type. It ends where
/// values are handed to an object that has a type of its own: the child of an operator with several inputs, a sink, an
/// erased subscriber.
struct SubscriberChain {
  /// One of the subscribers.
  struct Link: Equatable {
    let name: String
    let kind: Kind
  }

  enum Kind: Equatable {
    /// The operator has no object of its own.
    case passes
    /// The operator has an object of its own, which is the subscription of the subscriber that follows. `offersLink`
    /// tells whether a subject uses that object as the subscription.
    case hasObject(offersLink: Bool)
    /// A connectable publisher, which has no object either.
    case connectable
    /// Values are handed to a part that is not an operator of this chain.
    case ends(offersLink: Bool)
    /// The subscriber that follows has been erased.
    case erased
    /// A subscriber of other code.
    case foreign
  }

  private(set) var links: [Link] = []

  /// Creates the chain that begins at a subscriber.
  init(_ subscriber: GenericType) {
    var next: GenericType? = subscriber
    while let type = next {
      next = nil
      let link = Self.link(for: type)
      links.append(link)
      switch link.kind {
      case .passes, .hasObject, .connectable: next = type.arguments.last
      case .ends, .erased, .foreign: break
      }
    }
  }

  /// Adds the chain that begins at the subscriber which this one hands values to, erased.
  mutating func append(_ other: SubscriberChain) {
    if links.last?.kind == .erased { links.removeLast() }
    links += other.links
  }

  /// Removes the first subscriber.
  mutating func dropHead() { links = Array(links.dropFirst()) }

  private static func link(for type: GenericType) -> Link {
    switch type.name {
    case "MapSubscriber": Link(name: "map", kind: .passes)
    case "MapErrorSubscriber": Link(name: "mapError", kind: .passes)
    case "FilterSubscriber": Link(name: "filter", kind: .passes)
    case "CompactMapSubscriber": Link(name: "compactMap", kind: .passes)
    case "AssertNoFailureSubscriber": Link(name: "assertNoFailure", kind: .passes)
    case "BreakpointSubscriber": Link(name: "breakpoint", kind: .passes)
    case "IgnoreFailureSubscriber": Link(name: "ignoreFailure", kind: .passes)
    case "IgnoreOutputSubscriber": Link(name: "ignoreOutput", kind: .passes)
    case "ConnectableSubscriber": Link(name: "multicast", kind: .connectable)
    case "StageSubscriber": Link(name: operatorName(type.arguments.first), kind: .hasObject(offersLink: true))
    case "Reducer": Link(name: operatorName(type.arguments.first), kind: .hasObject(offersLink: false))
    case "CheckpointSubscriber": Link(name: "checkpoint", kind: .hasObject(offersLink: true))
    case "ShareSubscriber": Link(name: "share", kind: .hasObject(offersLink: true))
    case "AutoconnectSubscriber": Link(name: "autoconnect", kind: .hasObject(offersLink: true))
    case "ReplaceEmptySubscriber": Link(name: "replaceEmpty", kind: .hasObject(offersLink: false))
    case "HandleEventsSubscriber": Link(name: "handleEvents", kind: .hasObject(offersLink: false))
    case "PrintSubscriber": Link(name: "print", kind: .hasObject(offersLink: false))
    case "SubscribeOnSubscriber": Link(name: "subscribe(on:)", kind: .hasObject(offersLink: false))
    case "CollectByCountSubscriber": Link(name: "collect", kind: .hasObject(offersLink: false))
    case "GroupingSubscriber": Link(name: "groupBy", kind: .hasObject(offersLink: false))
    case "BoundedSubscriber": Link(name: "BoundedSubject", kind: .hasObject(offersLink: false))
    case "DrainSubscriber": Link(name: "drain", kind: .passes)
    case "TurnSubscriber": Link(name: "tasks in turn", kind: .hasObject(offersLink: false))
    case "SinkSubscriber", "AwaitedValuesSubscriber": Link(name: "", kind: .ends(offersLink: true))
    case "AnySubscriber": Link(name: "", kind: .erased)
    case "Assign", "PublishedSubscriber", "SubjectSubscriber", "Sink": Link(name: "", kind: .ends(offersLink: false))
    case let name
    where type.qualifiedName.hasPrefix("Stream") && (name.hasSuffix("Inlet") || name.hasSuffix("Subscriber")):
      Link(name: "", kind: .ends(offersLink: false))
    default: Link(name: type.text, kind: .foreign)
    }
  }

  /// The name of the operator that a stage or a reduction belongs to.
  private static func operatorName(_ type: GenericType?) -> String {
    guard let type else { return "operator" }
    var name = Substring(type.name)
    for suffix in ["Stage", "Reduction"] where name.hasSuffix(suffix) { name = name.dropLast(suffix.count) }
    switch name {
    case "Drop": return "dropFirst"
    case "Measure": return "measureInterval"
    case "Search": return "contains(where:)"
    case "Comparison": return "min or max"
    case "Output": return "output(in:)"
    case "PrefixBehaving": return "prefix(while:)"
    case "PrefixWhile": return "prefix(while:)"
    case "DropWhile": return "drop(while:)"
    default: return name.prefix(1).lowercased() + name.dropFirst()
    }
  }
}
