import Streams
import SuiteSupport
import Testing

struct PrefixTests {
  @Test func `publishes the first values and finishes`() {
    #expect(log([1, 2, 3].publisher.prefix(2)) == ["1", "2", "finished"])
  }

  @Test func `finishes together with the last value, not one value later`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.prefix(2))
    source.send(1)
    source.send(2)
    #expect(recorder.log == ["1", "2", "finished"])
  }

  @Test func `cancels upstream before it finishes`() {
    let source = ManualSource<Int, Never>()
    let recorder = SignalRecorder<Int, Never>()
    var cancelCount = 0
    recorder.onCompletion = { cancelCount = source.cancelCount }
    source.prefix(1).subscribe(recorder)
    source.send(1)
    #expect(cancelCount == 1)
    #expect(source.cancelCount == 1)
  }

  @Test func `with a count of zero finishes without a request`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.prefix(0), .none)
    #expect(recorder.log == ["finished"])
    #expect(source.requests == [])
  }

  @Test func `finishes with upstream when it has fewer values`() {
    #expect(log([1].publisher.prefix(3)) == ["1", "finished"])
  }

  @Test func `forwards demand`() {
    let source = ManualSource<Int, Never>()
    let recorder = SignalRecorder<Int, Never>(.max(1))
    recorder.onValue = { _ in .max(1) }
    source.prefix(3).subscribe(recorder)
    #expect(source.send(1) == .max(1))
    #expect(source.demand == 2)
  }

  @Test func `does not finish when it is cancelled while the last value is being delivered`() {
    let recorder = SignalRecorder<Int, Never>()
    recorder.onValue = { _ in
      recorder.cancel()
      return .none
    }
    [1, 2].publisher.prefix(1).subscribe(recorder)
    #expect(recorder.log == ["1"])
  }

  @Test func `forwards a failure, and nothing after its completion`() {
    let source = ManualSource<Int, TestError>()
    source.ignoresCancellation = true
    let recorder = record(source.prefix(1))
    source.send(1)
    source.send(2)
    source.fail(.first)
    #expect(recorder.log == ["1", "finished"])
    #expect(log(Fail<Int, TestError>(error: .first).prefix(2)) == ["first"])
  }

  @Test func `stops an infinite sequence`() {
    #expect(log((1...).publisher.prefix(3)) == ["1", "2", "3", "finished"])
  }

  @Test(.exits) func `a negative count stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = Just(1).map { $0 }.prefix(-1) }
  }
}
