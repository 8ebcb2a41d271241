import Dispatch
import StreamSchedulers
import Streams
import Testing

struct DelaySubscriptionTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()

  @Test func `subscribes later, and does not delay values`() {
    let recorder = record(source.delay(subscription: 2, scheduler: scheduler), .max(3), on: scheduler)
    recorder.request(.max(1))
    scheduler.advance(by: 1.5)
    #expect(source.subscriberCount == 0)
    scheduler.advance(by: 0.5)
    #expect(source.subscriberCount == 1)
    #expect(source.requests == [.max(4)])
    source.send(1)
    source.finish()
    #expect(recorder.log == ["1@2", "finished@2"])
  }

  @Test func `never subscribes when it is cancelled before the delay has passed`() {
    let recorder = record(source.delay(subscription: 2, scheduler: scheduler))
    #expect(scheduler.pendingCount == 1)
    recorder.cancel()
    #expect(scheduler.pendingCount == 0)
    scheduler.run()
    #expect(source.subscriberCount == 0)
  }

  @Test func `forwards cancellation and failures after the delay`() {
    let recorder = record(source.delay(subscription: 1, scheduler: scheduler))
    scheduler.run()
    source.fail(.first)
    #expect(recorder.log == ["first"])
    let cancelled = record(source.delay(subscription: 1, scheduler: scheduler))
    scheduler.run()
    cancelled.cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `subscribes at once on an immediate scheduler`() {
    #expect(
      log([1, 2].publisher.delay(subscription: 1, scheduler: DispatchQueue.immediate)) == ["1", "2", "finished"])
  }
}
