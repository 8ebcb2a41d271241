import Streams
import Testing

struct SequenceOperatorsTests {
  @Test func `setFailureType keeps the sequence`() {
    let publisher: Publishers.Sequence<[Int], TestError> = [1, 2].publisher.setFailureType(to: TestError.self)
    #expect(log(publisher) == ["1", "2", "finished"])
  }

  @Test func `setFailureType keeps a sequence without an end`() {
    let publisher: Publishers.Sequence<PartialRangeFrom<Int>, TestError> =
      (1...).publisher.setFailureType(to: TestError.self)
    #expect(record(publisher, .max(2)).values == [1, 2])
  }

  @Test func `append keeps the kind of collection`() {
    let values: Publishers.Sequence<[Int], Never> = [1].publisher.append(2, 3)
    let collection: Publishers.Sequence<[Int], Never> = [1].publisher.append([2, 3])
    let slice: Publishers.Sequence<[Int], Never> = [1].publisher.append([1, 2, 3].dropFirst())
    let publisher: Publishers.Sequence<[Int], Never> = [1].publisher.append([2, 3].publisher)
    #expect([values, collection, slice, publisher].map(\.sequence) == Array(repeating: [1, 2, 3], count: 4))
  }

  @Test func `prepend keeps the kind of collection`() {
    let values: Publishers.Sequence<[Int], Never> = [1].publisher.prepend(2, 3)
    let collection: Publishers.Sequence<[Int], Never> = [1].publisher.prepend([2, 3])
    let slice: Publishers.Sequence<[Int], Never> = [1].publisher.prepend([1, 2, 3].dropFirst())
    let publisher: Publishers.Sequence<[Int], Never> = [1].publisher.prepend([2, 3].publisher)
    #expect([values, collection, slice, publisher].map(\.sequence) == Array(repeating: [2, 3, 1], count: 4))
  }

  @Test func `a string stays a string`() {
    let publisher: Publishers.Sequence<String, Never> = "b".publisher.append("c").prepend("a")
    #expect(publisher.sequence == "abc")
  }

  @Test func `the kind of errors is kept`() {
    let publisher: Publishers.Sequence<[Int], TestError> =
      [1].publisher.setFailureType(to: TestError.self).append(2).prepend(0)
    #expect(log(publisher) == ["0", "1", "2", "finished"])
  }

  @Test func `a sequence that may have no end is attached as it is`() {
    let appended:
      Publishers.Concatenate<
        Publishers.Sequence<[Int], Never>, Publishers.Sequence<PartialRangeFrom<Int>, Never>
      > = [1].publisher.append(2...)
    #expect(record(appended, .max(3)).values == [1, 2, 3])
    #expect(record([1].publisher.prepend(2...), .max(2)).values == [2, 3])
  }

  @Test func `a sequence without an end can be appended to`() {
    #expect(record((1...).publisher.append(0), .max(2)).values == [1, 2])
    #expect(record((1...).publisher.prepend(0), .max(2)).values == [0, 1])
  }

  @Test func `a collection that works on demand is not run through`() {
    var count = 0
    let numbers = (1...3).lazy.map { number in
      count += 1
      return number
    }
    let publisher = [0].publisher.append(numbers)
    #expect(count == 0)
    #expect(collect(publisher) == [0, 1, 2, 3])
  }

  @Test func `map and filter run on demand, other than in Combine`() {
    var log: [Int] = []
    let mapped: Publishers.Map<Publishers.Sequence<PartialRangeFrom<Int>, Never>, Int> = (1...).publisher.map {
      log.append($0)
      return $0 * 10
    }
    #expect(log == [])
    #expect(record(mapped.filter { $0 > 10 }, .max(1)).values == [20])
    #expect(log == [1, 2])
  }

  @Test func `other publishers are attached as they are`() {
    let appended: Publishers.Concatenate<Publishers.Sequence<[Int], Never>, Just<Int>> = [1].publisher.append(Just(2))
    #expect(log(appended) == ["1", "2", "finished"])
  }
}
