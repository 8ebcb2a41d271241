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

  func send(from slot: OldMachine.Slot) -> [String] {
    if machine.isOver || machine.isFinishing { return ["ignored"] }
    var effects = Effects()
    return ["\(machine.count(machine.received(from: slot, &effects)))"] + carryOut(effects)
  }

  func finish(_ slot: OldMachine.Slot) -> [String] { end(slot, failed: false) }

  func fail(_ slot: OldMachine.Slot) -> [String] { end(slot, failed: true) }

  private func end(_ slot: OldMachine.Slot, failed: Bool) -> [String] {
    if machine.isOver || machine.isFinishing { return ["ignored"] }
    var effects = Effects()
    return ["\(machine.ended(slot, failed: failed, &effects))"] + carryOut(effects)
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
