import Streams
import Testing

struct ContainsTests {
  @Test(arguments: [([], false), ([1], false), ([1, 2, 3], true)] as [([Int], Bool)])
  func `publishes true if a value matches`(values: [Int], answer: Bool) {
    let expected = ["\(answer)", "finished"]
    #expect(log(values.publisher.contains(2)) == expected)
    #expect(log(values.publisher.contains { $0 == 2 }) == expected)
    #expect(log(values.publisher.tryContains { $0 == 2 }) == expected)
  }

  @Test func `publishes true as soon as a value matches`() {
    #expect(log((1...).publisher.contains(3)) == ["true", "finished"])
    #expect(log((1...).publisher.contains { $0 > 3 }) == ["true", "finished"])
  }

  @Test func `cancels upstream once, then publishes the result`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    var order: [String] = []
    let recorder = SignalRecorder<Bool, Never>()
    source.onCancel = { order.append("cancelled") }
    recorder.onValue = { _ in
      order.append("answered")
      return .none
    }
    source.contains(1).subscribe(recorder)
    source.send(1)
    source.send(2)
    source.finish()
    #expect(order == ["cancelled", "answered"])
    #expect(recorder.log == ["true", "finished"])
  }

  @Test func `does not call the predicate again when the result is known`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    var seen: [Int] = []
    record(
      source.contains {
        seen.append($0)
        return true
      })
    source.send(1)
    source.send(2)
    #expect(seen == [1])
  }

  @Test func `publishers with equal upstreams and values are equal`() {
    #expect([1].publisher.contains(1) == [1].publisher.contains(1))
    #expect([1].publisher.contains(1) != [1].publisher.contains(2))
  }
}
