internal import Streams

/// Finds out why nothing arrives, by following what each part waits for, from the sink upward.
struct Diagnosis {
  let nodes: [Node]
  let parts: [Inspection.Part]
  let thresholds: Inspection.Thresholds
  /// The explanations that were found, nearest to the sink first.
  var found: [Found] = []
  /// The parts that wait for one another, from the sink up to the current one.
  var path: [Int] = []
  private var visits: [Int]

  /// The maximum number of visits to a part. Each shared part with two inputs doubles the number of paths to the parts
  /// upstream, but a few paths are enough to find each cycle and each cause.
  private static let maxVisits = 4

  /// The part that explains the last part of the path, if there's only one. A loop visits it, so a long chain doesn't
  /// grow the stack.
  private var next: Int?
  /// The number of nested calls, one for each part with several sources.
  private var depth = 0
  private static let maxDepth = 100

  /// The places of the operators in the source code.
  let operatorPlaces: OperatorPlaces

  init(_ nodes: [Node], _ parts: [Inspection.Part], _ thresholds: Inspection.Thresholds) {
    self.nodes = nodes
    self.parts = parts
    self.thresholds = thresholds
    visits = Array(repeating: 0, count: nodes.count)
    operatorPlaces = OperatorPlaces(nodes, root: nodes[0].facts.counter)
    explainRoot()
    if let place = parts[0].place { locate(place) }
  }

  /// Adds the stream's place to each cause that doesn't name a line.
  private mutating func locate(_ place: String) {
    for index in found.indices where found[index].kind != .ended {
      let cause = found[index].cause
      guard !cause.contains(".swift:"), let end = cause.firstRange(of: ". ")?.lowerBound ?? cause.lastIndex(of: ".")
      else { continue }
      found[index].cause.insert(contentsOf: ", in the stream at \(place)", at: end)
    }
  }

  /// A reason why nothing arrives.
  struct Found {
    let kind: Inspection.Cause
    var cause: String
    let advice: String
    let part: Int?
    let place: String?
    /// Indicates whether the cause is certain as long as nothing has arrived. Otherwise, the stream may be about to continue.
    let isCertain: Bool
    /// Indicates whether the stream is unlikely to continue, although that isn't a finding yet.
    var isLikely = false
    /// Indicates whether the part has sent values. If it has, another part is probably to blame.
    var hasSent = false
    /// Indicates whether it's unknown if the part has sent values.
    var isUnknown = false
    /// Indicates whether the part was sent values before the stream subscribed to it, and none since.
    var isMissed = false
    /// The time for which a queue hasn't run what's due. A busy machine may be late, too.
    var delay = Duration.seconds(1)

    /// The cause, with advice if the stream is unlikely to continue.
    var explanation: String { isLikely ? finding.text : cause }

    var finding: Inspection.Finding {
      Inspection.Finding(kind: kind, text: advice.isEmpty ? cause : "\(cause) \(advice)", part: part, place: place)
    }
  }

  /// The problems: the certain ones if nothing has arrived yet, and all if nothing has arrived for a long time.
  var findings: [Inspection.Finding] {
    let received = parts[0].count ?? 0
    let silence = parts[0].sinceLastValue ?? parts[0].age
    let isSilent = silence.map { Duration.seconds($0) >= thresholds.silence } ?? (thresholds.silence <= .zero)
    // An operator may send a value of its own when its timer fires, such as a timeout before replaceError(with:).
    let mayGoOn = nodes.contains { $0.engine != nil && $0.facts.hasTimer }
    let isAnotherToBlame = found.contains { !$0.hasSent && $0.kind != .unknown }
    return found.filter { one in
      switch one.kind {
      case _ where one.hasSent && isAnotherToBlame: false
      case .ended, .unknown: thresholds.silence <= .zero
      case .waitsForSource: isSilent && (received == 0 || thresholds.silence <= .zero)
      case .queueBlocked: isSilent && one.delay >= min(thresholds.silence, .seconds(1))
      default: isSilent || one.isCertain && received == 0 && !mayGoOn
      }
    }.map(\.finding).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// A neutral description of what the stream is doing.
  var status: String {
    let first = found.first
    guard let received = parts[0].count, received > 0, first?.kind != .ended else {
      let explanation =
        first?.explanation
        ?? "Nothing prevents values from arriving. The stream is waiting for its sources to send some."
      let others = [missingSuccessor, nextLoop].compactMap { $0 }.filter { !explanation.contains($0) }
      return ([explanation] + others).joined(separator: " ")
    }
    let last = parts[0].sinceLastValue.map { $0 == 0 ? "just now" : "\(Duration.seconds($0).text) ago" }
    let delivered =
      "\(numberOfValues(received)) delivered\(last.map { received == 1 ? ", \($0)" : ", the last \($0)" } ?? "")"
    if let first, let part = first.part, holdsBack(first, part) {
      // The last value may be the one that is being delivered.
      if first.kind == .delivering {
        return
          "\(first.explanation) \(numberOfValues(received)) arrived so far\(last.map { ", the last \($0)" } ?? "")."
      }
      return "\(first.explanation) Before: \(delivered)."
    }
    if operatorPlaces.capturedOwner != nil {
      return "Idle, and kept alive by itself, since \(ownership): \(delivered)."
    }
    if let (strict, isNormal) = strictOperator {
      return isNormal ? "Idle: \(delivered). \(strict)" : "\(strict) Before: \(delivered)."
    }
    if let missingSuccessor { return "\(missingSuccessor) Before: \(delivered)." }
    return "Idle: \(delivered).\(missingInputs)\(nextLoop.map { " \($0)" } ?? "")"
  }

  /// A sentence about an operator that goes on when its source has finished.
  private var missingSuccessor: String? {
    for (part, node) in nodes.enumerated() {
      guard let source = node.edges.first?.node, let engine = node.engine, let next = Self.successions[engine],
        !node.facts.hasTimer, node.isRepeated || node.facts.succeeded == 0,
        !["append", "prepend"].contains(engine) || node.facts.successors == 1
      else { continue }
      return "\(name(part)) \(next) when \(name(source)) has finished."
    }
    return nil
  }

  /// What operators do when their source has finished.
  private static let successions = [
    "append": "subscribes to the publisher that follows", "prepend": "subscribes to the publisher that follows",
    "poll(every:scheduler:)": "polls again", "repeat": "begins again",
    "switchIfEmpty(to:)": "switches, if there has been no value,",
  ]

  /// A sentence about a loop that the same task runs after this one.
  private var nextLoop: String? {
    guard nodes[0].name == "for await", let line = operatorPlaces.line, let number = line.line,
      let next = line.path.flatMap(SourceText.shared)?.nextLoop(after: number)
    else { return nil }
    return "The loop at \(line.onLine(next)) begins only when this one has ended."
  }

  /// A sentence about the inputs that a merge doesn't receive values from, found as gaps in the numbers of its live inputs.
  private var missingInputs: String {
    for (part, node) in nodes.enumerated() where node.engine == "merge" && !node.isCut && node.facts.others == 0 {
      let slots = node.edges.compactMap { $0.isNumbered ? $0.slot : nil }
      guard let last = slots.max(), slots.count == node.edges.count, slots.count <= last else { continue }
      let missing = (0..<last).filter { !slots.contains($0) }.map { "\($0 + 1)" }
      let state = missing.count == 1 ? ", which has ended or hasn't begun" : "; they have ended or haven't begun"
      return " \(name(part)) receives nothing from input \(missing.joined(separator: " and "))\(state)."
    }
    return ""
  }

  /// A clause about the object that the stream retains and that holds the stream's cancellable.
  var ownership: String {
    guard let owner = operatorPlaces.capturedOwner, let place = operatorPlaces.line else { return "" }
    return
      "a closure at \(place.onLine(owner.line)) retains \(owner.name), whose property \(owner.property) holds the cancellable"
  }

  /// Returns whether values are held back somewhere, rather than just missing.
  private func holdsBack(_ found: Found, _ part: Int) -> Bool {
    switch found.kind {
    case .unknown: nodes[part].kind == .unknown && nodes[part].words != "Empty"
    case .waitsForSource:
      nodes[part].facts.hasTimer && nodes[part].facts.waiting > 0
        || nodes[part].facts.batch != nil && (nodes[part].facts.held ?? 0) > 0
        || ["zip", "combineLatest"].contains(nodes[part].engine) && !nodes[part].facts.kept.isEmpty
    case .timeStandsStill: nodes[part].engine != nil || nodes[part].ticksOnce
    default: true
    }
  }

  /// A sentence about an operator that has dropped most of the values that it received, and whether it has let several through,
  /// so that it probably does what it's meant to.
  private var strictOperator: (text: String, isNormal: Bool)? {
    func sentence(_ name: String, _ flow: Inspection.Flow) -> (String, Bool) {
      ("\(name) has let \(flow.sent) of \(flow.received) values through.", flow.sent > 1)
    }
    var part = 0
    while let edge = nodes[part].edges.first, edge.node > part {
      for (position, one) in edge.operators.enumerated().reversed() {
        if let flow = one.flow, flow.isStrict { return sentence(nameAndPlace(of: position, edge, part).name, flow) }
      }
      part = edge.node
      if let flow = nodes[part].flow, flow.isStrict { return sentence(name(part), flow) }
    }
    return nil
  }

  mutating func find(
    _ kind: Inspection.Cause, at part: Int?, place: String? = nil, _ cause: String, _ advice: String = "",
    isCertain: Bool = false, isLikely: Bool = false, hasSent: Bool = false
  ) {
    found.append(
      Found(
        kind: kind, cause: cause, advice: advice, part: part,
        place: place ?? part.flatMap(self.place) ?? parts[0].place, isCertain: isCertain, isLikely: isLikely,
        hasSent: hasSent))
  }

  /// Explains that the values that a part has sent weren't counted, and how to have them counted if that's possible.
  private mutating func findUnknown(at part: Int, _ advice: String = "") {
    let isObserved = nodes[0].facts.counter != nil
    find(
      .waitsForSource, at: part,
      nodes[part].name?.hasPrefix("dataTaskPublisher") == true
        ? "\(name(part)) hasn't received a response yet."
        : "It's unknown whether \(name(part)) has sent values"
          + (isObserved
            ? ": they aren't counted. It hasn't finished."
            : ". Call StreamInspector.start() before you create a stream, to have them counted."),
      advice)
    found[found.count - 1].isUnknown = true
  }

  /// The connection from the last part of the path to the one before it.
  var lastConnection: (consumer: Int, edge: Node.Edge)? {
    guard let part = path.last, let consumer = path.dropLast().last,
      let edge = nodes[consumer].edges.first(where: { $0.node == part })
    else { return nil }
    return (consumer, edge)
  }

  /// The number of values that the last part of the path has sent to the one before it, if they're counted.
  var sentCount: Int? {
    var count: Int?
    for (consumer, source) in zip(path, path.dropFirst()) {
      guard let edge = nodes[consumer].edges.first(where: { $0.node == source }) else { return nil }
      if let sent = sent(through: edge) {
        count = sent
      } else if consumer == 0 {
        // Operators whose values aren't counted pass each value on.
        count = parts[0].count.map { Int($0) }
      } else if !edge.operators.isEmpty {
        count = nil
      } else if nodes[consumer].facts.waiting > 0 || !nodes[consumer].sendsAll || count != 0 {
        count = nil
      }
    }
    return count
  }

  /// Returns the largest number of values that a part has sent through a connection, if they're counted.
  private func sentCount(of part: Int) -> Int? {
    nodes.lazy.flatMap(\.edges).filter { $0.node == part }.compactMap { sent(through: $0) }.max()
  }

  /// Returns the number of values that the source of a connection has sent, if they're counted.
  private func sent(through edge: Node.Edge) -> Int? {
    edge.facts?.sent ?? nodes[edge.node].facts.sent ?? edge.operators.first.flatMap(\.flow).map { Int($0.received) }
  }

  /// Returns the place of a part in the source code, if it's known.
  func place(_ part: Int) -> String? {
    if part == operatorPlaces.hop { return parts[0].place }
    let senders = nodes[part].name == "BoundedSubject" ? nodes[part].edges.first?.node : nil
    return parts[senders ?? part].place ?? operatorPlaces.place(of: part)
  }

  /// Returns the name of a part for a sentence, with its place if it's known.
  func name(_ part: Int) -> String {
    if part == operatorPlaces.hop { return name(0) }
    let name = parts[part].name
    if let place = place(part) { return "\(name) (\(place))" }
    return operatorPlaces.name(of: part) ?? name
  }

  /// Returns the name of a connection's operator for a sentence, and its place if it's known.
  func nameAndPlace(of position: Int, _ edge: Node.Edge, _ part: Int) -> (name: String, place: String?) {
    let name = edge.operators[position].name
    if let place = operatorPlaces.place(of: position, from: part, to: edge.node) {
      return ("\(name) (\(place))", place)
    }
    return (operatorPlaces.name(of: position, from: part, to: edge.node) ?? name, nil)
  }

  mutating func explainRoot() {
    let root = nodes[0].facts
    if root.isOver { return explainEnd() }
    if nodes[0].name == "a cancellable that calls a closure" {
      return find(.unknown, at: 0, "This cancellable calls a closure when it's cancelled. It belongs to no stream.")
    }
    if isSubscription(0), root.demand == Subscribers.Demand.none, root.waiting > 0 {
      let values = counted(root.waiting, "value", "waiting") + (root.operatorName.map { " in \($0)" } ?? "")
      return find(
        .noDemand, at: 0,
        "No demand: \(values), because \(name(0)) hasn't requested \(root.waiting == 1 ? "it" : "them").",
        "Call request(_:) on the subscription, or return a demand from receive(_:).")
    }
    if isSubscription(0), let facts = nodes[0].edges.first?.facts ?? nodes[0].facts.demand.map({ _ in nodes[0].facts }),
      facts.demand == Subscribers.Demand.none
    {
      return explainMissingDemand(of: 0, to: nodes[0].edges.first?.node ?? 0, hasRequested: facts.isRequested)
    }
    if root.isUnconnected, root.owner == nil {
      return find(
        .unknown, at: 0,
        "The publisher hasn't sent a subscription yet, which must come before any value.",
        "Look at its receive(subscriber:), or at the scheduler that you passed to subscribe(on:).")
    }
    if nodes[0].edges.isEmpty, nodes[0].name == nil {
      return find(
        .unknown, at: 0, "\(name(0)) hides its stream.",
        "Create the cancellable with sink or assign, or directly from the subscription with AnyCancellable(subscription)."
      )
    }
    if root.awaits == false, explainLoop() { return }
    explain(0)
  }

  /// Explains that values wait for a loop that hasn't requested the next one. Returns false if there are none, or if something
  /// else prevents more from arriving.
  private mutating func explainLoop() -> Bool {
    let buffer = nodes[0].facts.waiting > 0 ? nil : nodes[0].edges.first.map(\.node)
    let facts = nodes[buffer ?? 0].facts
    guard facts.waiting > 0, buffer == nil || facts.demand == Subscribers.Demand.none else { return false }
    find(
      .delivering, at: 0,
      "\(counted(facts.waiting, "value", "waiting"))\(buffer.map { " in \(name($0))" } ?? "") for a loop that hasn't requested the "
        + "next one.",
      facts.waiting < (parts[0].count ?? 0) || buffer != nil && (parts[0].count ?? 0) > 0
        ? "Its body is busy or suspended: it hasn't returned since the last value."
        : "The loop's task is busy or suspended, or hasn't started yet.")
    return true
  }

  /// Explains why nothing is left of the stream.
  mutating func explainEnd() {
    guard let ended = Registry.shared.endedSink(nodes[0].id) else {
      return find(.ended, at: 0, "The stream has ended: it completed or was cancelled.")
    }
    let stream = EndedStream(ended)
    find(.ended, at: 0, place: stream.place?.description, stream.description)
  }

  /// Explains why a part doesn't send anything: the cause at this part, or at the one that it waits for.
  mutating func explain(_ part: Int) {
    guard depth < Self.maxDepth else {
      return find(.unknown, at: part, "\(name(part)) is nested too deeply. The diagnosis looks no further.")
    }
    depth += 1
    let start = path.count
    next = part
    while let part = next.take() { explainOne(part) }
    path.removeSubrange(start...)
    depth -= 1
  }

  private mutating func explainOne(_ part: Int) {
    if visits[part] > 0, let first = path.firstIndex(of: part) { return explainCycle(Array(path[first...])) }
    guard visits[part] < Self.maxVisits else { return }
    visits[part] += 1
    path.append(part)
    let node = nodes[part]
    let facts = node.facts
    if facts.isOver {
      return explainLostEnd(of: part)
    }
    if explainHeld(at: part) || explainDrops(at: part) || explainAbandonedGroups(part) { return }
    if node.isCut, node.edges.isEmpty {
      return find(
        .unknown, at: part, "What \(name(part)) receives values from was left out of this inspection.",
        "Pass a higher limit to Inspection(of:limit:).")
    }
    switch node.kind {
    case .root, .link: explainLinear(part)
    case .engine(let engine): explain(part, engine)
    case .subject: explainSubject(part)
    case .source: explainSource(part)
    case .unknown:
      if node.name == nil, node.words == "Empty", explainEmpty() { return }
      find(
        .unknown, at: part, "The subscription of \(name(part)) can't be inspected, so it's unknown what it waits for.",
        "Look at its request(_:).")
    }
  }

  /// Explains that a source has ended, while the part that receives from it hasn't been told.
  private mutating func explainLostEnd(of part: Int) {
    guard let consumer = path.dropLast().last, nodes[consumer].edges.count == 1, !nodes[consumer].facts.isOver,
      nodes[consumer].waiting == 0, !nodes[consumer].facts.isFinishing, !nodes[consumer].facts.hasTimer
    else { return find(.ended, at: part, "\(name(part)) has ended and won't send any more values.") }
    find(
      .ended, at: part,
      "\(name(part)) has ended, and \(name(consumer)) hasn't received its completion.",
      "Look at the code between them, such as an operator of your own: it must pass the completion on.")
  }

  /// Explains that `Empty`, the last part of the path, doesn't send anything. Returns false if values have come from
  /// it, or if the delivered values can't have come from elsewhere. Other code may use the subscription of `Empty`,
  /// too.
  private mutating func explainEmpty() -> Bool {
    guard let (consumer, edge) = lastConnection, arrivals(through: edge) ?? 0 == 0,
      parts[0].count ?? 0 == 0
        || path.contains(where: { nodes[$0].facts.succeeded > 0 || !nodes[$0].facts.ended.isEmpty })
    else { return false }
    // Other code may send to a subject, and an operator whose timer runs may send a value of its own.
    guard nodes[consumer].edges.count == 1, isNeeded,
      !path.contains(where: {
        nodes[$0].facts.hasTimer || nodes[$0].kind == .subject && nodes[$0].name != "share"
      })
    else {
      find(.waitsForSource, at: edge.node, "Empty never sends a value, and doesn't finish.")
      return true
    }
    let follows = nodes[consumer].facts.succeeded > 0 && !nodes[consumer].hasOuter
    find(
      .neverAgain, at: consumer,
      "\(name(consumer)) \(follows ? "goes on with" : "receives from") Empty, which never sends a value.",
      "Let it publish what you need instead, or let it finish.")
    return true
  }

  // MARK: Connections

  /// Returns the name of the subscriber to a connection's source, with its place if it's known.
  private func subscriber(_ part: Int, _ edge: Node.Edge) -> String {
    guard !edge.operators.isEmpty else { return name(part) }
    return nameAndPlace(of: 0, edge, part).name
  }

  /// Follows a connection, and explains what's upstream of it.
  mutating func follow(_ edge: Node.Edge, from part: Int) {
    if !explainConnection(edge, part) { explain(edge.node) }
  }

  /// Follows the only connection of a part, as the last step of its explanation.
  mutating func goOn(_ edge: Node.Edge, from part: Int) {
    if !explainConnection(edge, part) { next = edge.node }
  }

  /// Explains that nothing comes through a connection. Returns false if that isn't the cause.
  private mutating func explainConnection(_ edge: Node.Edge, _ part: Int) -> Bool {
    if let facts = edge.facts {
      if facts.demand == Subscribers.Demand.none, facts.isStale || !facts.isRequested || !isWaitingItself(part) {
        explainMissingDemand(of: part, to: edge.node, hasRequested: facts.isRequested)
        return true
      }
      if edge.isConnectable, nodes[edge.node].edges.isEmpty, !nodes[edge.node].facts.isOver {
        let place = self.place(edge.node)
        let origin = place.map { ", its subject made at \($0)" } ?? ""
        find(
          .notConnected, at: part, place: place,
          "The connectable publisher (multicast or makeConnectable\(origin)) that \(subscriber(part, edge)) subscribes to isn't "
            + "connected, so it sends nothing.\(otherSubjects(like: nodes[edge.node]))",
          "Call connect() and keep its result, or use autoconnect().", isCertain: true)
        return true
      }
    }
    if explainDrops(edge, part) { return true }
    let source = nodes[edge.node].facts
    // A task takes the demand for the value that it awaits.
    let isBusy = source.isDelivering || source.hasTask && !source.isTaskWaiting
    if nodes[edge.node].kind == .source, source.demand == Subscribers.Demand.none, !isBusy, !source.isOver,
      !isWaitingItself(part)
    {
      explainMissingDemand(of: part, to: edge.node, hasRequested: source.isRequested)
      return true
    }
    if nodes[edge.node].engine != nil, source.demand == Subscribers.Demand.none, !source.isOver, !isWaitingItself(part)
    {
      explainMissingDemand(of: part, to: edge.node, hasRequested: false)
      return true
    }
    return false
  }

  /// Returns whether a part is a subscription whose subscriber belongs to other code.
  func isSubscription(_ part: Int) -> Bool {
    guard let name = nodes[part].name else { return true }
    return !["sink", "for await", "assign(to:on:)", "subscribe(_:) of a subject"].contains(name)
  }

  /// Returns whether a part requests values from its sources only when it needs them.
  func isWaitingItself(_ part: Int) -> Bool { nodes[part].engine != nil }

  mutating func explainMissingDemand(of part: Int, to source: Int, hasRequested: Bool) {
    if nodes[part].name == "subscribe(_:) of a subject" {
      return find(
        .waitsForSource, at: part,
        "The subject that is subscribed to \(name(source)) has no subscribers, so it requests nothing.")
    }
    if part == 0, nodes[0].name == "sink" || nodes[0].facts.awaits == true {
      return find(
        .noDemand, at: part,
        "No demand: \(name(part)) waits for values, but its request hasn't reached \(name(source)), or not all of it.",
        "Look at the code between them, such as an operator of your own: for a value that it drops, it must request another one."
      )
    }
    let wanted =
      hasRequested
      ? "has received all the values that it requested and hasn't requested more" : "has requested no values"
    let advice =
      nodes[part].name == "recorder"
      ? "Call request(_:) on the recorder, or record with another demand."
      : "Call request(_:) on the subscription in receive(subscription:), or return a demand from receive(_:)."
    find(
      .noDemand, at: part, "No demand: \(name(part)) \(wanted), so \(name(source)) must not send any.", advice,
      isCertain: !hasRequested)
  }

  mutating func explainLinear(_ part: Int) {
    guard let edge = nodes[part].edges.first else {
      if nodes[part].name == "subscribe(on:)" {
        return find(
          .queueBlocked, at: part, "\(name(part)) hasn't subscribed yet, because its scheduler hasn't run that.",
          "The scheduler is blocked, busy or suspended, or it's a test scheduler that nobody advances.")
      }
      return find(.unknown, at: part, "\(name(part)) has no subscription that could send values.")
    }
    goOn(edge, from: part)
  }

  // MARK: Cycles

  /// Returns whether a cycle has been found, and puts the cycle first, because it's a better explanation than others.
  mutating func isCycle(since first: Int) -> Bool {
    guard let cycle = found[first...].firstIndex(where: { $0.kind == .cycle }) else { return false }
    found.insert(found.remove(at: cycle), at: first)
    return true
  }

  mutating func explainCycle(_ cycle: [Int]) {
    var names: [String] = []
    for name in (cycle + [cycle[0]]).map(name) where names.last != name { names.append(name) }
    find(
      .cycle, at: cycle[0],
      "Circular wait: \(names.joined(separator: " waits for ")).",
      "Break the cycle: give one of them more room, more demand or a different source.", isCertain: true)
  }

  // MARK: Subjects

  mutating func explainSubject(_ part: Int) {
    let node = nodes[part]
    if node.facts.isDelivering {
      let receiver = receiver(of: part).map { "The stream at \($0)" } ?? "One of its subscribers"
      find(
        .delivering, at: part,
        "\(name(part)) is sending a value. \(receiver) hasn't returned from receive(_:) yet, so later values wait.",
        "Look for code there that blocks or waits.")
      return
    }
    if let edge = node.edges.first(where: { !nodes[$0.node].facts.isOver }) {
      if !node.facts.isRequested {
        return find(
          .noDemand, at: part, "No demand: none of the subscribers of \(name(part)) has requested values.",
          isCertain: true)
      }
      explainLateness(to: part)
      return goOn(edge, from: part)
    }
    if let blocking = blockingSubscriber(of: part), let first = path.firstIndex(of: blocking) {
      return explainCycle(Array(path[first...]))
    }
    if explainFeedback(to: part) { return }
    if let feeder = feeder(of: part) {
      path.append(part)
      defer { path.removeLast() }
      return explain(feeder)
    }
    if !node.edges.isEmpty {
      return find(
        .neverAgain, at: part,
        "\(name(part)) was connected to a publisher, and that connection has been cancelled.",
        "Keep the cancellable that connect() or subscribe(_:) returns, and connect again.")
    }
    if Registry.shared.isOrphan(node.id) {
      return find(
        .neverAgain, at: part,
        "\(name(part)) can never send again: the object that has this property has been released.",
        "Keep that object, or subscribe to the property of the one that has replaced it.", isCertain: true)
    }
    if node.isOnlyHeldByItsSubscriptions {
      return find(
        .neverAgain, at: part,
        "\(name(part)) can probably never send again: only its own subscriptions seem to keep it alive, so no code "
          + "is left to call send(_:).",
        "Keep a reference to it where you send values, or end it with send(completion:).", isCertain: true)
    }
    if let owner = retainCycle {
      return find(
        .neverAgain, at: 0,
        "The stream keeps itself alive in a retain cycle: it retains \(owner), whose property it sets, and which holds the "
          + "cancellable.",
        "There may be no other code left that can send to \(name(part)). Use assign(to: &$property), or "
          + "sink(with: self), which doesn't retain the object.", isCertain: true)
    }
    if let group = path.first(where: { nodes[$0].isGrouping }), !path.contains(where: isFlattening) {
      return find(
        .waitsForSource, at: group,
        "This stream receives the groups of \(name(group)), not their values, and the groups seem to have no "
          + "subscribers.", "Flatten them with flatMap { $0 }, or subscribe to each one.")
    }
    let isKept = operatorPlaces.capturedOwner == nil ? "" : ", and the stream may live only because \(ownership)"
    let successor = missingSuccessor.map { " \($0)" } ?? ""
    let sent = sentCount ?? sentCount(of: part)
    let isForgetful = sent == 0 && parts[part].name.hasPrefix("PassthroughSubject<")
    let advice =
      !isKept.isEmpty
      ? "If the stream isn't to keep the object, capture it weakly, or use sink(with: self)."
      : !successor.isEmpty
        ? "" : "Call send(_:) on this instance\(isForgetful ? ", which doesn't keep what was sent before" : "")."
    switch sent {
    case nil: findUnknown(at: part, advice)
    case 0:
      let lost = isForgetful ? Registry.shared.lostValues(ofSubject: node.id) : nil
      find(
        .waitsForSource, at: part,
        lost.map {
          "\(name(part)) was sent \($0) before this stream subscribed to it, and none since\(isKept).\(successor)"
        }
          ?? "\(name(part)) has sent this stream no value\(isKept).\(successor)"
          + otherSubjects(like: node),
        lost == nil
          ? advice
          : "It doesn't keep values. Subscribe before they're sent, or use a CurrentValueSubject or ReplaySubject instead."
      )
      found[found.count - 1].isMissed = lost != nil
    case let count?:
      find(
        .waitsForSource, at: part, "\(name(part)) has sent \(numberOfValues(count)) so far\(isKept).\(successor)",
        advice,
        hasSent: true)
    }
  }

  /// Explains that `share()` has sent values to other streams and none to this one, if that's so.
  private mutating func explainLateness(to part: Int) {
    guard nodes[part].name == "share", sentCount == 0,
      let sent = streams(of: part).compactMap(\.sent).max(), sent > 0
    else { return }
    find(
      .waitsForSource, at: part,
      "\(name(part)) has sent \(numberOfValues(sent)) to another stream, and none to this one: it doesn't replay "
        + "values.", "Subscribe earlier, or use share(replay:).")
  }

  /// The live streams of a subject, with the number of values that it has sent to each.
  private func streams(of subject: Int) -> [(place: CodeLine?, sent: Int?)] {
    var streams: [(CodeLine?, Int?)] = []
    Registry.shared.forEachStream { root, read in
      let others = read()
      for edge in others.lazy.flatMap(\.edges) where others[edge.node].id == nodes[subject].id {
        streams.append((root.place, edge.facts?.sent))
      }
      return true
    }
    return streams
  }

  /// Returns the place of the stream that a subject is sending a value to, if only one of its streams has been sent any.
  private func receiver(of subject: Int) -> CodeLine? {
    let streams = streams(of: subject)
    let receivers = streams.filter { $0.sent != 0 }
    return streams.count == nodes[subject].facts.subscribers && receivers.count == 1 ? receivers[0].place : nil
  }

  /// A sentence about another stream of a subject that keeps itself alive, and with it the code that could end the subject.
  func leak(of subject: Int) -> String {
    guard nodes[subject].kind == .subject else { return "" }
    var leak = ""
    Registry.shared.forEachStream { root, read in
      // Few streams keep themselves alive, and only these are read.
      guard let place = root.place, place != operatorPlaces.line,
        let owner = SourceChain(endingAt: place)?.capturedOwner(at: place)
      else { return true }
      let others = read()
      guard others.contains(where: { $0.edges.contains { others[$0.node].id == nodes[subject].id } }) else {
        return true
      }
      leak =
        " Its stream at \(place) is kept alive by itself, since a closure at \(place.onLine(owner.line)) retains \(owner.name), "
        + "whose property \(owner.property) holds the cancellable."
      return false
    }
    return leak
  }

  /// Explains that the stream's own closures send to a subject that the stream depends on. Returns false if that isn't
  /// so, or if a value has arrived: then other code sends values, too, or the closures have been called, so the stream
  /// wasn't waiting for itself.
  private mutating func explainFeedback(to part: Int) -> Bool {
    // Each inner publisher of an operator such as `flatMap` may wait for the same subject.
    let isNeeded = zip(path, path.dropFirst()).allSatisfy { consumer, source in
      isIndispensable(source, to: consumer)
        || nodes[consumer].hasPlaces && nodes[consumer].edges.contains { $0.slot != 0 && $0.node == source }
    }
    guard sentCount == 0, parts[0].count == 0, isNeeded, let file = Registry.shared.place(ofSource: nodes[part].id),
      let source = file.path,
      let line = file.line, let variable = SourceText.shared(source)?.variable(onLine: line),
      let chain = operatorPlaces.chain, let place = operatorPlaces.line,
      let sender = chain.lineOfCall(sendingTo: variable)
    else { return false }
    find(
      .cycle, at: part,
      "\(name(part)) has sent this stream no value, and this stream's own closure at \(place.onLine(sender)) would send to it, so the "
        + "stream may wait for itself.",
      "Let other code send to it after the stream has subscribed, or let the stream go on without its value, for example with "
        + "timeout.")
    return true
  }

  /// Indicates whether the stream can't send anything before the last part of the path does.
  private var isNeeded: Bool { zip(path, path.dropFirst()).allSatisfy { isIndispensable($1, to: $0) } }

  /// Returns whether an operator can't send anything before a source does.
  private func isIndispensable(_ source: Int, to consumer: Int) -> Bool {
    let node = nodes[consumer]
    guard node.edges.count > 1 else { return true }
    if node.facts.batch != nil { return node.edges.contains { $0.node == source && $0.slot == 1 } }
    guard node.engine != nil else { return true }
    let needed = needed(node)
    return needed.allSatisfy { $0.node == source } || node.hasPlaces && needed.allSatisfy { $0.slot != 0 }
  }

  /// Returns a sentence about other subjects that the same line created, if any.
  private func otherSubjects(like node: Node) -> String {
    let twins = Registry.shared.twins(ofSubject: node.id)
    if let lost = twins.lazy.compactMap({ Registry.shared.lostValues(ofSubject: $0) }).first {
      return " Another subject, which the same line created, was sent \(lost), and had no subscriber."
    }
    return twins.isEmpty ? "" : " \(counted(twins.count, "other subject", "alive")) that the same line created."
  }

  func isFlattening(_ part: Int) -> Bool {
    nodes[part].hasOuter || nodes[part].engine == "merge"
  }

  /// The type of the object whose property the stream sets, if the object also holds the stream's cancellable.
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

  /// Returns the part that keeps a bounded subject from sending: the subject sends only when all of its subscribers have room.
  func blockingSubscriber(of subject: Int) -> Int? {
    for (position, node) in nodes.enumerated()
    where node.name == "BoundedSubject" && node.facts.demand == Subscribers.Demand.none
      && node.edges.contains(where: { $0.node == subject })
    {
      // This searches downstream from there for a part that is waiting.
      var part = position
      for _ in 0..<1_000 {
        if path.contains(part), part != position { return part }
        guard let next = nodes.firstIndex(where: { $0.edges.contains { $0.node == part } }) else { break }
        part = next
      }
    }
    return nil
  }

  /// Returns the grouping operator that created a subject as one of its groups, which are sources of an operator downstream.
  func feeder(of part: Int) -> Int? {
    guard nodes[part].facts.owner is any NamedSubject else { return nil }
    for consumer in path.reversed() {
      for edge in nodes[consumer].edges where edge.slot == 0 && nodes[consumer].hasOuter {
        if let found = grouping(upFrom: edge.node) { return found }
      }
    }
    return nil
  }

  /// Returns the grouping operator at a part or upstream of it.
  func grouping(upFrom part: Int) -> Int? { upwards(from: part) { nodes[$0].isGrouping } }

  func upwards(from part: Int, where isWanted: (Int) -> Bool) -> Int? {
    var part = part
    for _ in 0..<1_000 {
      if isWanted(part) { return part }
      guard let edge = nodes[part].edges.first else { return nil }
      part = edge.node
    }
    return nil
  }

  // MARK: Sources

  mutating func explainSource(_ part: Int) {
    let facts = nodes[part].facts
    if facts.isAbandoned {
      return find(
        .neverAgain, at: part,
        "The promise of \(name(part)) was released without being called, so no result can arrive.",
        "Call it on every path through the closure, with a failure if necessary.", isCertain: true)
    }
    if facts.isPromised, facts.hasTask {
      let consumer = path.dropLast().last { nodes[$0].hasOuter }
      let task =
        if facts.isOperatorsTask, let consumer { "A task that \(name(consumer)) has started" } else {
          "The task of \(name(part))"
        }
      return find(
        .waitsForSource, at: part, "\(task) hasn't returned.",
        "Look at what its closure awaits. Give that a time limit, or let it end when the task is cancelled.")
    }
    if facts.isPromised {
      return find(
        .waitsForSource, at: part, "The promise of \(name(part)) hasn't been called yet.",
        "Look at the code that should call it.")
    }
    if facts.isDelivering {
      return find(
        .delivering, at: part, "\(name(part)) is sending a value. Its subscriber hasn't returned from receive(_:) yet.")
    }
    if facts.hasTask, facts.isTaskWaiting {
      return find(
        .noDemand, at: part, "No demand: the task of \(name(part)) is waiting for its subscriber to request values.")
    }
    if facts.hasTask {
      return find(
        .waitsForSource, at: part, "\(name(part)) hasn't produced its next value. Its task is still waiting for it.")
    }
    if facts.isOpen == false {
      return find(
        .notConnected, at: part, "\(name(part)) isn't connected, so it doesn't tick.",
        "Call autoconnect() on it, or call connect() and keep its result.", isCertain: true)
    }
    if facts.hasTimer, nodes[part].ticksOnce {
      return find(
        .timeStandsStill, at: part,
        "\(name(part)) runs on an immediate scheduler, whose time stands still, so it ticks once.",
        "Pass a test scheduler and advance it, or the scheduler that your app uses.", isCertain: true)
    }
    if facts.hasTimer, let place = nodes[part].place, place.isVirtual {
      return find(
        .timeStandsStill, at: part,
        place.hasNeverAdvanced
          ? "\(name(part)) hasn't ticked, because the virtual time of its test scheduler has never been advanced."
          : "\(name(part)) ticks only as virtual time advances on \(place.name).",
        "Call advance(by:) or run() on this scheduler, or pass the scheduler that your app uses.",
        isLikely: place.hasNeverAdvanced)
    }
    let isFiltered =
      nodes[part].words.hasPrefix("NotificationCenter.publisher(") && nodes[part].words.contains(", object: ")
    let filter = isFiltered ? ", and passes on only what this one object posts" : ""
    switch sentCount {
    case nil: findUnknown(at: part)
    case 0 where nodes[part].words == "Timer":
      find(
        .waitsForSource, at: part,
        "\(name(part)) hasn't ticked: it isn't due yet, or it's on a run loop that nobody runs in this mode.",
        "Run the run loop, for example with RunLoop.main.run(), or use a queue.")
    case 0: find(.waitsForSource, at: part, "\(name(part)) hasn't sent a value\(filter).")
    case let count?:
      find(.waitsForSource, at: part, "\(name(part)) has sent \(numberOfValues(count)) so far.", hasSent: true)
    }
  }
}
