import Dispatch
import StreamSchedulers
import Streams
import Testing

struct RetryWhenTests {
  private let source = ManualSource<Int, TestError>()
  private let trigger = PassthroughSubject<Void, TestError>()
  private let scheduler = DispatchQueue.test

  @Test func `subscribes again when the trigger publishes after a failure`() {
    var seen: [TestError] = []
    let recorder = record(
      source.retry(when: { failures in
        failures.handleEvents(receiveOutput: { seen.append($0) }).setFailureType(to: TestError.self)
          .flatMap { _ in trigger }
      }))
    source.send(1)
    source.fail(.first)
    #expect(seen == [.first])
    #expect(source.subscriberCount == 1)
    trigger.send()
    #expect(source.subscriberCount == 2)
    source.send(2)
    source.finish()
    #expect(recorder.log == ["1", "2", "finished"])
    #expect(recorder.subscriptions.count == 1)
  }

  @Test func `asks a trigger that sends its subscription after the first failure`() {
    final class Late: Publisher {
      typealias Output = Void
      typealias Failure = TestError
      var subscriber: AnySubscriber<Void, TestError>?

      func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == TestError {
        self.subscriber = AnySubscriber(subscriber)
      }
    }
    let late = Late()
    let recorder = record(source.retry(when: { _ in late }))
    source.fail(.first)
    if let subscriber = late.subscriber { trigger.subscribe(subscriber) }
    trigger.send()
    #expect(source.subscriberCount == 2)
    recorder.cancel()
  }

  @Test func `drops values of the trigger while an attempt runs`() {
    let recorder = record(source.retry(when: { _ in trigger }))
    trigger.send()
    source.fail(.first)
    #expect(source.subscriberCount == 1)
    trigger.send()
    trigger.send()
    #expect(source.subscriberCount == 2)
    recorder.cancel()
  }

  @Test func `finishes instead of failing when the trigger finishes`() {
    let recorder = record(source.retry(when: { _ in trigger }))
    source.fail(.first)
    trigger.send(completion: .finished)
    #expect(recorder.log == ["finished"])
  }

  @Test func `goes on when the trigger finishes before an attempt has failed`() {
    let recorder = record(source.retry(when: { _ in trigger }))
    trigger.send(completion: .finished)
    source.send(1)
    #expect(recorder.log == ["1"])
    source.fail(.first)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `cancels the attempt as soon as the trigger has failed, while a value is delivered`() {
    var cancelCount: Int?
    let cancellable = source.retry(when: { _ in trigger }).sink(receiveCompletion: { _ in }) { _ in
      trigger.send(completion: .failure(.second))
      cancelCount = source.cancelCount
    }
    source.send(1)
    #expect(cancelCount == 1)
    cancellable.cancel()
  }

  @Test func `lets the last attempt complete when the trigger has finished`() {
    let recorder = record(source.retry(when: { $0.prefix(2) }))
    source.fail(.first)
    source.fail(.first)
    source.send(1)
    #expect(recorder.log == ["1"])
    #expect(source.subscriberCount == 3)
    source.fail(.second)
    #expect(recorder.log == ["1", "finished"])
    #expect(source.subscriberCount == 3)
  }

  @Test func `uses one value of the trigger for each failure`() {
    let recorder = record(source.retry(when: { _ in [1, 2].publisher }))
    source.fail(.first)
    source.fail(.first)
    #expect(source.subscriberCount == 3)
    source.fail(.first)
    #expect(recorder.log == ["finished"])
  }

  @Test func `fails when the trigger fails, and cancels the attempt`() {
    let recorder = record(source.retry(when: { _ in trigger }))
    source.send(1)
    trigger.send(completion: .failure(.second))
    #expect(recorder.log == ["1", "second"])
    #expect(source.cancelCount == 1)
  }

  @Test func `fails with the error to which the trigger maps the failure`() {
    let recorder = record(
      source.retry(when: { failures in
        failures.tryMap { if $0 == .second { throw $0 } }.mapError { $0 as! TestError }
      }))
    source.fail(.first)
    source.fail(.second)
    #expect(recorder.log == ["second"])
    #expect(source.subscriberCount == 2)
  }

  @Test func `fails with the error of a trigger with any error, if it is a failure of upstream`() {
    let source = ManualSource<Int, TestError>()
    let trigger = PassthroughSubject<Void, any Error>()
    let recorder = record(source.retry(when: { _ in trigger }))
    source.fail(.first)
    trigger.send()
    #expect(source.subscriberCount == 2)
    trigger.send(completion: .failure(TestError.second))
    #expect(recorder.log == ["second"])
    #expect(source.cancelCount == 1)
  }

  @Test func `fails with the latest failure when the trigger fails with another type of error`() {
    struct OtherError: Error {}
    let source = ManualSource<Int, TestError>()
    let asked = record(source.retry(when: { $0.tryMap { _ in throw OtherError() } as Publishers.TryMap<_, Void> }))
    source.fail(.first)
    #expect(asked.log == ["first"])
    // Without a failure so far, the stream ends with the first one.
    let early = ManualSource<Int, TestError>()
    let recorder = record(early.retry(when: { _ in Fail<Void, OtherError>(error: OtherError()) }))
    early.send(1)
    early.fail(.second)
    #expect(recorder.log == ["1", "second"])
    #expect(early.subscriberCount == 1)
  }

  @Test func `sends every failure to the trigger in order, each before the next attempt`() {
    var log: [String] = []
    var attempts = 0
    let failing = Deferred { () -> Fail<Int, TestError> in
      attempts += 1
      log.append("attempt \(attempts)")
      return Fail(error: attempts % 2 == 0 ? .second : .first)
    }
    record(
      failing.retry(when: { failures in
        failures.handleEvents(receiveOutput: { log.append("\($0)") }).zip((1...3).publisher)
      }))
    #expect(log == ["attempt 1", "first", "attempt 2", "second", "attempt 3", "first", "attempt 4"])
  }

  @Test func `waits as long as the trigger does, and has nothing scheduled after cancellation`() {
    let recorder = record(
      source.retry(when: { [scheduler] in $0.delay(for: .seconds(2), scheduler: scheduler) }), on: scheduler)
    source.fail(.first)
    scheduler.advance(by: .seconds(2))
    #expect(source.subscriberCount == 2)
    source.fail(.first)
    #expect(scheduler.pendingCount == 1)
    recorder.cancel()
    #expect(scheduler.pendingCount == 0)
    #expect(recorder.log == [])
  }

  @Test func `carries outstanding demand over`() {
    let recorder = record(source.retry(when: { _ in trigger }), .max(3))
    source.send(1)
    source.fail(.first)
    recorder.request(.max(2))
    trigger.send()
    #expect(source.requests == [.max(3), .max(4)])
  }

  @Test func `makes twenty thousand attempts that fail at once without growing the stack`() {
    var attempts = 0
    let failing = Deferred { () -> Fail<Int, TestError> in
      attempts += 1
      return Fail(error: .first)
    }
    #expect(log(failing.retry(when: { $0.prefix(20_000) })) == ["finished"])
    #expect(attempts == 20_001)
  }

  @Test func `cancels the attempt and the trigger on cancellation`() {
    let decider = ManualSource<Int, TestError>()
    let recorder = record(source.retry(when: { _ in decider }))
    recorder.cancel()
    #expect(source.cancelCount == 1)
    #expect(decider.cancelCount == 1)
  }

  @Test func `cancels the trigger when an attempt finishes`() {
    let decider = ManualSource<Int, TestError>()
    let recorder = record(source.retry(when: { _ in decider }))
    #expect(decider.requests == [])
    source.finish()
    #expect(decider.cancelCount == 1)
    #expect(recorder.log == ["finished"])
  }

  @Test func `calls the closure once for each subscriber`() {
    var count = 0
    let publisher = source.retry(when: { failures in
      count += 1
      return failures
    })
    record(publisher)
    record(publisher)
    source.fail(.first)
    #expect(count == 2)
  }
}
