package import StreamSchedulers
internal import Streams

/// A date in whole nanoseconds, which saturates instead of overflowing.
package struct VirtualTimeType: Strideable, Hashable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  package var nanoseconds: Int

  package init(_ nanoseconds: Int) { self.nanoseconds = nanoseconds }
  package init(integerLiteral value: Int) { nanoseconds = value }

  package static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

  package func advanced(by stride: Stride) -> Self { Self(nanoseconds.saturatingAdd(stride.nanoseconds)) }
  package func distance(to other: Self) -> Stride { Stride(other.nanoseconds.saturatingSubtract(nanoseconds)) }

  package var description: String { "\(nanoseconds)" }

  /// A distance in whole nanoseconds.
  package struct Stride: SchedulerTimeIntervalConvertible, SignedNumeric, Comparable, Hashable, Sendable,
    CustomStringConvertible
  {
    package var nanoseconds: Int

    package init(_ nanoseconds: Int) { self.nanoseconds = nanoseconds }
    package init(integerLiteral value: Int) { nanoseconds = value }
    package init?<T: BinaryInteger>(exactly source: T) {
      guard let nanoseconds = Int(exactly: source) else { return nil }
      self.nanoseconds = nanoseconds
    }

    package var magnitude: Self { Self(Int(clamping: nanoseconds.magnitude)) }
    package var description: String { "\(nanoseconds)" }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
    package static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.nanoseconds.saturatingAdd(rhs.nanoseconds)) }
    package static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.nanoseconds.saturatingSubtract(rhs.nanoseconds)) }
    package static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.nanoseconds.saturatingMultiply(rhs.nanoseconds)) }
    package static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }

    package static func seconds(_ s: Int) -> Self { Self(s.saturatingMultiply(1_000_000_000)) }
    package static func seconds(_ s: Double) -> Self { Self(Int((s * 1e9).rounded())) }
    package static func milliseconds(_ ms: Int) -> Self { Self(ms.saturatingMultiply(1_000_000)) }
    package static func microseconds(_ us: Int) -> Self { Self(us.saturatingMultiply(1000)) }
    package static func nanoseconds(_ ns: Int) -> Self { Self(ns) }
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

package typealias VirtualScheduler = TestScheduler<VirtualTimeType, Never>
