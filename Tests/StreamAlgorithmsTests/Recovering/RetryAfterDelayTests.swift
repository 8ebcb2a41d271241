import Dispatch
import StreamSchedulers
import Streams
import Synchronization
import Testing

struct RetryAfterDelayTests {
  private let source = ManualSource<Int, TestError>()
  private let scheduler = DispatchQueue.test

  private func backoff(_ maxRetries: Int, resetsAfterValue: Bool = false) -> RetryPolicy {
    .exponentialBackoff(
      first: .seconds(1), longest: .seconds(3), maxRetries: maxRetries, resetsAfterValue: resetsAfterValue)
  }

  /// A source that records the time of each subscription, and fails at once.
  private func failing(_ dates: @escaping (String) -> Void) -> Deferred<Fail<Int, TestError>> {
    Deferred { [scheduler] in
      dates(scheduler.seconds)
      return Fail(error: .first)
    }
  }

  @Test func `subscribes again after each delay, and fails after the last`() {
    var dates: [String] = []
    let recorder = record(
      failing { dates.append($0) }.retry(backoff(4), scheduler: scheduler), on: scheduler)
    scheduler.run()
    #expect(dates == ["0", "1", "3", "6", "9"])
    #expect(recorder.log == ["first@9"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `with a count of zero forwards the failure`() {
    let recorder = record(source.retry(backoff(0), scheduler: scheduler))
    source.fail(.second)
    #expect(recorder.log == ["second"])
    #expect(source.subscriberCount == 1)
  }

  @Test func `publishes the values of each attempt, and finishes with it`() {
    let recorder = record(source.retry(backoff(2), scheduler: scheduler), on: scheduler)
    source.send(1)
    source.fail(.first)
    #expect(source.subscriberCount == 1)
    scheduler.advance(by: .seconds(1))
    #expect(source.subscriberCount == 2)
    source.send(2)
    source.finish()
    #expect(recorder.log == ["1@0", "2@1", "finished@1"])
    #expect(recorder.subscriptions.count == 1)
  }

  @Test func `retries at once without a delay`() {
    let recorder = record(source.retry(.immediate(maxRetries: 2), scheduler: scheduler))
    source.fail(.first)
    #expect(source.subscriberCount == 2)
    source.fail(.first)
    source.fail(.second)
    #expect(recorder.log == ["second"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `forwards a failure that the predicate rejects`() {
    let recorder = record(source.retry(backoff(5), scheduler: scheduler, where: { $0 == .first }))
    source.fail(.first)
    scheduler.run()
    source.fail(.second)
    #expect(recorder.log == ["second"])
    #expect(source.subscriberCount == 2)
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `calls the predicate once for each failure, and not without retries left`() {
    var asked = 0
    let policy = RetryPolicy.immediate(maxRetries: 2)
    _ = log(
      Fail<Int, TestError>(error: .first).retry(policy, scheduler: scheduler) { _ in
        asked += 1
        return true
      })
    #expect(asked == 2)
  }

  @Test func `does not call the predicate for a failure after the cancellation`() {
    source.ignoresCancellation = true
    var count = 0
    let recorder = record(
      source.retry(backoff(5), scheduler: scheduler) { _ in
        count += 1
        return true
      })
    #expect(source.subscriberCount == 1)
    recorder.cancel()
    source.fail(.first)
    #expect(count == 0)
  }

  @Test func `continues its count after a value`() {
    let recorder = record(source.retry(backoff(1), scheduler: scheduler))
    source.fail(.first)
    scheduler.run()
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["1", "first"])
  }

  @Test func `restarts its count after a value, if the policy resets after values`() {
    let recorder = record(source.retry(backoff(2, resetsAfterValue: true), scheduler: scheduler), on: scheduler)
    for number in 1...4 {
      source.send(number)
      source.fail(.first)
      #expect(source.subscriberCount == number)
      scheduler.advance(by: .seconds(1))
      #expect(source.subscriberCount == number + 1)
    }
    source.fail(.first)
    scheduler.advance(by: .seconds(2))
    source.fail(.second)
    #expect(recorder.log == ["1@0", "2@1", "3@2", "4@3", "second@6"])
  }

  @Test func `has nothing scheduled when it is cancelled during a delay`() {
    let recorder = record(source.retry(backoff(5), scheduler: scheduler))
    source.fail(.first)
    #expect(scheduler.pendingCount == 1)
    recorder.cancel()
    #expect(scheduler.pendingCount == 0)
    scheduler.run()
    #expect(source.subscriberCount == 1)
    #expect(recorder.log == [])
  }

  @Test func `carries outstanding demand over, including requests during a delay`() {
    let recorder = record(source.retry(backoff(5), scheduler: scheduler), .max(3))
    source.send(1)
    source.fail(.first)
    recorder.request(.max(5))
    scheduler.run()
    #expect(source.requests == [.max(3), .max(7)])
  }

  @Test func `waits exactly the delays of a backoff, which has no jitter by default`() {
    let policy = RetryPolicy.exponentialBackoff(first: .seconds(1), longest: .seconds(30), maxRetries: 7)
    var dates: [String] = []
    let recorder = record(failing { dates.append($0) }.retry(policy, scheduler: scheduler), on: scheduler)
    scheduler.run()
    #expect(dates == ["0", "1", "3", "7", "15", "31", "61", "91"])
    #expect(recorder.log == ["first@91"])
  }

  @Test func `waits the part of each delay that the closure of the caller chooses`() {
    let policy = RetryPolicy.exponentialBackoff(
      first: .seconds(1), longest: .seconds(30), maxRetries: 3, jitter: .equal)
    let ranges = Mutex<[ClosedRange<Double>]>([])
    var dates: [String] = []
    let publisher = failing { dates.append($0) }.retry(
      policy, scheduler: scheduler,
      random: { range in
        ranges.withLock { $0.append(range) }
        return 0.8
      })
    record(publisher)
    scheduler.run()
    #expect(dates == ["0", "0.8", "2.4", "5.6"])
    #expect(ranges.withLock { $0 } == [0.5...1, 0.5...1, 0.5...1])
  }

  @Test func `makes twenty thousand attempts without growing the stack, even on an immediate scheduler`() {
    var count = 0
    let failing = Deferred {
      count += 1
      return Fail<Int, TestError>(error: .first)
    }
    #expect(log(failing.retry(.immediate(maxRetries: 20_000), scheduler: scheduler)) == ["first"])
    #expect(count == 20_001)
    count = 0
    let immediate = DispatchQueue.immediate
    #expect(log(failing.retry(.delay(.seconds(1), maxRetries: 20_000), scheduler: immediate)) == ["first"])
    #expect(count == 20_001)
  }

  @Test func `makes no further attempt after cancellation in the predicate`() {
    let recorder = SignalRecorder<Int, TestError>()
    source.retry(backoff(5), scheduler: scheduler) { _ in
      recorder.cancel()
      return true
    }.subscribe(recorder)
    source.fail(.first)
    scheduler.run()
    #expect(recorder.log == [])
    #expect(source.subscriberCount == 1)
    #expect(scheduler.pendingCount == 0)
  }
}
