import StreamSchedulers
import Streams

/// A date in whole nanoseconds, which saturates instead of overflowing.
struct VirtualTimeType: Strideable, Hashable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  var nanoseconds: Int

  init(_ nanoseconds: Int) { self.nanoseconds = nanoseconds }
  init(integerLiteral value: Int) { nanoseconds = value }

  static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

  func advanced(by stride: Stride) -> Self { Self(nanoseconds.saturatingAdd(stride.nanoseconds)) }
  func distance(to other: Self) -> Stride { Stride(other.nanoseconds.saturatingSubtract(nanoseconds)) }

  var description: String { "\(nanoseconds)" }

  /// A distance in whole nanoseconds.
  struct Stride: SchedulerTimeIntervalConvertible, SignedNumeric, Comparable, Hashable, Sendable,
    CustomStringConvertible
  {
    var nanoseconds: Int

    init(_ nanoseconds: Int) { self.nanoseconds = nanoseconds }
    init(integerLiteral value: Int) { nanoseconds = value }
    init?<T: BinaryInteger>(exactly source: T) {
      guard let nanoseconds = Int(exactly: source) else { return nil }
      self.nanoseconds = nanoseconds
    }

    var magnitude: Self { Self(Int(clamping: nanoseconds.magnitude)) }
    var description: String { "\(nanoseconds)" }

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
    static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.nanoseconds.saturatingAdd(rhs.nanoseconds)) }
    static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.nanoseconds.saturatingSubtract(rhs.nanoseconds)) }
    static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.nanoseconds.saturatingMultiply(rhs.nanoseconds)) }
    static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }

    static func seconds(_ s: Int) -> Self { Self(s.saturatingMultiply(1_000_000_000)) }
    static func seconds(_ s: Double) -> Self { Self(Int((s * 1e9).rounded())) }
    static func milliseconds(_ ms: Int) -> Self { Self(ms.saturatingMultiply(1_000_000)) }
    static func microseconds(_ us: Int) -> Self { Self(us.saturatingMultiply(1000)) }
    static func nanoseconds(_ ns: Int) -> Self { Self(ns) }
  }
}

extension Int {
  fileprivate func saturatingAdd(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  fileprivate func saturatingSubtract(_ other: Int) -> Int {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }

  fileprivate func saturatingMultiply(_ other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }
}

typealias VirtualScheduler = TestScheduler<VirtualTimeType, Never>
