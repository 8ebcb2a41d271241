@testable import Streams

/// Drives a machine as an engine does, without elements, publishers or threads, and lists its decisions.
///
/// The result for an element or an end comes first (`stored`, `refused`, `ends` …), then effects (`request 1 from a`,
/// `cancel a`, `release a`, `arm 0`, `drain`) and deliveries (`element`, `completion`, `substitute`).
final class Probe<Tested: OldMachine> {
  let machine: Tested
  private var timerIDs: [Int: OldMachine.TimerID] = [:]

  init(_ machine: Tested) { self.machine = machine }

  func connect(_ name: String, to slot: OldMachine.Slot) -> [String] {
    if machine.isOver || machine.isFinishing { return ["cancel \(name)"] }
    var effects = Effects()
    let demand = machine.connected(NamedSubscription(name), from: slot, &effects)
    guard let demand else { return ["cancel \(name)"] + carryOut(effects) }
    return (demand == .none ? [] : ["request \(describe(demand)) from \(name)"]) + carryOut(effects)
  }

  func send(from slot: OldMachine.Slot) -> [String] { send { $0.received(from: slot, &$1) } }

  /// Passes the machine an element with which it does more than with that of a slot.
  func send(_ decide: (Tested, inout Effects) -> OldMachine.Reception) -> [String] {
    if machine.isOver || machine.isFinishing { return ["ignored"] }
    var effects = Effects()
    return ["\(machine.count(decide(machine, &effects)))"] + carryOut(effects)
  }

  func finish(_ slot: OldMachine.Slot) -> [String] { end { $0.ended(slot, failed: false, &$1) } }

  func fail(_ slot: OldMachine.Slot) -> [String] { end { $0.ended(slot, failed: true, &$1) } }

  func end(_ decide: (Tested, inout Effects) -> OldMachine.Ending) -> [String] {
    if machine.isOver || machine.isFinishing { return ["ignored"] }
    var effects = Effects()
    return ["\(decide(machine, &effects))"] + carryOut(effects)
  }

  /// Makes a transition that concerns no element.
  func signal(_ change: (Tested) -> Void) -> [String] {
    if machine.isOver || machine.isFinishing { return ["ignored"] }
    change(machine)
    return carryOut(Effects())
  }

  func request(_ demand: Subscribers.Demand) -> [String] {
    var effects = Effects()
    machine.requested(demand, &effects)
    return carryOut(effects)
  }

  func cancel() -> [String] {
    var effects = Effects()
    machine.end(&effects)
    return carryOut(effects)
  }

  func open() -> (slot: OldMachine.Slot?, decisions: [String]) {
    var effects = Effects()
    let slot = machine.isOver || machine.isFinishing ? nil : machine.open(&effects)
    return (slot, carryOut(effects))
  }

  /// Passes the machine the timer to cancel.
  func armed(_ number: Int) -> [String] {
    let timer = NamedSubscription("timer \(number)")
    return (machine.armed(timerIDs[number]!, timer) ? [] : ["cancel \(timer)"]) + carryOut(Effects())
  }

  func fire(_ number: Int) -> [String] {
    if machine.isOver { return ["ignored"] }
    var effects = Effects()
    let released = machine.fired(timerIDs[number]!, &effects).map { ["release \($0)"] } ?? []
    return released + carryOut(effects, isScheduled: true)
  }

  /// Runs the work that was scheduled to run as soon as possible.
  func drain() -> [String] {
    if machine.isOver { return ["ignored"] }
    machine.drained()
    return carryOut(Effects(), isScheduled: true)
  }

  /// Carries out the effects of a transition, and then what there is to deliver.
  private func carryOut(_ effects: consuming Effects, isScheduled: Bool = false) -> [String] {
    var decisions = describe(effects)
    guard isScheduled || !machine.deliversOnScheduler else { return decisions }
    while true {
      var effects = Effects()
      guard let delivery = machine.next(&effects) else { return decisions + describe(effects) }
      if delivery == .due {
        while machine.paths.takeDue() { decisions.append("element") }
        continue
      }
      decisions += describe(effects) + ["\(delivery)"]
      if delivery != .element { return decisions }
      effects = Effects()
      machine.delivered(&effects)
      decisions += describe(effects)
    }
  }

  private func describe(_ demand: Subscribers.Demand) -> String { demand.max.map { "\($0)" } ?? "all" }

  private func describe(_ effects: consuming Effects) -> [String] {
    var decisions: [String] = effects.released.take().map { ["release \($0)"] } ?? []
    while true {
      let effect = effects.next()
      switch effect.kind {
      case .none: return decisions
      case .request:
        decisions.append("request \(describe(effect.demand)) from \(effect.upstream!)")
      case .cancel: decisions.append("cancel \(effect.upstream!)")
      case .release: decisions.append("release \(effect.upstream!)")
      case .arm:
        timerIDs[effect.number] = OldMachine.TimerID(number: effect.number)
        decisions.append("arm \(effect.number)")
      case .drain: decisions.append("drain")
      case .disarm: decisions.append("cancel \(effect.timer!)")
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
