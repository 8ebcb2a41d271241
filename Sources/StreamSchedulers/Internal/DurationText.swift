/// Functions that format a number of nanoseconds as text.
package enum DurationText {
  /// Returns text in a unit that keeps it short: `0 s`, `300 ms`, `1.5 s`.
  package static func described(_ nanoseconds: Int) -> String { text(nanoseconds, separator: " ") }

  /// Returns text in the format that marble diagrams use for gaps: `300ms`, `1.5s`.
  package static func marble(_ nanoseconds: Int) -> String { text(nanoseconds, separator: "") }

  private static func text(_ nanoseconds: Int, separator: String) -> String {
    let magnitude = nanoseconds.magnitude
    let units: [(size: UInt, name: String)] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"), (1, "ns")]
    // Seconds with up to three decimal places, otherwise the largest unit that needs none.
    let unit =
      magnitude == 0 || magnitude >= 1_000_000_000 && magnitude % 1_000_000 == 0
      ? units[0] : units.first { magnitude % $0.size == 0 } ?? units[3]
    var digits = "\(magnitude / unit.size)"
    let rest = magnitude % unit.size / 1_000_000
    if rest > 0 {
      var fraction = "\(rest)"
      fraction = String(repeating: "0", count: 3 - fraction.count) + fraction
      while fraction.last == "0" { fraction.removeLast() }
      digits += ".\(fraction)"
    }
    return (nanoseconds < 0 ? "-" : "") + digits + separator + unit.name
  }
}
