import Streams
import Testing

struct AllSatisfyTests {
  @Test(arguments: [([], true), ([2, 2], true), ([2, 1, 2], false)] as [([Int], Bool)])
  func `publishes true if all values match`(values: [Int], answer: Bool) {
    let expected = ["\(answer)", "finished"]
    #expect(log(values.publisher.allSatisfy { $0 == 2 }) == expected)
    #expect(log(values.publisher.tryAllSatisfy { $0 == 2 }) == expected)
  }

  @Test func `publishes false as soon as a value does not match`() {
    #expect(log((1...).publisher.allSatisfy { $0 < 3 }) == ["false", "finished"])
  }

  @Test func `requests unlimited demand at once, cancels upstream, and publishes the result on demand`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.allSatisfy { $0 < 2 }, .none)
    #expect(source.requests == [.unlimited])

    source.send(1)
    #expect(source.cancelCount == 0)

    source.send(2)
    #expect(source.cancelCount == 1)
    #expect(recorder.log == [])

    recorder.request(.max(1))
    #expect(recorder.log == ["false", "finished"])
  }
}
