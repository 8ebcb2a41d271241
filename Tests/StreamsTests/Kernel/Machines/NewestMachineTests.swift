import Testing

@testable import Streams

struct ThrottleMachineTests {
  private func probe(latest: Bool) -> Probe<ThrottleMachine> {
    let probe = Probe(ThrottleMachine(latest: latest))
    _ = probe.request(.unlimited)
    return probe
  }

  @Test func `requests unlimited demand`() {
    #expect(probe(latest: true).connect("a", to: 0) == ["request all from a"])
  }

  @Test func `keeps the latest element of an interval`() {
    let machine = probe(latest: true)

    #expect(machine.send(from: 0) == ["stored", "arm 0"])
    #expect(machine.send(from: 0) == ["replaces"])
    #expect(machine.fire(0) == ["element"])
  }

  @Test func `keeps the first element of an interval`() {
    let machine = probe(latest: false)

    #expect(machine.send(from: 0) == ["stored", "arm 0"])
    #expect(machine.send(from: 0) == ["refused"])
    #expect(machine.fire(0) == ["element"])
  }

  @Test func `arms no timer without a waiting element`() {
    let machine = probe(latest: true)
    _ = machine.send(from: 0)

    #expect(machine.fire(0) == ["element"])
    #expect(machine.send(from: 0) == ["stored", "arm 1"])
  }

  @Test func `delivers the waiting element at its time and the completion after it`() {
    let machine = probe(latest: true)
    _ = machine.send(from: 0)

    #expect(machine.finish(0) == ["ends"])
    #expect(machine.fire(0) == ["element", "completion"])
  }

  @Test func `delivers a completion at once without a waiting element`() {
    let machine = probe(latest: true)

    #expect(machine.finish(0) == ["ends", "drain"])
    #expect(machine.drain() == ["completion"])
  }

  @Test func `replaces an element without demand`() {
    let machine = Probe(ThrottleMachine(latest: false))
    _ = machine.send(from: 0)
    _ = machine.fire(0)
    _ = machine.request(.max(1))

    #expect(machine.send(from: 0) == ["replaces", "arm 1"])
    #expect(machine.fire(1) == ["element"])
  }

  @Test func `disarms the timer on cancellation`() {
    let machine = probe(latest: true)
    _ = machine.send(from: 0)
    _ = machine.armed(0)

    #expect(machine.cancel() == ["cancel timer 0"])
  }
}
