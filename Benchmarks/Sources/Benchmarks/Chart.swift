import Foundation
import Workloads

/// Draws results as bars on a logarithmic axis, in SVG. Equal results produce equal files.
struct Chart {
  let results: Results
  let theme: Theme

  struct Theme {
    let background: String
    let text: String
    let faint: String
    let bars: [ImplementationName: String]

    static let light = Theme(
      background: "#ffffff", text: "#1d1d1f", faint: "#d8d8dc",
      bars: [.streams: "#0a66d8", .openCombine: "#e07b16", .async: "#2f9e6e", .limit: "#9a9aa2"])
    static let dark = Theme(
      background: "#1b1b1d", text: "#f2f2f4", faint: "#3c3c40",
      bars: [.streams: "#5aa2ff", .openCombine: "#f5a04a", .async: "#5fcf9c", .limit: "#85858c"])
  }

  private static let width = 960.0
  private static let labelWidth = 170.0
  /// Leaves room for the numbers after the longest bars.
  private static let rightMargin = 70.0
  private static let topMargin = 76.0
  private static let bottomMargin = 44.0
  private static let barHeight = 10.0
  private static let groupGap = 12.0

  private var names: [ImplementationName] {
    ImplementationName.allCases.filter { name in results.figures.values.contains { $0[name] != nil } }
  }

  var svg: String {
    let workloads = Workload.common.filter { results.figures[$0] != nil }
    let figures = workloads.flatMap { results.figures[$0]!.values }.filter { $0 > 0 }
    let exponents = Self.exponents(figures)
    var body: [String] = []
    var y = Self.topMargin + Self.groupGap / 2
    for workload in workloads {
      let bars = names.compactMap { name in results.figures[workload]![name].map { (name, $0) } }
      let height = Double(bars.count) * Self.barHeight
      body.append(
        text(workload.rawValue, x: Self.labelWidth - 10, y: y + height / 2 + 4, size: 13, anchor: "end"))
      for (index, (name, figure)) in bars.enumerated() {
        let top = y + Double(index) * Self.barHeight
        let end = position(figure, exponents)
        body.append(
          rectangle(
            x: Self.labelWidth, y: top + 1, width: max(end - Self.labelWidth, 1), height: Self.barHeight - 2,
            fill: theme.bars[name]!))
        body.append(text(figure.figure, x: end + 4, y: top + Self.barHeight - 1.5, size: 9.5, anchor: "start"))
      }
      y += height + Self.groupGap
    }
    let bottom = y - Self.groupGap / 2
    let height = bottom + Self.bottomMargin
    let start = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(Self.width)) \(number(height))" \
      width="\(number(Self.width))" height="\(number(height))" \
      font-family="-apple-system, 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif" role="img">
      """,
      "<title>\(results.unit.rawValue.capitalized) per element, \(results.configuration) build</title>",
      rectangle(x: 0, y: 0, width: Self.width, height: height, fill: theme.background),
    ]
    let lines = start + legend + axis(exponents, bottom: bottom) + body + ["</svg>"]
    return lines.joined(separator: "\n") + "\n"
  }

  private var legend: [String] {
    var lines = [
      text(
        "\(results.unit.rawValue.capitalized) per element, logarithmic: less is better", x: Self.labelWidth, y: 24,
        size: 14, anchor: "start", weight: "600")
    ]
    var x = Self.labelWidth
    for name in names {
      lines.append(rectangle(x: x, y: 35, width: 12, height: 12, fill: theme.bars[name]!))
      lines.append(text(name.title, x: x + 18, y: 45.5, size: 12.5, anchor: "start"))
      x += 150
    }
    return lines
  }

  /// Returns a line for each power of ten, with its number at both ends of the chart.
  private func axis(_ exponents: ClosedRange<Int>, bottom: Double) -> [String] {
    exponents.flatMap { exponent in
      let x = position(pow(10, Double(exponent)), exponents)
      let label = pow(10, Double(exponent)).grouped
      return [
        """
        <line x1="\(number(x))" y1="\(number(Self.topMargin))" x2="\(number(x))" y2="\(number(bottom))" \
        stroke="\(theme.faint)"/>
        """,
        text(label, x: x, y: Self.topMargin - 6, size: 12, anchor: "middle"),
        text(label, x: x, y: bottom + 18, size: 12, anchor: "middle"),
      ]
    }
  }

  private static func exponents(_ figures: [Double]) -> ClosedRange<Int> {
    let low = Int(log10(figures.min() ?? 1).rounded(.down))
    let high = Int(log10(figures.max() ?? 10).rounded(.up))
    return low...max(high, low + 1)
  }

  private func position(_ figure: Double, _ exponents: ClosedRange<Int>) -> Double {
    let share = (log10(max(figure, 1e-9)) - Double(exponents.lowerBound)) / Double(exponents.count - 1)
    return Self.labelWidth + max(share, 0) * (Self.width - Self.labelWidth - Self.rightMargin)
  }

  private func text(
    _ string: String, x: Double, y: Double, size: Double, anchor: String, weight: String = "400"
  ) -> String {
    """
    <text x="\(number(x))" y="\(number(y))" font-size="\(number(size))" font-weight="\(weight)" \
    text-anchor="\(anchor)" fill="\(theme.text)">\(string)</text>
    """
  }

  private func rectangle(x: Double, y: Double, width: Double, height: Double, fill: String) -> String {
    """
    <rect x="\(number(x))" y="\(number(y))" width="\(number(width))" height="\(number(height))" fill="\(fill)"/>
    """
  }

  /// Formats a number with one decimal digit, so that the result does not depend on how a computer rounds the last one.
  private func number(_ value: Double) -> String { String(format: "%.1f", value) }
}
