import Dispatch
import Foundation
import StreamFoundation
import Streams
import Testing

@testable import StreamSchedulers

// `@testable`: whether a second erasure adds a wrapper shows only in what the scheduler stores.
@Suite
struct AnySchedulerTests {
  @Test func `every member is forwarded to the wrapped scheduler`() {
    let spy = Spy()
    let scheduler = spy.eraseToAnyScheduler()
    _ = scheduler.now
    _ = scheduler.minimumTolerance
    scheduler.schedule(options: nil) {}
    scheduler.schedule(after: spy.moment, tolerance: .zero, options: nil) {}
    _ = scheduler.schedule(after: spy.moment, interval: 1, tolerance: .zero, options: nil) {}
    _ = scheduler.scheduleOnce(after: spy.moment, tolerance: .zero, options: nil) {}
    #expect(spy.log.all == ["now", "minimumTolerance", "immediately", "delayed", "interval", "once"])
  }

  @Test func `erasing an erased scheduler adds no wrapper`() {
    let scheduler = HandClock().eraseToAnyScheduler()
    #expect(AnyScheduler(scheduler).members === scheduler.members)
    #expect(scheduler.eraseToAnyScheduler().members === scheduler.members)
    #expect(eraseGenerically(scheduler).members === scheduler.members)
  }

  @Test func `the closure for one-shot work is optional`() {
    let actions = Actions()
    let scheduler = AnySchedulerOf<DispatchQueue>(
      minimumTolerance: { .zero },
      now: { DispatchQueue.immediate.now },
      scheduleImmediately: { _, action in action() },
      delayed: { _, _, _, action in actions.append(action) },
      interval: { _, _, _, _, _ in AnyCancellable {} })
    var count = 0
    var token: Token? = Token()
    weak let weakToken = token
    _ = scheduler.scheduleOnce(after: scheduler.now, tolerance: .zero, options: nil) { count += 1 }
    let cancelled = scheduler.scheduleOnce(after: scheduler.now, tolerance: .zero, options: nil) { [token] in
      token?.touch()
      count += 100
    }
    token = nil
    cancelled.cancel()
    #expect(weakToken == nil)
    actions.runAll()
    actions.runAll()
    #expect(count == 1)
  }

  @Test func `the closure for the current time is called on every read`() {
    let clock = HandClock()
    let scheduler = clock.eraseToAnyScheduler()
    let before = scheduler.now
    clock.advance(by: .seconds(1))
    #expect(before.distance(to: scheduler.now) == .seconds(1))
  }

  @Test func `main and global queues are available as static members`() async {
    let log = Log<String>()
    AnySchedulerOf<DispatchQueue>.main.schedule { log.append("main") }
    AnySchedulerOf<DispatchQueue>.global().schedule { log.append("global") }
    AnySchedulerOf<DispatchQueue>.global(qos: .utility).schedule { log.append("utility") }
    AnySchedulerOf<OperationQueue>.main.schedule { log.append("operations") }
    _ = await log.first(4)
    _ = AnySchedulerOf<RunLoop>.main.now
    _ = AnyScheduler(RunLoop.main).now
  }

  @Test func `can be sent to other threads`() async {
    let scheduler: AnySchedulerOf<DispatchQueue> = .immediate
    let log = Log<Int>()
    await Task.detached { scheduler.schedule { log.append(1) } }.value
    #expect(log.all == [1])
  }

  private func eraseGenerically<S: Scheduler & Sendable>(_ scheduler: S) -> AnySchedulerOf<S> {
    scheduler.eraseToAnyScheduler()
  }
}

private final class Actions: @unchecked Sendable {
  private let state = Locked<[() -> Void]>([])

  func append(_ action: @escaping () -> Void) { state.withLock { $0.append(action) } }

  func runAll() {
    for action in state.withLock({ $0 }) { action() }
  }
}

/// A scheduler that records the use of its members.
private final class Spy: Scheduler, Sendable {
  typealias SchedulerTimeType = ImmediateTime
  typealias SchedulerOptions = Never

  let log = Log<String>()
  let moment = ImmediateTime()

  var now: ImmediateTime {
    log.append("now")
    return moment
  }

  var minimumTolerance: ImmediateTime.Stride {
    log.append("minimumTolerance")
    return .zero
  }

  func schedule(options: Never?, _ action: @escaping () -> Void) { log.append("immediately") }

  func schedule(
    after date: ImmediateTime, tolerance: ImmediateTime.Stride, options: Never?, _ action: @escaping () -> Void
  ) {
    log.append("delayed")
  }

  func schedule(
    after date: ImmediateTime, interval: ImmediateTime.Stride, tolerance: ImmediateTime.Stride, options: Never?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    log.append("interval")
    return AnyCancellable {}
  }

  func scheduleOnce(
    after date: ImmediateTime, tolerance: ImmediateTime.Stride, options: Never?, _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    log.append("once")
    return AnyCancellable {}
  }
}
