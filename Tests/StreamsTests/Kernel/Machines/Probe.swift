@testable import Streams

/// Drives a machine as an engine does, without elements, publishers or threads, and lists its decisions.
///
/// The result for an element or an end comes first (`stored`, `refused`, `ends` …), then effects (`request 1 from a`,
/// `cancel a`, `release a`) and deliveries (`element`, `completion`, `substitute`).
final class Probe<Tested: OldMachine> {
  let machine: Tested

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

  /// Carries out the effects of a transition, and then what there is to deliver.
  private func carryOut(_ effects: consuming Effects) -> [String] {
    var decisions = describe(effects)
    while true {
      var effects = Effects()
      guard let delivery = machine.next(&effects) else { return decisions + describe(effects) }
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
