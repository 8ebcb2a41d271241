import Streams
import SuiteSupport
import Testing

struct JustOperatorsTests {
  // MARK: Transforming

  @Test func `map returns Just`() {
    let text: Just<String> = Just(1).map(String.init)
    #expect(log(text) == ["1", "finished"])
  }

  @Test func `map calls its closure once, when it is applied, for all subscribers`() {
    var count = 0
    let publisher: Just<Int> = Just(1).map {
      count += 1
      return $0
    }
    #expect(count == 1)

    record(publisher)
    record(publisher)
    #expect(count == 1)
  }

  @Test func `map of a key path is the general operator`() {
    let publisher: Publishers.MapKeyPath<Just<String>, Int> = Just("abc").map(\.count)
    #expect(log(publisher) == ["3", "finished"])
  }

  @Test func `tryMap returns a Result publisher`() {
    let value: Result<String, any Error>.Publisher = Just(1).tryMap { "\($0)" }
    let error: Result<Int, any Error>.Publisher = Just(1).tryMap { _ in throw TestError.first }
    #expect(log(value) == ["1", "finished"])
    #expect(log(error) == ["first"])
  }

  @Test func `compactMap returns an Optional publisher`() {
    let value: Optional<Int>.Publisher = Just("1").compactMap { Int($0) }
    let none: Optional<Int>.Publisher = Just("x").compactMap { Int($0) }
    #expect(log(value) == ["1", "finished"])
    #expect(log(none) == ["finished"])
  }

  @Test func `setFailureType and mapError return a Result publisher`() {
    let set: Result<Int, TestError>.Publisher = Just(1).setFailureType(to: TestError.self)
    let mapped: Result<Int, TestError>.Publisher = Just(1).mapError { _ -> TestError in }
    #expect(log(set) == ["1", "finished"])
    #expect(log(mapped) == ["1", "finished"])
  }

  @Test func `scan and reduce start with the initial result`() {
    let scanned: Result<String, Never>.Publisher = Just(1).scan("0") { "\($0)\($1)" }
    let reduced: Result<String, Never>.Publisher = Just(1).reduce("0") { "\($0)\($1)" }
    #expect(log(scanned) == ["01", "finished"])
    #expect(log(reduced) == ["01", "finished"])
  }

  @Test func `tryScan and tryReduce return a Result publisher`() {
    let scanned: Result<Int, any Error>.Publisher = Just(1).tryScan(1) { $0 + $1 }
    let reduced: Result<Int, any Error>.Publisher = Just(1).tryReduce(1) { $0 + $1 }
    #expect(log(scanned) == ["2", "finished"])
    #expect(log(reduced) == ["2", "finished"])
    #expect(log(Just(1).tryScan(1) { _, _ in throw TestError.first }) == ["first"])
    #expect(log(Just(1).tryReduce(1) { _, _ in throw TestError.first }) == ["first"])
  }

  // MARK: Filtering

  @Test(arguments: [1, 2]) func `filtering operators return an Optional publisher`(value: Int) {
    let filtered: Optional<Int>.Publisher = Just(value).filter { $0 > 1 }
    let first: Optional<Int>.Publisher = Just(value).first { $0 > 1 }
    let last: Optional<Int>.Publisher = Just(value).last { $0 > 1 }
    let prefix: Optional<Int>.Publisher = Just(value).prefix { $0 > 1 }
    let dropped: Optional<Int>.Publisher = Just(value).drop { $0 <= 1 }
    let expected = Optional<Int>.Publisher(value > 1 ? value : nil)
    #expect([filtered, first, last, prefix, dropped] == Array(repeating: expected, count: 5))
  }

  @Test(arguments: [0, 1, 2]) func `prefix and dropFirst compare their count with one value`(count: Int) {
    let prefix: Optional<Int>.Publisher = Just(1).prefix(count)
    let dropped: Optional<Int>.Publisher = Just(1).dropFirst(count)
    #expect(prefix.output == (count > 0 ? 1 : nil))
    #expect(dropped.output == (count > 0 ? nil : 1))
  }

  @Test func `dropFirst drops one value by default`() {
    #expect(Just(1).dropFirst().output == nil)
  }

  @Test func `output keeps the value if the positions contain zero`() {
    let at: Optional<Int>.Publisher = Just(1).output(at: 0)
    let within: Optional<Int>.Publisher = Just(1).output(in: 0..<1)
    #expect(outputs(at, within) == [1, 1])
    #expect(outputs(Just(1).output(in: 0...), Just(1).output(in: ...0)) == [1, 1])
    #expect(outputs(Just(1).output(at: 1), Just(1).output(in: 1...)) == [nil, nil])
  }

  @Test func `output of an empty range publishes nothing, unlike Combine`() {
    #expect(log(Just(1).output(in: 0..<0)) == ["finished"])
    #expect(log(Just(1).output(in: ..<0)) == ["finished"])
  }

  @Test func `output of a range with a negative lower bound keeps the value if the range contains zero`() {
    #expect(outputs(Just(1).output(in: -10..<10), Just(1).output(in: (-1)...)) == [1, 1])
    #expect(outputs(Just(1).output(in: -10...0), Just(1).output(in: 0...Int.max)) == [1, 1])
    #expect(outputs(Just(1).output(in: -2 ... -1), Just(1).output(in: ..<(-1))) == [nil, nil])
    #expect(Just(1).output(at: .max).output == nil)
  }

  @Test(.exits) func `negative counts and positions stop the program`() async {
    await #expect(processExitsWith: .failure) { _ = Just(1).dropFirst(-1) }
    await #expect(processExitsWith: .failure) { _ = Just(1).prefix(-1) }
    await #expect(processExitsWith: .failure) { _ = Just(1).output(at: -1) }
  }

  @Test func `ignoreOutput publishes no values`() {
    let publisher: Empty<Int, Never> = Just(1).ignoreOutput()
    #expect(log(publisher) == ["finished"])
  }

  @Test func `operators without a specialized type are the general ones`() {
    let filtered: Publishers.TryFilter<Just<Int>> = Just(1).tryFilter { $0 > 0 }
    let first: Publishers.TryFirstWhere<Just<Int>> = Just(1).tryFirst { $0 > 0 }
    let last: Publishers.TryLastWhere<Just<Int>> = Just(1).tryLast { $0 > 0 }
    let dropped: Publishers.TryDropWhile<Just<Int>> = Just(1).tryDrop { $0 > 1 }
    let prefix: Publishers.TryPrefixWhile<Just<Int>> = Just(1).tryPrefix { $0 > 0 }
    let mapped: Publishers.TryCompactMap<Just<Int>, Int> = Just(1).tryCompactMap { $0 }
    let greatest: Publishers.TryComparison<Just<Int>> = Just(1).tryMax { $0 < $1 }
    let replaced: Publishers.Map<Just<Int?>, Int> = Just<Int?>(1).replaceNil(with: 0)
    #expect(log(filtered) == ["1", "finished"])
    #expect(log(first) == ["1", "finished"])
    #expect(log(last) == ["1", "finished"])
    #expect(log(dropped) == ["1", "finished"])
    #expect(log(prefix) == ["1", "finished"])
    #expect(log(mapped) == ["1", "finished"])
    #expect(log(greatest) == ["1", "finished"])
    #expect(log(replaced) == ["1", "finished"])
  }

  // MARK: Reducing

  @Test(arguments: [1, 2]) func `contains and allSatisfy return Just`(value: Int) {
    let contains: Just<Bool> = Just(value).contains(2)
    let containsWhere: Just<Bool> = Just(value).contains { $0 == 2 }
    let all: Just<Bool> = Just(value).allSatisfy { $0 == 2 }
    #expect([contains, containsWhere, all].map(\.output) == Array(repeating: value == 2, count: 3))
  }

  @Test func `tryContains and tryAllSatisfy return a Result publisher`() {
    let contains: Result<Bool, any Error>.Publisher = Just(1).tryContains { $0 == 1 }
    let all: Result<Bool, any Error>.Publisher = Just(1).tryAllSatisfy { $0 == 2 }
    #expect(log(contains) == ["true", "finished"])
    #expect(log(all) == ["false", "finished"])
    #expect(log(Just(1).tryContains { _ in throw TestError.first }) == ["first"])
    #expect(log(Just(1).tryAllSatisfy { _ in throw TestError.first }) == ["first"])
  }

  @Test func `collect and count return Just`() {
    let collected: Just<[Int]> = Just(1).collect()
    let counted: Just<Int> = Just("a").count()
    #expect(collected.output == [1])
    #expect(counted.output == 1)
  }

  @Test func `operators that cannot change a value return the publisher itself`() {
    let greatest: Just<Int> = Just(1).max()
    let least: Just<Int> = Just(1).min()
    let first: Just<Int> = Just(1).first()
    let last: Just<Int> = Just(1).last()
    let distinct: Just<Int> = Just(1).removeDuplicates()
    let filled: Just<Int> = Just(1).replaceEmpty(with: 2)
    let recovered: Just<Int> = Just(1).replaceError(with: 2)
    let retried: Just<Int> = Just(1).retry(3)
    #expect(
      [greatest, least, first, last, distinct, filled, recovered, retried] == Array(repeating: Just(1), count: 8))
  }

  @Test func `closures that compare two values are not called for a single one`() {
    func compare(_ first: Int, _ second: Int) -> Bool {
      Issue.record("There is no second value.")
      return true
    }
    let greatest: Just<Int> = Just(1).max(by: compare)
    let least: Just<Int> = Just(1).min(by: compare)
    let distinct: Just<Int> = Just(1).removeDuplicates(by: compare)
    #expect([greatest, least, distinct] == Array(repeating: Just(1), count: 3))
  }

  @Test func `tryRemoveDuplicates calls its closure with the value twice, and publishes what it throws`() {
    var pairs: [[Int]] = []
    let kept: Result<Int, any Error>.Publisher = Just(1).tryRemoveDuplicates {
      pairs.append([$0, $1])
      return true
    }
    #expect(pairs == [[1, 1]])
    #expect(log(kept) == ["1", "finished"])
    #expect(log(Just(1).tryRemoveDuplicates { _, _ in throw TestError.first }) == ["first"])
  }

  // MARK: Appending and prepending

  @Test func `append and prepend of elements return a Sequence publisher`() {
    let appended: Publishers.Sequence<[Int], Never> = Just(1).append(2, 3)
    let appendedCollection: Publishers.Sequence<[Int], Never> = Just(1).append(2...3)
    let prepended: Publishers.Sequence<[Int], Never> = Just(1).prepend(2, 3)
    let prependedCollection: Publishers.Sequence<[Int], Never> = Just(1).prepend([2, 3])
    #expect(appended.sequence == [1, 2, 3])
    #expect(appendedCollection.sequence == [1, 2, 3])
    #expect(prepended.sequence == [2, 3, 1])
    #expect(prependedCollection.sequence == [2, 3, 1])
  }

  @Test func `append and prepend of a sequence that may be infinite return Concatenate`() {
    let appended: Publishers.Concatenate<Just<Int>, Publishers.Sequence<PartialRangeFrom<Int>, Never>> =
      Just(1).append(2...)
    #expect(record(appended, .max(3)).values == [1, 2, 3])
    #expect(record(Just(1).prepend(2...), .max(2)).values == [2, 3])
  }

  @Test func `append and prepend of another publisher return Concatenate`() {
    let appended: Publishers.Concatenate<Just<Int>, Just<Int>> = Just(1).append(Just(2))
    let prepended: Publishers.Concatenate<Just<Int>, Just<Int>> = Just(1).prepend(Just(2))
    #expect(log(appended) == ["1", "2", "finished"])
    #expect(log(prepended) == ["2", "1", "finished"])
  }

  // MARK: Overload resolution

  @Test func `chains of closures need no type annotations`() {
    let publisher = Just(1)
      .map { $0 + 1 }
      .filter { $0 > 1 }
      .map { value in
        let doubled = value * 2
        return "\(doubled)"
      }
      .tryMap { text in
        guard let value = Int(text) else { throw TestError.first }
        return value
      }
      .mapError { $0 as? TestError ?? .second }
      .replaceError(with: 0)
    #expect(log(publisher) == ["4", "finished"])
  }

  @Test func `closures without a parameter or a result need no type annotations`() {
    let number: Just<Int> = Just(()).map { 1 }
    var seen = 0
    let nothing: Just<Void> = Just(1).map { seen = $0 }
    #expect(number.output == 1)
    #expect(collect(nothing).count == 1)
    #expect(seen == 1)
  }

  @Test func `a closure can return specialized operators`() {
    let publisher = [1, 2].publisher.flatMap { value in
      Just(value).map { $0 * 10 }.filter { $0 > 10 }
    }
    #expect(collect(publisher) == [20])
  }

  @Test func `a closure in a variable can be passed to operators`() {
    let transform: (Int) -> String = { "\($0)" }
    let predicate: (Int) -> Bool = { $0 > 0 }
    let mapped: Just<String> = Just(1).map(transform)
    let filtered: Optional<Int>.Publisher = Just(1).filter(predicate)
    #expect(mapped.output == "1")
    #expect(filtered.output == 1)
  }

  @Test func `generic code uses the general operators`() {
    func doubled(_ publisher: some Publisher<Int, Never>) -> some Publisher<Int, Never> {
      publisher.map { $0 * 2 }.filter { $0 > 0 }
    }
    #expect(log(doubled(Just(1))) == ["2", "finished"])
  }

  @Test func `a type annotation selects the lazy operator`() {
    var count = 0
    let publisher: Publishers.Map<Just<Int>, Int> = Just(1).map { value in
      count += 1
      return value
    }
    #expect(count == 0)

    record(publisher)
    #expect(count == 1)
  }
}
