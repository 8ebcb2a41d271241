import Streams
import Testing

struct MapTests {
  @Test func `transforms every value`() {
    #expect(log([1, 2].publisher.map { $0 * 10 }) == ["10", "20", "finished"])
  }

  @Test func `forwards demand, failures and cancellation`() {
    let source = ManualSource<Int, TestError>()
    let recorder = SignalRecorder<Int, TestError>(.max(2))
    recorder.onValue = { _ in .max(1) }
    source.map { $0 + 1 }.subscribe(recorder)
    #expect(source.requests == [.max(2)])
    #expect(source.send(1) == .max(1))
    source.fail(.first)
    #expect(recorder.log == ["2", "first"])

    record(source.map { $0 }).cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `fuses two maps into one`() {
    let publisher: Publishers.Map<Publishers.Sequence<[Int], Never>, String> =
      [1].publisher.map { $0 + 1 }.map { "\($0)" }
    #expect(collect(publisher) == ["2"])
  }

  @Test func `tryMap transforms every value`() {
    #expect(log([1, 2].publisher.tryMap { $0 * 10 }) == ["10", "20", "finished"])
  }

  @Test func `tryMap cancels upstream and delivers a thrown error once`() {
    let source = ManualSource<Int, TestError>()
    source.ignoresCancellation = true
    let recorder = record(source.tryMap { if $0 == 2 { throw TestError.second } else { $0 } })
    source.send(1)
    source.send(2)
    source.send(2)
    source.fail(.first)
    #expect(recorder.log == ["1", "second"])
    #expect(source.cancelCount == 1)
  }

  @Test func `tryMap cancels before it delivers the error`() {
    let source = ManualSource<Int, Never>()
    let recorder = SignalRecorder<Int, any Error>()
    var cancelCount = 0
    recorder.onCompletion = { cancelCount = source.cancelCount }
    source.tryMap { _ -> Int in throw TestError.first }.subscribe(recorder)
    source.send(1)
    #expect(cancelCount == 1)
  }

  @Test func `tryMap forwards the failure of upstream`() {
    let recorder = record(Fail<Int, TestError>(error: .first).tryMap { $0 })
    #expect(recorder.failures.first as? TestError == .first)
  }

  @Test func `map and tryMap fuse into one`() {
    let first: Publishers.TryMap<Publishers.Sequence<[Int], Never>, Int> =
      [1].publisher.map { $0 + 1 }.tryMap { $0 * 2 }
    let second: Publishers.TryMap<Publishers.Sequence<[Int], Never>, Int> =
      [1].publisher.tryMap { $0 + 1 }.map { $0 * 2 }.tryMap { $0 + 1 }
    #expect(collect(first) + collect(second) == [4, 5])
  }
}
