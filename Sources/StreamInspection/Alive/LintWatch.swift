/// Finds problems in streams that are read repeatedly: growing queues, values that nobody requests, and deliveries that
/// don't return.
struct LintWatch {
  private let thresholds: Inspection.Thresholds
  private var histories: [UInt64: History] = [:]
  private var round = 0

  private struct History {
    var waiting = 0
    var growsSince: Double?
    var lacksDemandSince: Double?
    var deliversSince: Double?
    var received: UInt64 = 0
    /// The causes that have been reported and still persist.
    var reported: Set<Inspection.Cause> = []
    var round = 0
  }

  init(_ thresholds: Inspection.Thresholds) { self.thresholds = thresholds }

  /// Returns the new findings in streams that were read at the given time, in seconds.
  mutating func findings(in inspections: [Inspection], at time: Double) -> [Inspection.Finding] {
    round += 1
    var findings: [Inspection.Finding] = []
    var seen: Set<UInt64> = []
    for inspection in inspections {
      let received = inspection.parts.first?.count ?? 0
      for (position, part) in inspection.parts.enumerated() where seen.insert(part.id).inserted {
        findings += self.findings(of: part, at: position, in: inspection, received, time)
      }
    }
    histories = histories.filter { $0.value.round == round }
    return findings
  }

  private mutating func findings(
    of part: Inspection.Part, at position: Int, in inspection: Inspection, _ received: UInt64, _ time: Double
  ) -> [Inspection.Finding] {
    var history = histories[part.id] ?? History(waiting: part.waiting)
    history.growsSince =
      part.waiting > history.waiting
      ? history.growsSince ?? time : part.waiting == history.waiting ? history.growsSince : nil
    if part.waiting == 0 { history.growsSince = nil }
    let isUnwanted = part.waiting > 0 && part.demand == .values(0)
    history.lacksDemandSince = isUnwanted ? history.lacksDemandSince ?? time : nil
    let isStuck = part.isDelivering && (history.deliversSince == nil || received == history.received)
    history.deliversSince = isStuck ? history.deliversSince ?? time : nil
    (history.waiting, history.received, history.round) = (part.waiting, received, round)

    let place = part.place ?? inspection.parts.first?.place
    let name = "\(part.name)\(place.map { " in the stream at \($0)" } ?? "")"
    var findings: [Inspection.Finding] = []
    func report(_ kind: Inspection.Cause, since: Double?, for threshold: Duration, _ text: (String) -> String) {
      guard let since, Duration.seconds(time - since) >= threshold else {
        history.reported.remove(kind)
        return
      }
      guard history.reported.insert(kind).inserted else { return }
      findings.append(
        Inspection.Finding(kind: kind, text: text(Duration.seconds(time - since).text), part: position, place: place))
    }
    report(.queueBlocked, since: history.growsSince, for: thresholds.growth) {
      "The queue of \(name) has been growing for \($0) and now holds \(part.waiting) values. They arrive faster than "
        + "they're handled. Bound the queue, or send fewer values."
    }
    report(.noDemand, since: history.lacksDemandSince, for: thresholds.withoutDemand) {
      "\(counted(part.waiting, "value", "waiting")) in \(name), but nothing has been requested from it for \($0)."
    }
    report(.delivering, since: history.deliversSince, for: thresholds.delivery) {
      "\(name) has been delivering a value for \($0), so all other values have to wait. Look for code that blocks."
    }
    histories[part.id] = history
    return findings
  }
}
