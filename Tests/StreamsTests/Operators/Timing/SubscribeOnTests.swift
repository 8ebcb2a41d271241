import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

struct SubscribeOnTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()

  @Test func `subscribes, requests and cancels on the scheduler, in order`() {
    let recorder = record(source.subscribe(on: scheduler), .max(2))
    #expect(source.subscriberCount == 0)
    scheduler.advance()
    #expect(source.subscriberCount == 1)
    #expect(source.requests == [.max(2)])

    recorder.request(.max(1))
    #expect(source.requests == [.max(2)])
    scheduler.advance()
    #expect(source.requests == [.max(2), .max(1)])

    recorder.cancel()
    #expect(source.cancelCount == 0)
    scheduler.advance()
    #expect(source.cancelCount == 1)
  }

  @Test func `never subscribes to upstream if it is cancelled before the scheduler begins`() {
    let recorder = record(source.subscribe(on: scheduler))
    #expect(recorder.subscriptions.count == 1)
    recorder.cancel()
    scheduler.run()
    #expect(source.subscriberCount == 0 && source.requests == [])

    let inside = SignalRecorder<Int, TestError>(.none)
    inside.onSubscription = { $0.cancel() }
    source.subscribe(on: scheduler).subscribe(inside)
    #expect(scheduler.pendingCount == 0)
    scheduler.run()
    #expect(source.subscriberCount == 0 && inside.log == [])
  }

  @Test func `starts no task if it is cancelled before the scheduler begins`() {
    var starts = 0
    let deferred = Deferred {
      starts += 1
      return Just(1)
    }
    deferred.subscribe(on: scheduler).sink { _ in }.cancel()
    deferred.subscribe(on: scheduler).first().merge(with: deferred.subscribe(on: scheduler)).sink { _ in }.cancel()
    scheduler.run()
    #expect(starts == 0)
    let started = deferred.subscribe(on: scheduler).sink { _ in }
    scheduler.run()
    #expect(starts == 1)
    started.cancel()
    starts = 0
    deferred.subscribe(on: DispatchQueue.immediate).prefix(0).sink { _ in }.cancel()
    #expect(starts == 0)
  }

  @Test func `delivers values and the completion at once`() {
    let recorder = record(source.subscribe(on: scheduler))
    scheduler.advance()
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["1", "first"])
  }

  @Test func `delivers nothing after cancellation, even before the scheduler has run it`() {
    let recorder = record(source.subscribe(on: scheduler))
    scheduler.advance()
    #expect(source.subscriberCount == 1)
    recorder.cancel()
    source.send(1)
    source.finish()
    #expect(recorder.log == [])
  }

  @Test func `requests the demand that receive(_:) returns on the scheduler`() {
    let recorder = SignalRecorder<Int, TestError>(.max(1))
    recorder.onValue = { _ in .max(2) }
    source.subscribe(on: scheduler).subscribe(recorder)
    scheduler.advance()
    #expect(source.send(1) == .none)
    #expect(source.demand == 1)
    scheduler.advance()
    #expect(source.demand == 3)
  }

  @Test func `works inline on an immediate scheduler`() {
    #expect(log([1, 2].publisher.subscribe(on: DispatchQueue.immediate)) == ["1", "2", "finished"])
  }

  @Test func `delivers every value when each is requested during a delivery`() {
    let recorder = SignalRecorder<Int, Never>(.max(1))
    recorder.onValue = { _ in .max(1) }
    [1, 2, 3].publisher.subscribe(on: scheduler).subscribe(recorder)
    scheduler.run()
    #expect(recorder.log == ["1", "2", "3", "finished"])
  }

  @Test func `any number of requests runs without growing the stack`() {
    let scheduler = scheduler
    ConformanceChecks.publisher(sends: 100, settle: { scheduler.run() }) {
      (1...100).publisher.subscribe(on: scheduler)
    }
  }
}
