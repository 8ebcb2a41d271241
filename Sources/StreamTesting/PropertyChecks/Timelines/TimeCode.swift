/// Swift expressions for times.
enum TimeCode {
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
