internal import Streams

/// A duration that virtual time can count in whole nanoseconds.
///
/// `Swift.Duration` conforms. If your own clock has another duration type, conform it to this protocol, so that a ``TestClock``
/// can replace the clock in tests:
///
/// ```swift
/// extension Frames: VirtualDuration {
///   init(virtualNanoseconds count: Int) { self.init(count: count / 20_000_000) }
///   var virtualNanoseconds: Int { count * 20_000_000 }
/// }
/// ```
public protocol VirtualDuration: DurationProtocol, Hashable {
  /// Creates a duration from a number of nanoseconds.
  ///
  /// - Parameter count: The number of nanoseconds.
  init(virtualNanoseconds count: Int)

  /// The duration in nanoseconds, rounded to the nearest whole number and clamped to the range of `Int`.
  var virtualNanoseconds: Int { get }
}

extension Duration: VirtualDuration {
  /// Creates a duration from a number of nanoseconds.
  ///
  /// - Parameter count: The number of nanoseconds.
  @_disfavoredOverload
  public init(virtualNanoseconds count: Int) { self = .nanoseconds(count) }

  /// The duration in nanoseconds, rounded to the nearest whole number and clamped to about 292 years.
  @_disfavoredOverload
  public var virtualNanoseconds: Int {
    // Not from `components`, which stops the program if the seconds don't fit in `Int64`.
    let half: Int128 = attoseconds < 0 ? -500_000_000 : 500_000_000
    let (sum, overflow) = attoseconds.addingReportingOverflow(half)
    return Int(clamping: (overflow ? attoseconds : sum) / 1_000_000_000)
  }
}
