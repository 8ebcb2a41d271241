import Dispatch
import Foundation
import StreamAlgorithms
import StreamFoundation
import Testing

/// What a program's own declarations return. The generated files declare everything again that Streams has and Combine lacks, and
/// use it with values of the declared types; to compile them is the test. Here, a program calls some with closures.
struct Own: Equatable {}

/// Operators as a program may have written them, without some of the parameters that have default values in Streams.
extension Publisher {
  fileprivate func flatMapLatest<T>(_ transform: @escaping (Output) async -> T) -> Own { Own() }

  fileprivate func flatMap<T>(maxTasks: Int, _ transform: @escaping @Sendable (Output) async -> T) -> Own { Own() }

  // Documentation leaves these overloads of Streams out, and so the generated files do.
  fileprivate func debounce<S: Scheduler>(for dueTime: Duration, scheduler: S, options: S.SchedulerOptions? = nil)
    -> Own
  {
    Own()
  }

  fileprivate func map<T>(maxTasks: Int = 4, _ transform: @escaping (Output) async throws -> T) -> Own { Own() }
}

/// Queues of Streams get these members from a protocol that Combine lacks, whose members the generated files leave out.
extension DispatchQueue {
  fileprivate static var immediate: Own { Own() }
  fileprivate static var immediateScheduler: Own { Own() }
  fileprivate static var test: Own { Own() }
  fileprivate static func test(order: RunOrder) -> Own { Own() }
  fileprivate static func test<D>(sharing clock: TestClock<D>) -> Own { Own() }
  fileprivate static func test<Time, Options>(sharing scheduler: TestScheduler<Time, Options>) -> Own { Own() }
  fileprivate static var unimplemented: Own { Own() }
  fileprivate static func unimplemented(_ prefix: String) -> Own { Own() }
  fileprivate static var failing: Own { Own() }
  fileprivate static func failing(_ prefix: String) -> Own { Own() }
}

/// An own extension of the protocol of schedulers precedes as well.
extension Scheduler where Self: OperationQueue {
  fileprivate static var immediate: Own { Own() }
  fileprivate static var test: Own { Own() }
  fileprivate static func test(order: RunOrder) -> Own { Own() }
  fileprivate static func unimplemented(_ prefix: String) -> Own { Own() }
}

private struct Failing: Error {}

struct OwnNamesTests {
  private let numbers = Just(1)
  private let failing = Just(1).setFailureType(to: Failing.self)

  private func double(_ number: Int) async -> Int { number * 2 }
  private func check(_ number: Int) async throws -> Int { number }

  @Test func `a program's own operators with closures are called`() {
    let calls = [
      numbers.flatMapLatest { Just($0) }, numbers.flatMapFirst { Just($0) }, numbers.partition { $0 > 1 },
      failing.retry { $0 }, [numbers].merge(), [numbers].zip(), [numbers].combineLatest(), [numbers].race(),
      numbers.sink(with: Model()) { model, number in model.number = number },
      DispatchQueue.main.measure { _ = 1 },
    ]
    #expect(calls == Array(repeating: Own(), count: calls.count))
  }

  @Test func `a program's own operators with asynchronous closures are called`() async throws {
    let calls = [
      numbers.flatMapLatest { await double($0) }, failing.flatMapLatest { await double($0) },
      numbers.flatMap(maxTasks: 2) { await double($0) }, failing.flatMap(maxTasks: 2) { await double($0) },
      numbers.map(maxTasks: 2) { await double($0) }, failing.map(maxTasks: 2) { try await check($0) },
      await numbers.run { _ = await double($0) }, try await failing.run { _ = try await check($0) },
    ]
    #expect(calls == Array(repeating: Own(), count: calls.count))
  }

  @Test func `a program's own queues for tests are taken`() {
    let queues = [
      DispatchQueue.immediate, DispatchQueue.immediateScheduler, DispatchQueue.test, DispatchQueue.test(order: .fifo),
      DispatchQueue.test(sharing: TestClock<Duration>()), DispatchQueue.test(sharing: RunLoop.test),
      DispatchQueue.unimplemented, DispatchQueue.unimplemented("a"), DispatchQueue.failing, DispatchQueue.failing("a"),
      OperationQueue.immediate, OperationQueue.test, OperationQueue.test(order: .fifo),
      OperationQueue.unimplemented("a"),
    ]
    #expect(queues == Array(repeating: Own(), count: queues.count))
  }

  @Test func `a program's own times are taken`() async throws {
    let queue = DispatchQueue.main
    let a = try await queue.sleep(for: .seconds(1))
    let b = queue.timer(interval: .seconds(1))
    let c = queue.timerPublisher(every: .seconds(1))
    let d = numbers.debounce(for: Duration.seconds(1), scheduler: queue)
    let e = DispatchQueue.test
    let f = DispatchQueue.immediate
    let calls: [Own] = [a, b, c, d, e, f]
    #expect(calls == Array(repeating: Own(), count: calls.count))
  }
}

private final class Model {
  var number = 0
}
