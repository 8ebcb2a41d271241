public import Streams

/// A policy that specifies the number of retries after a failure and the delays before them.
///
/// ```swift
/// let policy = RetryPolicy.exponentialBackoff(first: .milliseconds(500), longest: .seconds(30), maxRetries: 8)
/// load().retry(policy, scheduler: DispatchQueue.main)
/// ```
///
/// The delay before retry `n`, counted from 1, is `firstDelay * factor^(n - 1)`, but never longer than `longestDelay`. Jitter
/// then varies the delay. Delays are whole nanoseconds, never negative, and at most 292 years.
public struct RetryPolicy: Hashable, Sendable {
  /// A random variation of the delays, so that clients that failed together don't retry at the same time.
  public enum Jitter: Hashable, Sendable {
    /// The unchanged delay.
    case none

    /// A random delay between zero and the full delay.
    case full

    /// A random delay between half the delay and the full delay.
    case equal
  }

  /// The maximum number of retries, or `.max` for no limit.
  public let maxRetries: Int

  /// The delay before the first retry.
  public let firstDelay: Duration

  /// The factor by which each delay is multiplied to get the next one.
  public let factor: Double

  /// The upper bound of all delays.
  public let longestDelay: Duration

  /// The random variation of the delays.
  public let jitter: Jitter

  /// Indicates whether a value from upstream resets the policy. The next failure then counts as the first, for the delay and
  /// for the number of retries.
  public let resetsAfterValue: Bool

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - maxRetries: The maximum number of retries, or `.max` for no limit.
  ///   - firstDelay: The delay before the first retry.
  ///   - factor: The factor by which each delay is multiplied to get the next one.
  ///   - longestDelay: The upper bound of all delays.
  ///   - jitter: The random variation of the delays.
  ///   - resetsAfterValue: `true` if a value from upstream resets the delay and the number of retries.
  /// - Precondition: No argument is negative, and `factor` is finite and at least 1.
  public init(
    maxRetries: Int, firstDelay: Duration = .zero, factor: Double = 1, longestDelay: Duration = .nanoseconds(Int64.max),
    jitter: Jitter = .none, resetsAfterValue: Bool = false
  ) {
    require(
      maxRetries >= 0, or: "RetryPolicy(maxRetries:) requires a number of at least 0, got \(maxRetries).")
    require(
      firstDelay >= .zero, or: "RetryPolicy(firstDelay:) requires a delay of at least zero, got \(firstDelay).")
    require(
      factor >= 1 && factor.isFinite,
      or:
        "RetryPolicy(factor:) requires a finite factor of at least 1, got \(factor). Use 1 for delays of equal length."
    )
    require(
      longestDelay >= .zero,
      or: "RetryPolicy(longestDelay:) requires a delay of at least zero, got \(longestDelay).")
    self.maxRetries = maxRetries
    self.firstDelay = firstDelay
    self.factor = factor
    self.longestDelay = longestDelay
    self.jitter = jitter
    self.resetsAfterValue = resetsAfterValue
  }
}

extension RetryPolicy {
  /// Creates a policy that retries without a delay, like
  /// ``init(maxRetries:firstDelay:factor:longestDelay:jitter:resetsAfterValue:)``.
  ///
  ///     let policy = RetryPolicy.immediate(maxRetries: 3)
  public static func immediate(maxRetries: Int, resetsAfterValue: Bool = false) -> RetryPolicy {
    RetryPolicy(maxRetries: maxRetries, resetsAfterValue: resetsAfterValue)
  }

  /// Creates a policy that retries after the same `delay` each time, like
  /// ``init(maxRetries:firstDelay:factor:longestDelay:jitter:resetsAfterValue:)``.
  ///
  ///     let policy = RetryPolicy.delay(.seconds(2), maxRetries: 3)
  public static func delay(
    _ delay: Duration, maxRetries: Int, jitter: Jitter = .none, resetsAfterValue: Bool = false
  ) -> RetryPolicy {
    RetryPolicy(maxRetries: maxRetries, firstDelay: delay, jitter: jitter, resetsAfterValue: resetsAfterValue)
  }

  /// Creates a policy whose delays grow by a factor, up to an upper bound, like
  /// ``init(maxRetries:firstDelay:factor:longestDelay:jitter:resetsAfterValue:)``.
  ///
  /// `first` is the policy's `firstDelay`, and `longest` is its `longestDelay`.
  ///
  ///     let policy = RetryPolicy.exponentialBackoff(first: .milliseconds(500), longest: .seconds(30), maxRetries: 8, jitter: .full)
  ///
  /// If many clients share a server, pass `jitter: .full`.
  public static func exponentialBackoff(
    first: Duration, factor: Double = 2, longest: Duration, maxRetries: Int, jitter: Jitter = .none,
    resetsAfterValue: Bool = false
  ) -> RetryPolicy {
    RetryPolicy(
      maxRetries: maxRetries, firstDelay: first, factor: factor, longestDelay: longest, jitter: jitter,
      resetsAfterValue: resetsAfterValue)
  }
}

extension RetryPolicy {
  /// Returns the delay before a retry, without jitter.
  ///
  /// - Parameter retry: The number of the retry, counted from 1.
  /// - Precondition: `retry` is positive.
  /// - Complexity: O(log *n*), where *n* is `retry`.
  public func delay(beforeRetry retry: Int) -> Duration { .nanoseconds(nanoseconds(beforeRetry: retry)) }

  /// Returns the delay before a retry, with jitter.
  ///
  /// - Parameters:
  ///   - retry: The number of the retry, counted from 1.
  ///   - random: A closure that returns a random number in a range, such as `Double.random(in:)`. The number is the fraction of
  ///     the delay to wait. The range is `0...1` for full jitter and `0.5...1` for equal jitter. Without jitter, the closure
  ///     isn't called.
  /// - Precondition: `retry` is positive, and the closure returns a number in the range.
  /// - Complexity: O(log *n*), where *n* is `retry`.
  public func delay(beforeRetry retry: Int, random: (ClosedRange<Double>) -> Double) -> Duration {
    delay(beforeRetry: retry, in: "delay(beforeRetry:random:)", random: random)
  }

  /// Returns the delay before a retry, with jitter. If `random` returns a number outside the range, stops the program with a
  /// message that names the method.
  func delay(
    beforeRetry retry: Int, in method: StaticString, random: (ClosedRange<Double>) -> Double
  ) -> Duration {
    let whole = nanoseconds(beforeRetry: retry)
    let parts: ClosedRange<Double>
    switch jitter {
    case .none: return .nanoseconds(whole)
    case .full: parts = 0...1
    case .equal: parts = 0.5...1
    }
    let part = random(parts)
    require(
      parts.contains(part),
      or: "The `random` closure of \(method) must return a number in the range \(parts), got \(part)."
    )
    let delay = (Double(whole) * part).rounded()
    return .nanoseconds(delay < Double(whole) ? Int64(delay) : whole)
  }

  private func nanoseconds(beforeRetry retry: Int) -> Int64 {
    require(retry > 0, or: "delay(beforeRetry:) requires a number of at least 1, got \(retry).")
    let first = Int64(min(firstDelay, longestDelay).clampedNanoseconds)
    let longest = Int64(longestDelay.clampedNanoseconds)
    if factor == 1 || first == 0 { return first }
    // May be infinite but not NaN: the power is at least 1 and `first` isn't zero.
    let delay = (Double(first) * factor.raised(to: retry - 1)).rounded()
    return delay < Double(longest) ? Int64(delay) : longest
  }
}

extension Double {
  fileprivate func raised(to exponent: Int) -> Double {
    var (result, power, exponent) = (1.0, self, exponent)
    while exponent > 0 {
      if exponent & 1 == 1 { result *= power }
      power *= power
      exponent >>= 1
    }
    return result
  }
}

extension RetryPolicy {
  @available(*, unavailable, message: "specify the number of retries: delay(_:maxRetries:), with .max for no limit")
  @_alwaysEmitIntoClient
  public static func delay(_ delay: Duration) -> RetryPolicy { explain() }

  @available(
    *, unavailable,
    message: "specify the number of retries: exponentialBackoff(first:longest:maxRetries:), with .max for no limit"
  )
  @_alwaysEmitIntoClient
  public static func exponentialBackoff(first: Duration, longest: Duration) -> RetryPolicy { explain() }
}
