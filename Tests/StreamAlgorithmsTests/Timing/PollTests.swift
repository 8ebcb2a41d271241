import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import SuiteSupport
import Testing

struct PollTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()

  @Test func `subscribes again an interval after each end`() {
    let recorder = record(source.poll(every: .seconds(2), scheduler: scheduler))
    #expect(source.subscriberCount == 1)
    scheduler.advance(by: .seconds(5))
    source.send(1)
    source.finish()
    scheduler.advance(by: .milliseconds(1_999))
    #expect(source.subscriberCount == 1)
    scheduler.advance(by: .milliseconds(1))
    #expect(source.subscriberCount == 2)
    source.send(2)
    #expect(recorder.log == ["1", "2"])
    recorder.cancel()
    scheduler.assertIdle()
  }

  @Test func `polls until a value satisfies a condition`() {
    scheduler.frame = .seconds(1)
    var states = ["a", "b", "c"]
    let job = Deferred { Just(states.removeFirst()) }
    let isDone = job.poll(every: .seconds(2), scheduler: scheduler).first { $0 == "c" }
    scheduler.expect(isDone, "----(c|)")
    scheduler.assertNothingLeft()
  }

  @Test func `a failure ends the stream`() {
    let recorder = record(source.poll(every: .seconds(2), scheduler: scheduler))
    source.finish()
    scheduler.advance(by: .seconds(2))
    source.fail(.first)
    #expect(recorder.log == ["first"])
    scheduler.assertIdle()
  }

  @Test func `cancelling removes the scheduled attempt`() {
    let recorder = record(source.poll(every: .seconds(2), scheduler: scheduler))
    source.finish()
    #expect(scheduler.pendingCount == 1)
    recorder.cancel()
    scheduler.assertIdle()
    scheduler.run()
    #expect(source.subscriberCount == 1)
  }

  @Test func `each attempt receives the outstanding demand`() {
    let recorder = record(source.poll(every: .seconds(1), scheduler: scheduler), .max(3))
    source.send(1)
    source.finish()
    scheduler.advance(by: .seconds(1))
    #expect(source.requests == [.max(3), .max(2)])
    recorder.cancel()
  }

  @Test func `runs in constant stack where time does not pass`() {
    var count = 0
    let numbers = Deferred {
      count += 1
      return Just(count)
    }
    var last: Int?
    let cancellable = numbers.poll(every: .seconds(1), scheduler: DispatchQueue.immediate).prefix(20_000)
      .sink { last = $0 }
    #expect(last == 20_000)
    cancellable.cancel()
  }

  @Test(.exits) func `an interval of zero stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = Just(1).poll(every: .zero, scheduler: DispatchQueue.main)
    }
  }
}
