// Expected diagnostics stand in the line of the mistake, regardless of its length.
// swift-format-ignore-file
import Dispatch
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams

struct Oops: Error {}

struct Item {
  var id = 0
  var note: String?
  func renamed(to name: String) -> Item { self }
}

final class Work: Sendable {
  let count = 0
  func use(_ number: Int) {}
  func parse(_ number: Int) throws -> Int { number }
  func load(_ number: Int) async throws -> Int { number }
}

/// Each mistake is explained.
func explained(_ ints: AnyPublisher<Int, Never>, _ failing: AnyPublisher<Int, Oops>, _ work: Work, _ queue: DispatchQueue, _ scheduler: TestSchedulerOf<DispatchQueue>) {
  _ = ints.map { try work.parse($0) }  // expect: invalid conversion from throwing function
  _ = ints.compactMap { try work.parse($0) }  // expect: invalid conversion from throwing function
  _ = ints.filter { try work.parse($0) > 0 }  // expect: invalid conversion from throwing function
  _ = ints.flatMap { try work.parse($0) }  // expect: invalid conversion from throwing function
  _ = ints.flatMap { Just(try work.parse($0)) }  // expect: invalid conversion from throwing function
  _ = ints.map { try await work.load($0) }  // expect: to parameter expecting synchronous function type
  _ = ints.compactMap { try await work.load($0) }  // expect: to parameter expecting synchronous function type
  _ = ints.flatMap { try await work.load($0) }  // expect: to parameter expecting synchronous function type
  _ = ints.sink { _ = try await work.load($0) }  // expect: to parameter expecting synchronous function type
  _ = ints.sink { _ = try work.parse($0) }  // expect: invalid conversion from throwing function
  _ = failing.catch { _ in 0 }  // expect: instance method 'catch' requires that 'Int' conform to 'Publisher'
  _ = failing.sink(receiveValue: { _ in }, receiveCompletion: { _ in })  // expect: argument 'receiveCompletion' must precede argument 'receiveValue'
  _ = failing.retry(.exponentialBackoff(first: .seconds(1), longest: .seconds(9), maxRetries: 3))  // expect: retry(policy, scheduler: scheduler)
  _ = failing.retry(.delay(.seconds(1)), scheduler: queue)  // expect: specify the number of retries: delay(_:maxRetries:)
  _ = failing.retry(.exponentialBackoff(first: .seconds(1), longest: .seconds(9)), scheduler: queue)  // expect: specify the number of retries
  _ = scheduler.hot("a").race(with: Fail<String, Oops>(error: Oops()))  // expect: the publishers have different failure types
  _ = scheduler.cold("a").combineLatest(failing)  // expect: different failure types
  _ = ints.receive(on: MainActor.self)  // expect: receive(on: MainActor.shared)
  _ = ints.debounce(for: DispatchTimeInterval.seconds(1), scheduler: queue)  // expect: the interval is not the scheduler's stride
  _ = ints.delay(for: "1", scheduler: queue)  // expect: the interval is not the scheduler's stride
  _ = ints.timeout(DispatchTimeInterval.seconds(1), scheduler: queue)  // expect: the interval is not the scheduler's stride
  _ = scheduler.cold("a-b", ["a": 1])  // expect: the values need their label, values:
  _ = scheduler.hot("a-b", [:])  // expect: the values need their label, values:
  _ = scheduler.expect(ints, "a-b", ["a": 1])  // expect: the values need their label, values:
  _ = ints.receive(on: .main)
  _ = ints.debounce(for: Duration.seconds(1), scheduler: queue)
}

/// No explanation hides an ordinary mistake inside a closure.
func ordinary(_ ints: AnyPublisher<Int, Never>, _ failing: AnyPublisher<Int, Oops>, _ work: Work) {
  _ = ints.map { $0.foo }  // expect: has no member 'foo'
  _ = ints.map { unknown($0) }  // expect: cannot find 'unknown' in scope
  _ = ints.map { _ in work.use() }  // expect: missing argument for parameter
  _ = ints.map { _ in work.use("x") }  // expect: cannot convert value of type 'String' to expected argument type 'Int'
  _ = ints.map { _ in work.cuont }  // expect: has no member 'cuont'
  _ = ints.map { _ in try work.parse("x") }  // expect: cannot convert value of type 'String' to expected argument type 'Int'
  _ = ints.map { _ in try await work.load() }  // expect: missing argument for parameter
  _ = ints.map { _ in Item().renamed(to: 1) }  // expect: cannot convert value of type 'Int' to expected argument type 'String'
  _ = ints.map { _ in [1].first + 1 }  // expect: Int?
  _ = ints.map { first, second in first }  // expect: expects 1 argument, but 2 were used in closure body
  _ = ints.compactMap { $0.foo }  // expect: has no member 'foo'
  _ = ints.compactMap { unknown($0) }  // expect: cannot find 'unknown' in scope
  _ = ints.compactMap { _ in work.use() }  // expect: missing argument for parameter
  _ = ints.compactMap { _ in work.use("x") }  // expect: cannot convert value of type 'String' to expected argument type 'Int'
  _ = ints.compactMap { _ in work.cuont }  // expect: has no member 'cuont'
  _ = ints.compactMap { _ in try work.parse("x") }  // expect: cannot convert value of type 'String' to expected argument type 'Int'
  _ = ints.compactMap { _ in try await work.load() }  // expect: missing argument for parameter
  _ = ints.compactMap { _ in Item().renamed(to: 1) }  // expect: cannot convert value of type 'Int' to expected argument type 'String'
  _ = ints.compactMap { _ in [1].first + 1 }  // expect: Int?
  _ = ints.compactMap { first, second in first }  // expect: expects 1 argument, but 2 were used in closure body
  _ = ints.filter { $0.foo }  // expect: has no member 'foo'
  _ = ints.filter { unknown($0) }  // expect: cannot find 'unknown' in scope
  _ = ints.filter { _ in work.use() }  // expect: missing argument for parameter
  _ = ints.filter { _ in work.use("x") }  // expect: cannot convert value of type 'String' to expected argument type 'Int'
  _ = ints.filter { _ in work.cuont }  // expect: has no member 'cuont'
  _ = ints.filter { _ in try work.parse("x") }  // expect: cannot convert value of type 'String' to expected argument type 'Int'
  _ = ints.filter { _ in try await work.load() }  // expect: missing argument for parameter
  _ = ints.filter { _ in Item().renamed(to: 1) }  // expect: cannot convert value of type 'Int' to expected argument type 'String'
  _ = ints.filter { _ in [1].first + 1 }  // expect: Int?
  _ = ints.filter { first, second in first }  // expect: expects 1 argument, but 2 were used in closure body
  _ = ints.flatMap { $0.foo }  // expect: has no member 'foo'
  _ = ints.flatMap { unknown($0) }  // expect: cannot find 'unknown' in scope
  _ = ints.flatMap { _ in work.use() }  // expect: missing argument for parameter
  _ = ints.flatMap { _ in work.use("x") }  // expect: cannot convert value of type 'String' to expected argument type 'Int'
  _ = ints.flatMap { _ in work.cuont }  // expect: has no member 'cuont'
  _ = ints.flatMap { _ in try work.parse("x") }  // expect: cannot convert value of type 'String' to expected argument type 'Int'
  _ = ints.flatMap { _ in try await work.load() }  // expect: missing argument for parameter
  _ = ints.flatMap { _ in Item().renamed(to: 1) }  // expect: cannot convert value of type 'Int' to expected argument type 'String'
  _ = ints.flatMap { _ in [1].first + 1 }  // expect: Int?
  _ = ints.flatMap { first, second in first }  // expect: expects 1 argument, but 2 were used in closure body
  _ = failing.catch { $0.foo }  // expect: has no member 'foo'
  _ = failing.catch { unknown($0) }  // expect: cannot find 'unknown' in scope
  _ = failing.catch { _ in work.use() }  // expect: missing argument for parameter
  _ = failing.catch { _ in work.use("x") }  // expect: cannot convert value of type 'String' to expected argument type 'Int'
  _ = failing.catch { _ in work.cuont }  // expect: has no member 'cuont'
  _ = failing.catch { _ in try work.parse("x") }  // expect: cannot convert value of type 'String' to expected argument type 'Int'
  _ = failing.catch { _ in try await work.load() }  // expect: missing argument for parameter
  _ = failing.catch { _ in Item().renamed(to: 1) }  // expect: cannot convert value of type 'Int' to expected argument type 'String'
  _ = failing.catch { _ in [1].first + 1 }  // expect: Int?
  _ = failing.catch { first, second in first }  // expect: expects 1 argument, but 2 were used in closure body
  _ = ints.sink { $0.foo }  // expect: has no member 'foo'
  _ = ints.sink { unknown($0) }  // expect: cannot find 'unknown' in scope
  _ = ints.sink { _ in work.use() }  // expect: missing argument for parameter
  _ = ints.sink { _ in work.use("x") }  // expect: cannot convert value of type 'String' to expected argument type 'Int'
  _ = ints.sink { _ in work.cuont }  // expect: has no member 'cuont'
  _ = ints.sink { _ in try work.parse("x") }  // expect: cannot convert value of type 'String' to expected argument type 'Int'
  _ = ints.sink { _ in try await work.load() }  // expect: missing argument for parameter
  _ = ints.sink { _ in Item().renamed(to: 1) }  // expect: cannot convert value of type 'Int' to expected argument type 'String'
  _ = ints.sink { _ in [1].first + 1 }  // expect: Int?
  _ = ints.sink { first, second in first }  // expect: expects 1 argument, but 2 were used in closure body
}

@MainActor func worlds(_ scheduler: TestSchedulerOf<DispatchQueue>, _ work: Work) async throws {
  scheduler.withVirtualWorld { work.use(1) }
  try scheduler.withVirtualWorld { _ = try work.parse(1) }
  try scheduler.runVirtualWorld { _ = try await work.load(1) }
  await scheduler.withVirtualWorld { _ = try? await work.load(1) }  // expect: use try runVirtualWorld { … }, without await
  scheduler.withVirtualWorld { _ = try? await work.load(1) }  // expect: use try runVirtualWorld { … }, without await
  try await scheduler.withVirtualWorld { _ = try await work.load(1) }  // expect: use try runVirtualWorld { … }, without await
}
