import Streams
import Testing

struct JustTests {
  @Test func `publishes its value and finishes`() {
    #expect(log(Just(1)) == ["1", "finished"])
  }

  @Test func `publishes nothing without demand`() {
    let recorder = record(Just(1), .none)
    #expect(recorder.log == [])

    recorder.request(.max(1))
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `publishes its value once, for any number of requests`() {
    let recorder = SignalRecorder<Int, Never>(.max(1))
    recorder.onValue = { _ in
      recorder.request(.max(3))
      return .max(2)
    }
    Just(1).subscribe(recorder)
    recorder.request(.unlimited)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `publishes nothing when it is cancelled before a request`() {
    let recorder = record(Just(1), .none)
    #expect(recorder.subscription != nil)
    recorder.cancel()
    recorder.request(.max(1))
    #expect(recorder.log == [])
  }

  @Test func `does not finish when it is cancelled while the value is being delivered`() {
    let recorder = SignalRecorder<Int, Never>()
    recorder.onValue = { _ in
      recorder.cancel()
      return .none
    }
    Just(1).subscribe(recorder)
    #expect(recorder.log == ["1"])
  }

  @Test func `serves every subscriber`() {
    let just = Just(1)
    #expect(collect(just) + collect(just) == [1, 1])
  }

  @Test func `equals another with the same value`() {
    #expect(Just(1) == Just(1))
    #expect(Just(1) != Just(2))
  }
}
