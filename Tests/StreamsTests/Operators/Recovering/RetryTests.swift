import Streams
import Testing

struct RetryTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `subscribes again when upstream fails, up to the given count, and then fails`() {
    let recorder = record(source.retry(2))
    source.send(1)
    source.fail(.first)
    source.send(2)
    source.fail(.first)
    source.send(3)
    source.fail(.second)
    #expect(recorder.log == ["1", "2", "3", "second"])
    #expect(source.subscriberCount == 3)
    #expect(recorder.subscriptions.count == 1)
  }

  @Test func `with a count of zero forwards the failure`() {
    let recorder = record(source.retry(0))
    source.fail(.first)
    #expect(recorder.log == ["first"])
    #expect(source.subscriberCount == 1)
  }

  @Test func `finishes as soon as one attempt finishes`() {
    let recorder = record(source.retry(5))
    source.fail(.first)
    source.send(1)
    source.finish()
    #expect(recorder.log == ["1", "finished"])
    #expect(source.subscriberCount == 2)
  }

  @Test func `an attempt that waits to begin is released when the stream is cancelled`() {
    weak var released: Captive?
    let subscriber = SubscriptionSpy<Int, TestError>()
    do {
      let captive = Captive()
      released = captive
      FailingSource(captive: captive) { subscriber.subscription?.cancel() }.retry(1).subscribe(subscriber)
    }
    #expect(subscriber.subscription != nil)
    #expect(released == nil)
  }

  private final class Captive {}

  /// Fails, and then cancels the stream before the subscriber has been attached.
  private struct FailingSource: Publisher {
    typealias Output = Int
    typealias Failure = TestError

    let captive: Captive
    let afterwards: () -> Void

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
      subscriber.receive(subscription: Subscriptions.empty)
      subscriber.receive(completion: .failure(.first))
      afterwards()
    }
  }

  @Test func `carries outstanding demand over`() {
    record(source.retry(1), .max(3))
    source.send(1)
    source.fail(.first)
    #expect(source.requests == [.max(3), .max(2)])
  }

  @Test func `cancels the current attempt, and makes no other`() {
    let recorder = record(source.retry(5))
    source.fail(.first)
    recorder.cancel()
    #expect(source.cancelCount == 1)
    #expect(source.subscriberCount == 2)
  }

  @Test func `makes no further attempt after cancellation while a value is being delivered`() {
    var attempts = 0
    let recorder = SignalRecorder<Int, TestError>()
    recorder.onValue = { _ in
      recorder.cancel()
      return .none
    }
    Deferred { () -> Record<Int, TestError> in
      attempts += 1
      return Record(output: [1], completion: .failure(.first))
    }.retry(5).subscribe(recorder)
    #expect(recorder.log == ["1"])
    #expect(attempts == 1)
  }

  @Test func `makes twenty thousand attempts that fail at once without growing the stack`() {
    var attempts = 0
    let publisher = Deferred { () -> Fail<Int, TestError> in
      attempts += 1
      return Fail(error: .first)
    }.retry(20_000)
    #expect(log(publisher) == ["first"])
    #expect(attempts == 20_001)
  }

  @Test func `a negative count means any number of attempts`() {
    let recorder = record(source.retry(-1))
    for _ in 0..<100 { source.fail(.first) }
    source.finish()
    #expect(source.subscriberCount == 101)
    #expect(recorder.log == ["finished"])
  }

  @Test func `without a count retries for as long as upstream fails`() {
    let recorder = record(Publishers.Retry(upstream: source, retries: nil))
    for _ in 0..<100 { source.fail(.first) }
    source.finish()
    #expect(source.subscriberCount == 101)
    #expect(recorder.log == ["finished"])
  }

  @Test func `stops infinite attempts when it is cancelled while a value is being delivered`() {
    let publisher = Record<Int, TestError>(output: [1, 2], completion: .failure(.first))
    #expect(
      log(Publishers.Retry(upstream: publisher, retries: nil).prefix(5)) == ["1", "2", "1", "2", "1", "finished"])
  }
}
