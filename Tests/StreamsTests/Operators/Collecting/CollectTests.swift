import Streams
import SuiteSupport
import Testing

struct CollectTests {
  private let source = ManualSource<Int, TestError>()

  // MARK: All values

  @Test func `publishes all values as one array at the end`() {
    let recorder = record(source.collect())
    source.send(1)
    source.send(2)
    #expect(recorder.log == [])
    source.finish()
    #expect(recorder.log == ["[1, 2]", "finished"])
  }

  @Test func `publishes an empty array when upstream is empty`() {
    #expect(log(Empty<Int, Never>().collect()) == ["[]", "finished"])
  }

  @Test func `drops the collected values on failure`() {
    let recorder = record(source.collect())
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["first"])
  }

  @Test func `requests unlimited demand, and holds the array until it is requested`() {
    let recorder = record(source.collect(), .none)
    #expect(source.requests == [.unlimited])
    source.send(1)
    source.finish()
    #expect(recorder.log == [])
    recorder.request(.max(1))
    #expect(recorder.log == ["[1]", "finished"])
  }

  @Test func `publishes nothing when it is cancelled while the array waits`() {
    let recorder = record(source.collect(), .none)
    source.finish()
    #expect(recorder.subscription != nil)
    recorder.cancel()
    recorder.request(.max(1))
    #expect(recorder.log == [])
  }

  @Test func `cancels upstream on cancellation`() {
    record(source.collect()).cancel()
    #expect(source.cancelCount == 1)
  }

  // MARK: By count

  @Test func `by count publishes arrays of that size, and the rest at the end`() {
    #expect(log([1, 2, 3, 4, 5].publisher.collect(2)) == ["[1, 2]", "[3, 4]", "[5]", "finished"])
  }

  @Test func `by count publishes no empty array at the end`() {
    #expect(log([1, 2].publisher.collect(2)) == ["[1, 2]", "finished"])
  }

  @Test func `by count requests that many values for each array`() {
    let recorder = SignalRecorder<[Int], TestError>(.max(2))
    recorder.onValue = { _ in .max(1) }
    source.collect(3).subscribe(recorder)
    #expect(source.requests == [.max(6)])
    #expect(source.send(1) == .none)
    #expect(source.send(2) == .none)
    #expect(source.send(3) == .max(3))
  }

  @Test func `by count forwards unlimited demand`() {
    record(source.collect(3), .unlimited)
    #expect(source.requests == [.unlimited])
  }

  @Test func `by count drops a partial array on failure`() {
    let recorder = record(source.collect(2))
    for value in 1...3 { source.send(value) }
    source.fail(.first)
    #expect(recorder.log == ["[1, 2]", "first"])
  }

  @Test func `by count requests nothing for a value that arrives after the cancellation`() {
    source.ignoresCancellation = true
    record(source.collect(2)).cancel()
    #expect(source.subscriberCount == 1)
    #expect(source.send(1) == .none)
  }

  @Test func `by count does not finish when it is cancelled while the partial array is being delivered`() {
    let recorder = SignalRecorder<[Int], TestError>()
    recorder.onValue = { _ in
      recorder.cancel()
      return .none
    }
    source.collect(2).subscribe(recorder)
    source.send(1)
    source.finish()
    #expect(recorder.log == ["[1]"])
  }

  @Test(.exits) func `a count of zero stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = [1].publisher.collect(0) }
  }
}
