import Streams
import Testing

struct PairwiseTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `sends each value with the one before`() {
    #expect(collect([1, 2, 3].publisher.pairwise()).map { [$0.0, $0.1] } == [[1, 2], [2, 3]])
  }

  @Test func `sends nothing for fewer than two values`() {
    #expect(log([1].publisher.pairwise()) == ["finished"])
    #expect(log(Empty<Int, Never>().pairwise()) == ["finished"])
  }

  @Test func `gives the demand of the first value back, and asks for no more than downstream`() {
    let recorder = record(source.pairwise(), .max(1))
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .none)
    #expect(recorder.log == ["(1, 2)"])
    #expect(source.requests == [.max(1)])
  }

  @Test func `passes a failure on`() {
    let recorder = record(source.pairwise())
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["first"])
  }

  @Test func `passes cancellation on, and sends nothing then`() {
    let recorder = record(source.pairwise())
    source.send(1)
    recorder.cancel()
    source.send(2)
    #expect(source.cancelCount == 1)
    #expect(recorder.log == [])
  }

  @Test func `begins anew for each subscriber`() {
    let pairs = [1, 2].publisher.pairwise()
    #expect(log(pairs) == ["(1, 2)", "finished"])
    #expect(log(pairs) == ["(1, 2)", "finished"])
  }
}

struct NwiseTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `sends the newest values with each value, once there are so many`() {
    #expect(collect((1...5).publisher.nwise(3)) == [[1, 2, 3], [2, 3, 4], [3, 4, 5]])
  }

  @Test func `of one value sends each by itself`() {
    #expect(collect([1, 2].publisher.nwise(1)) == [[1], [2]])
  }

  @Test func `sends nothing for too few values`() {
    #expect(log([1, 2].publisher.nwise(3)) == ["finished"])
  }

  @Test func `does not change arrays that were sent`() {
    let recorder = record((1...4).publisher.nwise(2))
    #expect(recorder.values == [[1, 2], [2, 3], [3, 4]])
  }

  @Test func `gives the demand of the first values back`() {
    let recorder = record(source.nwise(3), .max(1))
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .max(1))
    #expect(source.send(3) == .none)
    #expect(recorder.log == ["[1, 2, 3]"])
  }

  @Test func `passes failure and cancellation on`() {
    let failing = record(source.nwise(2))
    source.send(1)
    source.fail(.first)
    #expect(failing.log == ["first"])

    record(source.nwise(2)).cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `does not take a size of nothing`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.nwise(0)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("nwise(_:) requires a size of at least 1, got 0."))
  }
}
