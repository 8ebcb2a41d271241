internal import Streams
internal import Synchronization

/// Reads a live stream, from the user's object up to the sources.
///
/// Parts are read one after another, each under its own lock. No lock is acquired while another is held. A list of
/// steps replaces recursion, so a stream of 100,000 parts doesn't grow the stack.
struct StreamReader {
  private(set) var nodes: [Node] = []
  private(set) var isTruncated = false
  /// The time at which the stream was read, in milliseconds since observation began.
  let time = StreamInspector.time
  private let limit: Int
  private var positions: [ObjectIdentifier: Int] = [:]
  private var work: [Step] = []

  /// A connection to follow.
  private struct Step {
    let slot: Int?
    let object: AnyObject?
    /// The operators that forward the subscription, from the last part that values are handed to, up to the one with
    /// this connection. Only the source upstream knows their names.
    let segment: [Int]
  }

  init(_ held: AnyObject, limit: Int) {
    self.limit = limit
    let root = Self.root(behind: held)
    var node = Node(root.part, .root)
    node.name = root.name
    node.facts = Facts(of: root.part)
    node.facts.target = root.target
    if node.name == nil, node.facts.owner == nil, let type = node.facts.senderType,
      let last = chain(type, node.facts).links.last, case .foreign = last.kind
    {
      node.name = last.name
    }
    positions[ObjectIdentifier(root.part)] = 0
    read(from: node)
  }

  /// Reads the stream of a sink whose own facts have already been read.
  init(_ root: LiveRoot, limit: Int) {
    self.limit = limit
    var node = Node(root: root)
    node.name = Self.rootName(root.type)
    read(from: node)
  }

  /// Reads the stream of a subscriber that doesn't report anything, from its stored subscription.
  init(
    subscriber: AnyObject, name: String, subscription: any Subscription, _ demand: Subscribers.Demand?, limit: Int
  ) {
    self.limit = limit
    var node = Node(subscriber, .root)
    node.name = name
    node.facts.demand = demand ?? Subscribers.Demand.none
    node.facts.isRequested = demand != nil
    node.facts.upstreams = [(0, subscription as AnyObject)]
    positions[ObjectIdentifier(subscriber)] = 0
    read(from: node)
  }

  private mutating func read(from root: Node) {
    nodes.append(root)
    follow(0, root.facts, [0])
    while let step = work.popLast() { take(step) }
    for node in nodes.indices { nodes[node].readPlace(at: time) }
    for node in nodes.indices { skipConnectedLinks(of: node) }
    for node in nodes.indices { joinParts(of: node) }
    joinObserved()
    removeUnreached()
    findLostSubjects()
  }

  /// Finds the subjects that only their subscriptions retain. The reader retains them, too, so it compares their retain
  /// counts with the count of an object that's read in the same way and retained once.
  private mutating func findLostSubjects() {
    final class RetainedOnce {}
    var once = Node(RetainedOnce(), .subject)
    once.facts.owner = RetainedOnce()
    let nodesToCompare = [once]
    once.facts.owner = nil
    let reading = Self.retainCount(ofOwner: 0, in: nodesToCompare) - 1
    let references = referencesToOwners
    for position in nodes.indices where nodes[position].kind == .subject && nodes[position].facts.subscribers > 0 {
      let count = Self.retainCount(ofOwner: position, in: nodes)
      guard count > 0, count == Self.retainCount(ofOwner: position, in: nodes),
        let owner = nodes[position].facts.owner.map({ ObjectIdentifier($0) })
      else { continue }
      nodes[position].isOnlyHeldByItsSubscriptions =
        count - reading - references[owner, default: 0] <= nodes[position].facts.subscribers
    }
  }

  /// The number of references to each subject among the parts that were read.
  private var referencesToOwners: [ObjectIdentifier: Int] {
    var references: [ObjectIdentifier: Int] = [:]
    for node in nodes {
      if let owner = node.facts.owner { references[ObjectIdentifier(owner), default: 0] += 1 }
      for edge in node.edges {
        if let owner = edge.facts?.owner { references[ObjectIdentifier(owner), default: 0] += 1 }
      }
    }
    return references
  }

  @inline(never)
  private static func retainCount(ofOwner position: Int, in nodes: [Node]) -> Int {
    guard let owner = nodes[position].facts.owner, owner !== nodes[position].object else { return 0 }
    return Int(_getRetainCount(owner))
  }

  /// Hides the internal parts of operators, which a program doesn't know.
  private mutating func joinParts(of node: Int) {
    var index = 0
    while index < nodes[node].edges.count {
      let edge = nodes[node].edges[index]
      let source = nodes[edge.node]
      if source.isPart, edge.node != node {
        nodes[node].edges.replaceSubrange(
          index...index, with: source.edges.map { $0.extended(by: edge, keepsSlot: source.engine != nil) })
        nodes[node].isCut = nodes[node].isCut || source.isCut
        if let arrived = source.facts.arrived {
          (nodes[node].facts.arrived, nodes[node].facts.sent) = (arrived, source.facts.sent)
        }
        continue
      }
      if nodes[node].engine == "flatMapFirst", edge.slot == 0, source.kind == .subject, source.name == "share" {
        // `flatMapFirst` shares its outer source with itself.
        nodes[node].edges.replaceSubrange(index...index, with: source.edges.prefix(1).map { $0.extended(by: edge) })
      }
      if source.engine == "pausable(runningWhile:)", let gate = edge.operators.first, gate.name == "compactMap" {
        nodes[node].edges[index].operators.removeFirst()
        if let counter = gate.counter { nodes[edge.node].facts.add(counter) }
      }
      index += 1
    }
    for index in nodes[node].edges.indices {
      for part in nodes[node].edges[index].operators where part.name.isEmpty {
        if let counter = part.counter { nodes[node].facts.add(counter) }
      }
      nodes[node].edges[index].operators.removeAll(where: \.name.isEmpty)
    }
    if let batch = nodes[node].facts.batch, nodes[node].facts.held == nil, let edge = nodes[node].edges.first {
      nodes[node].facts.held = arrivals(through: edge, in: nodes).map { $0 % batch }
    }
  }

  /// Removes the parts that no connection leads to anymore.
  private mutating func removeUnreached() {
    var isReached = Array(repeating: false, count: nodes.count)
    isReached[0] = true
    var work = [0]
    while let node = work.popLast() {
      for edge in nodes[node].edges where !isReached[edge.node] {
        isReached[edge.node] = true
        work.append(edge.node)
      }
    }
    var count = 0
    let positions = isReached.map { isReached in
      defer { if isReached { count += 1 } }
      return count
    }
    nodes = zip(nodes, isReached).filter(\.1).map(\.0)
    for node in nodes.indices {
      for edge in nodes[node].edges.indices {
        nodes[node].edges[edge].node = positions[nodes[node].edges[edge].node]
      }
    }
  }

  /// Treats the subscriber list that stores the newest value of `Observed` as the source that the list belongs to.
  private mutating func joinObserved() {
    for node in nodes.indices where nodes[node].kind == .subject {
      guard let source = nodes[node].edges.first?.node, nodes[source].name == "Observed" else { continue }
      (nodes[node].kind, nodes[node].name) = (.source, "Observed")
      (nodes[node].facts.owner, nodes[node].facts.demand, nodes[node].edges) = (nil, nil, [])
    }
  }

  /// Skips the links of `share()`, `autoconnect()` and subjects, and connects a part directly to the one upstream,
  /// because these links don't add information.
  private mutating func skipConnectedLinks(of node: Int) {
    for index in nodes[node].edges.indices {
      let edge = nodes[node].edges[index]
      let link = nodes[edge.node]
      if link.name == "BoundedSubject", let subject = link.edges.first?.node { nodes[subject].name = "its senders" }
      guard link.kind == .link, link.edges.count == 1,
        link.name == "share" || link.name == "autoconnect" || "\(link.type)" == "SubjectLink"
      else { continue }
      var direct = link.edges[0]
      if let name = link.name, nodes[direct.node].kind == .source {
        direct.operators.append(Node.Operator(name: name, counter: nil))
      } else if let name = link.name {
        let owner = nodes[direct.node].facts.owner
        if owner.map({ "\(type(of: $0))" == "BroadcastCore" }) ?? true {
          nodes[direct.node].name = name
        } else {
          direct.operators.append(Node.Operator(name: name, counter: nil))
        }
      }
      (direct.slot, direct.isNumbered) = (edge.slot, edge.isNumbered)
      direct.operators += edge.operators
      nodes[node].edges[index] = direct
    }
  }

  /// Returns the downstream end that belongs to the user's object, its name, and the object whose property it sets.
  static func root(behind held: AnyObject) -> (part: AnyObject, name: String?, target: AnyObject?) {
    var object = held
    while true {
      let name = "\(type(of: object))".prefix { $0 != "<" }
      switch name {
      case "CancellableLink":
        guard let canceller = Facts(of: object).upstreams.last?.object else { return (object, nil, nil) }
        object = canceller
      case "Sink", "Assign":
        let facts = Facts(of: object)
        guard let link = facts.upstreams.first?.object else { return (object, nil, nil) }
        return (link, name == "Sink" ? "sink" : "assign(to:on:)", facts.target)
      default:
        if let name = rootName(type(of: object)) { return (object, name, nil) }
        guard let subscription = subscription(storedBy: object) else { return (object, nil, nil) }
        return (subscription, GenericType(type(of: object)).text, nil)
      }
    }
  }

  /// Returns the subscription that a subscriber from other code stores. It's read by reflection, as `dump` does.
  private static func subscription(storedBy object: AnyObject) -> AnyObject? {
    guard object is any Subscriber else { return nil }
    for child in Mirror(reflecting: object).children {
      if let subscription = child.value as? any Subscription { return subscription as AnyObject }
    }
    return nil
  }

  private static func rootName(_ type: Any.Type) -> String? {
    switch "\(type)".prefix(while: { $0 != "<" }) {
    case "SinkLink", "CountedSinkLink": "sink"
    case "AwaitedValues": "for await"
    case "SubjectLink": "subscribe(_:) of a subject"
    case "CancelAction": "a cancellable that calls a closure"
    default: nil
    }
  }

  /// Follows the connections of a part.
  private mutating func follow(_ node: Int, _ facts: Facts, _ segment: [Int]) {
    if facts.senderType != nil, facts.owner != nil {
      // The root is the subscription of a subject.
      return connect(segment, slot: nil, to: facts.upstreams.last?.object, through: facts)
    }
    // Reversed, so that the first connection is followed first.
    for (slot, object) in facts.upstreams.reversed() { work.append(Step(slot: slot, object: object, segment: segment)) }
  }

  private mutating func take(_ step: Step) {
    guard let object = step.object, let consumer = step.segment.last else { return }
    if let known = positions[ObjectIdentifier(object)] {
      return nodes[consumer].edges.append(Node.Edge(slot: step.slot, node: known))
    }
    let facts = Facts(of: object)
    if facts.owner != nil {
      // The subscription of a subject.
      return connect(step.segment, slot: step.slot, to: facts.upstreams.last?.object, through: facts)
    }
    guard nodes.count < limit else { return cut(step.segment, before: object) }
    let node = nodes.count
    nodes[consumer].edges.append(Node.Edge(slot: step.slot, node: node))
    add(object, facts, step.segment)
  }

  /// Leaves out everything upstream of a segment. Only the source there knows the names of the segment's parts. The
  /// search for the source goes up to ten times as far as the limit, because it's cheap.
  private mutating func cut(_ segment: [Int], before object: AnyObject) {
    var facts = Facts(of: object)
    for _ in 0..<10 * limit {
      guard facts.senderType == nil, let next = facts.upstreams.first?.object else { break }
      facts = Facts(of: next)
    }
    cut(segment, through: facts)
  }

  private mutating func cut(_ segment: [Int], through facts: Facts) {
    isTruncated = true
    for consumer in segment.suffix(1) { nodes[consumer].isCut = true }
    guard let type = facts.senderType else { return }
    var chain = chain(type, facts)
    chain.keep(objects: segment.count - 1)
    nameParts(segment, chain, edgeTo: -1)
  }

  /// Adds a part, and follows its connections.
  private mutating func add(_ object: AnyObject, _ facts: Facts, _ segment: [Int]) {
    let node = nodes.count
    positions[ObjectIdentifier(object)] = node
    var facts = facts
    var new = Node(object, .unknown)
    let name = "\(type(of: object))".prefix { $0 != "<" }
    if let name = facts.operatorName {
      new.kind = .engine(name)
    } else if let name = facts.sourceName {
      (new.kind, new.name) = (.source, name)
    } else {
      switch name {
      case "DemandSource", "AsyncSequenceSource": new.kind = .source
      case "SingleValueSource": new.kind = facts.upstreams.isEmpty ? .source : .link
      case "HandleEventsSubscription", "MultipliedSubscription", "ReplaceEmptySubscription", "SubscribeOnSubscription",
        "BoundedSubscription":
        // The link upstream is part of the same operator.
        new.kind = .link
        if name == "SubscribeOnSubscription" { new.name = "subscribe(on:)" }
        if let link = facts.upstreams.first?.object {
          let (demand, batch, waiting) = (facts.demand, facts.batch, facts.waiting)
          facts = Facts(of: link)
          facts.waiting = waiting
          if let demand { facts.demand = demand }
          facts.batch = batch
        }
      case "PrintSubscription", "SubscriptionBox":
        // These have one constant reference upstream.
        new.kind = .link
        facts = self.facts(behind: object)
      case "EndedSubscription": new.kind = .source
      default:
        if !facts.upstreams.isEmpty || facts.isOver || facts.isUnconnected { new.kind = .link }
      }
    }
    new.facts = facts
    if new.kind == .link, let name = facts.linkName { new.name = name }
    new.checkpoint = (object as? AnnotatedLink)?.name
    nodes.append(new)

    let isForwarded = new.kind == .link || new.kind == .unknown
    if let type = facts.senderType, facts.owner == nil {
      nameParts(segment, chain(type, facts, of: node), edgeTo: node)
    }
    follow(node, facts, isForwarded ? segment + [node] : [node])
  }

  /// Connects the last part of a segment to the subscriber list of a subject, through a subscription.
  private mutating func connect(_ segment: [Int], slot: Int?, to list: AnyObject?, through facts: Facts) {
    guard let list, let consumer = segment.last else { return }
    let position: Int
    if let known = positions[ObjectIdentifier(list)] {
      position = known
    } else {
      guard nodes.count < limit else { return cut(segment, through: facts) }
      position = nodes.count
      var node = Node(list, .subject)
      node.facts = Facts(of: list)
      if let owner = facts.owner { node.facts.owner = owner }
      positions[ObjectIdentifier(list)] = position
      nodes.append(node)
      follow(position, node.facts.withoutOwner, [position])
    }
    var edge = Node.Edge(slot: slot, node: position)
    edge.facts = facts
    nodes[consumer].edges.append(edge)
    if let type = facts.senderType { nameParts(segment, chain(type, facts), edgeTo: position) }
  }

  /// Names the parts of a segment and the operators between them. The source at the segment's upstream end knows the
  /// names.
  private mutating func nameParts(_ segment: [Int], _ chain: SubscriberChain, edgeTo source: Int) {
    var upstream = source
    var remaining = segment[...]
    var operators: [Node.Operator] = []
    var isConnectable = false
    for link in chain.links {
      guard let part = remaining.last else { return }
      switch link.kind {
      case .passes: operators.append(Node.Operator(name: link.name, counter: link.counter))
      case .connectable: isConnectable = true
      case .hasObject, .ends, .foreign:
        if let edge = nodes[part].edges.lastIndex(where: { $0.node == upstream }) {
          nodes[part].edges[edge].operators = operators
          nodes[part].edges[edge].isConnectable = isConnectable
          if let slot = link.slot, nodes[part].engine == "merge" {
            // Slots are counted from 1.
            (nodes[part].edges[edge].slot, nodes[part].edges[edge].isNumbered) = (slot - 1, true)
          }
        }
        if case .ends = link.kind { return }
        if nodes[part].name == nil, part != 0 || !link.name.isEmpty { nodes[part].name = link.name }
        operators = []
        isConnectable = false
        upstream = part
        remaining.removeLast()
      case .erased:
        // The rest isn't known, unless it's the end.
        if let edge = nodes[part].edges.lastIndex(where: { $0.node == upstream }) {
          nodes[part].edges[edge].operators = operators
        }
        return
      }
    }
  }

  /// Returns the subscribers that follow a source of the given type. Names the source's part if it's a reduction.
  private mutating func chain(_ type: Any.Type, _ facts: Facts, of node: Int) -> SubscriberChain {
    var chain = chain(type, facts)
    if case .links(let name, _) = SubscriberRole(of: type) {
      // The source is a reduction, which is a part of its own.
      nodes[node].name = name
      chain.dropHead()
    }
    return chain
  }

  private func chain(_ type: Any.Type, _ facts: Facts) -> SubscriberChain {
    var chain = SubscriberChain(type, heldBy: facts.sender, facts.subscriber)
    if let sender = facts.sender {
      chain.appendErased(heldBy: sender)
    } else if let subscriber = facts.subscriber {
      chain.appendErased(in: subscriber)
    }
    return chain
  }

  private func facts(behind object: AnyObject) -> Facts {
    for child in Mirror(reflecting: object).children {
      guard let label = child.label, ["link", "upstream", "content"].contains(label) else { continue }
      let next = child.value as AnyObject
      if "\(type(of: next))".hasSuffix("Link") { return Facts(of: next) }
      var facts = Facts()
      facts.upstreams = [(0, next)]
      return facts
    }
    return Facts()
  }
}

/// Returns the number of values that have arrived at the downstream end of a connection, if they're counted.
func arrivals(through edge: Node.Edge, in nodes: [Node]) -> Int? {
  if let flow = edge.operators.last(where: { $0.flow != nil })?.flow { return Int(flow.sent) }
  return edge.facts?.sent ?? nodes[edge.node].facts.sent
}

extension Node.Edge {
  /// Returns this connection, extended through a part to the operator that the part belongs to.
  fileprivate func extended(by next: Node.Edge, keepsSlot: Bool = false) -> Node.Edge {
    var whole = self
    whole.operators += next.operators
    if !keepsSlot { (whole.slot, whole.isNumbered) = (next.slot, next.isNumbered) }
    return whole
  }
}

extension Facts {
  fileprivate mutating func add(_ counter: FlowCounter) {
    guard counter.isCounting else { return }
    (arrived, sent) = (counter.arrivals, counter.departures)
    if let collected = counter.collected { (held, batch) = collected }
  }

  fileprivate var withoutOwner: Facts {
    var facts = self
    facts.owner = nil
    return facts
  }
}

private protocol ErasedSubscriber {
  var base: (any Subscriber)? { get }
}

extension AnySubscriber: ErasedSubscriber {}

extension SubscriberChain {
  /// Appends the chain that follows an erased subscriber at the end, if a source or a subscriber holds it in a constant field.
  fileprivate mutating func appendErased(heldBy source: AnyObject) {
    if let subscriber = Self.subscriber(heldBy: source) { appendErased(in: subscriber) }
  }

  /// Appends the chain that follows an erased subscriber at the end. The argument is that subscriber or holds it.
  fileprivate mutating func appendErased(in subscriber: Any) {
    var subscriber = subscriber
    while links.last?.kind == .erased, let base = Self.erasedSubscriber(in: subscriber)?.base {
      append(SubscriberChain(type(of: base), heldBy: base))
      subscriber = base
    }
  }

  private static func erasedSubscriber(in subscriber: Any) -> (any ErasedSubscriber)? {
    var subscriber = subscriber
    while true {
      if let erased = subscriber as? any ErasedSubscriber { return erased }
      guard let next = Self.subscriber(heldBy: subscriber) else { return nil }
      subscriber = next
    }
  }
}
