internal import Streams

// Finds the operator that receives values and doesn't send any.

extension Diagnosis {
  /// Explains that an operator without an object of its own receives values but doesn't send any. Returns false if that
  /// isn't so.
  mutating func explainDrops(_ edge: Node.Edge, _ part: Int) -> Bool {
    for (position, one) in edge.operators.enumerated().reversed() {
      guard let flow = one.flow, flow.received > 0 else { continue }
      guard flow.sent == 0 else { return false }
      let (name, place) = nameAndPlace(of: position, edge, part)
      if flow.received == 1, hasCurrentValue(edge.node), explainFirst(edge, name) { return true }
      explainComing(from: edge.node)
      if let grouping = grouping(upFrom: edge.node) { _ = explainAbandonedGroups(grouping) }
      findDrops(name, flow.received, at: part, place, operatorPlaces.call(of: position, from: part, to: edge.node))
      return true
    }
    return false
  }

  /// Explains that a source hasn't sent anything after its first value, which an operator drops. Returns false if that isn't so.
  private mutating func explainFirst(_ edge: Node.Edge, _ name: String) -> Bool {
    let before = found.count
    explain(edge.node)
    guard before < found.count, found[before].hasSent else { return false }
    found[before].cause.append(
      name.hasPrefix("dropFirst")
        ? " \(name) drops the first one." : " That's its current value, which \(name) hasn't let through.")
    // It's the source that should send more.
    found[before].hasSent = false
    return true
  }

  /// Returns whether a part is a subject that sends its current value to each new subscriber.
  private func hasCurrentValue(_ part: Int) -> Bool {
    nodes[part].kind == .subject
      && (nodes[part].facts.isPublished || nodes[part].words.hasPrefix("CurrentValueSubject"))
  }

  /// Explains that groups, or windows, received values after losing their subscribers. Returns false if that isn't so.
  mutating func explainAbandonedGroups(_ part: Int) -> Bool {
    let facts = nodes[part].facts
    guard nodes[part].isGrouping, let arrived = facts.arrived, let sent = facts.sent, sent < arrived else {
      return false
    }
    let what = nodes[part].engine == "groupBy" ? "groups" : "windows"
    let flattening = nodes.firstIndex { node in
      node.hasOuter && node.edges.contains { $0.slot == 0 && upwards(from: $0.node, where: { $0 == part }) != nil }
    }
    let (reason, advice) =
      flattening.map(leaving) ?? (
        "whose subscribers had been cancelled", "Keep their cancellables for as long as you need the values."
      )
    find(
      .dropped, at: part,
      "\(name(part)) has put \(arrived - sent) of \(numberOfValues(arrived)) into \(what) \(reason).", advice)
    return true
  }

  /// Returns why an operator that flattens groups misses values from some of them, and what to do about it.
  private func leaving(_ part: Int) -> (reason: String, advice: String) {
    let node = nodes[part]
    guard node.isSwitch, node.facts.succeeded > 1 else {
      return (
        "whose streams in \(node.words) had ended, as with prefix(_:)",
        "Let the publishers that \(node.words) subscribes to go on for as long as you need the values."
      )
    }
    return (
      "that \(name(part)) no longer read. It reads only the newest one, and has left \(node.facts.succeeded - 1)",
      "Flatten them with flatMap, which keeps all of them."
    )
  }

  /// Explains that all inner publishers of `flatMap` have ended without a value. Returns false if that isn't so, or
  /// isn't known.
  mutating func explainValueless(_ part: Int) -> Bool {
    let node = nodes[part]
    guard node.engine == "flatMap", node.facts.bound == nil, node.facts.running == 0, let outer = node.edges.first,
      outer.slot == 0, let count = arrivals(through: outer), count > 0, departures == 0
    else { return false }
    if let grouping = grouping(upFrom: outer.node), explainAbandonedGroups(grouping) { return true }
    find(
      .dropped, at: part,
      "\(name(part)) has received \(numberOfValues(count)), and all that its closure returned has ended without a value.",
      "Look at what the closure returns: whether a weak capture is nil there, or a catch hides a failure.")
    return true
  }

  /// The number of values that the last part of the path has sent, if the receiver counts them.
  private var departures: Int? {
    guard let (consumer, edge) = lastConnection else { return nil }
    if let flow = edge.operators.lazy.compactMap(\.flow).first { return Int(flow.received) }
    let isSink = consumer == 0 || consumer == operatorPlaces.hop
    return nodes[consumer].facts.arrived ?? (isSink ? parts[0].count.map { Int($0) } : nil)
  }

  /// Explains that another value is already on its way, or will come as time passes. Doesn't blame an operator that may
  /// yet let that value through.
  private mutating func explainComing(from source: Int) {
    var part: Int? = source
    while let current = part {
      let facts = nodes[current].facts
      if facts.isOver { return }
      if facts.hasTimer || facts.isScheduled, nodes[current].place != nil {
        if nodes[current].kind == .source { return explain(current) }
        if nodes[current].waiting > 0, explainWaiting(current) { return }
      }
      if nodes[current].pauses, explainPause(current) { return }
      part =
        nodes[current].edges.count == 1
        ? nodes[current].edges.first.map(\.node).flatMap { $0 > current ? $0 : nil } : nil
    }
  }

  /// Explains that an operator holds values to send them together with others. Returns false if it doesn't hold any.
  mutating func explainHeld(at part: Int) -> Bool {
    let node = nodes[part]
    let isDelimited = node.name == "buffer(by:maxCount:)"
    guard let held = node.facts.held, let batch = node.facts.batch else {
      // Values that aren't counted may be held.
      guard isDelimited else { return false }
      explainHeld("its values", part, isDelimited)
      return true
    }
    guard held > 0 else { return false }
    explainHeld("\(held) of \(numberOfValues(batch))", part, isDelimited)
    return true
  }

  private mutating func explainHeld(_ values: String, _ part: Int, _ isDelimited: Bool) {
    let before = found.count
    for edge in nodes[part].edges { follow(edge, from: part) }
    if isCycle(since: before) { return }
    let boundary = nodes[part].edges.first { $0.slot == 1 }.map { name($0.node) } ?? "its other source"
    found.insert(
      Found(
        kind: .waitsForSource,
        cause: "\(name(part)) holds \(values) and waits for "
          + (isDelimited ? "a boundary from \(boundary)." : "the others."),
        advice: isDelimited
          ? "If that source is waiting for this buffer's output, the two wait for each other forever. Give one of them a "
            + "time limit." : "",
        part: part, place: place(part), isCertain: false),
      at: before)
  }

  /// Explains that an operator receives values but doesn't send any. Returns false if that isn't so.
  mutating func explainDrops(at part: Int) -> Bool {
    let node = nodes[part]
    guard case .link = node.kind else { return false }
    if let arrived = node.facts.arrived, arrived > 0, node.facts.sent == 0, node.facts.batch == nil {
      if arrived == 1, let edge = node.edges.first, node.name == "dropFirst" || hasCurrentValue(edge.node),
        explainFirst(edge, name(part))
      {
        return true
      }
      if let source = node.edges.first?.node { explainComing(from: source) }
      findDrops(name(part), UInt64(arrived), at: part, place(part), operatorPlaces.call(of: part))
      return true
    }
    guard node.isReduction, !node.facts.hasResult, let edge = node.edges.first, !nodes[edge.node].facts.isOver,
      !sources(of: part).contains(where: \.ticksOnce)
    else { return false }
    guard let count = arrivals(through: edge) else {
      if !node.decidesEarly { explainReduction(part, edge) }
      return !node.decidesEarly
    }
    guard count > 0 else { return false }
    let before = found.count
    follow(edge, from: part)
    // An upstream cause that's certain is the better explanation.
    if found.count > before, found[before].isCertain { return true }
    found.removeSubrange(before...)
    let waits =
      node.name == "ignoreOutput"
      ? "all of which it drops, and waits for \(name(edge.node)) to finish"
      : node.decidesEarly
        ? "none of which has decided its result"
        : "and sends its result when its source finishes, which \(name(edge.node)) hasn't done"
    find(
      .waitsForSource, at: part,
      "\(name(part)) has received \(numberOfValues(count)), \(waits).\(leak(of: edge.node))\(boundary(of: edge.node))",
      node.decidesEarly
        ? "Look at its condition, or finish its source." : "Finish its source, for example with prefix(_:).")
    return true
  }

  /// A sentence about the publisher whose next value ends a window.
  private func boundary(of window: Int) -> String {
    guard let grouping = feeder(of: window), nodes[grouping].engine != "groupBy",
      let boundary = nodes[grouping].edges.first(where: { $0.slot == 1 })
    else { return "" }
    return " The window ends with the next value of \(name(boundary.node))."
  }

  /// Explains why a reduction whose values aren't counted doesn't send anything: its source waits for something, or
  /// just hasn't ended.
  private mutating func explainReduction(_ part: Int, _ edge: Node.Edge) {
    let before = found.count
    follow(edge, from: part)
    guard before == found.count || [.waitsForSource, .unknown].contains(found[before].kind) else { return }
    let result = nodes[part].name == "ignoreOutput" ? "drops all values, and finishes" : "sends its result"
    found.insert(
      Found(
        kind: .waitsForSource,
        cause: "\(name(part)) \(result) when its source finishes, which \(name(edge.node)) hasn't done.",
        advice: "Finish its source, for example with prefix(_:).", part: part, place: place(part), isCertain: false),
      at: before)
  }

  /// Returns the parts upstream of a part, following the first source of each.
  private func sources(of part: Int) -> [Node] {
    var sources: [Node] = []
    var part = part
    while let edge = nodes[part].edges.first, edge.node > part {
      part = edge.node
      sources.append(nodes[part])
    }
    return sources
  }

  private mutating func findDrops(
    _ name: String, _ count: UInt64, at part: Int, _ place: String?, _ call: SourceChain.Call?
  ) {
    let capture = call?.weakCapture.map {
      " Its closure captures \($0) weakly, and may drop every value once that has been released."
    }
    found.append(
      Found(
        kind: .dropped,
        cause: "\(name) has received \(numberOfValues(count)) and let none through.\(capture ?? "")",
        advice: "Look at its condition, or at the values that arrive.", part: part,
        place: place ?? parts[0].place, isCertain: false))
  }

  func arrivals(through edge: Node.Edge) -> Int? { StreamInspection.arrivals(through: edge, in: nodes) }
}

extension Inspection.Flow {
  /// Indicates whether the operator has dropped most values, and at least three.
  var isStrict: Bool { received >= sent + 3 && received >= 4 * sent }
}

extension Node {
  /// Indicates whether this is a timer on a scheduler whose time doesn't advance.
  var ticksOnce: Bool { name == "Timer" && place?.name == "ImmediateScheduler" }

  /// The counts of an operator with an object of its own.
  var flow: Inspection.Flow? {
    guard facts.batch == nil, !isGrouping, let arrived = facts.arrived, let sent = facts.sent else { return nil }
    return Inspection.Flow(received: UInt64(arrived), sent: UInt64(max(0, sent)))
  }

  /// Indicates whether the part sends at most one value for all values that it receives.
  fileprivate var isReduction: Bool { "\(type)" == "SingleValueSource" || name == "ignoreOutput" }

  /// Indicates whether a single value can decide the result.
  fileprivate var decidesEarly: Bool {
    ["first", "tryFirst", "contains", "tryContains", "allSatisfy", "tryAllSatisfy"].contains {
      name?.prefix { $0 != "(" } ?? "" == $0
    }
  }
}
