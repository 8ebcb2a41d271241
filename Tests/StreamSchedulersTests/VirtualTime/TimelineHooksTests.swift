import Dispatch
import Streams
import Testing

@testable import StreamSchedulers

// `@testable`: the size of the tables, which shows only in the memory that they take.

/// What other modules of the package ask of a timeline.
@Suite struct TimelineHooksTests {
  private let scheduler = DispatchQueue.test

  private func schedule(after milliseconds: Int) -> any Cancellable {
    let date = scheduler.now.advanced(by: .milliseconds(milliseconds))
    return scheduler.schedule(after: date, interval: .seconds(1_000)) {}
  }

  @Test func `the newest delay is that of the action that was armed last, from now`() {
    #expect(scheduler.timeline.newestDelay == nil)
    let (first, second) = (schedule(after: 30), schedule(after: 20))
    #expect(scheduler.timeline.newestDelay == 20_000_000)
    scheduler.advance(by: .milliseconds(5))
    #expect(scheduler.timeline.newestDelay == 15_000_000)
    second.cancel()
    #expect(scheduler.timeline.newestDelay == 25_000_000)
    first.cancel()
    #expect(scheduler.timeline.newestDelay == nil)
  }

  @Test func `an observer is informed of each action that is armed while it observes, and not before or after`() {
    let count = Locked(0)
    nonisolated(unsafe) let informed = count
    var cancellables = [schedule(after: 1)]
    let cancellable = ArmingObservation.observing({ _ in informed.withLock { $0 += 1 } }) { schedule(after: 2) }
    cancellables += [cancellable, schedule(after: 3)]
    #expect(informed.withLock { $0 } == 1)
    for cancellable in cancellables { cancellable.cancel() }
  }

  @Test func `the entries of cancelled actions are removed, whether they came in order or not`() {
    // Every second one is due before the one before it.
    let cancellables = (0..<400).map { schedule(after: $0 % 2 == 0 ? 1_000 + $0 : 1_000 - $0) }
    for cancellable in cancellables { cancellable.cancel() }
    let last = schedule(after: 5)
    #expect(scheduler.timeline.withLock { agenda, _ in agenda.entryCount } < 100)
    last.cancel()
  }

  #if DEBUG
    @Test func `a timeline whose use is noted counts as one that was armed and advanced`() {
      scheduler.timeline.noteUse()
      #expect(scheduler.timeline.withLock { agenda, _ in agenda.wasArmed })
      #expect(scheduler.timeline.withLock { agenda, _ in agenda.wasDriven })
    }
  #endif
}
