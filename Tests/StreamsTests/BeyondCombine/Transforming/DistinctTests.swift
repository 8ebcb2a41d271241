import Streams
import Testing

struct DistinctTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `holds back what is among the last values that it remembers`() {
    #expect(collect([1, 2, 1, 3, 1].publisher.distinct(remembering: 2)) == [1, 2, 3, 1])
    #expect(collect([1, 2, 1, 3, 1].publisher.distinct(remembering: 3)) == [1, 2, 3])
  }

  @Test func `of one value is like removeDuplicates`() {
    #expect(collect([1, 1, 2, 1, 1].publisher.distinct(remembering: 1)) == [1, 2, 1])
  }

  @Test func `does not remember a value anew that comes again`() {
    #expect(collect([1, 2, 1, 3, 1, 2].publisher.distinct(remembering: 2)) == [1, 2, 3, 1, 2])
  }

  @Test func `forgets the oldest first, round after round`() {
    let values = Array(0..<5) + Array(0..<5)
    #expect(collect(values.publisher.distinct(remembering: 4)) == values)
    #expect(collect(values.publisher.distinct(remembering: 5)) == Array(0..<5))
  }

  @Test func `compares by a key, of which it makes one for each value`() {
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

  @Test func `gives the demand of what it holds back back`() {
    let recorder = record(source.distinct(remembering: 2), .max(2))
    #expect(source.send(1) == .none)
    #expect(source.send(1) == .max(1))
    #expect(recorder.log == ["1"])
    #expect(source.requests == [.max(2)])
  }

  @Test func `passes failure and cancellation on`() {
    let failing = record(source.distinct(remembering: 2))
    source.send(1)
    source.fail(.first)
    #expect(failing.log == ["1", "first"])

    record(source.distinct(remembering: 2)).cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `remembers what each subscriber has seen`() {
    let publisher = [1, 1].publisher.distinct(remembering: 1)
    #expect(collect(publisher) == [1])
    #expect(collect(publisher) == [1])
  }

  @Test func `keeps keys and no values`() {
    let subject = PassthroughSubject<TestObject, Never>()
    let recorder = subject.distinct(by: { ObjectIdentifier($0) }, remembering: 10).sink { _ in }
    weak var witness: TestObject?
    do {
      let object = TestObject()
      witness = object
      subject.send(object)
    }
    #expect(witness == nil)
    recorder.cancel()
  }

  @Test func `does not remember nothing`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.distinct(remembering: 0)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("distinct(remembering:) requires a count of at least 1, got 0."))
  }
}
