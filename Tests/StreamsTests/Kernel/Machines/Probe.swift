@testable import Streams

/// Drives a machine as an engine does, without elements, publishers or threads, and lists its decisions.
///
/// The result for an element or an end comes first (`stored`, `refused`, `ends` …), then steps (`request 1 from a`,
/// `cancel a`, `release a`, `arm 0`, `drain`) and deliveries (`element`, `completion`, `substitute`).
final class Probe<Tested: Machine> {
  let machine: Tested
  private var alarms: [Int: Machine.Alarm] = [:]

  init(_ machine: Tested) { self.machine = machine }

  func connect(_ name: String, to slot: Machine.Slot) -> [String] {
    if machine.isOver || machine.isFinishing { return ["cancel \(name)"] }
    var steps = Steps()
    let demand = machine.connected(NamedSubscription(name), from: slot, &steps)
    guard let demand else { return ["cancel \(name)"] + carryOut(steps) }
    return (demand == .none ? [] : ["request \(describe(demand)) from \(name)"]) + carryOut(steps)
  }

  func send(from slot: Machine.Slot) -> [String] { send { $0.received(from: slot, &$1) } }

  /// Passes the machine an element with which it does more than with that of a slot.
  func send(_ decide: (Tested, inout Steps) -> Machine.Reception) -> [String] {
    if machine.isOver || machine.isFinishing { return ["ignored"] }
    var steps = Steps()
    return ["\(machine.count(decide(machine, &steps)))"] + carryOut(steps)
  }

  func finish(_ slot: Machine.Slot) -> [String] { end { $0.ended(slot, failed: false, &$1) } }

  func fail(_ slot: Machine.Slot) -> [String] { end { $0.ended(slot, failed: true, &$1) } }

  func end(_ decide: (Tested, inout Steps) -> Machine.Ending) -> [String] {
    if machine.isOver || machine.isFinishing { return ["ignored"] }
    var steps = Steps()
    return ["\(decide(machine, &steps))"] + carryOut(steps)
  }

  /// Makes a transition that concerns no element.
  func signal(_ change: (Tested) -> Void) -> [String] {
    if machine.isOver || machine.isFinishing { return ["ignored"] }
    change(machine)
    return carryOut(Steps())
  }

  func request(_ demand: Subscribers.Demand) -> [String] {
    var steps = Steps()
    machine.requested(demand, &steps)
    return carryOut(steps)
  }

  func cancel() -> [String] {
    var steps = Steps()
    machine.end(&steps)
    return carryOut(steps)
  }

  func open() -> (slot: Machine.Slot?, decisions: [String]) {
    var steps = Steps()
    let slot = machine.isOver || machine.isFinishing ? nil : machine.open(&steps)
    return (slot, carryOut(steps))
  }

  /// Passes the machine the timer to cancel.
  func armed(_ number: Int) -> [String] {
    let timer = NamedSubscription("timer \(number)")
    return (machine.armed(alarms[number]!, timer) ? [] : ["cancel \(timer)"]) + carryOut(Steps())
  }

  func fire(_ number: Int) -> [String] {
    if machine.isOver { return ["ignored"] }
    var steps = Steps()
    let released = machine.fired(alarms[number]!, &steps).map { ["release \($0)"] } ?? []
    return released + carryOut(steps, isScheduled: true)
  }

  /// Runs the work that was scheduled to run as soon as possible.
  func drain() -> [String] {
    if machine.isOver { return ["ignored"] }
    machine.drained()
    return carryOut(Steps(), isScheduled: true)
  }

  /// Carries out the steps of a transition, and then what there is to deliver.
  private func carryOut(_ steps: consuming Steps, isScheduled: Bool = false) -> [String] {
    var decisions = describe(steps)
    guard isScheduled || !machine.deliversOnScheduler else { return decisions }
    while true {
      var steps = Steps()
      guard let delivery = machine.next(&steps) else { return decisions + describe(steps) }
      if delivery == .due {
        while machine.paths.takeDue() { decisions.append("element") }
        continue
      }
      decisions += describe(steps) + ["\(delivery)"]
      if delivery != .element { return decisions }
      steps = Steps()
      machine.delivered(&steps)
      decisions += describe(steps)
    }
  }

  private func describe(_ demand: Subscribers.Demand) -> String { demand.max.map { "\($0)" } ?? "all" }

  private func describe(_ steps: consuming Steps) -> [String] {
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
        alarms[step.number] = Machine.Alarm(number: step.number)
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
