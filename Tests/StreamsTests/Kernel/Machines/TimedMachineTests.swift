import Testing

@testable import Streams

struct TimedMachineTests {
  private final class CountingMachine: TimedMachine {
    var dueCount = 0

    override func isDue(_ effects: inout Effects) { dueCount += 1 }
  }

  private final class Canceller: Cancellable {
    func cancel() {}
  }

  private let machine = CountingMachine()

  private func arm() -> OldMachine.TimerID {
    var effects = Effects()
    machine.arm(&effects)
    return OldMachine.TimerID(number: effects.next().number)
  }

  /// Disarms the timer, and returns the object that is cancelled for that.
  private func disarm() -> TimerObject? {
    var effects = Effects()
    machine.disarm(&effects)
    return effects.next().timer
  }

  private func fire(_ timerID: OldMachine.TimerID) -> TimerObject? {
    var effects = Effects()
    return machine.fired(timerID, &effects)
  }

  @Test func `numbers each arming`() {
    var numbers: [Int] = []
    for _ in 0..<3 {
      numbers.append(arm().number)
      _ = disarm()
    }

    #expect(numbers == [0, 1, 2])
  }

  @Test func `keeps its canceller until it is disarmed`() {
    let canceller = Canceller()
    let timerID = arm()

    #expect(machine.armed(timerID, canceller))
    #expect(machine.isArmed)
    #expect(disarm() === canceller)
    #expect(!machine.isArmed)
    #expect(disarm() == nil)
  }

  @Test func `refuses the canceller of an earlier arming`() {
    let old = arm()
    _ = disarm()
    #expect(!machine.armed(old, Canceller()))

    let new = arm()
    #expect(!machine.armed(old, Canceller()))
    #expect(fire(old) == nil)
    #expect(machine.dueCount == 0)

    #expect(machine.armed(new, Canceller()))
    #expect(fire(new) != nil)
    #expect(machine.dueCount == 1)
  }

  @Test func `is due only while it is armed`() {
    let timerID = arm()
    _ = fire(timerID)
    _ = fire(timerID)

    #expect(machine.dueCount == 1)
  }
}
