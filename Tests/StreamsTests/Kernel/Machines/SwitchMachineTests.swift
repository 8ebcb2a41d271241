import Testing

@testable import Streams

struct SwitchMachineTests {
  private let machine = Probe(SwitchMachine())
  private let outer = SwitchMachine.outer

  @Test func `requests unlimited demand from the outer source`() {
    #expect(machine.connect("outer", to: outer) == ["request all from outer"])
  }

  @Test func `forwards demand to the inner source`() {
    let slot = machine.open().slot!
    _ = machine.request(.max(2))

    #expect(machine.connect("a", to: slot) == ["request 2 from a"])
    #expect(machine.request(.max(1)) == ["request 1 from a"])
  }

  @Test func `cancels the inner source before the next one is opened`() {
    _ = machine.connect("a", to: machine.open().slot!)

    #expect(machine.open().decisions == ["cancel a"])
  }

  @Test func `carries outstanding demand over to the next inner source`() {
    _ = machine.request(.max(3))
    let first = machine.open().slot!
    _ = machine.connect("a", to: first)
    _ = machine.send(from: first)

    #expect(machine.connect("b", to: machine.open().slot!) == ["request 2 from b"])
  }

  @Test func `refuses elements of an earlier inner source`() {
    _ = machine.request(.unlimited)
    let (first, second) = (machine.open().slot!, machine.open().slot!)

    #expect(machine.send(from: first) == ["refused"])
    #expect(machine.send(from: second) == ["stored", "element"])
  }

  @Test func `cancels the subscription of an earlier inner source that arrives late`() {
    let first = machine.open().slot!
    _ = machine.open()

    #expect(machine.connect("a", to: first) == ["cancel a"])
  }

  @Test func `finishes when the outer and the last inner source have finished`() {
    let slot = machine.open().slot!

    #expect(machine.finish(outer) == ["continues"])
    #expect(machine.finish(slot) == ["continues", "completion"])
  }

  @Test func `waits for another inner source while the outer source continues`() {
    let slot = machine.open().slot!

    #expect(machine.finish(slot) == ["continues"])
    #expect(machine.finish(outer) == ["continues", "completion"])
  }

  @Test func `cancels the outer source when the inner source fails`() {
    _ = machine.connect("outer", to: outer)
    let slot = machine.open().slot!
    _ = machine.connect("a", to: slot)

    #expect(machine.fail(slot) == ["ends", "release a", "cancel outer", "completion"])
  }

  @Test func `cancels the inner source when the outer source fails`() {
    _ = machine.connect("outer", to: outer)
    _ = machine.connect("a", to: machine.open().slot!)

    #expect(machine.fail(outer) == ["ends", "release outer", "cancel a", "completion"])
  }
}

struct SuccessionMachineTests {
  private func probe(followsFailure: Bool = false, successors: Int = 1) -> Probe<SuccessionMachine> {
    let probe = Probe(SuccessionMachine(followsFailure: followsFailure, successors: successors))
    _ = probe.open()
    return probe
  }

  @Test func `opens another source after the completion of the first`() {
    let machine = probe()
    _ = machine.connect("a", to: 0)

    #expect(machine.finish(0) == ["hasSuccessor", "release a"])
    #expect(machine.open().slot == 1)
  }

  @Test func `carries outstanding demand over`() {
    let machine = probe()
    _ = machine.connect("a", to: 0)
    _ = machine.request(.max(3))
    _ = machine.send(from: 0)
    _ = machine.finish(0)
    _ = machine.open()

    #expect(machine.connect("b", to: 1) == ["request 2 from b"])
  }

  @Test func `completes without a further source`() {
    let machine = probe(successors: 0)

    #expect(machine.finish(0) == ["ends", "completion"])
  }

  @Test func `fails when it continues after completions`() {
    #expect(probe().fail(0) == ["ends", "completion"])
  }

  @Test func `finishes when it continues after failures`() {
    #expect(probe(followsFailure: true).finish(0) == ["ends", "completion"])
  }

  @Test func `continues after the given number of failures`() {
    let machine = probe(followsFailure: true, successors: 2)

    #expect(machine.fail(0) == ["hasSuccessor"])
    _ = machine.open()
    #expect(machine.fail(1) == ["hasSuccessor"])
    _ = machine.open()
    #expect(machine.fail(2) == ["ends", "completion"])
  }

  @Test func `ignores a source that has a successor`() {
    let machine = probe()
    _ = machine.finish(0)
    _ = machine.open()

    #expect(machine.send(from: 0) == ["refused"])
    #expect(machine.finish(0) == ["continues"])
    #expect(machine.connect("x", to: 0) == ["cancel x"])
  }
}
