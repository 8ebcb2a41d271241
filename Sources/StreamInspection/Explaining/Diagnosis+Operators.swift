internal import Streams

// Why an operator with a state of its own sends nothing.

extension Diagnosis {
  mutating func explain(_ part: Int, _ machine: String) {
    let node = nodes[part]
    let facts = node.facts
    if facts.isDelivering {
      find(
        .delivering, at: part,
        "\(name(part)) is delivering a value, and what is downstream of it has not returned: look for code that "
          + "blocks or waits.")
    }
    if facts.waiting > 0 || facts.isFinishing, explainWaiting(part) { return }
    switch machine {
    case "FlatMapMachine", "OrderedConcurrencyMachine": if explainSlots(part) { return }
    case "SwitchMachine": explainSuperseded(part)
    case "SuccessionMachine", "RetryingMachine": explainAttempts(part)
    case "UntilMachine", "PausableMachine":
      if facts.isOpen == false, let gate = node.edges.first(where: { $0.slot == 1 }) {
        find(
          .closed, at: part,
          "\(name(part)) is closed: it lets no value through before \(name(gate.node)) sends one.")
      }
    default: break
    }
    let needed = self.needed(node)
    let isOneOfSeveral = node.edges.count > 1 && needed.count == 1
    if isOneOfSeveral, let edge = needed.first, machine != "FlatMapMachine", machine != "SwitchMachine" {
      // A cycle is the better answer.
      let before = findings.count
      follow(edge, from: part)
      if !findings[before...].contains(where: { $0.kind == .cycle }) {
        let role = node.role(edge.slot).map { "its \($0) source" } ?? "a source"
        let source = name(edge.node)
        let cause = findings[before...].first?.text ?? "has sent nothing that is missing: look there."
        let text =
          "\(name(part)) waits for \(role) \(source)"
          + (cause.hasPrefix(source + " ") ? ", which\(cause.dropFirst(source.count))" : ": \(cause)")
        findings.insert(
          Inspection.Finding(
            kind: .waitsForSource, text: text, part: part, place: parts[part].place ?? parts[edge.node].place),
          at: before)
      }
      return
    }
    if needed.isEmpty, node.edges.isEmpty, !facts.isFinishing {
      return find(
        .unknown, at: part, "\(name(part)) waits for its source, which has not sent a subscription yet.")
    }
    for edge in needed.prefix(3) { follow(edge, from: part) }
  }

  /// Explains why values wait in an operator. Returns false if that does not keep anything from arriving.
  mutating func explainWaiting(_ part: Int) -> Bool {
    let facts = nodes[part].facts
    let values = facts.waiting > 0 ? counted(facts.waiting, "value", "waits") : "The completion waits"
    if facts.isOpen == false {
      find(.closed, at: part, "\(values) in \(name(part)), whose gate is closed.")
      return true
    }
    if facts.waiting > 0, facts.demand == Subscribers.Demand.none {
      let consumer = path.dropLast().last ?? part
      find(
        .noDemand, at: part,
        "No demand: \(values) in \(name(part)), because \(name(consumer)) downstream requests none. Let it call "
          + "request(_:), or "
          + "return a demand from receive(_:).")
      return true
    }
    guard let place = nodes[part].place, facts.hasTimer || facts.isScheduled else { return false }
    if place.isVirtual {
      let due = facts.hasTimer ? place.remaining.map { ", due in \($0.text)" } ?? "" : ""
      find(
        .timeStandsStill, at: part,
        "Virtual time stands still: \(values) in \(name(part))\(due), for the test scheduler to be advanced. Call "
          + "advance(by:) or run() on that scheduler, or pass the scheduler that the app runs on.")
      return true
    }
    if facts.isScheduled {
      find(
        .queueBlocked, at: part,
        "\(values) in \(name(part)) for \(place.name), which has not run the delivery yet: it is blocked, busy or "
          + "suspended. Look for code that blocks it, or receive on another one.")
      return true
    }
    if facts.hasTimer, let remaining = place.remaining, remaining > .zero {
      find(.waitsForSource, at: part, "\(values) in \(name(part)), due in \(remaining.text).")
      return true
    }
    return false
  }

  /// Explains that an operator has no room for another inner publisher. Returns false if it has.
  mutating func explainSlots(_ part: Int) -> Bool {
    let node = nodes[part]
    guard let limit = node.facts.limit?.max, node.facts.running >= limit else { return false }
    let inner = node.edges.filter { $0.slot ?? 0 >= 0 }
    let before = findings.count
    for edge in inner.prefix(3) { follow(edge, from: part) }
    // A cycle is the better answer, and so is an attempt that is repeated.
    if !findings[before...].contains(where: { $0.kind == .cycle || $0.kind == .retries }) {
      let outer = node.edges.first { $0.slot ?? 0 < 0 }
      let kept =
        outer.map { "no further value of its outer publisher, \(name($0.node)), is asked for" } ?? "no other can begin"
      var names = Set(inner.prefix(3).map { name($0.node) }).sorted().joined(separator: ", ")
      if let outer, upwards(from: outer.node, where: { nodes[$0].name == "groupBy" }) != nil {
        names += ", of groups of groupBy"
      }
      findings.insert(
        Inspection.Finding(
          kind: .slotsTaken,
          text:
            "\(limit == 1 ? "The only slot" : "All \(limit) slots") of \(name(part)) \(limit == 1 ? "is" : "are") "
            + "taken by inner publishers that have not ended (\(names)), so \(kept). Let the "
            + "inner publishers end (first(), prefix(_:), timeout), allow more of them (maxPublishers), or use "
            + "switchToLatest().",
          part: part, place: parts[part].place),
        at: before)
    }
    return true
  }

  mutating func explainSuperseded(_ part: Int) {
    let facts = nodes[part].facts
    guard facts.succeeded > thresholds.superseded, parts[0].count ?? 0 < UInt64(facts.succeeded - thresholds.superseded)
    else {
      return
    }
    find(
      .superseded, at: part,
      "\(name(part)) has superseded its inner publisher \(facts.succeeded - 1) times, each time before it could "
        + "answer: values of the outer "
        + "publisher come faster than inner publishers answer. Debounce or throttle them, or remove duplicates.")
  }

  mutating func explainAttempts(_ part: Int) {
    let facts = nodes[part].facts
    guard facts.succeeded >= thresholds.attempts else { return }
    guard facts.followsFailure || nodes[part].machine == "RetryingMachine" else {
      return find(
        .retries, at: part,
        "\(name(part)) has begun its source again \(facts.succeeded) times, and each time it ended without what is "
          + "awaited downstream: a "
          + "source that has ended, such as a share(replay:), only sends the same old values again. Repeat what "
          + "makes new values, "
          + "not what is shared, or limit the number of times.")
    }
    find(
      .retries, at: part,
      "\(name(part)) has made \(facts.succeeded + 1) attempts, and each has failed: its source always fails, and the "
        + "error is hidden. "
        + "Look at the error (handleEvents or print before the retry), and limit the number of attempts.")
  }

  /// The inputs that an operator cannot do without now.
  func needed(_ node: Node) -> [Node.Edge] {
    let live = node.edges
    switch node.machine {
    case "ZipMachine", "LatestMachine":
      let lacking = live.filter { node.facts.kept[$0.slot ?? 0] == nil }
      return lacking.isEmpty ? live : lacking
    case "WithLatestMachine": return live.filter { $0.slot == (node.facts.kept[1] != nil ? 0 : 1) }
    case "SampleMachine": return live.filter { $0.slot == (node.facts.kept[0] != nil ? 1 : 0) }
    case "UntilMachine", "PausableMachine": return live.filter { $0.slot == (node.facts.isOpen == false ? 1 : 0) }
    case "RetryingMachine": return live.filter { $0.slot == (node.facts.ended.contains(0) ? -1 : 0) }
    case "FlatMapMachine", "OrderedConcurrencyMachine":
      let inner = live.filter { $0.slot ?? 0 >= 0 }
      let isFull = node.facts.limit?.max.map { node.facts.running >= $0 } ?? false
      return isFull || node.facts.ended.contains(-1) ? inner : inner + live.filter { $0.slot ?? 0 < 0 }
    case "SwitchMachine":
      let inner = live.filter { $0.slot ?? 0 >= 0 }
      return inner.isEmpty ? live : inner
    default: return live
    }
  }
}
