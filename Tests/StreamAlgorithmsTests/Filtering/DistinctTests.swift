import Streams
import SuiteSupport
import Testing

struct DistinctTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `drops values that are among the last remembered ones`() {
    #expect(collect([1, 2, 1, 3, 1].publisher.distinct(remembering: 2)) == [1, 2, 3, 1])
    #expect(collect([1, 2, 1, 3, 1].publisher.distinct(remembering: 3)) == [1, 2, 3])
  }

  @Test func `with one remembered value equals removeDuplicates`() {
    #expect(collect([1, 1, 2, 1, 1].publisher.distinct(remembering: 1)) == [1, 2, 1])
  }

  @Test func `a repeated value does not become the latest remembered one`() {
    #expect(collect([1, 2, 1, 3, 1, 2].publisher.distinct(remembering: 2)) == [1, 2, 3, 1, 2])
  }

  @Test func `forgets the oldest value first, repeatedly`() {
    let values = Array(0..<5) + Array(0..<5)
    #expect(collect(values.publisher.distinct(remembering: 4)) == values)
    #expect(collect(values.publisher.distinct(remembering: 5)) == Array(0..<5))
  }

  @Test func `compares by a key, computed once for each value`() {
    var calls = 0
    let publisher = ["ant", "bee", "ape", "cat"].publisher.distinct(
      by: { (word: String) -> Character? in
        calls += 1
        return word.first
      }, remembering: 10)
    #expect(collect(publisher) == ["ant", "bee", "cat"])
    #expect(calls == 4)
    #expect(collect(["a", "bb", "c"].publisher.distinct(by: \.count, remembering: 2)) == ["a", "bb"])
  }

  @Test func `requests another value for each dropped one`() {
    let recorder = record(source.distinct(remembering: 2), .max(2))
    #expect(source.send(1) == .none)
    #expect(source.send(1) == .max(1))
    #expect(recorder.log == ["1"])
    #expect(source.requests == [.max(2)])
  }

  @Test func `forwards failures and cancellation`() {
    let failing = record(source.distinct(remembering: 2))
    source.send(1)
    source.fail(.first)
    #expect(failing.log == ["1", "first"])

    record(source.distinct(remembering: 2)).cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `remembers values for each subscriber separately`() {
    let publisher = [1, 1].publisher.distinct(remembering: 1)
    #expect(collect(publisher) == [1])
    #expect(collect(publisher) == [1])
  }

  @Test func `retains keys and no values`() {
    let subject = PassthroughSubject<TestObject, Never>()
    var count = 0
    let recorder = subject.distinct(by: { ObjectIdentifier($0) }, remembering: 10).sink { _ in count += 1 }
    weak var witness: TestObject?
    do {
      let object = TestObject()
      witness = object
      subject.send(object)
    }
    #expect(count == 1)
    #expect(witness == nil)
    recorder.cancel()
  }

  @Test(.exits) func `a count of zero stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.distinct(remembering: 0)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("distinct(remembering:) requires a count of at least 1, got 0."))
  }
}
