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
        "The publisher hasn't sent a subscription yet, which must come before any value. Look at its "
          + "receive(subscriber:), or at the scheduler that you passed to subscribe(on:).")
    }
    if nodes[0].edges.isEmpty, nodes[0].name == nil || nodes[0].name == "a cancellable that calls a closure" {
      return find(
        .unknown, at: 0,
        "\(name(0)) hides its stream. Create the cancellable with sink or assign, or directly from the subscription "
          + "with AnyCancellable(subscription).")
    }
    if root.awaits == false, root.waiting > 0 {
      return find(
        .delivering, at: 0,
        "\(counted(root.waiting, "value", "waiting")) for a loop that hasn't requested the next one. The loop's task "
          + "is busy or suspended, or hasn't started yet.")
    }
    explain(0)
  }

  /// Explains why there is nothing left of the stream.
  mutating func explainEnd() {
    guard let ended = Registry.shared.endedSink(nodes[0].id) else {
      return find(
        .ended, at: 0, "The stream has ended: it completed or was cancelled. No more values can arrive.")
    }
    let place = CallSites.shared.place(of: ended.made.place)
    let late = Registry.shared.lateSubscriptions.last { place != nil && CallSites.shared.place(of: $0.place) == place }
    if let late, ended.count == 0 {
      let chain = SubscriberChain(late.subscriber)
      let name = chain.links.contains { $0.name == "share" } ? "share()" : "The subject"
      findings.append(
        Inspection.Finding(
          kind: .ended,
          text:
            "\(name) had already ended when this stream subscribed to it (\(place?.description ?? "")), and it doesn't "
            + "replay values. Subscribe earlier, or use share(replay:).", part: 0, place: place?.description))
      return
    }
    findings.append(
      Inspection.Finding(
        kind: .ended,
        text:
          "The stream\(place.map { " at \($0)" } ?? "") ended "
          + "\(Duration.milliseconds(Int(ended.time &- ended.made.time)).text) after it was "
          + "created, with \(ended.count) values received. It completed or was cancelled.",
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
      return find(.ended, at: part, "\(name(part)) has ended and won't send any more values.")
    }
    switch node.kind {
    case .root, .link: explainLinear(part)
    case .machine(let machine): explain(part, machine)
    case .subject: explainSubject(part)
    case .source: explainSource(part)
    case .unknown:
      find(
        .unknown, at: part,
        "\(name(part)) has sent nothing, and its subscription can't be inspected. Look at its request(_:).")
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
          "The connectable publisher (multicast or makeConnectable) that \(name(part)) subscribes to isn't connected, "
            + "so it sends nothing. Call connect() and keep its result, or use autoconnect().")
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
      hasRequested
      ? "has received all the values that it requested and hasn't requested more" : "has requested no values"
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
      "Circular wait: \(names). Break the cycle: give one of them more room, more demand or a different source.")
  }

  // MARK: Subjects

  mutating func explainSubject(_ part: Int) {
    let node = nodes[part]
    if node.facts.isDelivering {
      find(
        .delivering, at: part,
        "\(name(part)) is sending a value, but one of its subscribers hasn't returned from receive(_:).")
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
        "The publisher that \(name(part)) was connected to has ended or was disconnected. Keep the cancellable that "
          + "connect() or subscribe(_:) returns, and connect again.")
    }
    if isOnlyHeldByItsSubscriptions(node) {
      return find(
        .neverAgain, at: part,
        "\(name(part)) can probably never send again. Only its own subscriptions seem to keep it alive, so no code "
          + "is left to call send(_:). Keep a reference to it where you send values, or end it with send(completion:).")
    }
    if let owner = retainCycle {
      return find(
        .neverAgain, at: 0,
        "The stream keeps itself alive in a retain cycle: it retains \(owner), whose property it sets, and which holds the "
          + "cancellable. There may be no other code left that can send to \(name(part)). Use assign(to: &$property), or "
          + "sink(with: self), which doesn't retain the object.")
    }
    if let group = path.first(where: { nodes[$0].name == "groupBy" }), !path.contains(where: isFlattening) {
      return find(
        .waitsForSource, at: group,
        "This stream receives the groups of \(name(group)), not their values, and the groups seem to have no "
          + "subscribers. Flatten them with flatMap { $0 }, or subscribe to each one.")
    }
    if let buffer = path.first(where: { nodes[$0].name == "buffer" && nodes[$0].kind == .link }) {
      let boundary = path.last { nodes[$0].machine == "merge" }.flatMap { nodes[$0].edges.last?.node }
      return find(
        .waitsForSource, at: buffer,
        "\(name(buffer)) holds its values until a boundary arrives from \(boundary.map(name) ?? "its other source"), "
          + "which hasn't sent one. If that source is waiting for this buffer's output, the two wait for each other "
          + "forever. Give one of them a time limit.")
    }
    find(
      .waitsForSource, at: part,
      "\(name(part)) hasn't received a new value. Call send(_:) on this instance.")
  }

  func isFlattening(_ part: Int) -> Bool {
    nodes[part].hasOuter || nodes[part].machine == "merge"
  }

  /// The type of an object whose property the stream sets, and that holds the cancellable of the same stream.
  var retainCycle: String? {
    guard let target = nodes[0].facts.target, let root = nodes[0].object else { return nil }
    // Stored properties are read as `dump` reads them.
    for child in Mirror(reflecting: target).children {
      let held: [AnyCancellable]
      switch child.value {
      case let cancellable as AnyCancellable: held = [cancellable]
      case let cancellable as AnyCancellable?: held = cancellable.map { [$0] } ?? []
      case let cancellables as Set<AnyCancellable>: held = Array(cancellables)
      case let cancellables as [AnyCancellable]: held = cancellables
      default: continue
      }
      let holdsIt = held.contains { $0.link.map { StreamReader.root(behind: $0).part === root } ?? false }
      if holdsIt { return GenericType(type(of: target)).text }
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
      for edge in nodes[consumer].edges where edge.slot == 0 && nodes[consumer].hasOuter {
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
        "The promise of \(name(part)) was released without being called, so no result can arrive. Call it on every "
          + "path through the closure, with a failure if necessary.")
    }
    if facts.isPromised {
      return find(
        .waitsForSource, at: part,
        "The promise of \(name(part)) hasn't been called yet, or its task hasn't returned. Look at the code that "
          + "should call it.")
    }
    if facts.isDelivering {
      return find(
        .delivering, at: part, "\(name(part)) is sending a value, but its subscriber hasn't returned from receive(_:).")
    }
    if facts.hasTask, facts.isTaskWaiting || facts.demand == Subscribers.Demand.none {
      return find(
        .noDemand, at: part, "No demand: the task of \(name(part)) is waiting for its subscriber to request values.")
    }
    if facts.hasTask {
      return find(
        .waitsForSource, at: part, "\(name(part)) hasn't produced its next value. Its task is still waiting for it.")
    }
    find(.waitsForSource, at: part, "\(name(part)) has not sent a value.")
  }
}
