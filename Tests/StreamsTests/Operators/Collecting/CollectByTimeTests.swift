import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

struct CollectByTimeTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()

  private func collected() -> some Publisher<[Int], TestError> { source.collect(.byTime(scheduler, 10)) }

  private func collected(_ count: Int) -> some Publisher<[Int], TestError> {
    source.collect(.byTimeOrCount(scheduler, 10, count))
  }

  private func send(_ values: [(Int, second: Double)]) {
    for (value, second) in values { scheduler.at(second) { source.send(value) } }
  }

  // MARK: By time

  @Test func `publishes the values of each interval at its end, and nothing for an interval without values`() {
    let recorder = record(collected(), on: scheduler)
    send([(1, 0), (2, 4), (3, 9.5), (4, 12), (5, 41)])
    scheduler.run()
    #expect(recorder.log == ["[1, 2, 3]@10", "[4]@20", "[5]@50"])
  }

  @Test func `counts intervals from the subscription, even after a million empty ones`() {
    scheduler.advance(by: 3)
    let recorder = record(collected(), on: scheduler)
    scheduler.advance(by: 10_000_001)
    source.send(1)
    scheduler.run()
    #expect(recorder.log == ["[1]@10000013"])
  }

  @Test func `intervals do not drift when the scheduler is late`() {
    let late = AnySchedulerOf<DispatchQueue>(
      minimumTolerance: { 0 }, now: { [scheduler] in scheduler.now },
      scheduleImmediately: { [scheduler] in scheduler.schedule(options: $0, $1) },
      delayed: { [scheduler] in scheduler.schedule(after: $0.advanced(by: 3), tolerance: $1, options: $2, $3) },
      interval: { [scheduler] in scheduler.schedule(after: $0, interval: $1, tolerance: $2, options: $3, $4) })
    let recorder = record(source.collect(.byTime(late, 10)), on: scheduler)
    send([(1, 1), (2, 11), (3, 14), (4, 24), (5, 55)])
    scheduler.run()
    #expect(recorder.log == ["[1, 2]@13", "[3]@23", "[4]@33", "[5]@63"])
  }

  @Test func `a value at the end of an empty interval belongs to the next one`() {
    let recorder = record(collected(), on: scheduler)
    send([(1, 10)])
    scheduler.run()
    #expect(recorder.log == ["[1]@20"])
  }

  @Test func `publishes the collected values when upstream finishes, and then finishes`() {
    let recorder = record(collected(), on: scheduler)
    source.send(1)
    scheduler.advance(by: 3)
    source.finish()
    #expect(recorder.log == [])
    scheduler.advance()
    #expect(recorder.log == ["[1]@3", "finished@3"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `finishes on the scheduler without collected values`() {
    let recorder = record(collected(), on: scheduler)
    source.finish()
    #expect(recorder.log == [])
    scheduler.advance()
    #expect(recorder.log == ["finished@0"])
  }

  @Test func `drops the collected values when upstream fails`() {
    let recorder = record(collected(), on: scheduler)
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == [])
    scheduler.advance()
    #expect(recorder.log == ["first@0"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `requests unlimited demand once an array is requested`() {
    let recorder = record(collected(), .none)
    #expect(source.requests == [])
    recorder.request(.max(1))
    recorder.request(.max(1))
    #expect(source.requests == [.unlimited])
  }

  @Test func `buffers arrays without demand, and the completion after them`() {
    let recorder = record(collected(), .max(1), on: scheduler)
    send([(1, 1), (2, 11), (3, 21)])
    scheduler.advance(by: 25)
    source.finish()
    #expect(recorder.log == ["[1]@10"])
    recorder.request(.max(1))
    #expect(recorder.log == ["[1]@10"])
    scheduler.advance()
    #expect(recorder.log == ["[1]@10", "[2]@25"])
    recorder.request(.max(1))
    scheduler.advance()
    #expect(recorder.log == ["[1]@10", "[2]@25", "[3]@25", "finished@25"])
  }

  // MARK: By time or count

  @Test func `publishes a full array at once, and the rest at the end of the same interval`() {
    let recorder = record(collected(2), on: scheduler)
    send([(1, 1), (2, 2), (3, 3), (4, 11), (5, 12), (6, 31)])
    scheduler.run()
    #expect(recorder.log == ["[1, 2]@2", "[3]@10", "[4, 5]@12", "[6]@40"])
  }

  @Test func `requests count values for each requested array`() {
    let recorder = record(collected(3), .max(2))
    #expect(source.requests == [.max(6)])
    recorder.request(.max(1))
    recorder.request(.unlimited)
    #expect(source.requests == [.max(6), .max(3), .unlimited])
  }

  @Test func `requests more values when receive(_:) returns demand`() {
    let recorder = SignalRecorder<[Int], TestError>(.max(1), on: scheduler)
    recorder.onValue = { _ in .max(1) }
    collected(2).subscribe(recorder)
    for value in 1...3 {
      source.send(value)
      scheduler.advance()
    }
    scheduler.run()
    #expect(recorder.log == ["[1, 2]@0", "[3]@10"])
    #expect(source.requests == [.max(2), .max(2), .max(2)])
  }

  @Test func `adds a value that is sent while an array is being delivered to the next array`() {
    let recorder = SignalRecorder<[Int], TestError>(on: scheduler)
    recorder.onValue = { values in
      if values.last! < 4 { source.send(values.last! + 1) }
      return .none
    }
    collected(2).subscribe(recorder)
    source.send(1)
    source.send(2)
    #expect(recorder.log == [])
    scheduler.advance()
    #expect(recorder.log == ["[1, 2]@0"])
    scheduler.run()
    #expect(recorder.log == ["[1, 2]@0", "[3]@10", "[4]@20"])
  }

  @Test func `a full array follows the ones before it, whether the scheduler or the end of an interval delivers them`()
  {
    let recorder = record(collected(2), on: scheduler)
    scheduler.at(10) { for value in 1...5 { source.send(value) } }
    scheduler.at(20) { for value in 6...8 { source.send(value) } }
    scheduler.run()
    #expect(recorder.log == ["[1, 2]@10", "[3, 4]@10", "[5, 6]@20", "[7, 8]@20"])
  }

  @Test func `full arrays, the rest and the completion arrive on the scheduler, also when they are requested late`() {
    let recorder = record(collected(2), .max(1), on: scheduler)
    for value in 1...5 { source.send(value) }
    source.finish()
    #expect(recorder.log == [])
    scheduler.advance()
    #expect(recorder.log == ["[1, 2]@0"])
    recorder.request(.unlimited)
    #expect(recorder.log == ["[1, 2]@0"])
    scheduler.advance()
    #expect(recorder.log == ["[1, 2]@0", "[3, 4]@0", "[5]@0", "finished@0"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `a failure follows an array that was completed while the one before was being delivered`() {
    let recorder = record(
      collected(1).handleEvents(receiveOutput: { [source] in
        guard $0 == [1] else { return }
        source.send(2)
        source.fail(.first)
      }), on: scheduler)
    source.send(1)
    scheduler.run()
    #expect(recorder.log == ["[1]@0", "[2]@0", "first@0"])
  }

  @Test func `a failure follows the arrays for which there is demand, on the scheduler`() {
    let recorder = record(collected(1), .max(1), on: scheduler)
    source.send(1)
    source.send(2)
    source.fail(.first)
    #expect(recorder.log == [])
    scheduler.advance()
    #expect(recorder.log == ["[1]@0", "first@0"])
  }

  @Test func `nothing that waits for the scheduler arrives after cancellation`() {
    let recorder = record(collected(2), on: scheduler)
    source.send(1)
    source.send(2)
    #expect(scheduler.pendingCount > 0)
    recorder.cancel()
    scheduler.run()
    #expect(recorder.log == [])
  }

  // MARK: The timer

  @Test func `arms one action for any number of values, and none without values`() {
    record(collected())
    #expect(scheduler.pendingCount == 0)
    for value in 0..<1_000 {
      source.send(value)
      #expect(scheduler.pendingCount == 1)
      scheduler.advance(by: .milliseconds(1))
    }
    scheduler.run()
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `schedules one delivery for any number of full arrays`() {
    let recorder = record(collected(1), on: scheduler)
    for value in 0..<1_000 {
      source.send(value)
      #expect(scheduler.pendingCount == 1)
    }
    scheduler.advance()
    #expect(recorder.values.count == 1_000)
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `has nothing scheduled after cancellation`() {
    let recorder = record(collected())
    source.send(1)
    recorder.cancel()
    #expect(scheduler.pendingCount == 0)
    #expect(source.cancelCount == 1)
    scheduler.run()
    #expect(recorder.log == [])
  }

  @Test func `ends each array at once on an immediate scheduler`() {
    let immediate = DispatchQueue.immediate
    #expect(log([1, 2, 3].publisher.collect(.byTime(immediate, 10))) == ["[1]", "[2]", "[3]", "finished"])
    #expect(log([1, 2].publisher.collect(.byTimeOrCount(immediate, 10, 5))) == ["[1]", "[2]", "finished"])
    #expect(log([1, 2].publisher.collect(.byTime(ImmediateScheduler.shared, 10))) == ["[1]", "[2]", "finished"])
  }

  @Test func `ends an interval of zero or less at the scheduler's next action`() {
    for interval in [0, -1] {
      let recorder = record(source.collect(.byTime(scheduler, .seconds(interval))), on: scheduler)
      source.send(1)
      source.send(2)
      #expect(recorder.log == [])
      scheduler.advance()
      #expect(recorder.values == [[1, 2]])
      recorder.cancel()
    }
  }

  @Test(.ownThread) func `passes options to the scheduler and delivers on it`() {
    let queue = DispatchQueue(label: "collects")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let (isThere, done) = (Journal(), DispatchSemaphore(value: 0))
    let cancellable = source.collect(.byTime(queue, .milliseconds(1)), options: .init(qos: .utility))
      .sink(isolation: nil, receiveCompletion: { _ in }) { _ in
        isThere.note("\(DispatchQueue.getSpecific(key: key) == true)")
        done.signal()
      }
    source.send(1)
    #expect(done.wait(timeout: .hang) == .success)
    cancellable.cancel()
    #expect(isThere.all == ["true"])
  }

  @Test func `a cancelled stream releases the values that it has collected, even if its source retains the subscriber`()
  {
    let objects = ManualSource<OnDeinit, TestError>()
    objects.ignoresCancellation = true
    let released = Box(0)
    let recorder = record(objects.collect(.byTime(scheduler, 10)))
    objects.send(OnDeinit { released.value += 1 })
    #expect(released.value == 0)
    recorder.cancel()
    #expect(released.value == 1)
    withExtendedLifetime((objects, recorder.subscription)) {}
  }

}
