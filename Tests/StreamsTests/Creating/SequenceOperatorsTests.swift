import Streams
import SuiteSupport
import Testing

struct SequenceOperatorsTests {
  @Test func `setFailureType keeps the sequence`() {
    let publisher: Publishers.Sequence<[Int], TestError> = [1, 2].publisher.setFailureType(to: TestError.self)
    #expect(log(publisher) == ["1", "2", "finished"])
  }

  @Test func `setFailureType keeps an infinite sequence`() {
    let publisher: Publishers.Sequence<PartialRangeFrom<Int>, TestError> =
      (1...).publisher.setFailureType(to: TestError.self)
    #expect(record(publisher, .max(2)).values == [1, 2])
  }

  @Test func `append keeps the collection's type`() {
    let values: Publishers.Sequence<[Int], Never> = [1].publisher.append(2, 3)
    let collection: Publishers.Sequence<[Int], Never> = [1].publisher.append([2, 3])
    let slice: Publishers.Sequence<[Int], Never> = [1].publisher.append([1, 2, 3].dropFirst())
    let publisher: Publishers.Sequence<[Int], Never> = [1].publisher.append([2, 3].publisher)
    #expect([values, collection, slice, publisher].map(\.sequence) == Array(repeating: [1, 2, 3], count: 4))
  }

  @Test func `prepend keeps the collection's type`() {
    let values: Publishers.Sequence<[Int], Never> = [1].publisher.prepend(2, 3)
    let collection: Publishers.Sequence<[Int], Never> = [1].publisher.prepend([2, 3])
    let slice: Publishers.Sequence<[Int], Never> = [1].publisher.prepend([1, 2, 3].dropFirst())
    let publisher: Publishers.Sequence<[Int], Never> = [1].publisher.prepend([2, 3].publisher)
    #expect([values, collection, slice, publisher].map(\.sequence) == Array(repeating: [2, 3, 1], count: 4))
  }

  @Test func `append to a string keeps the string`() {
    let publisher: Publishers.Sequence<String, Never> = "b".publisher.append("c").prepend("a")
    #expect(publisher.sequence == "abc")
  }

  @Test func `append and prepend keep the failure type`() {
    let publisher: Publishers.Sequence<[Int], TestError> =
      [1].publisher.setFailureType(to: TestError.self).append(2).prepend(0)
    #expect(log(publisher) == ["0", "1", "2", "finished"])
  }

  @Test func `append of a sequence that may be infinite returns Concatenate`() {
    let appended:
      Publishers.Concatenate<
        Publishers.Sequence<[Int], Never>, Publishers.Sequence<PartialRangeFrom<Int>, Never>
      > = [1].publisher.append(2...)
    #expect(record(appended, .max(3)).values == [1, 2, 3])
    #expect(record([1].publisher.prepend(2...), .max(2)).values == [2, 3])
  }

  @Test func `append and prepend work on an infinite sequence`() {
    #expect(record((1...).publisher.append(0), .max(2)).values == [1, 2])
    #expect(record((1...).publisher.prepend(0), .max(2)).values == [0, 1])
  }

  @Test func `append does not evaluate a lazy collection`() {
    var count = 0
    let numbers = (1...3).lazy.map { number in
      count += 1
      return number
    }
    let publisher = [0].publisher.append(numbers)
    #expect(count == 0)
    #expect(collect(publisher) == [0, 1, 2, 3])
  }

  @Test func `map and filter run on demand, unlike Combine`() {
    var log: [Int] = []
    let mapped: Publishers.Map<Publishers.Sequence<PartialRangeFrom<Int>, Never>, Int> = (1...).publisher.map {
      log.append($0)
      return $0 * 10
    }
    #expect(log == [])
    #expect(record(mapped.filter { $0 > 10 }, .max(1)).values == [20])
    #expect(log == [1, 2])
  }

  @Test func `append of another publisher returns Concatenate`() {
    let appended: Publishers.Concatenate<Publishers.Sequence<[Int], Never>, Just<Int>> = [1].publisher.append(Just(2))
    #expect(log(appended) == ["1", "2", "finished"])
  }

  // MARK: Operators that a collection specializes

  private let all = 0..<Int.max

  @Test func `count does not iterate over the elements`() {
    let count: Just<Int> = all.publisher.count()
    #expect(count == Just(.max))
    #expect(log(all.publisher.setFailureType(to: TestError.self).count()) == ["\(Int.max)", "finished"])
    #expect(log([Int]().publisher.count()) == ["0", "finished"])
    #expect(log("abc".publisher.count()) == ["3", "finished"])
    #expect(log(AnySequence([1, 2]).publisher.count()) == ["2", "finished"])
  }

  @Test func `last returns the last element without iterating from the start`() {
    #expect(log(all.publisher.last()) == ["\(Int.max - 1)", "finished"])
    #expect(log(all.publisher.setFailureType(to: TestError.self).last()) == ["\(Int.max - 1)", "finished"])
    #expect(log("abc".publisher.last()) == ["c", "finished"])
    #expect(log(AnySequence([1, 2]).publisher.last()) == ["2", "finished"])
    #expect(record([Int]().publisher.last(), .none).log == ["finished"])
    #expect(record([1, 2].publisher.last(), .none).log == [])
    #expect(record([1, 2].publisher.last(), .max(1)).log == ["2", "finished"])
  }

  @Test func `last(where:) searches from the end`() {
    #expect(log(all.publisher.last { $0.isMultiple(of: 10) }) == ["\((Int.max - 1) / 10 * 10)", "finished"])
    #expect(log([1, 2, 3, 4].publisher.last { $0 < 3 }) == ["2", "finished"])
    #expect(log([1, 2].publisher.last { $0 > 2 }) == ["finished"])
  }

  @Test func `output(at:) does not iterate over the elements before the position`() {
    #expect(log(all.publisher.output(at: 1_000_000_000_000)) == ["1000000000000", "finished"])
    #expect(
      log(all.publisher.output(in: 1_000_000_000_000...1_000_000_000_001)) == [
        "1000000000000", "1000000000001", "finished",
      ])
    #expect(log([1, 2, 3].publisher.output(in: 1...)) == ["2", "3", "finished"])
    #expect(log([1, 2, 3].publisher.output(in: ..<2)) == ["1", "2", "finished"])
    #expect(log([1, 2, 3].publisher.output(in: 3..<5)) == ["finished"])
    #expect(log([1, 2, 3].publisher.output(at: 3)) == ["finished"])
    #expect(record([1, 2, 3].publisher.output(at: -1), .none).log == ["finished"])
    #expect(record([1, 2, 3].publisher.output(in: 1..<1), .none).log == ["finished"])
    #expect(record([1, 2, 3].publisher.output(in: 0...1), .max(2)).log == ["1", "2", "finished"])
    #expect(record([1, 2, 3].lazy.map { $0 }.publisher.output(at: 1), .max(1)).log == ["2", "finished"])
    #expect(log([1, 2, 3][1...].publisher.output(at: 1)) == ["3", "finished"])
  }

  @Test func `dropFirst does not iterate over the elements`() {
    let rest: Publishers.Sequence<Range<Int>, Never> = all.publisher.dropFirst(1_000_000_000_000)
    #expect(record(rest, .max(1)).log == ["1000000000000"])
    #expect(log([1, 2, 3].publisher.dropFirst()) == ["2", "3", "finished"])
    #expect(log([1, 2].publisher.dropFirst(5)) == ["finished"])
    #expect(record([1, 2].publisher.dropFirst(2), .none).log == ["finished"])
    #expect(log("abc".publisher.dropFirst()) == ["b", "c", "finished"])
  }

  @Test func `contains of a range does not iterate over the elements`() {
    #expect(log(all.publisher.contains(-1)) == ["false", "finished"])
    #expect(log(all.publisher.contains(.max - 1)) == ["true", "finished"])
    #expect(log((0...Int.max).publisher.contains(.max)) == ["true", "finished"])
    #expect(log((1...).publisher.contains(0)) == ["false", "finished"])
    #expect(log([1, 2].publisher.contains(2)) == ["true", "finished"])
  }

  @Test func `ignoreOutput of a collection finishes at once`() {
    #expect(record(all.publisher.ignoreOutput(), .none).log == ["finished"])
  }

  @Test func `evaluates no element before it is requested`() {
    var made: [Int] = []
    let numbers = (1...5).lazy.map { number in
      made.append(number)
      return number
    }
    _ = numbers.publisher.count()
    let recorders = [record(numbers.publisher.output(at: 2), .none), record(numbers.publisher.dropFirst(2), .none)]
    #expect(made == [])
    for recorder in recorders { recorder.request(.max(1)) }
    #expect(recorders.map(\.values) == [[3], [3]])
    #expect(made == [3, 3])
  }

  @Test func `last looks for its element from the end, and keeps it until it is requested`() {
    var made: [Int] = []
    let numbers = (1...5).lazy.map { number in
      made.append(number)
      return number
    }
    let recorders = [record(numbers.publisher.last(), .none), record(numbers.publisher.last { $0 < 5 }, .none)]
    #expect(made == [5, 5, 4])
    for recorder in recorders { recorder.request(.max(1)) }
    #expect(recorders.map(\.values) == [[5], [4]])
    #expect(made == [5, 5, 4])

    made = []
    record(numbers.publisher.ignoreOutput(), .none)
    #expect(made == [1, 2, 3, 4, 5])
  }

  @Test(.exits) func `a negative count stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = [1].publisher.dropFirst(-1) }
  }
}
