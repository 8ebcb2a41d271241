import Streams
import Testing

struct PrefixWhileTests {
  @Test func `publishes values until the predicate returns false`() {
    #expect(log([1, 2, 3, 1].publisher.prefix { $0 < 3 }) == ["1", "2", "finished"])
    #expect(log([1, 2, 3, 1].publisher.tryPrefix { $0 < 3 }) == ["1", "2", "finished"])
    #expect(log((1...).publisher.prefix { $0 < 3 }) == ["1", "2", "finished"])
  }

  @Test func `finishes with upstream when all values match`() {
    #expect(log([1, 2].publisher.prefix { _ in true }) == ["1", "2", "finished"])
    #expect(log(Empty<Int, Never>().prefix { _ in true }) == ["finished"])
  }

  @Test func `cancels upstream once, then finishes`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    var order: [String] = []
    let recorder = SignalRecorder<Int, Never>()
    source.onCancel = { order.append("cancelled") }
    recorder.onCompletion = { order.append("finished") }
    source.prefix { $0 < 2 }.subscribe(recorder)
    source.send(1)
    source.send(2)
    source.send(1)
    source.finish()
    #expect(order == ["cancelled", "finished"])
    #expect(recorder.values == [1])
  }

  @Test func `forwards demand`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.prefix { $0 < 2 }, .max(1))
    recorder.onValue = { _ in .max(4) }
    #expect(source.requests == [.max(1)])
    #expect(source.send(1) == .max(4))
    #expect(source.send(2) == .none)
  }

  @Test func `forwards failures and cancellation`() {
    let source = ManualSource<Int, TestError>()
    let recorder = record(source.prefix { _ in true })
    recorder.cancel()
    #expect(source.cancelCount == 1)
    #expect(log(Fail<Int, TestError>(error: .first).prefix { _ in true }) == ["first"])
  }

  @Test func `tryPrefix cancels upstream and delivers a thrown error once`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    let recorder = record(source.tryPrefix { _ in throw TestError.first })
    source.send(1)
    source.send(2)
    source.finish()
    #expect(recorder.log == ["first"])
    #expect(source.cancelCount == 1)
  }
}
