internal import Streams

/// Finds out why nothing arrives: follows from the sink upwards what each part waits for.
struct Diagnosis {
  let nodes: [Node]
  let parts: [Inspection.Part]
  let thresholds: Inspection.Thresholds
  var findings: [Inspection.Finding] = []
  /// The parts that wait for one another, from the sink up to the one that is being looked at.
  var path: [Int] = []
  /// How often each part has been looked at.
  private var visits: [Int]

  /// A part can be reached on many paths, twice as many for each shared part with two inputs. A few of them are enough
  /// to find each cycle and each cause.
  private static let maxVisits = 4

  init(_ nodes: [Node], _ parts: [Inspection.Part], _ thresholds: Inspection.Thresholds) {
    self.nodes = nodes
    self.parts = parts
    self.thresholds = thresholds
    visits = Array(repeating: 0, count: nodes.count)
    explainRoot()
  }

  mutating func find(_ kind: Inspection.Cause, at part: Int?, _ text: String) {
    findings.append(Inspection.Finding(kind: kind, text: text, part: part, place: part.flatMap { parts[$0].place }))
  }

  /// The name of a part in a sentence, with its place if that is known.
  func name(_ part: Int) -> String {
    parts[part].place.map { "\(parts[part].name) (\($0))" } ?? parts[part].name
  }

  mutating func explainRoot() {
    let root = nodes[0].facts
    if root.isOver { return explainEnd() }
    if isSubscription(0), let facts = nodes[0].edges.first?.facts ?? nodes[0].facts.demand.map({ _ in nodes[0].facts }),
      facts.demand == Subscribers.Demand.none
    {
      return explainMissingDemand(of: 0, to: nodes[0].edges.first?.node ?? 0, hasRequested: facts.isRequested)
    }
    if root.isUnconnected, root.owner == nil {
      return find(
        .unknown, at: 0,
        "The publisher has not sent a subscription yet, which must come before any value: look at its "
          + "receive(subscriber:), or at the scheduler of subscribe(on:).")
    }
    if nodes[0].edges.isEmpty, nodes[0].name == nil || nodes[0].name == "a cancellable that calls a closure" {
      return find(
        .unknown, at: 0,
        "\(name(0)) hides its stream: make the cancellable with sink or assign, or of the subscription itself, "
          + "AnyCancellable(subscription).")
    }
    if root.awaits == false, root.waiting > 0 {
      return find(
        .delivering, at: 0,
        "\(counted(root.waiting, "value", "waits")) for a loop whose body has not come back for the next one: the "
          + "task of "
          + "the loop is busy, suspended or has not begun.")
    }
    explain(0)
  }

  /// Explains why there is nothing left of the stream.
  mutating func explainEnd() {
    guard let ended = Registry.shared.endedSink(nodes[0].id) else {
      return find(
        .ended, at: 0, "The stream has ended: it has completed, or was cancelled. Nothing can arrive any more.")
    }
    let place = CallSites.shared.place(of: ended.made.place)
    let late = Registry.shared.lateSubscriptions.last { place != nil && CallSites.shared.place(of: $0.place) == place }
    if let late, ended.count == 0 {
      let chain = SubscriberChain(GenericType(late.subscriber).arguments.last ?? GenericType(text: ""))
      let name = chain.links.contains { $0.name == "share" } ? "share()" : "The subject"
      findings.append(
        Inspection.Finding(
          kind: .ended,
          text:
            "\(name) had ended before this stream subscribed to it (\(place?.description ?? "")), and it does not "
            + "replay values: subscribe "
            + "earlier, or use share(replay:).", part: 0, place: place?.description))
      return
    }
    findings.append(
      Inspection.Finding(
        kind: .ended,
        text:
          "The stream\(place.map { " of \($0)" } ?? "") has ended, "
          + "\(Duration.milliseconds(Int(ended.time &- ended.made.time)).text) after it was "
          + "made and with \(ended.count) values received: it has completed, or was cancelled.",
        part: 0, place: place?.description))
  }

  /// Explains why a part sends nothing: the cause at this part, or at what it waits for.
  mutating func explain(_ part: Int) {
    if let first = path.firstIndex(of: part) { return explainCycle(Array(path[first...])) }
    guard path.count < 1_000, visits[part] < Self.maxVisits else { return }
    visits[part] += 1
    path.append(part)
    defer { path.removeLast() }
    let node = nodes[part]
    let facts = node.facts
    if facts.isOver {
      return find(.ended, at: part, "\(name(part)) has ended, and sends nothing any more.")
    }
    switch node.kind {
    case .root, .link: explainLinear(part)
    case .machine(let machine): explain(part, machine)
    case .subject: explainSubject(part)
    case .source: explainSource(part)
    case .unknown:
      find(
        .unknown, at: part,
        "\(name(part)) has sent nothing, and does not tell why: it is a subscription of other code. Look at its "
          + "request(_:).")
    }
  }

  // MARK: Connections

  /// Follows a connection: nothing may have been requested through it.
  mutating func follow(_ edge: Node.Edge, from part: Int) {
    if let facts = edge.facts {
      if facts.demand == Subscribers.Demand.none, facts.isStale || !facts.isRequested || !isWaitingItself(part) {
        return explainMissingDemand(of: part, to: edge.node, hasRequested: facts.isRequested)
      }
      if edge.isConnectable, nodes[edge.node].edges.isEmpty, !nodes[edge.node].facts.isOver {
        return find(
          .notConnected, at: part,
          "Nobody has called connect() on the connectable publisher (multicast or makeConnectable) that \(name(part)) "
            + "subscribes to, so it never begins to send: call connect() and keep its result, or use autoconnect().")
      }
    }
    let source = nodes[edge.node].facts
    if nodes[edge.node].kind == .source, source.demand == Subscribers.Demand.none, !source.isDelivering, !source.isOver,
      !isWaitingItself(part)
    {
      return explainMissingDemand(of: part, to: edge.node, hasRequested: source.isRequested)
    }
    if nodes[edge.node].machine != nil, source.demand == Subscribers.Demand.none, !source.isOver, !isWaitingItself(part)
    {
      return explainMissingDemand(of: part, to: edge.node, hasRequested: false)
    }
    explain(edge.node)
  }

  /// Indicates whether the root is the subscription of a subscriber of other code.
  func isSubscription(_ part: Int) -> Bool {
    guard let name = nodes[part].name else { return true }
    return !["sink", "for await", "assign(to:on:)", "subscribe(_:) of a subject"].contains(name)
  }

  /// Indicates whether a part asks its sources only as it needs more.
  func isWaitingItself(_ part: Int) -> Bool { nodes[part].machine != nil }

  mutating func explainMissingDemand(of part: Int, to source: Int, hasRequested: Bool) {
    let wanted =
      hasRequested ? "has received all the values that it requested, and requests no more" : "has requested no values"
    let advice =
      nodes[part].name == "recorder"
      ? "Call request(_:) on the recorder, or record with another demand."
      : "Call request(_:) on the subscription in receive(subscription:), or return a demand from receive(_:)."
    find(.noDemand, at: part, "No demand: \(name(part)) \(wanted), so \(name(source)) must not send any. \(advice)")
  }

  mutating func explainLinear(_ part: Int) {
    guard let edge = nodes[part].edges.first else {
      return find(.unknown, at: part, "\(name(part)) has no subscription that could send values.")
    }
    follow(edge, from: part)
  }

  // MARK: Cycles

  mutating func explainCycle(_ cycle: [Int]) {
    let names = (cycle + [cycle[0]]).map(name).joined(separator: " waits for ")
    find(
      .cycle, at: cycle[0],
      "A cycle of waiting: \(names). Break it: give one of them more room or demand, or another source.")
  }

  // MARK: Subjects

  mutating func explainSubject(_ part: Int) {
    let node = nodes[part]
    if node.facts.isDelivering {
      find(
        .delivering, at: part, "\(name(part)) is sending a value, and one of its subscribers has not returned from it.")
    }
    if let edge = node.edges.first(where: { !nodes[$0.node].facts.isOver }) {
      if !node.facts.isRequested {
        return find(.noDemand, at: part, "No demand: none of the subscribers of \(name(part)) has requested values.")
      }
      return follow(edge, from: part)
    }
    if let blocking = blockingSubscriber(of: part), let first = path.firstIndex(of: blocking) {
      return explainCycle(Array(path[first...]))
    }
    if let feeder = feeder(of: part) {
      path.append(part)
      defer { path.removeLast() }
      return explain(feeder)
    }
    if !node.edges.isEmpty {
      return find(
        .neverAgain, at: part,
        "The publisher that \(name(part)) was connected to has ended or was disconnected: keep the cancellable of "
          + "connect() or "
          + "subscribe(_:), and connect again.")
    }
    if isOnlyHeldByItsSubscriptions(node) {
      return find(
        .neverAgain, at: part,
        "\(name(part)) can probably never send again: nothing but its own subscriptions seems to keep it alive, so "
          + "nobody is left "
          + "to call send(_:). Keep a reference to it where values are sent, or end it with send(completion:).")
    }
    if let owner = retainCycle {
      return find(
        .neverAgain, at: 0,
        "The stream keeps itself alive in a retain cycle: its closure captures \(owner), which holds the "
          + "cancellable, so nobody else may be "
          + "left to send to \(name(part)). Capture it weakly, [weak self], or use sink(with:).")
    }
    if let group = path.first(where: { nodes[$0].name == "groupBy" }), !path.contains(where: isFlattening) {
      return find(
        .waitsForSource, at: group,
        "The values go to the groups of \(name(group)), and nobody has subscribed to these, as far as this stream "
          + "shows: it receives the "
          + "groups themselves. Flatten them, flatMap { $0 }, or subscribe to each.")
    }
    if let buffer = path.first(where: { nodes[$0].name == "buffer" && nodes[$0].kind == .link }) {
      let boundary = path.last { nodes[$0].machine == "MergeMachine" }.flatMap { nodes[$0].edges.last?.node }
      return find(
        .waitsForSource, at: buffer,
        "\(name(buffer)) holds its values until a boundary comes, from \(boundary.map(name) ?? "its other source"), "
          + "which has not sent one: "
          + "if that in turn waits for the output of this buffer, the two wait for each other. Give one of them a "
          + "time limit.")
    }
    find(
      .waitsForSource, at: part,
      "\(name(part)) has been sent no value since: call send(_:) on this very object.")
  }

  func isFlattening(_ part: Int) -> Bool {
    ["FlatMapMachine", "SwitchMachine", "MergeMachine", "OrderedConcurrencyMachine"].contains(nodes[part].machine ?? "")
  }

  /// The type of an object that the sink's closure captures, and that holds the cancellable of the same stream.
  var retainCycle: String? {
    guard let captured = nodes[0].facts.captured, let root = nodes[0].object else { return nil }
    // Stored properties are read as `dump` reads them.
    for child in Mirror(reflecting: captured).children {
      let held: [AnyCancellable]
      switch child.value {
      case let cancellable as AnyCancellable: held = [cancellable]
      case let cancellable as AnyCancellable?: held = cancellable.map { [$0] } ?? []
      case let cancellables as Set<AnyCancellable>: held = Array(cancellables)
      case let cancellables as [AnyCancellable]: held = cancellables
      default: continue
      }
      if held.contains(where: { $0.part === root }) { return GenericType(type(of: captured)).text }
    }
    return nil
  }

  /// The part that waits in place of a subject's senders: a bounded subject sends only when all of its subscribers have
  /// room.
  func blockingSubscriber(of subject: Int) -> Int? {
    for (position, node) in nodes.enumerated()
    where node.name == "BoundedSubject" && node.facts.demand == Subscribers.Demand.none
      && node.edges.contains(where: { $0.node == subject })
    {
      // Downstream from there, to a part that is waiting.
      var part = position
      for _ in 0..<1_000 {
        if path.contains(part), part != position { return part }
        guard let next = nodes.firstIndex(where: { $0.edges.contains { $0.node == part } }) else { break }
        part = next
      }
    }
    return nil
  }

  /// The grouping operator that makes a subject: the groups of an operator are sources of what follows it.
  func feeder(of part: Int) -> Int? {
    guard "\(nodes[part].facts.owner.map { type(of: $0) } as Any)".contains("ReplaySubject") else { return nil }
    for consumer in path.reversed() {
      for edge in nodes[consumer].edges where edge.slot ?? 0 < 0 {
        if let found = upwards(from: edge.node, where: { nodes[$0].name == "groupBy" }) { return found }
      }
    }
    return nil
  }

  func upwards(from part: Int, where isWanted: (Int) -> Bool) -> Int? {
    var part = part
    for _ in 0..<1_000 {
      if isWanted(part) { return part }
      guard let edge = nodes[part].edges.first else { return nil }
      part = edge.node
    }
    return nil
  }

  func isOnlyHeldByItsSubscriptions(_ node: Node) -> Bool {
    guard let owner = node.facts.owner, owner !== node.object, node.facts.subscribers > 0 else { return false }
    // Besides its subscriptions, the reading itself holds it.
    let held = nodes.reduce(0) {
      $0 + ($1.facts.owner === owner ? 1 : 0) + $1.edges.filter { $0.facts?.owner === owner }.count
    }
    let first = _getRetainCount(owner)
    let second = _getRetainCount(owner)
    return first == second && Int(first) - held <= node.facts.subscribers + 1
  }

  // MARK: Sources

  mutating func explainSource(_ part: Int) {
    let facts = nodes[part].facts
    if facts.isAbandoned {
      return find(
        .neverAgain, at: part,
        "The promise of \(name(part)) was never kept: it was released without a call, so that no result can come. "
          + "Call it on every "
          + "path of the closure, with a failure if need be.")
    }
    if facts.isPromised {
      return find(
        .waitsForSource, at: part,
        "The promise of \(name(part)) has not been called yet, or its task has not returned: look at what should "
          + "call it.")
    }
    if facts.isDelivering {
      return find(
        .delivering, at: part, "\(name(part)) is sending a value, and its subscriber has not returned from it.")
    }
    if facts.hasTask, facts.isTaskWaiting || facts.demand == Subscribers.Demand.none {
      return find(
        .noDemand, at: part, "No demand: the task of \(name(part)) waits until its subscriber requests values.")
    }
    if facts.hasTask {
      return find(.waitsForSource, at: part, "\(name(part)) has not produced its next value: its task awaits it.")
    }
    find(.waitsForSource, at: part, "\(name(part)) has not sent a value.")
  }
}
