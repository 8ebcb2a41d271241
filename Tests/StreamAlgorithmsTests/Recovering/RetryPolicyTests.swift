import Streams
import SuiteSupport
import Testing

struct RetryPolicyTests {
  private func delays(_ policy: RetryPolicy, _ count: Int = 6) -> [Duration] {
    (1...count).map { policy.delay(beforeRetry: $0) }
  }

  @Test func `immediate has no delay`() {
    #expect(delays(.immediate(maxRetries: 3), 2) == [.zero, .zero])
  }

  @Test func `delay has the same delay for each retry`() {
    #expect(delays(.delay(.seconds(2), maxRetries: 3), 2) == [.seconds(2), .seconds(2)])
  }

  @Test func `backoff multiplies the delay up to the longest`() {
    let policy = RetryPolicy.exponentialBackoff(first: .seconds(1), longest: .seconds(10), maxRetries: 9)
    #expect(delays(policy) == [1, 2, 4, 8, 10, 10].map { .seconds($0) })
    let slower = RetryPolicy(maxRetries: 9, firstDelay: .milliseconds(100), factor: 1.5)
    #expect(delays(slower, 3) == [.milliseconds(100), .milliseconds(150), .milliseconds(225)])
  }

  @Test func `backoff starts with no more than the longest delay`() {
    let policy = RetryPolicy(maxRetries: 1, firstDelay: .seconds(5), longestDelay: .seconds(3))
    #expect(delays(policy, 2) == [.seconds(3), .seconds(3)])
  }

  @Test(arguments: [1.0, 1.000001, 2, 1e300, .greatestFiniteMagnitude])
  func `backoff never overflows and never decreases`(factor: Double) {
    let most = Duration.nanoseconds(Int64.max)
    for first in [Duration.zero, .nanoseconds(1), .seconds(1), .seconds(Int64.max)] {
      let policy = RetryPolicy(maxRetries: .max, firstDelay: first, factor: factor)
      var last = Duration.zero
      for retry in [1, 2, 3, 63, 64, 1_000, 1_000_000, .max] {
        let delay = policy.delay(beforeRetry: retry)
        #expect(delay >= last && delay <= most)
        last = delay
      }
      if first == .zero { #expect(last == .zero) }
      if first == .seconds(Int64.max) { #expect(last == most) }
      if first > .zero, factor > 1 { #expect(last == most) }
    }
  }

  @Test func `full jitter returns a delay between zero and the full delay`() {
    let policy = RetryPolicy.delay(.seconds(1), maxRetries: 1, jitter: .full)
    expectRange(policy, .zero, .seconds(1))
  }

  @Test func `equal jitter returns a delay between half and the full delay`() {
    let policy = RetryPolicy.delay(.seconds(1), maxRetries: 1, jitter: .equal)
    expectRange(policy, .milliseconds(500), .seconds(1))
  }

  @Test func `jitter is a part of the delay that the closure chooses`() {
    let full = RetryPolicy.exponentialBackoff(first: .seconds(1), longest: .seconds(10), maxRetries: 9, jitter: .full)
    #expect((1...3).map { full.delay(beforeRetry: $0) { _ in 0.25 } } == [250, 500, 1_000].map { .milliseconds($0) })
    let equal = RetryPolicy.exponentialBackoff(first: .seconds(1), longest: .seconds(10), maxRetries: 9, jitter: .equal)
    #expect(
      (1...3).map { equal.delay(beforeRetry: $0) { _ in 0.75 } } == [750, 1_500, 3_000].map { .milliseconds($0) })
  }

  @Test(arguments: [RetryPolicy.Jitter.full, .equal])
  func `jitter never exceeds the longest possible delay`(jitter: RetryPolicy.Jitter) {
    let policy = RetryPolicy.delay(.seconds(Int64.max), maxRetries: 1, jitter: jitter)
    #expect(policy.delay(beforeRetry: 1) { $0.upperBound } == .nanoseconds(Int64.max))
  }

  private func expectRange(_ policy: RetryPolicy, _ least: Duration, _ most: Duration) {
    #expect(policy.delay(beforeRetry: 1) { $0.lowerBound } == least)
    #expect(policy.delay(beforeRetry: 1) { $0.upperBound } == most)
    for _ in 0..<1_000 {
      let delay = policy.delay(beforeRetry: 1) { .random(in: $0) }
      #expect(delay >= least && delay <= most)
    }
  }

  @Test func `policies have no jitter by default, and then need no random numbers`() {
    for policy in [
      RetryPolicy(maxRetries: 2, firstDelay: .seconds(1), factor: 2),
      .delay(.seconds(1), maxRetries: 2),
      .exponentialBackoff(first: .seconds(1), longest: .seconds(10), maxRetries: 2),
    ] {
      #expect(policy.jitter == .none)
      let delay = policy.delay(beforeRetry: 1) { _ in
        Issue.record("A policy without jitter asked for a random number.")
        return 0
      }
      #expect(delay == .seconds(1))
    }
  }

  @Test(.exits) func `invalid arguments stop the program`() async {
    await #expect(processExitsWith: .failure) { _ = RetryPolicy(maxRetries: -1) }
    await #expect(processExitsWith: .failure) { _ = RetryPolicy(maxRetries: 1, firstDelay: .seconds(-1)) }
    await #expect(processExitsWith: .failure) { _ = RetryPolicy(maxRetries: 1, longestDelay: .seconds(-1)) }
    await #expect(processExitsWith: .failure) { _ = RetryPolicy(maxRetries: 1, factor: 0.5) }
    await #expect(processExitsWith: .failure) { _ = RetryPolicy(maxRetries: 1, factor: .nan) }
    await #expect(processExitsWith: .failure) { _ = RetryPolicy(maxRetries: 1, factor: .infinity) }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RetryPolicy.immediate(maxRetries: 1).delay(beforeRetry: 0)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("delay(beforeRetry:) requires a number of at least 1, got 0."))
    let outside = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RetryPolicy.delay(.seconds(1), maxRetries: 1, jitter: .equal).delay(beforeRetry: 1) { _ in 0.25 }
    }
    let message = String(decoding: outside?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("must return a number in the range 0.5...1.0, got 0.25."))
  }
}
