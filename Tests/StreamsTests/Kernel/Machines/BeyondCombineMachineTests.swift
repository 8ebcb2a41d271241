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
