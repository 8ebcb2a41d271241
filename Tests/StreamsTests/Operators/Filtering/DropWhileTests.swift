import Streams
import Testing

struct DropWhileTests {
  @Test func `drops values until the predicate returns false`() {
    #expect(log([1, 2, 3, 1].publisher.drop { $0 < 3 }) == ["3", "1", "finished"])
    #expect(log([1, 2, 3, 1].publisher.tryDrop { $0 < 3 }) == ["3", "1", "finished"])
  }

  @Test func `finishes without a value when upstream is empty`() {
    #expect(log(Empty<Int, Never>().drop { _ in false }) == ["finished"])
    #expect(log([1, 2].publisher.drop { _ in true }) == ["finished"])
  }

  @Test func `does not call the predicate again after it has returned false`() {
    var seen: [Int] = []
    let publisher = [1, 2, 3].publisher.drop {
      seen.append($0)
      return $0 < 2
    }
    record(publisher)
    #expect(seen == [1, 2])

    record(publisher)
    #expect(seen == [1, 2, 1, 2])
  }

  @Test func `requests another value for each dropped one, and forwards further demand`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.drop { $0 < 2 }, .max(1))
    recorder.onValue = { _ in .max(4) }
    #expect(source.requests == [.max(1)])
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .max(4))
  }

  @Test func `forwards failures and cancellation`() {
    let source = ManualSource<Int, TestError>()
    let recorder = record(source.drop { _ in true })
    recorder.cancel()
    #expect(source.cancelCount == 1)
    #expect(log(Fail<Int, TestError>(error: .first).drop { _ in true }) == ["first"])
  }

  @Test func `tryDrop cancels upstream and delivers a thrown error once`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    let recorder = record(source.tryDrop { _ in throw TestError.first })
    source.send(1)
    source.send(2)
    source.finish()
    #expect(recorder.log == ["first"])
    #expect(source.cancelCount == 1)
  }
}
