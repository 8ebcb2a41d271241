import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams
import SuiteSupport
import Testing

/// The messages of arguments that stop a program. Each names the operator as a program calls it, the requirement and the value.
///
/// A message that a test of the operator compares isn't repeated here.
@Suite(.exits) struct RequirementTests {
  private static let mistakes: [(message: String, make: @Sendable () -> Void)] = [
    (
      "receive(on:bounded:whenFull:) requires a bound of at least 1, got 0.",
      { _ = Just(1).receive(on: DispatchQueue.test, bounded: 0, whenFull: .dropNewest) }
    ),
    (
      "receive(on:bounded:whenFull:) requires a bound of at least 1, got -1.",
      { _ = Just(1).receive(on: MainActor.shared, bounded: -1, whenFull: .dropNewest) }
    ),
    (
      "merge(with:bounded:whenFull:) requires a bound of at least 1, got 0.",
      { _ = Just(1).merge(with: Just(2), bounded: 0, whenFull: .dropNewest) }
    ),
    (
      "merge(bounded:whenFull:) requires a bound of at least 1, got -2.",
      { _ = [Just(1), Just(2)].merge(bounded: -2, whenFull: .dropNewest) }
    ),
    (
      "flatMap(bounded:whenFull:) requires a bound of at least 1, got 0.",
      { _ = Just(1).flatMap(bounded: 0, whenFull: .dropNewest) { Just($0) } }
    ),
    (
      "buffer(bounded:whenFull:) requires a bound of at least 1, got 0.",
      { _ = Just(1).buffer(bounded: 0, whenFull: .dropNewest) }
    ),
    (
      "share(bounded:whenFull:) cannot wait: its subscribers share one source.",
      { _ = Just(1).share(bounded: 1, whenFull: .wait) }
    ),
    (
      "BoundedSubject(bounded:) requires a bound of at least 1, got 0.", { _ = BoundedSubject<Int, Never>(bounded: 0) }
    ),
    (
      "CreatePublisher(bufferSize:whenFull:) requires a size of at least 1, got 0.",
      { _ = CreatePublisher<Int, Never>(bufferSize: 0, whenFull: .dropOldest) { _ in AnyCancellable {} } }
    ),
    (
      "CreatePublisher(bufferSize:whenFull:) cannot wait: its closure sends values regardless of demand.",
      { _ = CreatePublisher<Int, Never>(bufferSize: 1, whenFull: .wait) { _ in AnyCancellable {} } }
    ),
    (
      "groupBy(maxGroups:) requires a maximum of at least 1, got 0.",
      { _ = Just(1).groupBy({ $0 }, maxGroups: 0, bufferSize: 1) }
    ),
    (
      "groupBy(bufferSize:) requires a size of at least 1, got -1.",
      { _ = Just(1).groupBy({ $0 }, maxGroups: 1, bufferSize: -1) }
    ),
    (
      "window(bufferSize:) requires a size of at least 1, got 0.", { _ = Just(1).window(by: Just(2), bufferSize: 0) }
    ),
    (
      "pausable(buffering:) requires a size of at least 1, got 0.",
      { _ = Just(1).pausable(runningWhile: Just(true), buffering: 0, whenFull: .dropOldest) }
    ),
    (
      "rateLimit(_:per:) requires a count of at least 1, got 0.",
      { _ = Just(1).rateLimit(0, per: 1, scheduler: DispatchQueue.test, queueSize: 1, whenFull: .dropNewest) }
    ),
    (
      "rateLimit(_:per:) requires an interval longer than zero, got -1 s.",
      { _ = Just(1).rateLimit(1, per: -1, scheduler: DispatchQueue.test, queueSize: 1, whenFull: .dropNewest) }
    ),
    (
      "rateLimit(queueSize:) with .wait requires a size of at least 1, got 0.",
      { _ = Just(1).rateLimit(1, per: 1, scheduler: DispatchQueue.test, queueSize: 0, whenFull: .wait) }
    ),
    (
      "poll(every:scheduler:) requires an interval longer than zero, got 0 s.",
      { _ = Just(1).poll(every: 0, scheduler: DispatchQueue.test) }
    ),
    (
      "map(maxTasks:by:) requires a maximum of at least 1, got 0.",
      { _ = Just(1).map(maxTasks: 0, by: { $0 }) { $0 } }
    ),
    (
      "flatMap(maxTasks:by:) requires a maximum of at least 1, got 0.",
      { _ = Just(1).flatMap(maxTasks: 0, by: { $0 }) { $0 } }
    ),
    (
      "RetryPolicy(maxRetries:) requires a number of at least 0, got -1.", { _ = RetryPolicy(maxRetries: -1) }
    ),
    (
      "RetryPolicy(firstDelay:) requires a delay of at least zero, got -1.0 seconds.",
      { _ = RetryPolicy(maxRetries: 1, firstDelay: .seconds(-1)) }
    ),
    (
      "RetryPolicy(longestDelay:) requires a delay of at least zero, got -1.0 seconds.",
      { _ = RetryPolicy(maxRetries: 1, longestDelay: .seconds(-1)) }
    ),
    (
      "RetryPolicy(factor:) requires a finite factor of at least 1, got 0.5.",
      { _ = RetryPolicy(maxRetries: 1, factor: 0.5) }
    ),
    (
      "The `random` closure of delay(beforeRetry:random:) must return a number in the range 0.5...1.0, got 0.25.",
      { _ = RetryPolicy.delay(.seconds(1), maxRetries: 1, jitter: .equal).delay(beforeRetry: 1) { _ in 0.25 } }
    ),
    (
      "The `random` closure of retry(_:scheduler:random:) must return a number in the range 0.0...1.0, got 2.0.",
      {
        let policy = RetryPolicy.delay(.seconds(1), maxRetries: 1, jitter: .full)
        _ = Fail<Int, TestError>(error: .first).retry(policy, scheduler: DispatchQueue.test, random: { _ in 2 })
          .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      }
    ),
  ]

  @Test(arguments: mistakes.indices)
  func `the message names the operator, the requirement and the value`(index: Int) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [index = index as Int] in
      RequirementTests.mistakes[index].make()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains(Self.mistakes[index].message))
  }
}
