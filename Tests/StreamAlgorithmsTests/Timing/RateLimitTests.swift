import Dispatch
import StreamSchedulers
import Streams
import SuiteSupport
import Testing

struct RateLimitTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()

  private func limited(
    _ count: Int = 2, queueSize: Int = 10, _ whenFull: OverflowStrategy<TestError> = .dropNewest
  ) -> some Publisher<Int, TestError> {
    source.rateLimit(count, per: 10, scheduler: scheduler, queueSize: queueSize, whenFull: whenFull)
  }

  @Test func `delivers at most the given number of values in any interval, and queues the others`() {
    let recorder = record(limited(), on: scheduler)
    for second in [0, 3, 4, 5, 11, 40] { scheduler.at(Double(second)) { source.send(second) } }
    scheduler.run()
    #expect(recorder.log == ["0@0", "3@3", "4@10", "5@13", "11@20", "40@40"])
  }

  @Test func `delivers a burst after an idle interval at once`() {
    let recorder = record(limited(3), on: scheduler)
    scheduler.at(1) { for value in 1...5 { source.send(value) } }
    scheduler.run()
    #expect(recorder.log == ["1@1", "2@1", "3@1", "4@11", "5@11"])
  }

  @Test func `arms at most one timer, and none when idle`() {
    let recorder = record(limited(1))
    source.send(1)
    scheduler.advance()
    #expect(scheduler.pendingCount == 0)
    for value in 2...5 { source.send(value) }
    #expect(scheduler.pendingCount == 1)
    recorder.cancel()
    #expect(scheduler.pendingCount == 0)
    #expect(source.cancelCount == 1)
  }

  @Test(arguments: [(false, ["1", "2", "3", "4"]), (true, ["1", "2", "5", "6"])])
  func `drops values when the queue is full`(_ dropsOldest: Bool, _ kept: [String]) {
    let recorder = record(limited(2, queueSize: 2, dropsOldest ? .dropOldest : .dropNewest))
    for value in 1...6 {
      source.send(value)
      scheduler.advance()
    }
    scheduler.run()
    #expect(recorder.log == kept)
  }

  @Test func `a value that waits for the scheduler takes no place in the queue`() {
    let recorder = record(limited(2, queueSize: 1))
    for value in 1...4 { source.send(value) }
    scheduler.run()
    #expect(recorder.log == ["1", "2", "3"])
  }

  @Test func `a value whose turn has come is not displaced by later ones`() {
    let recorder = record(limited(2, queueSize: 2, .dropOldest), on: scheduler)
    for value in 1...7 { source.send(value) }
    scheduler.run()
    #expect(recorder.log == ["1@0", "2@0", "6@10", "7@10"])
  }

  @Test(arguments: [true, false])
  func `without a queue a value above the rate is dropped`(dropsOldest: Bool) {
    let recorder = record(limited(1, queueSize: 0, dropsOldest ? .dropOldest : .dropNewest), on: scheduler)
    for second in [0, 5, 10, 15, 20, 21, 22, 30] { scheduler.at(Double(second)) { source.send(second) } }
    scheduler.run()
    #expect(recorder.log == ["0@0", "10@10", "20@20", "30@30"])
  }

  @Test func `without a queue a value that nobody has requested is dropped`() {
    let recorder = record(limited(1, queueSize: 0, .dropOldest), .none, on: scheduler)
    source.send(1)
    recorder.request(.unlimited)
    source.send(2)
    source.finish()
    scheduler.run()
    #expect(recorder.log == ["2@0", "finished@0"])
  }

  @Test func `fails when the queue is full, after the queued values`() {
    let recorder = record(limited(1, queueSize: 1, .fail(.first)), on: scheduler)
    for value in 1...3 { source.send(value) }
    #expect(source.cancelCount == 1)
    scheduler.run()
    #expect(recorder.log == ["1@0", "2@10", "first@10"])
  }

  @Test func `without a queue a value above the rate fails the stream`() {
    let recorder = record(limited(1, queueSize: 0, .fail(.first)), on: scheduler)
    source.send(1)
    scheduler.advance(by: 5)
    source.send(2)
    scheduler.run()
    #expect(recorder.log == ["1@0", "first@5"])
  }

  @Test(arguments: [true, false])
  func `a completion waits for the queue`(fails: Bool) {
    let recorder = record(limited(1), on: scheduler)
    source.send(1)
    source.send(2)
    if fails { source.fail(.first) } else { source.finish() }
    scheduler.run()
    #expect(recorder.log == ["1@0", "2@10", fails ? "first@10" : "finished@10"])
  }

  @Test func `a completion without queued values is delivered at once`() {
    let recorder = record(limited(), on: scheduler)
    source.finish()
    #expect(recorder.log == [])
    scheduler.run()
    #expect(recorder.log == ["finished@0"])
  }

  @Test func `keeps to the demand, and to the rate when demand grows`() {
    let recorder = record(limited(1), .max(1), on: scheduler)
    #expect(source.requests == [.unlimited])
    for value in 1...4 { source.send(value) }
    scheduler.run()
    #expect(recorder.log == ["1@0"])
    #expect(scheduler.pendingCount == 0)
    scheduler.advance(by: 100)
    recorder.request(.unlimited)
    scheduler.run()
    #expect(recorder.log == ["1@0", "2@100", "3@110", "4@120"])
  }

  @Test func `delivers everything at once on an immediate scheduler`() {
    let recorder = record(
      source.rateLimit(1, per: 10, scheduler: DispatchQueue.immediate, queueSize: 20_000, whenFull: .dropNewest),
      .max(2))
    for value in 1...15_000 { source.send(value) }
    #expect(recorder.values == [1, 2])
    recorder.request(.unlimited)
    source.finish()
    #expect(recorder.values.count == 15_000)
    #expect(recorder.log.last == "finished")
  }

  @Test(.exits) func `an interval of zero stops the program with a message`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Just(1).rateLimit(1, per: 0, scheduler: DispatchQueue.test, queueSize: 1, whenFull: .dropNewest)
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains("requires an interval longer than zero"))
  }

  @Test(.exits) func `a negative queue size stops the program with a message`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Just(1).rateLimit(1, per: 1, scheduler: DispatchQueue.test, queueSize: -1, whenFull: .dropNewest)
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains("rateLimit(queueSize:) requires a size of at least 0, got -1"))
  }
}
