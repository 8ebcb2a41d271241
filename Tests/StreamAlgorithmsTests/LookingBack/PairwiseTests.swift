import Streams
import SuiteSupport
import Testing

struct PairwiseTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `publishes each value with the previous one`() {
    #expect(collect([1, 2, 3].publisher.pairwise()).map { [$0.0, $0.1] } == [[1, 2], [2, 3]])
  }

  @Test func `publishes nothing for fewer than two values`() {
    #expect(log([1].publisher.pairwise()) == ["finished"])
    #expect(log(Empty<Int, Never>().pairwise()) == ["finished"])
  }

  @Test func `requests one value more for the first, and otherwise forwards demand`() {
    let recorder = record(source.pairwise(), .max(1))
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .none)
    #expect(recorder.log == ["(1, 2)"])
    #expect(source.requests == [.max(1)])
  }

  @Test func `forwards a failure`() {
    let recorder = record(source.pairwise())
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["first"])
  }

  @Test func `forwards cancellation and then publishes nothing`() {
    let recorder = record(source.pairwise())
    source.send(1)
    recorder.cancel()
    source.send(2)
    #expect(source.cancelCount == 1)
    #expect(recorder.log == [])
  }

  @Test func `starts over for each subscriber`() {
    let pairs = [1, 2].publisher.pairwise()
    #expect(log(pairs) == ["(1, 2)", "finished"])
    #expect(log(pairs) == ["(1, 2)", "finished"])
  }
}

struct NwiseTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `publishes the latest values with each value, once there are enough`() {
    #expect(collect((1...5).publisher.nwise(3)) == [[1, 2, 3], [2, 3, 4], [3, 4, 5]])
  }

  @Test func `with a size of one publishes each value by itself`() {
    #expect(collect([1, 2].publisher.nwise(1)) == [[1], [2]])
  }

  @Test func `publishes nothing for too few values`() {
    #expect(log([1, 2].publisher.nwise(3)) == ["finished"])
  }

  @Test func `does not change published arrays`() {
    let recorder = record((1...4).publisher.nwise(2))
    #expect(recorder.values == [[1, 2], [2, 3], [3, 4]])
  }

  @Test func `requests another value for each of the first values`() {
    let recorder = record(source.nwise(3), .max(1))
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .max(1))
    #expect(source.send(3) == .none)
    #expect(recorder.log == ["[1, 2, 3]"])
  }

  @Test func `forwards failures and cancellation`() {
    let failing = record(source.nwise(2))
    source.send(1)
    source.fail(.first)
    #expect(failing.log == ["first"])

    record(source.nwise(2)).cancel()
    #expect(source.cancelCount == 1)
  }

  @Test(.exits) func `a size of zero stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.nwise(0)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("nwise(_:) requires a size of at least 1, got 0."))
  }
}
