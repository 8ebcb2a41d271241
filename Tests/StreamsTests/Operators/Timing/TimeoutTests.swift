import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

struct TimeoutTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()

  private func timed(_ customError: (() -> TestError)? = nil) -> some Publisher<Int, TestError> {
    source.timeout(10, scheduler: scheduler, customError: customError)
  }

  @Test func `a request schedules nothing while no value waits`() {
    let recorder = record(timed(), .max(1), on: scheduler)
    #expect(scheduler.pendingCount == 1)
    recorder.request(.max(1))
    #expect(scheduler.pendingCount == 1)
    source.send(1)
    #expect(scheduler.pendingCount == 2)
    recorder.cancel()
  }

  @Test func `finishes and cancels upstream when no value comes in time`() {
    let recorder = record(timed(), on: scheduler)
    scheduler.advance(by: 20)
    #expect(recorder.log == ["finished@10"])
    #expect(source.cancelCount == 1)
  }

  @Test func `fails with a custom error when no value comes in time`() {
    let recorder = record(timed { .second }, on: scheduler)
    scheduler.run()
    #expect(recorder.log == ["second@10"])
    #expect(source.cancelCount == 1)
  }

  @Test func `does not restart the timer for a second subscription`() {
    var subscriber: AnySubscriber<Int, TestError>?
    let publisher = Scripted { subscriber = $0 }
    let recorder = record(publisher.timeout(10, scheduler: scheduler), on: scheduler)
    subscriber?.receive(subscription: Subscriptions.empty)
    scheduler.advance(by: 9)
    subscriber?.receive(subscription: Subscriptions.empty)
    scheduler.advance(by: 1)
    #expect(recorder.log == ["finished@10"])
  }

  @Test func `a value passes a long chain of timeouts at once`() {
    var chain = source.eraseToAnyPublisher()
    for _ in 0..<200 { chain = chain.timeout(10, scheduler: scheduler).eraseToAnyPublisher() }
    let recorder = record(chain, on: scheduler)
    source.send(1)
    scheduler.advance()
    #expect(recorder.log == ["1@0"])
    recorder.cancel()
  }

  @Test func `restarts the timer for every value`() {
    let recorder = record(timed(), on: scheduler)
    for (value, second) in [(1, 9), (2, 18), (3, 27)] { scheduler.at(Double(second)) { source.send(value) } }
    scheduler.run()
    #expect(recorder.log == ["1@9", "2@18", "3@27", "finished@37"])
  }

  @Test func `disarms the timer when upstream ends`() {
    let recorder = record(timed(), on: scheduler)
    source.send(1)
    source.finish()
    scheduler.run()
    #expect(recorder.log == ["1@0", "finished@0"])
  }

  @Test func `forwards failures`() {
    let recorder = record(timed { .second }, on: scheduler)
    source.fail(.first)
    scheduler.run()
    #expect(recorder.log == ["first@0"])
  }

  @Test func `delivers values on the scheduler`() {
    let recorder = record(timed())
    source.send(1)
    #expect(recorder.log == [])
    scheduler.advance()
    #expect(recorder.log == ["1"])
  }

  @Test func `has nothing scheduled after cancellation`() {
    let recorder = record(timed())
    source.send(1)
    scheduler.advance()
    #expect(scheduler.pendingCount == 1)
    recorder.cancel()
    #expect(scheduler.pendingCount == 0)
    #expect(source.cancelCount == 1)
    scheduler.run()
    #expect(recorder.log == ["1"])
  }

  @Test func `delivers nothing after it has expired`() {
    source.ignoresCancellation = true
    let recorder = record(timed())
    scheduler.advance(by: 10)
    source.send(1)
    source.fail(.first)
    scheduler.run()
    #expect(recorder.log == ["finished"])
  }

  @Test func `forwards demand at once`() {
    let recorder = SignalRecorder<Int, TestError>(.max(2))
    recorder.onValue = { _ in .max(3) }
    timed().subscribe(recorder)
    #expect(source.demand == 2)
    source.send(1)
    scheduler.advance()
    #expect(source.demand == 5)
  }

  @Test func `a value at the moment of the subscription arms no second timer, so that streams end in order`() {
    let journal = Journal()
    let (one, other) = (SignalRecorder<Int, TestError>(), SignalRecorder<Int, Never>())
    one.onCompletion = { journal.note("one") }
    other.onCompletion = { journal.note("other") }
    source.timeout(10, scheduler: scheduler).subscribe(one)
    Empty<Int, Never>(completeImmediately: false).timeout(10, scheduler: scheduler).subscribe(other)
    source.send(1)
    scheduler.run()
    #expect(journal.all == ["one", "other"])
  }

  @Test func `arms one timer for any number of values`() {
    record(timed())
    for value in 0..<100 {
      source.send(value)
      scheduler.advance()
      #expect(scheduler.pendingCount == 1)
    }
  }

  @Test func `delivers every value on an immediate scheduler and never expires there`() {
    let recorder = record(source.timeout(10, scheduler: DispatchQueue.immediate, customError: { .second }))
    source.send(1)
    source.send(2)
    source.finish()
    #expect(recorder.log == ["1", "2", "finished"])
  }

  @Test(.ownThread) func `rearms a timer that fires early, on another thread, while it is being armed`() {
    let scheduler = HastyScheduler()
    let recorder = record(source.timeout(10, scheduler: scheduler))
    #expect(scheduler.count == 2)
    #expect(recorder.log == [])
  }
}

/// A scheduler whose first timer fires too early, on another thread, before the call that arms it has returned.
private final class HastyScheduler: Scheduler {
  typealias SchedulerTimeType = DispatchQueue.SchedulerTimeType
  typealias SchedulerOptions = DispatchQueue.SchedulerOptions
  private(set) var count = 0
  let now = SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1))
  let minimumTolerance = SchedulerTimeType.Stride.zero

  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) { action() }

  func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    count += 1
    guard count == 1 else { return }
    nonisolated(unsafe) let action = action
    let isDone = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      action()
      isDone.signal()
    }
    isDone.wait()
  }

  func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    AnyCancellable {}
  }
}

/// Passes its subscriber to a test.
private struct Scripted: Publisher {
  typealias Output = Int
  typealias Failure = TestError
  let attach: (AnySubscriber<Int, TestError>) -> Void

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
    attach(AnySubscriber(subscriber))
  }
}
