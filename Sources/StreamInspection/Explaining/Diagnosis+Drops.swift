internal import Streams

// Which operator receives values and sends none.

extension Diagnosis {
  /// Explains that values arrive at an operator without an object, and none leaves it. Returns false if that isn't so.
  mutating func explainDrops(_ edge: Node.Edge, _ part: Int) -> Bool {
    for (position, one) in edge.operators.enumerated().reversed() {
      guard let flow = one.flow, flow.received > 0 else { continue }
      guard flow.sent == 0 else { return false }
      let (name, place) = nameAndPlace(of: position, edge, part)
      findDrops(name, flow.received, at: part, place)
      return true
    }
    return false
  }

  /// Explains that values arrive at an operator, and none leaves it. Returns false if that isn't so.
  mutating func explainDrops(at part: Int) -> Bool {
    let node = nodes[part]
    guard case .link = node.kind else { return false }
    if let arrived = node.facts.arrived, arrived > 0, node.facts.sent == 0, !node.keepsValues {
      findDrops(name(part), UInt64(arrived), at: part, place(part))
      return true
    }
    guard node.isReduction, !node.facts.hasResult, let edge = node.edges.first, let count = arrivals(through: edge),
      count > 0, !nodes[edge.node].facts.isOver, !sources(of: part).contains(where: \.ticksOnce)
    else { return false }
    let waits =
      node.name == "ignoreOutput"
      ? "all of which it drops, and waits for \(name(edge.node)) to finish"
      : node.decidesEarly
        ? "none of which has decided its result"
        : "and sends its result when its source finishes, which \(name(edge.node)) hasn't done"
    find(
      .waitsForSource, at: part, "\(name(part)) has received \(numberOfValues(count)), \(waits).",
      node.decidesEarly
        ? "Look at its condition, or finish its source." : "Finish its source, for example with prefix(_:).")
    return true
  }

  /// The parts that a part receives values from, as far as each has one source.
  private func sources(of part: Int) -> [Node] {
    var sources: [Node] = []
    var part = part
    while let edge = nodes[part].edges.first, edge.node > part {
      part = edge.node
      sources.append(nodes[part])
    }
    return sources
  }

  private mutating func findDrops(_ name: String, _ count: UInt64, at part: Int, _ place: String?) {
    found.append(
      Found(
        kind: .dropped, cause: "\(name) has received \(numberOfValues(count)) and let none through.",
        advice: "Look at its condition, or at the values that arrive.", part: part, place: place, isCertain: true))
  }

  /// The number of values that have arrived at the downstream end of a connection, if it's counted.
  func arrivals(through edge: Node.Edge) -> Int? {
    if let flow = edge.operators.last(where: { $0.flow != nil })?.flow { return Int(flow.sent) }
    return edge.facts?.sent ?? nodes[edge.node].facts.sent
  }
}

extension Inspection.Flow {
  /// Indicates whether most values have been dropped, and more than a few.
  var isStrict: Bool { received >= sent + 3 && received >= 4 * sent }
}

extension Node {
  /// Indicates whether this is a timer on a scheduler whose time doesn't advance.
  var ticksOnce: Bool { name == "Timer" && place?.name == "ImmediateScheduler" }

  /// Indicates whether the operator keeps values that it sends later, with others.
  fileprivate var keepsValues: Bool { ["buffer", "pairwise", "nwise"].contains(name) }

  /// What is counted of the values of an operator with an object.
  var flow: Inspection.Flow? {
    guard !keepsValues, let arrived = facts.arrived, let sent = facts.sent else { return nil }
    return Inspection.Flow(received: UInt64(arrived), sent: UInt64(max(0, sent)))
  }

  /// Indicates whether the part sends at most one value, made of all those that it receives.
  fileprivate var isReduction: Bool { "\(type)" == "SingleValueSource" || name == "ignoreOutput" }

  /// Indicates whether a single value can decide the result.
  fileprivate var decidesEarly: Bool {
    ["first", "tryFirst", "contains", "tryContains", "allSatisfy", "tryAllSatisfy"].contains {
      name?.prefix { $0 != "(" } ?? "" == $0
    }
  }
}
