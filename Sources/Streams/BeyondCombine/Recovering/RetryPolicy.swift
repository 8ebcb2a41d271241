/// How often, and after which delays, a failed publisher is attached to again.
///
/// ```swift
/// let policy = RetryPolicy.exponentialBackoff(first: .milliseconds(500), longest: .seconds(30), maxRetries: 8)
/// load().retry(policy, scheduler: DispatchQueue.main)
/// ```
///
/// The delay before retry `n`, counted from 1, is `firstDelay * factor^(n - 1)`, and `longestDelay` at most; then jitter is
/// applied. Delays are whole nanoseconds, never negative, and at most 292 years.
public struct RetryPolicy: Hashable, Sendable {
  /// How a delay is made different for each retry, so that clients that failed together do not come back together.
  public enum Jitter: Hashable, Sendable {
    /// The delay as it is.
    case none

    /// Anything from nothing to the delay.
    case full

    /// Anything from half of the delay to all of it.
    case equal
  }

  /// How many retries are made; `.max` for no bound.
  public let maxRetries: Int

  /// The delay before the first retry.
  public let firstDelay: Duration

  /// By what each delay is multiplied to make the next.
  public let factor: Double

  /// What no delay is longer than.
  public let longestDelay: Duration

  /// How delays are made different.
  public let jitter: Jitter

  /// Whether a value shows that all is well again: then the failure after it counts as the first, for the delay and for
  /// the number of retries.
  public let resetsAfterValue: Bool

  /// Makes a policy.
  ///
  /// - Precondition: No number is negative, `factor` is finite and at least 1.
  public init(
    maxRetries: Int, firstDelay: Duration = .zero, factor: Double = 1, longestDelay: Duration = .nanoseconds(Int64.max),
    jitter: Jitter = .none, resetsAfterValue: Bool = false
  ) {
    require(
      maxRetries >= 0, or: "RetryPolicy(maxRetries: \(maxRetries)): the number cannot be negative. Use 0 for no retry.")
    require(
      firstDelay >= .zero, or: "RetryPolicy(firstDelay: \(firstDelay)): a delay cannot be negative. Use zero for none.")
    require(
      factor >= 1 && factor.isFinite,
      or:
        "RetryPolicy(factor: \(factor)): the factor must be a finite number of at least 1, with which delays stay as they are."
    )
    require(
      longestDelay >= .zero,
      or: "RetryPolicy(longestDelay: \(longestDelay)): a delay cannot be negative. Use zero for no delays.")
    self.maxRetries = maxRetries
    self.firstDelay = firstDelay
    self.factor = factor
    self.longestDelay = longestDelay
    self.jitter = jitter
    self.resetsAfterValue = resetsAfterValue
  }
}

extension RetryPolicy {
  /// Retries at once.
  public static func immediate(maxRetries: Int, resetsAfterValue: Bool = false) -> RetryPolicy {
    RetryPolicy(maxRetries: maxRetries, resetsAfterValue: resetsAfterValue)
  }

  /// Retries after the same delay each time.
  public static func delay(
    _ delay: Duration, maxRetries: Int, jitter: Jitter = .none, resetsAfterValue: Bool = false
  ) -> RetryPolicy {
    RetryPolicy(maxRetries: maxRetries, firstDelay: delay, jitter: jitter, resetsAfterValue: resetsAfterValue)
  }

  /// Retries after delays that grow by a factor, up to the longest one.
  public static func exponentialBackoff(
    first: Duration, factor: Double = 2, longest: Duration, maxRetries: Int, jitter: Jitter = .full,
    resetsAfterValue: Bool = false
  ) -> RetryPolicy {
    RetryPolicy(
      maxRetries: maxRetries, firstDelay: first, factor: factor, longestDelay: longest, jitter: jitter,
      resetsAfterValue: resetsAfterValue)
  }
}

extension RetryPolicy {
  /// The delay before a retry, counted from 1, without jitter.
  ///
  /// - Precondition: `retry` is positive.
  public func delay(beforeRetry retry: Int) -> Duration { .nanoseconds(nanoseconds(beforeRetry: retry)) }

  /// The delay before a retry, counted from 1, with jitter from a generator, which is used only if there is jitter.
  ///
  /// - Precondition: `retry` is positive.
  public func delay(beforeRetry retry: Int, using generator: inout some RandomNumberGenerator) -> Duration {
    let whole = nanoseconds(beforeRetry: retry)
    switch jitter {
    case .none: return .nanoseconds(whole)
    case .full: return .nanoseconds(Int64.random(in: 0...whole, using: &generator))
    case .equal: return .nanoseconds(Int64.random(in: (whole - whole / 2)...whole, using: &generator))
    }
  }

  private func nanoseconds(beforeRetry retry: Int) -> Int64 {
    require(retry > 0, or: "delay(beforeRetry: \(retry)): retries are counted from 1. Use a positive number.")
    let first = min(firstDelay, longestDelay).clampedNanoseconds
    let longest = longestDelay.clampedNanoseconds
    if factor == 1 || first == 0 { return first }
    // May be infinite, but is not NaN, as it is at least 1 and `first` is not zero.
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

extension Duration {
  /// The nanoseconds of a duration that is not negative, and the most that there can be if those are more.
  fileprivate var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooLongAtLast) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isTooLong || isTooLongAtLast ? .max : sum
  }

  /// The same distance in a scheduler's time.
  @usableFromInline
  func stride<Stride: SchedulerTimeIntervalConvertible>(_: Stride.Type = Stride.self) -> Stride {
    .nanoseconds(Int(clamping: clampedNanoseconds))
  }
}
