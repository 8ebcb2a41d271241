@testable import Streams

/// Drives a machine as an engine does, without elements, publishers or threads, and lists its decisions.
///
/// The result for an element or an end comes first (`stored`, `refused`, `ends` …), then steps (`request 1 from a`,
/// `cancel a`, `release a`, `arm 0`, `drain`) and deliveries (`element`, `completion`, `substitute`).
final class Probe<Tested: Machine> {
  let machine: Tested
  private var alarms: [Int: Alarm] = [:]

  init(_ machine: Tested) { self.machine = machine }

  func connect(_ name: String, to slot: Int) -> [String] {
    if machine.isOver || machine.isFinishing { return ["cancel \(name)"] }
    guard let demand = machine.connected(NamedSubscription(name), from: slot) else {
      return ["cancel \(name)"] + carryOut()
    }
    return (demand == .none ? [] : ["request \(describe(demand)) from \(name)"]) + carryOut()
  }

  func send(from slot: Int) -> [String] {
    if machine.isOver || machine.isFinishing { return ["ignored"] }
    return ["\(machine.take(from: slot))"] + carryOut()
  }

  func finish(_ slot: Int) -> [String] { end(slot, failed: false) }

  func fail(_ slot: Int) -> [String] { end(slot, failed: true) }

  private func end(_ slot: Int, failed: Bool) -> [String] {
    if machine.isOver || machine.isFinishing { return ["ignored"] }
    return ["\(machine.ended(slot, failed: failed))"] + carryOut()
  }

  func request(_ demand: Subscribers.Demand) -> [String] {
    machine.requested(demand)
    return carryOut()
  }

  func cancel() -> [String] {
    machine.end()
    return carryOut()
  }

  func open() -> (slot: Int?, decisions: [String]) {
    let slot = machine.isOver || machine.isFinishing ? nil : machine.open()
    return (slot, carryOut())
  }

  /// Passes the machine the timer to cancel.
  func armed(_ number: Int) -> [String] {
    let timer = NamedSubscription("timer \(number)")
    return (machine.armed(alarms[number]!, timer) ? [] : ["cancel \(timer)"]) + carryOut()
  }

  func fire(_ number: Int) -> [String] {
    if machine.isOver { return ["ignored"] }
    let released = machine.fired(alarms[number]!).map { ["release \($0)"] } ?? []
    return released + carryOut(isScheduled: true)
  }

  /// Runs the work that was scheduled to run as soon as possible.
  func drain() -> [String] {
    if machine.isOver { return ["ignored"] }
    machine.drained()
    return carryOut(isScheduled: true)
  }

  private func carryOut(isScheduled: Bool = false) -> [String] {
    var decisions: [String] = takeSteps()
    guard isScheduled || !machine.deliversOnScheduler else { return decisions }
    while let delivery = machine.next() {
      if delivery == .due {
        while machine.paths.takeDue() { decisions.append("element") }
        continue
      }
      decisions.append("\(delivery)")
      decisions += takeSteps()
      guard delivery == .element else { break }
      machine.delivered()
      decisions += takeSteps()
    }
    return decisions + takeSteps()
  }

  private func describe(_ demand: Subscribers.Demand) -> String { demand.max.map { "\($0)" } ?? "all" }

  private func takeSteps() -> [String] {
    var steps = machine.takeSteps()
    var decisions: [String] = steps.released.take().map { ["release \($0)"] } ?? []
    while true {
      let step = steps.next()
      switch step.kind {
      case .none: return decisions
      case .request:
        decisions.append("request \(describe(step.demand)) from \(step.subscription!)")
      case .cancel: decisions.append("cancel \(step.subscription!)")
      case .release: decisions.append("release \(step.subscription!)")
      case .arm:
        alarms[step.number] = Alarm(number: step.number)
        decisions.append("arm \(step.number)")
      case .drain: decisions.append("drain")
      case .disarm: decisions.append("cancel \(step.timer!)")
      }
    }
  }
}

/// A subscription that has only a name.
final class NamedSubscription: Subscription, CustomStringConvertible {
  let description: String

  init(_ name: String) { description = name }

  func request(_ demand: Subscribers.Demand) {}
  func cancel() {}
}
