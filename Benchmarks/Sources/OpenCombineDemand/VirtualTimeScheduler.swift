import OpenCombine
import Workloads

/// Virtual time as a scheduler for OpenCombine.
struct VirtualTimeScheduler: Scheduler {
  struct SchedulerTimeType: Strideable {
    struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric {
      var milliseconds: Int

      init(_ milliseconds: Int) { self.milliseconds = milliseconds }

      init(integerLiteral value: Int) { milliseconds = value * 1_000 }

      init?<Number: BinaryInteger>(exactly source: Number) {
        guard let value = Int(exactly: source) else { return nil }
        milliseconds = value * 1_000
      }

      var magnitude: Int { abs(milliseconds) }

      static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
      static func + (left: Self, right: Self) -> Self { Self(left.milliseconds + right.milliseconds) }
      static func - (left: Self, right: Self) -> Self { Self(left.milliseconds - right.milliseconds) }
      static func * (left: Self, right: Self) -> Self { Self(left.milliseconds * right.milliseconds / 1_000) }
      static func += (left: inout Self, right: Self) { left = left + right }
      static func -= (left: inout Self, right: Self) { left = left - right }
      static func *= (left: inout Self, right: Self) { left = left * right }

      static func seconds(_ seconds: Int) -> Self { Self(seconds * 1_000) }
      static func seconds(_ seconds: Double) -> Self { Self(Int(seconds * 1_000)) }
      static func milliseconds(_ milliseconds: Int) -> Self { Self(milliseconds) }
      static func microseconds(_ microseconds: Int) -> Self { Self(microseconds / 1_000) }
      static func nanoseconds(_ nanoseconds: Int) -> Self { Self(nanoseconds / 1_000_000) }
    }

    let milliseconds: Int

    func distance(to other: Self) -> Stride { Stride(other.milliseconds - milliseconds) }
    func advanced(by stride: Stride) -> Self { Self(milliseconds: milliseconds + stride.milliseconds) }
  }

  typealias SchedulerOptions = Never

  private let time: VirtualTime

  init(_ time: VirtualTime) { self.time = time }

  var now: SchedulerTimeType { SchedulerTimeType(milliseconds: time.now) }
  var minimumTolerance: SchedulerTimeType.Stride { .milliseconds(0) }

  func schedule(options: Never?, _ action: @escaping () -> Void) { time.schedule(at: time.now, action) }

  func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void
  ) {
    time.schedule(at: date.milliseconds, action)
  }

  func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: Never?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    let entry = time.schedule(at: date.milliseconds, interval: interval.milliseconds, action)
    return AnyCancellable { entry.cancel() }
  }
}
