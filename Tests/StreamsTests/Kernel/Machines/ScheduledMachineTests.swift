import Testing

@testable import Streams

struct TimeoutMachineTests {
  private let machine = Probe(TimeoutMachine())

  @Test func `arms its timer with the subscription`() {
    #expect(machine.connect("a", to: 0) == ["arm 0"])
  }

  @Test func `cancels upstream and completes when the timer fires`() {
    _ = machine.connect("a", to: 0)
    _ = machine.armed(0)

    #expect(machine.fire(0) == ["release timer 0", "cancel a", "substitute"])
  }

  @Test func `delivers the waiting elements before it completes`() {
    _ = machine.connect("a", to: 0)
    _ = machine.armed(0)
    _ = machine.send(from: 0)

    #expect(machine.fire(0) == ["release timer 0", "cancel a", "element", "substitute"])
  }

  @Test func `disarms the timer when upstream ends`() {
    _ = machine.connect("a", to: 0)
    _ = machine.armed(0)

    #expect(machine.finish(0) == ["ends", "cancel timer 0", "release a", "drain"])
    #expect(machine.drain() == ["completion"])
  }

  @Test func `disarms the timer on cancellation`() {
    _ = machine.connect("a", to: 0)
    _ = machine.armed(0)

    #expect(Set(machine.cancel()) == ["cancel a", "cancel timer 0"])
  }

  @Test func `disarms a timer that is being armed when upstream ends`() {
    _ = machine.connect("a", to: 0)
    _ = machine.finish(0)

    #expect(machine.armed(0) == ["cancel timer 0"])
  }
}

extension Probe<DelayMachine> {
  fileprivate func send(isNewDate: Bool) -> [String] { send { $0.received(isNewDate: isNewDate, &$1) } }
  fileprivate func end(isNewDate: Bool) -> [String] { end { $0.ended(isNewDate: isNewDate, &$1) } }
}

struct DelayMachineTests {
  private let machine = Probe(DelayMachine())

  @Test func `forwards requests at once`() {
    _ = machine.request(.max(2))

    #expect(machine.connect("a", to: 0) == ["request 2 from a"])
    #expect(machine.request(.max(3)) == ["request 3 from a"])
  }

  @Test func `arms one timer for each date`() {
    #expect(machine.send(isNewDate: true) == ["stored", "arm 0"])
    #expect(machine.send(isNewDate: false) == ["stored"])
    #expect(machine.send(isNewDate: true) == ["stored", "arm 1"])
  }

  @Test func `delivers at each date as many elements as arrived for it`() {
    _ = machine.send(isNewDate: true)
    _ = machine.send(isNewDate: false)
    _ = machine.send(isNewDate: true)

    #expect(machine.fire(0) == ["element", "element"])
    #expect(machine.fire(1) == ["element"])
  }

  @Test func `arms a timer for an element that arrives after the timer of its date has fired`() {
    _ = machine.send(isNewDate: true)
    _ = machine.fire(0)

    #expect(machine.send(isNewDate: false) == ["stored", "arm 1"])
  }

  @Test func `delays the completion`() {
    _ = machine.send(isNewDate: true)

    #expect(machine.end(isNewDate: true) == ["ends", "arm 1"])
    #expect(machine.fire(0) == ["element"])
    #expect(machine.fire(1) == ["completion"])
  }

  @Test func `delivers elements before a completion of the same date`() {
    _ = machine.send(isNewDate: true)
    _ = machine.end(isNewDate: false)

    #expect(machine.fire(0) == ["element", "completion"])
  }

  @Test func `delivers in order when timers fire in another order`() {
    _ = machine.send(isNewDate: true)
    _ = machine.end(isNewDate: true)

    // A later timer that has fired also counts for the earlier one, whose date has passed as well.
    #expect(machine.fire(1) == ["element"])
    #expect(machine.fire(0) == ["completion"])
  }

  @Test func `disarms every timer on cancellation`() {
    _ = machine.send(isNewDate: true)
    _ = machine.armed(0)
    _ = machine.send(isNewDate: true)
    _ = machine.armed(1)

    #expect(Set(machine.cancel()) == ["cancel timer 0", "cancel timer 1"])
  }

  @Test func `releases a timer that has fired`() {
    _ = machine.send(isNewDate: true)
    _ = machine.armed(0)

    #expect(machine.fire(0) == ["release timer 0", "element"])
  }

  @Test func `disarms a timer that is being armed on cancellation`() {
    _ = machine.send(isNewDate: true)
    _ = machine.cancel()

    #expect(machine.armed(0) == ["cancel timer 0"])
  }
}
