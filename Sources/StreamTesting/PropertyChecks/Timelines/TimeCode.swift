internal import Dispatch
internal import StreamSchedulers

/// Swift expressions for times, and for values that may be times.
enum TimeCode {
  static func expression(of value: Any) -> String {
    guard let stride = value as? DispatchQueue.SchedulerTimeType.Stride else { return String(reflecting: value) }
    return "DispatchQueue.SchedulerTimeType.Stride\(expression(stride.nanoseconds))"
  }

  static func text(of value: Any) -> String {
    guard let stride = value as? DispatchQueue.SchedulerTimeType.Stride else { return "\(value)" }
    return DurationText.described(stride.nanoseconds)
  }

  /// Returns the shortest expression without a type: `.milliseconds(300)`.
  static func expression(_ nanoseconds: Int) -> String {
    let units = [
      (1_000_000_000, "seconds"), (1_000_000, "milliseconds"), (1000, "microseconds"), (1, "nanoseconds"),
    ]
    if nanoseconds == 0 { return ".zero" }
    let unit = units.first { nanoseconds % $0.0 == 0 } ?? units[3]
    return ".\(unit.1)(\(nanoseconds / unit.0))"
  }
}
