import Testing

@testable import Streams

struct WithLatestMachineTests {
  private let machine = Probe(WithLatestMachine())

  @Test func `requests from the first source only after an element of the other`() {
    #expect(machine.connect("other", to: WithLatestMachine.other) == ["request all from other"])
    #expect(machine.connect("main", to: WithLatestMachine.main) == [])
    #expect(machine.request(.max(2)) == [])
    #expect(machine.send(from: WithLatestMachine.main) == ["refused"])
    #expect(machine.send(from: WithLatestMachine.other) == ["setAside", "request 2 from main"])
    #expect(machine.send(from: WithLatestMachine.other) == ["setAside"])
    #expect(machine.send(from: WithLatestMachine.main) == ["completes", "element"])
    #expect(machine.request(.max(3)) == ["request 3 from main"])
  }

  @Test func `requests downstream's demand from a source that is connected after an element of the other`() {
    _ = machine.connect("other", to: WithLatestMachine.other)
    #expect(machine.request(.unlimited) == [])
    #expect(machine.send(from: WithLatestMachine.other) == ["setAside"])
    #expect(machine.connect("main", to: WithLatestMachine.main) == ["request all from main"])
  }
}

struct SampleMachineTests {
  private let machine = Probe(SampleMachine())

  @Test func `a sample takes a new element, if there is demand`() {
    _ = machine.connect("main", to: SampleMachine.main)
    _ = machine.connect("sampler", to: SampleMachine.sampler)
    #expect(machine.send(from: SampleMachine.sampler) == ["refused"])
    #expect(machine.send(from: SampleMachine.main) == ["setAside"])
    #expect(machine.send(from: SampleMachine.sampler) == ["refused"])
    #expect(machine.request(.max(2)) == [])
    #expect(machine.send(from: SampleMachine.sampler) == ["completes", "element"])
    #expect(machine.send(from: SampleMachine.sampler) == ["refused"])
  }

  @Test func `the sample after upstream's completion ends the stream`() {
    _ = machine.connect("main", to: SampleMachine.main)
    _ = machine.connect("sampler", to: SampleMachine.sampler)
    _ = machine.request(.unlimited)
    _ = machine.send(from: SampleMachine.main)
    #expect(machine.finish(SampleMachine.main) == ["continues", "release main"])
    #expect(machine.send(from: SampleMachine.sampler) == ["completes", "cancel sampler", "element", "completion"])
  }
}

struct RaceMachineTests {
  private let machine = Probe(RaceMachine())

  @Test func `the first signal decides the race, and opens no further source`() {
    #expect(machine.open().slot == 0)
    #expect(machine.open().slot == 1)
    _ = machine.connect("a", to: 0)
    _ = machine.connect("b", to: 1)
    #expect(machine.request(.max(2)) == ["request 2 from a", "request 2 from b"])
    #expect(machine.send(from: 1) == ["stored", "cancel a", "element"])
    #expect(machine.send(from: 0) == ["refused"])
    #expect(machine.finish(0) == ["continues"])
    #expect(machine.open().slot == nil)
  }

  @Test func `cancels a source that arrives after another has won`() {
    _ = machine.open()
    _ = machine.open()
    _ = machine.request(.unlimited)
    _ = machine.send(from: 0)
    #expect(machine.connect("b", to: 1) == ["cancel b"])
  }
}

struct PausableMachineTests {
  private let machine = Probe(PausableMachine(size: 2, overflow: .dropNewest))

  @Test func `delivers only while it is open`() {
    _ = machine.connect("gate", to: PausableMachine.gate)
    _ = machine.connect("main", to: 0)
    _ = machine.request(.unlimited)
    #expect(machine.send(from: 0) == ["stored"])
    #expect(machine.signal { $0.setOpen(true) } == ["element"])
    #expect(machine.send(from: 0) == ["stored", "element"])
    #expect(machine.signal { $0.setOpen(false) } == [])
    #expect(machine.send(from: 0) == ["stored"])
    #expect(machine.send(from: 0) == ["stored"])
    #expect(machine.send(from: 0) == ["refused"])
  }

  @Test func `still reacts to the gate when upstream has ended`() {
    _ = machine.connect("gate", to: PausableMachine.gate)
    _ = machine.connect("main", to: 0)
    _ = machine.request(.unlimited)
    _ = machine.send(from: 0)
    #expect(machine.finish(0) == ["ends", "release main"])
    #expect(machine.signal { $0.setOpen(true) } == ["element", "cancel gate", "completion"])
  }
}
