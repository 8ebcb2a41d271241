import Streams
import Testing

struct ResultOperatorsTests {
  private let one = Result<Int, TestError>.success(1).publisher
  private let failed = Result<Int, TestError>.failure(.first).publisher

  // MARK: Transforming

  @Test func `map transforms the value and keeps the failure`() {
    let text: Result<String, TestError>.Publisher = one.map(String.init)
    #expect(log(text) == ["1", "finished"])
    #expect(log(failed.map(String.init)) == ["first"])
  }

  @Test func `map calls its closure when it is applied`() {
    var count = 0
    let publisher: Result<Int, TestError>.Publisher = one.map {
      count += 1
      return $0
    }
    #expect(count == 1)

    record(publisher)
    #expect(count == 1)
  }

  @Test func `map of a key path is the general operator`() {
    let publisher: Publishers.MapKeyPath<Result<String, TestError>.Publisher, Int> =
      Result<String, TestError>.success("abc").publisher.map(\.count)
    #expect(log(publisher) == ["3", "finished"])
  }

  @Test func `tryMap transforms the value, keeps the failure or fails with the thrown error`() {
    let text: Result<String, any Error>.Publisher = one.tryMap { "\($0)" }
    #expect(log(text) == ["1", "finished"])
    #expect(log(one.tryMap { _ in throw TestError.second }) == ["second"])
    #expect(log(failed.tryMap { _ in throw TestError.second }) == ["first"])
  }

  @Test func `mapError transforms the failure and keeps the value`() {
    struct Other: Error {}
    let other: Result<Int, Other>.Publisher = failed.mapError { _ in Other() }
    #expect(log(other) == ["Other()"])
    #expect(log(one.mapError { _ in Other() }) == ["1", "finished"])
  }

  @Test func `the failure type can be set where it is Never`() {
    let set: Result<Int, TestError>.Publisher =
      Result<Int, Never>.success(1).publisher.setFailureType(to: TestError.self)
    #expect(log(set) == ["1", "finished"])
  }

  @Test func `scan and reduce start with the initial result`() {
    let scanned: Result<Int, TestError>.Publisher = one.scan(10) { $0 + $1 }
    let reduced: Result<Int, TestError>.Publisher = one.reduce(10) { $0 + $1 }
    #expect(log(scanned) == ["11", "finished"])
    #expect(log(reduced) == ["11", "finished"])
    #expect(log(failed.scan(10) { $0 + $1 }) == ["first"])
    #expect(log(failed.reduce(10) { $0 + $1 }) == ["first"])
  }

  @Test func `tryScan and tryReduce publish a value or fail with the thrown error`() {
    let scanned: Result<Int, any Error>.Publisher = one.tryScan(10) { $0 + $1 }
    let reduced: Result<Int, any Error>.Publisher = one.tryReduce(10) { $0 + $1 }
    #expect(log(scanned) == ["11", "finished"])
    #expect(log(reduced) == ["11", "finished"])
    #expect(log(one.tryScan(10) { _, _ in throw TestError.second }) == ["second"])
    #expect(log(failed.tryReduce(10) { _, _ in throw TestError.second }) == ["first"])
  }

  // MARK: Reducing

  @Test(arguments: [1, 2]) func `contains and allSatisfy publish a result for the value`(value: Int) {
    let publisher = Result<Int, TestError>.success(value).publisher
    let contains: Result<Bool, TestError>.Publisher = publisher.contains(2)
    let containsWhere: Result<Bool, TestError>.Publisher = publisher.contains { $0 == 2 }
    let all: Result<Bool, TestError>.Publisher = publisher.allSatisfy { $0 == 2 }
    let expected = Result<Bool, TestError>.Publisher(value == 2)
    #expect([contains, containsWhere, all] == Array(repeating: expected, count: 3))
  }

  @Test func `contains and allSatisfy keep the failure`() {
    #expect(log(failed.contains(1)) == ["first"])
    #expect(log(failed.contains { $0 == 1 }) == ["first"])
    #expect(log(failed.allSatisfy { $0 == 1 }) == ["first"])
  }

  @Test func `tryContains and tryAllSatisfy publish a result or fail with the thrown error`() {
    let contains: Result<Bool, any Error>.Publisher = one.tryContains { $0 == 1 }
    let all: Result<Bool, any Error>.Publisher = one.tryAllSatisfy { $0 == 2 }
    #expect(log(contains) == ["true", "finished"])
    #expect(log(all) == ["false", "finished"])
    #expect(log(one.tryContains { _ in throw TestError.second }) == ["second"])
    #expect(log(failed.tryAllSatisfy { _ in throw TestError.second }) == ["first"])
  }

  @Test func `collect and count use the single value and keep the failure`() {
    let collected: Result<[Int], TestError>.Publisher = one.collect()
    let counted: Result<Int, TestError>.Publisher = one.count()
    #expect(log(collected) == ["[1]", "finished"])
    #expect(log(counted) == ["1", "finished"])
    #expect(log(failed.collect()) == ["first"])
    #expect(log(failed.count()) == ["first"])
  }

  @Test func `operators that cannot change a value return the publisher itself`() {
    func compare(_ first: Int, _ second: Int) -> Bool {
      Issue.record("There is no second value.")
      return true
    }
    for publisher in [one, failed] {
      let greatest: Result<Int, TestError>.Publisher = publisher.max()
      let greatestBy: Result<Int, TestError>.Publisher = publisher.max(by: compare)
      let least: Result<Int, TestError>.Publisher = publisher.min()
      let leastBy: Result<Int, TestError>.Publisher = publisher.min(by: compare)
      let first: Result<Int, TestError>.Publisher = publisher.first()
      let last: Result<Int, TestError>.Publisher = publisher.last()
      let distinct: Result<Int, TestError>.Publisher = publisher.removeDuplicates()
      let distinctBy: Result<Int, TestError>.Publisher = publisher.removeDuplicates(by: compare)
      let filled: Result<Int, TestError>.Publisher = publisher.replaceEmpty(with: 2)
      let retried: Result<Int, TestError>.Publisher = publisher.retry(3)
      let all = [greatest, greatestBy, least, leastBy, first, last, distinct, distinctBy, filled, retried]
      #expect(all == Array(repeating: publisher, count: 10))
    }
  }

  @Test func `tryMax, tryMin and tryRemoveDuplicates call their closure with the value twice`() {
    var pairs: [[Int]] = []
    func compare(_ first: Int, _ second: Int) throws -> Bool {
      pairs.append([first, second])
      return true
    }
    let greatest: Result<Int, any Error>.Publisher = one.tryMax(by: compare)
    let least: Result<Int, any Error>.Publisher = one.tryMin(by: compare)
    let distinct: Result<Int, any Error>.Publisher = one.tryRemoveDuplicates(by: compare)
    #expect(pairs == [[1, 1], [1, 1], [1, 1]])
    #expect(log(greatest) == ["1", "finished"])
    #expect(log(least) == ["1", "finished"])
    #expect(log(distinct) == ["1", "finished"])
  }

  @Test func `what the closure of tryMax, tryMin or tryRemoveDuplicates throws is the failure`() {
    func compare(_ first: Int, _ second: Int) throws -> Bool { throw TestError.second }
    #expect(log(one.tryMax(by: compare)) == ["second"])
    #expect(log(one.tryMin(by: compare)) == ["second"])
    #expect(log(one.tryRemoveDuplicates(by: compare)) == ["second"])
    #expect(log(failed.tryMax(by: compare)) == ["first"])
    #expect(log(failed.tryMin(by: compare)) == ["first"])
    #expect(log(failed.tryRemoveDuplicates(by: compare)) == ["first"])
  }

  @Test func `replaceError replaces the failure`() {
    let recovered: Result<Int, Never>.Publisher = failed.replaceError(with: 2)
    #expect(log(recovered) == ["2", "finished"])
    #expect(log(one.replaceError(with: 2)) == ["1", "finished"])
  }

  // MARK: General operators

  @Test func `ignoreOutput keeps the failure, unlike Combine`() {
    let ignored: Publishers.IgnoreOutput<Result<Int, TestError>.Publisher> = failed.ignoreOutput()
    #expect(log(ignored) == ["first"])
  }

  @Test func `ignoreOutput of a publisher that cannot fail returns Empty`() {
    let empty: Empty<Int, Never> = Result<Int, Never>.success(1).publisher.ignoreOutput()
    #expect(log(empty) == ["finished"])
  }

  @Test func `operators without a specialized type are the general ones`() {
    let filtered: Publishers.Filter<Result<Int, TestError>.Publisher> = one.filter { $0 > 1 }
    let compacted: Publishers.CompactMap<Result<Int, TestError>.Publisher, Int> = one.compactMap { $0 }
    let dropped: Publishers.Drop<Result<Int, TestError>.Publisher> = one.dropFirst()
    #expect(log(filtered) == ["finished"])
    #expect(log(compacted) == ["1", "finished"])
    #expect(log(dropped) == ["finished"])
  }

  @Test func `chains of closures need no type annotations`() {
    let publisher = one.map { $0 + 1 }.tryMap { value in
      guard value > 5 else { throw TestError.second }
      return value
    }
    .mapError { $0 as? TestError ?? .first }
    .replaceError(with: 7)
    .map { "\($0)" }
    #expect(log(publisher) == ["7", "finished"])
  }
}
