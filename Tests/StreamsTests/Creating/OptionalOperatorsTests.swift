import Streams
import SuiteSupport
import Testing

struct OptionalOperatorsTests {
  private let one = Optional(1).publisher
  private let none = Int?.none.publisher

  // MARK: Transforming

  @Test func `map returns an Optional publisher`() {
    let text: Optional<String>.Publisher = one.map(String.init)
    #expect(log(text) == ["1", "finished"])
    #expect(log(none.map(String.init)) == ["finished"])
  }

  @Test func `map calls its closure when it is applied`() {
    var count = 0
    let publisher: Optional<Int>.Publisher = one.map {
      count += 1
      return $0
    }
    #expect(count == 1)

    record(publisher)
    #expect(count == 1)
  }

  @Test func `map of a key path is the general operator`() {
    let publisher: Publishers.MapKeyPath<Optional<String>.Publisher, Int> = Optional("abc").publisher.map(\.count)
    #expect(log(publisher) == ["3", "finished"])
  }

  @Test func `compactMap returns an Optional publisher`() {
    let value: Optional<Int>.Publisher = Optional("1").publisher.compactMap { Int($0) }
    #expect(value.output == 1)
    #expect(Optional("x").publisher.compactMap { Int($0) }.output == nil)
    #expect(String?.none.publisher.compactMap { Int($0) }.output == nil)
  }

  @Test func `scan starts with the initial result and needs a value`() {
    let scanned: Optional<String>.Publisher = one.scan("0") { "\($0)\($1)" }
    #expect(log(scanned) == ["01", "finished"])
    #expect(log(none.scan("0") { "\($0)\($1)" }) == ["finished"])
  }

  // MARK: Filtering

  @Test(arguments: [nil, 1, 2]) func `filtering operators return an Optional publisher`(value: Int?) {
    let filtered: Optional<Int>.Publisher = value.publisher.filter { $0 > 1 }
    let first: Optional<Int>.Publisher = value.publisher.first { $0 > 1 }
    let last: Optional<Int>.Publisher = value.publisher.last { $0 > 1 }
    let prefix: Optional<Int>.Publisher = value.publisher.prefix { $0 > 1 }
    let dropped: Optional<Int>.Publisher = value.publisher.drop { $0 <= 1 }
    let expected = Optional<Int>.Publisher(value == 2 ? 2 : nil)
    #expect([filtered, first, last, prefix, dropped] == Array(repeating: expected, count: 5))
  }

  @Test(arguments: [0, 1, 2]) func `prefix and dropFirst compare their count with one value`(count: Int) {
    let prefix: Optional<Int>.Publisher = one.prefix(count)
    let dropped: Optional<Int>.Publisher = one.dropFirst(count)
    #expect(prefix.output == (count > 0 ? 1 : nil))
    #expect(dropped.output == (count > 0 ? nil : 1))
    #expect([none.prefix(count).output, none.dropFirst(count).output] == [nil, nil])
  }

  @Test func `output keeps the value if the positions contain zero`() {
    let at: Optional<Int>.Publisher = one.output(at: 0)
    let within: Optional<Int>.Publisher = one.output(in: 0...)
    #expect(outputs(at, within) == [1, 1])
    #expect(outputs(one.output(in: -10..<10), one.output(in: (-1)...), one.output(in: ...Int.max)) == [1, 1, 1])
    #expect(outputs(one.output(in: -2 ... -1), none.output(in: (-1)...)) == [nil, nil])
    #expect(outputs(one.output(at: 1), one.output(in: 0..<0), none.output(at: 0)) == [nil, nil, nil])
  }

  @Test(.exits) func `negative counts and positions stop the program, even without a value`() async {
    await #expect(processExitsWith: .failure) { _ = Int?.none.publisher.dropFirst(-1) }
    await #expect(processExitsWith: .failure) { _ = Int?.none.publisher.prefix(-1) }
    await #expect(processExitsWith: .failure) { _ = Int?.none.publisher.output(at: -1) }
  }

  @Test func `ignoreOutput publishes no values`() {
    let publisher: Empty<Int, Never> = one.ignoreOutput()
    #expect(log(publisher) == ["finished"])
  }

  @Test func `operators without a specialized type are the general ones`() {
    let mapped: Publishers.TryMap<Optional<Int>.Publisher, Int> = one.tryMap { $0 }
    let all: Publishers.TryAllSatisfy<Optional<Int>.Publisher> = one.tryAllSatisfy { $0 > 0 }
    let appended: Publishers.Concatenate<Optional<Int>.Publisher, Publishers.Sequence<[Int], Never>> = one.append(2)
    let set: Publishers.SetFailureType<Optional<Int>.Publisher, TestError> = one.setFailureType(to: TestError.self)
    #expect(log(mapped) == ["1", "finished"])
    #expect(log(all) == ["true", "finished"])
    #expect(log(appended) == ["1", "2", "finished"])
    #expect(log(set) == ["1", "finished"])
  }

  // MARK: Reducing

  @Test(arguments: [(nil, false), (1, false), (2, true)] as [(Int?, Bool)])
  func `contains publishes a result even without a value`(value: Int?, isContained: Bool) {
    let contains: Optional<Bool>.Publisher = value.publisher.contains(2)
    let containsWhere: Optional<Bool>.Publisher = value.publisher.contains { $0 == 2 }
    #expect([contains.output, containsWhere.output] == [isContained, isContained])
  }

  @Test(arguments: [(nil, true), (1, false), (2, true)] as [(Int?, Bool)])
  func `allSatisfy publishes a result even without a value`(value: Int?, isSatisfied: Bool) {
    let all: Optional<Bool>.Publisher = value.publisher.allSatisfy { $0 == 2 }
    #expect(all.output == isSatisfied)
  }

  @Test func `collect, count and reduce publish a result even without a value`() {
    let collected: Optional<[Int]>.Publisher = one.collect()
    let counted: Optional<Int>.Publisher = one.count()
    let reduced: Optional<Int>.Publisher = one.reduce(10) { $0 + $1 }
    #expect(log(collected) == ["[1]", "finished"])
    #expect(log(counted) == ["1", "finished"])
    #expect(log(reduced) == ["11", "finished"])
    #expect(log(none.collect()) == ["[]", "finished"])
    #expect(log(none.count()) == ["0", "finished"])
    #expect(log(none.reduce(10) { $0 + $1 }) == ["10", "finished"])
  }

  @Test func `reduce to an optional publishes the initial nil`() {
    #expect(log(none.reduce(Int?.none) { $1 }) == ["nil", "finished"])
  }

  @Test func `specialized operators publish the same values as the general ones`() {
    for publisher in [one, none] {
      let erased = publisher.eraseToAnyPublisher()
      #expect(log(publisher.collect()) == log(erased.collect()))
      #expect(log(publisher.count()) == log(erased.count()))
      #expect(log(publisher.reduce(2, +)) == log(erased.reduce(2, +)))
      #expect(log(publisher.scan(2, +)) == log(erased.scan(2, +)))
      #expect(log(publisher.contains(1)) == log(erased.contains(1)))
      #expect(log(publisher.allSatisfy { $0 > 1 }) == log(erased.allSatisfy { $0 > 1 }))
      #expect(log(publisher.max()) == log(erased.max()))
      #expect(log(publisher.replaceEmpty(with: 3)) == log(erased.replaceEmpty(with: 3)))
    }
  }

  @Test(arguments: [nil, 1]) func `operators that cannot change a value return the publisher itself`(value: Int?) {
    let publisher = value.publisher
    func compare(_ first: Int, _ second: Int) -> Bool {
      Issue.record("There is no second value.")
      return true
    }
    let greatest: Optional<Int>.Publisher = publisher.max()
    let greatestBy: Optional<Int>.Publisher = publisher.max(by: compare)
    let least: Optional<Int>.Publisher = publisher.min()
    let leastBy: Optional<Int>.Publisher = publisher.min(by: compare)
    let first: Optional<Int>.Publisher = publisher.first()
    let last: Optional<Int>.Publisher = publisher.last()
    let distinct: Optional<Int>.Publisher = publisher.removeDuplicates()
    let distinctBy: Optional<Int>.Publisher = publisher.removeDuplicates(by: compare)
    let recovered: Optional<Int>.Publisher = publisher.replaceError(with: 2)
    let retried: Optional<Int>.Publisher = publisher.retry(3)
    let all = [greatest, greatestBy, least, leastBy, first, last, distinct, distinctBy, recovered, retried]
    #expect(all == Array(repeating: publisher, count: 10))
  }

  @Test func `replaceEmpty returns Just`() {
    let value: Just<Int> = one.replaceEmpty(with: 2)
    #expect(value == Just(1))
    #expect(none.replaceEmpty(with: 2) == Just(2))
  }

  @Test func `an optional value keeps its nil`() {
    let inner: Optional<Int?>.Publisher = Optional<Int?>.Publisher(.some(nil))
    #expect(log(inner.count()) == ["1", "finished"])
    #expect(log(inner.filter { $0 == nil }) == ["nil", "finished"])
    #expect(log(inner.replaceEmpty(with: 1)) == ["nil", "finished"])
    #expect(log(inner.map { $0 }) == ["nil", "finished"])
  }

  @Test func `chains of closures need no type annotations`() {
    let publisher = one.map { $0 + 1 }.filter { $0 > 1 }.compactMap { value in
      let doubled = value * 2
      return doubled > 3 ? "\(doubled)" : nil
    }
    #expect(log(publisher) == ["4", "finished"])
  }
}

/// An array literal of the outputs takes the compiler seconds.
func outputs(_ publishers: Optional<Int>.Publisher...) -> [Int?] { publishers.map(\.output) }
