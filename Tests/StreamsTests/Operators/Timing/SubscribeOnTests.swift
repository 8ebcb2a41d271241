import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

struct SubscribeOnTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()

  @Test func `subscribes, asks and cancels on the scheduler, in order`() {
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

  @Test func `passes values and the completion straight through`() {
    let recorder = record(source.subscribe(on: scheduler))
    scheduler.advance()
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["1", "first"])
  }

  @Test func `passes nothing on after cancellation, also before the scheduler has run it`() {
    let recorder = record(source.subscribe(on: scheduler))
    scheduler.advance()
    recorder.cancel()
    source.send(1)
    source.finish()
    #expect(recorder.log == [])
  }

  @Test func `asks for what values are answered with on the scheduler`() {
    let recorder = Recorder<Int, TestError>(.max(1))
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

  @Test func `delivers a source that is asked from inside its values`() {
    let recorder = Recorder<Int, Never>(.max(1))
    recorder.onValue = { _ in .max(1) }
    [1, 2, 3].publisher.subscribe(on: scheduler).subscribe(recorder)
    scheduler.run()
    #expect(recorder.log == ["1", "2", "3", "finished"])
  }

  @Test func `any number of requests needs no deeper stack`() {
    let scheduler = scheduler
    ConformanceChecks.publisher(sends: 100, settle: { scheduler.run() }) {
      (1...100).publisher.subscribe(on: scheduler)
    }
  }
}
