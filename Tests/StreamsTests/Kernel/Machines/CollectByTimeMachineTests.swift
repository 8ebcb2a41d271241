import Testing

@testable import Streams

struct CollectByTimeMachineTests {
  private func probe(limit: Int? = nil) -> Probe<CollectByTimeMachine> {
    let probe = Probe(CollectByTimeMachine(limit: limit))
    _ = probe.connect("a", to: 0)
    _ = probe.request(.unlimited)
    return probe
  }

  @Test func `requests unlimited demand once a group is requested`() {
    let machine = Probe(CollectByTimeMachine(limit: nil))

    #expect(machine.connect("a", to: 0) == [])
    #expect(machine.request(.max(1)) == ["request all from a"])
    #expect(machine.request(.max(1)) == [])
  }

  @Test func `requests as many elements as fill the requested groups`() {
    let machine = Probe(CollectByTimeMachine(limit: 3))
    _ = machine.request(.max(1))

    #expect(machine.connect("a", to: 0) == ["request 3 from a"])
    #expect(machine.request(.max(2)) == ["request 6 from a"])
    #expect(machine.request(.unlimited) == ["request all from a"])
  }

  @Test func `cancels a second subscription`() {
    #expect(probe().connect("b", to: 0) == ["cancel b"])
  }

  @Test func `arms one timer for the elements of an interval, and makes a group of them when it fires`() {
    let machine = probe()

    #expect(machine.send(completesGroup: false) == ["setAside", "arm 0"])
    #expect(machine.send(completesGroup: false) == ["setAside"])
    #expect(machine.fire(0) == [])
    #expect(machine.endInterval(hasElements: true) == ["completes"])
    #expect(machine.drain() == ["element"])
  }

  @Test func `the end of an interval counts only when its timer has fired`() {
    let machine = probe()
    _ = machine.send(completesGroup: false)

    #expect(machine.endInterval(hasElements: true) == ["refused"])
    #expect(machine.fire(0) == [])
    #expect(machine.endInterval(hasElements: true) == ["completes"])
    #expect(machine.endInterval(hasElements: true) == ["refused"])
  }

  @Test func `arms no timer before another element arrives`() {
    let machine = probe()
    _ = machine.send(completesGroup: false)
    _ = machine.fire(0)
    _ = machine.endInterval(hasElements: true)

    #expect(machine.send(completesGroup: false) == ["setAside", "arm 1"])
  }

  @Test func `delivers a full group on the scheduler and leaves the timer armed`() {
    let machine = probe(limit: 2)

    #expect(machine.send(completesGroup: false) == ["setAside", "arm 0"])
    #expect(machine.send(completesGroup: true) == ["completes", "drain"])
    #expect(machine.drain() == ["element"])
    #expect(machine.fire(0) == [])
    #expect(machine.endInterval(hasElements: false) == ["refused"])
  }

  @Test func `sets elements aside directly while a timer is armed`() {
    let machine = probe(limit: 2).machine
    #expect(machine.directPath.kind == .none)
    var effects = Effects()
    _ = machine.received(completesGroup: false, &effects)
    #expect(machine.directPath.kind == .setAside)
  }

  @Test func `buffers groups without demand, and the completion after them`() {
    let machine = Probe(CollectByTimeMachine(limit: 1))
    _ = machine.connect("a", to: 0)

    #expect(machine.send(completesGroup: true) == ["completes", "drain"])
    #expect(machine.drain() == [])
    #expect(machine.end(failed: false) == ["ends", "release a", "drain"])
    #expect(machine.drain() == [])
    #expect(machine.request(.max(1)) == ["drain"])
    #expect(machine.drain() == ["element", "completion"])
  }

  @Test func `delivers its elements when upstream finishes, and disarms the timer`() {
    let machine = probe()
    _ = machine.send(completesGroup: false)
    _ = machine.armed(0)

    #expect(machine.end(failed: false, hasElements: true) == ["ends", "release a", "cancel timer 0", "drain"])
    #expect(machine.drain() == ["element", "completion"])
  }

  @Test func `drops its elements when upstream fails, and disarms the timer`() {
    let machine = probe()
    _ = machine.send(completesGroup: false)
    _ = machine.armed(0)

    #expect(machine.end(failed: true) == ["ends", "release a", "cancel timer 0", "drain"])
    #expect(machine.drain() == ["completion"])
  }

  @Test func `disarms the timer on cancellation`() {
    let machine = probe()
    _ = machine.send(completesGroup: false)
    _ = machine.armed(0)

    #expect(machine.cancel() == ["cancel a", "cancel timer 0"])
  }
}

extension Probe<CollectByTimeMachine> {
  fileprivate func send(completesGroup: Bool) -> [String] { send { $0.received(completesGroup: completesGroup, &$1) } }

  fileprivate func endInterval(hasElements: Bool) -> [String] {
    send { machine, _ in machine.intervalEnded(hasElements: hasElements) }
  }

  fileprivate func end(failed: Bool, hasElements: Bool = false) -> [String] {
    end { $0.ended(failed: failed, hasElements: hasElements, &$1) }
  }
}
