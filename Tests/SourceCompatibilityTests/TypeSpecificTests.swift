import Combine
import Testing

private typealias One<Output> = Just<Output>
private typealias Checked<Output> = Result<Output, Never>.Publisher
private typealias Thrown<Output> = Result<Output, any Error>.Publisher
private typealias Tested<Output> = Result<Output, TestError>.Publisher
private typealias Maybe<Output> = Optional<Output>.Publisher
private typealias Numbers = Publishers.Sequence<[Int], Never>

/// Operators that a publisher type defines itself, whose results are of the same type.
struct TypeSpecificTests {
  @Test func `operators of Just return Combine's types`() {
    let just = Just(1)
    expectType(just.allSatisfy { $0 > 0 }, is: One<Bool>.self)
    expectType(just.tryAllSatisfy { $0 > 0 }, is: Thrown<Bool>.self)
    expectType(just.append(2), is: Numbers.self)
    expectType(just.append(2, 3), is: Numbers.self)
    expectType(just.append([2, 3]), is: Numbers.self)
    expectType(just.append(Just(2)), is: Publishers.Concatenate<Just<Int>, Just<Int>>.self)
    expectType(just.prepend(2), is: Numbers.self)
    expectType(just.prepend(2, 3), is: Numbers.self)
    expectType(just.prepend([2, 3]), is: Numbers.self)
    expectType(just.prepend(Just(2)), is: Publishers.Concatenate<Just<Int>, Just<Int>>.self)
    expectType(just.collect(), is: One<[Int]>.self)
    expectType(just.compactMap { Int("\($0)") }, is: Maybe<Int>.self)
    expectType(just.contains(1), is: One<Bool>.self)
    expectType(just.contains { $0 > 0 }, is: One<Bool>.self)
    expectType(just.tryContains { $0 > 0 }, is: Thrown<Bool>.self)
    expectType(just.count(), is: One<Int>.self)
    expectType(just.drop { $0 > 0 }, is: Maybe<Int>.self)
    expectType(just.dropFirst(), is: Maybe<Int>.self)
    expectType(just.dropFirst(0), is: Maybe<Int>.self)
    expectType(just.filter { $0 > 0 }, is: Maybe<Int>.self)
    expectType(just.first(), is: One<Int>.self)
    expectType(just.first { $0 > 0 }, is: Maybe<Int>.self)
    expectType(just.ignoreOutput(), is: Empty<Int, Never>.self)
    expectType(just.last(), is: One<Int>.self)
    expectType(just.last { $0 > 0 }, is: Maybe<Int>.self)
    expectType(just.map { "\($0)" }, is: One<String>.self)
    expectType(just.tryMap { "\($0)" }, is: Thrown<String>.self)
    expectType(just.mapError(asTestError), is: Tested<Int>.self)
    expectType(just.max(), is: One<Int>.self)
    expectType(just.max { $0 < $1 }, is: One<Int>.self)
    expectType(just.min(), is: One<Int>.self)
    expectType(just.min { $0 < $1 }, is: One<Int>.self)
    expectType(just.output(at: 0), is: Maybe<Int>.self)
    expectType(just.output(in: 0...), is: Maybe<Int>.self)
    expectType(just.prefix(1), is: Maybe<Int>.self)
    expectType(just.prefix { $0 > 0 }, is: Maybe<Int>.self)
    expectType(just.reduce("") { "\($0)\($1)" }, is: Checked<String>.self)
    expectType(just.tryReduce("") { "\($0)\($1)" }, is: Thrown<String>.self)
    expectType(just.removeDuplicates(), is: One<Int>.self)
    expectType(just.removeDuplicates { $0 == $1 }, is: One<Int>.self)
    expectType(just.tryRemoveDuplicates { $0 == $1 }, is: Thrown<Int>.self)
    expectType(just.replaceEmpty(with: 0), is: One<Int>.self)
    expectType(just.replaceError(with: 0), is: One<Int>.self)
    expectType(just.retry(1), is: One<Int>.self)
    expectType(just.scan("") { "\($0)\($1)" }, is: Checked<String>.self)
    expectType(just.tryScan("") { "\($0)\($1)" }, is: Thrown<String>.self)
    expectType(just.setFailureType(to: TestError.self), is: Tested<Int>.self)
    #expect(run(just.output(in: 0..<0)) == ["finished"])
  }

  @Test func `operators of Optional.Publisher return Combine's types`() {
    let optional = Optional(1).publisher
    expectType(optional.allSatisfy { $0 > 0 }, is: Maybe<Bool>.self)
    expectType(optional.collect(), is: Maybe<[Int]>.self)
    expectType(optional.compactMap { Int("\($0)") }, is: Maybe<Int>.self)
    expectType(optional.contains(1), is: Maybe<Bool>.self)
    expectType(optional.contains { $0 > 0 }, is: Maybe<Bool>.self)
    expectType(optional.count(), is: Maybe<Int>.self)
    expectType(optional.drop { $0 > 0 }, is: Maybe<Int>.self)
    expectType(optional.dropFirst(), is: Maybe<Int>.self)
    expectType(optional.filter { $0 > 0 }, is: Maybe<Int>.self)
    expectType(optional.first(), is: Maybe<Int>.self)
    expectType(optional.first { $0 > 0 }, is: Maybe<Int>.self)
    expectType(optional.ignoreOutput(), is: Empty<Int, Never>.self)
    expectType(optional.last(), is: Maybe<Int>.self)
    expectType(optional.last { $0 > 0 }, is: Maybe<Int>.self)
    expectType(optional.map { "\($0)" }, is: Maybe<String>.self)
    expectType(optional.max(), is: Maybe<Int>.self)
    expectType(optional.max { $0 < $1 }, is: Maybe<Int>.self)
    expectType(optional.min(), is: Maybe<Int>.self)
    expectType(optional.min { $0 < $1 }, is: Maybe<Int>.self)
    expectType(optional.output(at: 0), is: Maybe<Int>.self)
    expectType(optional.output(in: 0...), is: Maybe<Int>.self)
    expectType(optional.prefix(1), is: Maybe<Int>.self)
    expectType(optional.prefix { $0 > 0 }, is: Maybe<Int>.self)
    expectType(optional.reduce("") { "\($0)\($1)" }, is: Maybe<String>.self)
    expectType(optional.removeDuplicates(), is: Maybe<Int>.self)
    expectType(optional.removeDuplicates { $0 == $1 }, is: Maybe<Int>.self)
    expectType(optional.replaceEmpty(with: 0), is: One<Int>.self)
    expectType(optional.replaceError(with: 0), is: Maybe<Int>.self)
    expectType(optional.retry(1), is: Maybe<Int>.self)
    expectType(optional.scan("") { "\($0)\($1)" }, is: Maybe<String>.self)
    // The plain operators.
    #expect(run(optional.tryMap { $0 }.append(2)) == ["1", "2", "finished"])
    #expect(run(optional.prepend(0).append(2)) == ["0", "1", "2", "finished"])
  }

  @Test func `operators of Result.Publisher return Combine's types`() {
    let result = Result<Int, TestError>.success(1).publisher
    let unfailing = Result<Int, Never>.success(1).publisher
    expectType(result.allSatisfy { $0 > 0 }, is: Tested<Bool>.self)
    expectType(result.tryAllSatisfy { $0 > 0 }, is: Thrown<Bool>.self)
    expectType(result.collect(), is: Tested<[Int]>.self)
    expectType(result.contains(1), is: Tested<Bool>.self)
    expectType(result.contains { $0 > 0 }, is: Tested<Bool>.self)
    expectType(result.tryContains { $0 > 0 }, is: Thrown<Bool>.self)
    expectType(result.count(), is: Tested<Int>.self)
    expectType(result.first(), is: Tested<Int>.self)
    expectType(unfailing.ignoreOutput(), is: Empty<Int, Never>.self)
    expectType(result.last(), is: Tested<Int>.self)
    expectType(result.map { "\($0)" }, is: Tested<String>.self)
    expectType(result.tryMap { "\($0)" }, is: Thrown<String>.self)
    expectType(result.mapError { _ in LoadError() }, is: Result<Int, LoadError>.Publisher.self)
    expectType(result.max(), is: Tested<Int>.self)
    expectType(result.max { $0 < $1 }, is: Tested<Int>.self)
    expectType(result.tryMax { $0 < $1 }, is: Thrown<Int>.self)
    expectType(result.min(), is: Tested<Int>.self)
    expectType(result.min { $0 < $1 }, is: Tested<Int>.self)
    expectType(result.tryMin { $0 < $1 }, is: Thrown<Int>.self)
    expectType(result.reduce("") { "\($0)\($1)" }, is: Tested<String>.self)
    expectType(result.tryReduce("") { "\($0)\($1)" }, is: Thrown<String>.self)
    expectType(result.removeDuplicates(), is: Tested<Int>.self)
    expectType(result.removeDuplicates { $0 == $1 }, is: Tested<Int>.self)
    expectType(result.tryRemoveDuplicates { $0 == $1 }, is: Thrown<Int>.self)
    expectType(result.replaceEmpty(with: 0), is: Tested<Int>.self)
    expectType(result.replaceError(with: 0), is: Checked<Int>.self)
    expectType(result.retry(1), is: Tested<Int>.self)
    expectType(result.scan("") { "\($0)\($1)" }, is: Tested<String>.self)
    expectType(result.tryScan("") { "\($0)\($1)" }, is: Thrown<String>.self)
    expectType(unfailing.setFailureType(to: TestError.self), is: Tested<Int>.self)
    #expect(run(result.filter { $0 > 0 }.append(2)) == ["1", "2", "finished"])
  }

  @Test func `operators of Sequence that inspect no element return Combine's types`() {
    let array = [3, 1, 2].publisher
    let range = (1...3).publisher
    expectType(array.setFailureType(to: TestError.self), is: Publishers.Sequence<[Int], TestError>.self)
    expectType(array.append(4), is: Numbers.self)
    expectType(array.append(4, 5), is: Numbers.self)
    expectType(array.append([4, 5]), is: Numbers.self)
    expectType(array.append([4, 5].publisher), is: Numbers.self)
    expectType(array.prepend(4), is: Numbers.self)
    expectType(array.prepend(4, 5), is: Numbers.self)
    expectType(array.prepend([4, 5]), is: Numbers.self)
    expectType(array.prepend([4, 5].publisher), is: Numbers.self)
    expectType(array.count(), is: One<Int>.self)
    expectType(array.setFailureType(to: TestError.self).count(), is: Tested<Int>.self)
    expectType(range.contains(2), is: Checked<Bool>.self)
    expectType(array.ignoreOutput(), is: Empty<Int, Never>.self)
    expectType(array.dropFirst(), is: Publishers.Sequence<ArraySlice<Int>, Never>.self)
    #expect(run(array.dropFirst().prepend(7)) == ["7", "1", "2", "finished"])
  }

  @Test func `operators of Sequence inspect elements on demand, unlike Combine`() {
    let array = [3, 1, 2].publisher
    expectType(array.map { "\($0)" }, is: Publishers.Map<Numbers, String>.self)
    expectType(array.filter { $0 > 1 }, is: Publishers.Filter<Numbers>.self)
    // Chains that name no types compile, and publish the same values as Combine's.
    #expect(run(array.allSatisfy { $0 > 0 }) == ["true", "finished"])
    #expect(run(array.tryAllSatisfy { $0 > 0 }) == ["true", "finished"])
    #expect(run(array.collect()) == ["[3, 1, 2]", "finished"])
    #expect(run(array.compactMap { Int("\($0)") }.count()) == ["3", "finished"])
    #expect(run(array.contains(1)) == ["true", "finished"])
    #expect(run(array.contains { $0 > 5 }) == ["false", "finished"])
    #expect(run(array.tryContains { $0 > 5 }) == ["false", "finished"])
    #expect(run(array.drop { $0 > 1 }) == ["1", "2", "finished"])
    #expect(run(array.first()) == ["3", "finished"])
    #expect(run(array.first { $0 < 3 }) == ["1", "finished"])
    #expect(run(array.last()) == ["2", "finished"])
    #expect(run(array.last { $0 > 2 }) == ["3", "finished"])
    #expect(run(array.map(\.description)) == ["3", "1", "2", "finished"])
    #expect(run(array.max().zip(array.max { $0 > $1 })) == ["(3, 1)", "finished"])
    #expect(run(array.min().zip(array.min { $0 > $1 })) == ["(1, 3)", "finished"])
    #expect(run(array.output(at: 1)) == ["1", "finished"])
    #expect(run(array.output(in: 1...)) == ["1", "2", "finished"])
    #expect(run(array.prefix(2)) == ["3", "1", "finished"])
    #expect(run(array.prefix { $0 > 1 }) == ["3", "finished"])
    #expect(run(array.reduce(0, +)) == ["6", "finished"])
    #expect(run(array.tryReduce(0) { $0 + $1 }) == ["6", "finished"])
    #expect(run([1, 1, 2].publisher.removeDuplicates()) == ["1", "2", "finished"])
    #expect(run([1, 1, 2].publisher.removeDuplicates { $0 == $1 }) == ["1", "2", "finished"])
    #expect(run([1, nil].publisher.replaceNil(with: 0)) == ["1", "0", "finished"])
    #expect(run(array.scan(0, +)) == ["3", "4", "6", "finished"])
    #expect(run(array.merge(with: array.dropFirst().last()).count()) == ["4", "finished"])
    let erased: AnyPublisher<Int, Never> = array.dropFirst().eraseToAnyPublisher()
    #expect(run(erased) == ["1", "2", "finished"])
    func total(_ publisher: some Publisher<Int, Never>) -> [String] { run(publisher.count()) }
    #expect(total(array) == ["3", "finished"])
  }
}

private struct LoadError: Error {}

private func asTestError(_ error: some Error) -> TestError { .first }
