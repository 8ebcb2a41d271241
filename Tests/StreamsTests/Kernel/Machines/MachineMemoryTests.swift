import Testing

@testable import Streams

// The standard library has this function, but does not export it publicly.
@_silgen_name("$ss36_class_getInstancePositiveExtentSizeySiyXlXpF")
private func instanceSize(of class: AnyClass) -> Int

/// Every live stream of an operator has a machine, even without signals.
struct MachineMemoryTests {
  @Test(
    arguments: [
      (FlatMapMachine.self, 136),
      (SwitchMachine.self, 120),
      (SuccessionMachine.self, 104),
    ] as [(OldMachine.Type, Int)])
  func `a machine stays within its size limit`(machine: OldMachine.Type, bytes: Int) {
    let size = instanceSize(of: machine)

    #expect(size <= bytes, "\(machine) takes \(size) bytes")
  }

  @Test func `effects are recorded in order, after those of an earlier transition, and release what they hold`() {
    weak var subscription: NamedSubscription?
    var kinds: [Effects.Effect.Kind] = []
    do {
      let machine = SuccessionMachine(followsFailure: false, successors: 0)
      let first = NamedSubscription("a")
      subscription = first
      var effects = Effects()
      _ = machine.open(&effects)
      _ = machine.connected(first, from: 0, &effects)
      machine.requested(.max(1), &effects)
      machine.end(&effects)
      while true {
        let effect = effects.next()
        if effect.kind == .none { break }
        kinds.append(effect.kind)
      }
      // A effect that nothing carries out.
      machine.requested(.max(1), &effects)
    }

    #expect(kinds == [.request, .cancel])
    #expect(subscription == nil)
  }
}
