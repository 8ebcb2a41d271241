internal import Streams

/// A duration that virtual time can count: in whole nanoseconds.
///
/// `Swift.Duration` is one, and hardly anybody needs another. Make one for a clock of yours whose durations are of a type of
/// their own, so that a ``TestClock`` can stand in for it:
///
/// ```swift
/// extension Frames: VirtualDuration {
///   init(virtualNanoseconds count: Int) { self.init(count: count / 20_000_000) }
///   var virtualNanoseconds: Int { count * 20_000_000 }
/// }
/// ```
public protocol VirtualDuration: DurationProtocol, Hashable {
  /// Makes a duration of so many nanoseconds.
  init(virtualNanoseconds count: Int)

  /// The nearest whole number of nanoseconds, or the nearest one that there is.
  var virtualNanoseconds: Int { get }
}

extension Duration: VirtualDuration {
  /// Makes a duration of so many nanoseconds.
  public init(virtualNanoseconds count: Int) { self = .nanoseconds(count) }

  /// The nearest whole number of nanoseconds; what is longer than 292 years is as long as that.
  public var virtualNanoseconds: Int {
    let (seconds, attoseconds) = components
    let rest = (attoseconds + (attoseconds < 0 ? -500_000_000 : 500_000_000)) / 1_000_000_000
    return Int(clamping: seconds).multipliedSaturating(by: 1_000_000_000).addingSaturating(Int(rest))
  }
}
