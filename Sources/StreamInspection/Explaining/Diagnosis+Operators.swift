internal import Streams

// Explains why an operator with a state of its own doesn't send anything.

extension Diagnosis {
  mutating func explain(_ part: Int, _ engine: String) {
    let node = nodes[part]
    let facts = node.facts
    if facts.isDelivering {
      find(
        .delivering, at: part,
        "\(name(part)) is delivering a value, from which the code downstream hasn't returned yet.",
        "Look for code that blocks or waits.")
    }
    if node.waiting > 0 || facts.isFinishing, explainWaiting(part) { return }
    if node.isRetried, facts.hasTimer, let pause = node.edges.first?.node {
      let due =
        nodes[pause].place?.remaining.map { $0 == .zero ? ", which is due now" : ", which is due in \($0.text)" } ?? ""
      let attempts = facts.succeeded + 1
      let cause =
        "\(name(part)) has failed \(attempts == 1 ? "once" : "\(attempts) times") and waits for its next attempt\(due)."
      if attempts < thresholds.attempts || (parts[0].count ?? 0) > 0 { return find(.waitsForSource, at: part, cause) }
    }
    if node.pauses, explainPause(part) { return }
    explainTimeout(part)
    switch engine {
    case _ where node.hasPlaces: if explainSlots(part) || explainValueless(part) { return }
    case _ where node.isSwitch: explainSuperseded(part)
    case "pausable(runningWhile:)" where facts.isOpen == false: return explainClosed(part)
    default: explainAttempts(part)
    }
    let needed = self.needed(node)
    let isOneOfSeveral = node.edges.count > 1 && needed.count == 1
    if isOneOfSeveral, let edge = needed.first, engine == "map(maxTasks:)" || !node.hasOuter {
      let before = found.count
      follow(edge, from: part)
      if !isCycle(since: before) {
        let role = node.role(edge.slot).map { "its \($0) source" } ?? "a source"
        let source = name(edge.node)
        let first = found[before...].first
        let isCertain = first?.isCertain ?? false
        let cause = first?.cause ?? "it hasn't sent the missing value."
        let isUnknown = first?.isUnknown ?? false
        let isClosed = node.isUntil && facts.isOpen == false
        let isMissed = first?.isMissed ?? false
        let isGate =
          isClosed && !isMissed && (isUnknown || first?.part == edge.node && first?.kind == .waitsForSource)
        // The operator knows that it lacks a value.
        let text =
          isGate
          ? "\(name(part)) is closed and lets no values through until \(source) sends one."
          : isUnknown
            ? "\(name(part)) is waiting for a new value from \(role) \(source)."
            : "\(name(part)) is \(isClosed ? "closed and " : "")waiting for \(role) \(source)"
              + (cause.hasPrefix(source + " ") ? ", which\(cause.dropFirst(source.count))" : ": \(cause)")
        // Each mistake is one finding.
        if isCertain { found.remove(at: before) }
        found.insert(
          Found(
            kind: isCertain ? first?.kind ?? .waitsForSource : isClosed ? .closed : .waitsForSource, cause: text,
            advice: first?.advice ?? "", part: part,
            place: first?.place ?? place(part) ?? place(edge.node), isCertain: isCertain),
          at: before)
      }
      return
    }
    if needed.isEmpty, node.edges.isEmpty, !facts.isFinishing {
      return find(
        .unknown, at: part, "\(name(part)) is waiting for its source, which hasn't sent a subscription yet.")
    }
    if needed.count == 1 { return goOn(needed[0], from: part) }
    let before = found.count
    for edge in needed.prefix(3) { follow(edge, from: part) }
    // A subject that can't send any more, such as a constant, is no problem as long as another source can send.
    let isOneEnough = engine != "zip" && (engine != "combineLatest" || needed.count == node.facts.kept.count)
    let isConstant = { [nodes] (one: Found) in
      one.kind == .neverAgain && one.part.map { nodes[$0].kind == .subject } ?? false
    }
    if isOneEnough, found[before...].contains(where: { !isConstant($0) }) {
      found = found[..<before] + found[before...].filter { !isConstant($0) }
    }
  }

  /// Explains that an operator waits until it's time to subscribe to its source. Returns false if it doesn't.
  mutating func explainPause(_ part: Int) -> Bool {
    guard let pause = upwards(from: part, where: { nodes[$0].facts.isFinishing && nodes[$0].facts.hasTimer }),
      pause != part,
      let place = nodes[pause].place, let remaining = place.remaining, remaining > .zero
    else { return false }
    let time = place.isVirtual ? " for virtual time to advance," : ""
    let never =
      place.hasNeverAdvanced ? ", and the time of its test scheduler has never been advanced" : ""
    find(
      place.isVirtual ? .timeStandsStill : .waitsForSource, at: part,
      "\(name(part)) waits\(time) to subscribe to its source\(nodes[part].isRepeated ? " again" : ""), due in \(remaining.text)\(never).",
      place.isVirtual
        ? Self.advanceTime : "",
      isLikely: place.hasNeverAdvanced)
    return true
  }

  /// Advice about virtual time that stands still.
  private static let advanceTime =
    "Call advance(by:) or run() on this test scheduler, or pass the scheduler that your app uses."

  /// Explains that a timeout doesn't take effect, because virtual time stands still.
  private mutating func explainTimeout(_ part: Int) {
    guard nodes[part].engine == "timeout", nodes[part].facts.hasTimer, parts[0].count ?? 0 == 0,
      let place = nodes[part].place, place.hasNeverAdvanced
    else { return }
    let due = place.remaining.map { ", due in \($0.text)" } ?? ""
    find(
      .timeStandsStill, at: part,
      "\(name(part)) doesn't end the stream\(due), because the virtual time of its test scheduler has never been advanced.",
      Self.advanceTime, isLikely: true)
  }

  private mutating func explainClosed(_ part: Int) {
    let facts = nodes[part].facts
    guard let gate = nodes[part].edges.first(where: { $0.slot == 1 }) else {
      return find(
        .closed, at: part, "\(name(part)) is closed, and its gate has ended, so nothing can open it any more.",
        "Keep the gate alive, and send true there.", isCertain: true)
    }
    if let arrived = facts.arrived, arrived > 0, facts.sent == 0 {
      return find(
        .closed, at: part,
        "\(name(part)) is closed: it has received \(numberOfValues(arrived)) and let none through, because \(closing(gate)).",
        "Send true there.")
    }
    find(.closed, at: part, "\(name(part)) is closed and lets no values through until \(name(gate.node)) sends true.")
  }

  /// Says why a gate is closed.
  private func closing(_ gate: Node.Edge) -> String {
    gate.facts?.sent == 0
      ? "\(name(gate.node)) has sent this stream no value" : "the last value of \(name(gate.node)) is false"
  }

  /// Explains why values wait in an operator. Returns false if that doesn't keep anything from arriving.
  mutating func explainWaiting(_ part: Int) -> Bool {
    let facts = nodes[part].facts
    let waiting = nodes[part].waiting
    let values = waiting > 0 ? counted(waiting, "value", "waiting") : "The completion is waiting"
    if facts.isOpen == false {
      let gate = nodes[part].engine == "pausable(runningWhile:)" ? nodes[part].edges.first { $0.slot == 1 } : nil
      let reason = gate.map { ": \(closing($0))" } ?? ""
      find(.closed, at: part, "\(values) in \(name(part)), whose gate is closed\(reason).")
      return true
    }
    if facts.waiting > 0, facts.demand == Subscribers.Demand.none {
      let consumer = path.dropLast().last ?? part
      find(
        .noDemand, at: part,
        "No demand: \(values) in \(name(part)), because \(name(consumer)) downstream hasn't requested \(waiting == 1 ? "it" : "them").",
        "Call request(_:) there, or return a demand from receive(_:).", isCertain: parts[0].count == 0)
      return true
    }
    guard let place = nodes[part].place, facts.hasTimer || facts.isScheduled else { return false }
    if let count = superseded(part) {
      // In real time, the newest value may be the last.
      let newest = place.isVirtual ? nil : place.remaining.map { " The newest one is due in \($0.text)." }
      find(
        .superseded, at: part,
        "\(name(part)) has received \(count) values and sent none: each one came before the previous one was due."
          + (newest ?? ""), "Shorten its interval, or use throttle, which sends one value for each interval.",
        isLikely: place.isVirtual)
      return true
    }
    if place.isVirtual {
      let due =
        facts.hasTimer ? place.remaining.map { $0 == .zero ? ", due now" : ", due in \($0.text)" } ?? "" : ""
      find(
        .timeStandsStill, at: part, "\(values) in \(name(part)) for virtual time to advance\(due).",
        Self.advanceTime,
        isLikely: place.hasNeverAdvanced)
      return true
    }
    let delay = nodes[part].delay
    // After about eleven minutes, the time of a request wraps to zero.
    let isRecent = (parts[0].sinceLastValue ?? parts[0].age).map { $0 < 600 } ?? facts.hasTimer
    let isLate = isRecent && delay.map { $0 > Node.punctual } ?? false
    if place.isSuspended {
      find(
        .queueBlocked, at: part, "\(values) in \(name(part)) for \(place.name), which is suspended.",
        "Set its isSuspended to false, or receive on a different one.", isLikely: true)
      return true
    }
    if facts.isScheduled || isLate {
      let since = isLate ? delay.map { "hasn't run the delivery for \($0.text)" } : nil
      find(
        .queueBlocked, at: part,
        "\(values) in \(name(part)) for \(place.name), which \(since ?? "hasn't run the delivery yet")\(occupation(of: part)).",
        place.name == "RunLoop"
          ? "Nobody runs this run loop now: its thread is busy, or isn't the main thread. Use a queue instead."
          : "It's blocked, busy or suspended. \(blocker ?? "Look for code that blocks it"), or receive on a different one.",
        isLikely: isLate)
      if !facts.isScheduled, let delay { found[found.count - 1].delay = delay }
      return true
    }
    if facts.hasTimer, let remaining = place.remaining, remaining > .zero {
      find(.waitsForSource, at: part, "\(values) in \(name(part)), due in \(remaining.text).")
      return true
    }
    return false
  }

  /// Advice about the code in the stream's file that blocks a thread, if there's little of it.
  private var blocker: String? {
    guard let line = operatorPlaces.line, let lines = operatorPlaces.chain?.source.blockingLines, 1...2 ~= lines.count
    else { return nil }
    let places = lines.map(line.onLine).joined(separator: " and ")
    let isInactive =
      lines.count == 1 && operatorPlaces.chain?.source.text(ofLine: lines[0])?.contains(".initiallyInactive") == true
    return
      "Look at \(places), which \(isInactive ? "creates a queue that runs nothing before activate() is called" : "can block it")"
  }

  /// Says which other stream's closure occupies the place where a part delivers, if that's known.
  func occupation(of part: Int) -> String {
    guard let place = nodes[part].facts.place else { return "" }
    var occupier: CodeLine?
    Registry.shared.forEachStream { root, read in
      let isOccupying = read().contains { node in
        node.facts.isDelivering && node.facts.place.map { $0 as AnyObject === place as AnyObject } ?? false
      }
      if isOccupying, root.id != nodes[0].id { occupier = root.place }
      return occupier == nil
    }
    return occupier.map { ", because the closure of the stream at \($0) hasn't returned there" } ?? ""
  }

  /// Returns the number of values that `debounce` has received without sending any, if it exceeds the threshold.
  private func superseded(_ part: Int) -> Int? {
    guard nodes[part].engine == "debounce", (sentCount ?? parts[0].count.map { Int($0) }) == 0,
      nodes[part].place?.hasNeverAdvanced == false,
      let count = nodes[part].edges.first.flatMap(arrivals), count > thresholds.superseded
    else { return nil }
    return count
  }

  /// Explains that an operator doesn't have room for another inner publisher. Returns false if it does.
  mutating func explainSlots(_ part: Int) -> Bool {
    let node = nodes[part]
    guard let limit = node.facts.limit?.max, node.facts.running >= limit else { return false }
    let inner = node.edges.filter { $0.slot != 0 }
    let before = found.count
    for edge in inner.prefix(3) { follow(edge, from: part) }
    // Repeated attempts are a better explanation, too, and so is a cause that's certain.
    if isCycle(since: before) || found[before...].contains(where: { $0.kind == .retries }) { return true }
    if let certain = found[before...].firstIndex(where: \.isCertain) {
      found.insert(found.remove(at: certain), at: before)
    }
    let slots = Slots(limit, inner.map { ($0, name($0.node)) }, in: nodes)
    let outer = node.edges.first { $0.slot == 0 }
    let dropsOuter = node.engine == "flatMapFirst"
    var kept =
      outer.map {
        dropsOuter
          ? "so the values of its outer publisher, \(name($0.node)), are dropped"
          : "so no more values are requested from its outer publisher, \(name($0.node))"
      } ?? "so no other can start"
    var taken = slots.text
    if let outer, let grouping = grouping(upFrom: outer.node) {
      taken += ", from groups of \(name(grouping))"
    }
    if let outer, let subject = upwards(from: outer.node, where: { nodes[$0].name == "BoundedSubject" }),
      nodes[subject].facts.waiting > 0
    {
      kept =
        "while \(counted(nodes[subject].facts.waiting, "send", "waiting")) for room in \(name(subject)), which \(name(part)) makes only after that. "
        + "If what takes a slot also sends, the two wait for each other"
    }
    let slot = Found(
      kind: .slotsTaken,
      cause: "\(slots.words) in \(name(part)) \(limit == 1 ? "is" : "are") taken by \(taken), \(kept).",
      advice:
        slots.areTasks
        ? "Look at what the closure awaits. Give it a time limit, or allow more tasks."
        : "End the inner publishers (first(), prefix(_:), timeout)\(dropsOuter ? "" : ", allow more (maxPublishers)"), or "
          + "use switchToLatest().",
      part: part, place: place(part) ?? parts[0].place, isCertain: false)
    found.insert(slot, at: found.indices.contains(before) && found[before].isCertain ? before + 1 : before)
    return true
  }

  /// An operator's slots, and what takes them, in words.
  private struct Slots {
    /// All slots in words: `Both slots`.
    let words: String
    /// Indicates whether tasks take the slots.
    let areTasks: Bool
    /// The tasks or publishers that take the slots.
    let text: String

    init(_ limit: Int, _ inner: [(edge: Node.Edge, name: String)], in nodes: [Node]) {
      words = limit == 1 ? "The only slot" : limit == 2 ? "Both slots" : "All \(limit) slots"
      areTasks = inner.allSatisfy { nodes[$0.edge.node].facts.isOperatorsTask }
      let names = Set(inner.prefix(3).map(\.name)).sorted().joined(separator: ", ")
      let subject = areTasks ? "task" : "inner publisher"
      let state = areTasks ? "returned" : "finished (\(names))"
      // The other inner publishers have ended, and their results wait for their turn.
      let results = limit - inner.count
      let others =
        results > 0
        ? " and by \(results == 1 ? "a result that waits for its" : "\(results) results that wait for their") turn" : ""
      text =
        inner.count == 1 ? "one \(subject) that hasn't \(state)\(others)" : "\(subject)s that haven't \(state)\(others)"
    }
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
        + "send a value.",
      "The outer publisher's values arrive faster than the inner publishers respond. Debounce or throttle them, or remove "
        + "duplicates.", isLikely: true)
  }

  mutating func explainAttempts(_ part: Int) {
    let facts = nodes[part].facts
    // The present attempt has failed, too, if the operator waits for the next one.
    let count = facts.succeeded + (nodes[part].isRetried && facts.hasTimer ? 1 : 0)
    guard count >= thresholds.attempts, parts[0].count ?? 0 == 0 else { return }
    guard nodes[part].isRetried else {
      return find(
        .retries, at: part,
        "\(name(part)) has restarted its source \(count) times, but each time it ended without the value "
          + "that's needed downstream.",
        "A source that has ended, such as share(replay:), only sends its old values again. Repeat a publisher that creates "
          + "new values instead, or limit the number of repeats.", isLikely: true)
    }
    find(
      .retries, at: part,
      "\(name(part)) has made \(count) attempts that failed.",
      "To see the hidden error, use handleEvents or print before the retry. Then limit the number of attempts.",
      isLikely: true)
  }

  /// Returns the inputs without which an operator can't send anything now.
  func needed(_ node: Node) -> [Node.Edge] {
    let live = node.edges
    switch node.engine {
    case "zip", "combineLatest":
      let lacking = live.filter { node.facts.kept[$0.slot ?? 0] == nil }
      return lacking.isEmpty ? live : lacking
    case "withLatest(from:)",
      "pausable(runningWhile:)" where node.facts.isOpen == nil:
      return live.filter { $0.slot == (node.facts.kept[1] != nil ? 0 : 1) }
    case "sample(by:)": return live.filter { $0.slot == (node.facts.kept[0] != nil ? 1 : 0) }
    case _ where node.isUntil, "pausable(runningWhile:)":
      return live.filter { $0.slot == (node.facts.isOpen == false ? 1 : 0) }
    case "retry(when:)": return live.filter { $0.slot == (node.facts.ended.contains(1) ? 0 : 1) }
    case _ where node.hasPlaces:
      let inner = live.filter { $0.slot != 0 }
      let isFull = node.facts.limit?.max.map { node.facts.running >= $0 } ?? false
      return isFull || node.facts.ended.contains(0) ? inner : inner + live.filter { $0.slot == 0 }
    case _ where node.isSwitch:
      let inner = live.filter { $0.slot != 0 }
      return inner.isEmpty ? live : inner
    default: return live
    }
  }
}
