internal import StreamSchedulers

extension MarbleDiagram {
  /// The background for which an SVG picture is made.
  public enum Style: Sendable, CaseIterable {
    /// Dark lines, for a light background.
    case light

    /// Light lines, for a dark background.
    case dark
  }

  /// Renders the picture as SVG.
  ///
  /// Values are marbles, with the same color for the same value; a bar is a completion, a cross a failure. The
  /// background is transparent. Text that is too long for a marble is truncated, and shown in full as a tooltip.
  ///
  /// - Parameter style: The background for which the picture is made.
  /// - Returns: The text of an SVG file.
  /// - Complexity: O(n log n), where n is the number of events.
  public func svg(_ style: Style = .light) -> String {
    var drawing = Drawing(self, Palette(style))
    return drawing.svg()
  }
}

private struct Palette {
  let ink: String
  let faint: String
  let box: String
  let text: String
  let marbles: [String]

  init(_ style: MarbleDiagram.Style) {
    switch style {
    case .light:
      (ink, faint, box, text) = ("#1d1d1f", "#8a8a8e", "#f2f2f7", "#1d1d1f")
      marbles = ["#ffd479", "#9fd8ff", "#b6e8a8", "#ffb3ba", "#d5c2ff", "#ffcfa3", "#a8e6df", "#e3e3e8"]
    case .dark:
      (ink, faint, box, text) = ("#f5f5f7", "#98989d", "#2c2c2e", "#f5f5f7")
      marbles = ["#8a5f00", "#0a5c8f", "#2d6b22", "#8f2f3c", "#5b3fa0", "#8a4a12", "#0f6b62", "#4a4a4f"]
    }
  }
}

/// The layout of a picture. All measures are integers, so that rounding does not differ between machines.
private struct Drawing {
  private let diagram: MarbleDiagram
  private let palette: Palette
  private let left: Int
  private let right: Int
  private let width: Int
  private let frameWidth: Int
  private let frameCount: Int
  private let colors: [String: Int]
  private var elements: [String] = []

  private static let marbleRadius = 12
  private static let rowHeight = 44
  private static let stackHeight = 26
  private static let boxHeight = 36
  private static let axisHeight = 30
  private static let longestName = 14

  init(_ diagram: MarbleDiagram, _ palette: Palette) {
    self.diagram = diagram
    self.palette = palette
    let longest = diagram.lines.map(\.name.count).max() ?? 0
    // A marble at either end needs room.
    let widest =
      diagram.lines.flatMap(\.entries).map { entry in
        if case .value(let name) = entry.symbol { Self.halfWidth(of: Self.label(name)) } else { 0 }
      }.max() ?? 0
    right = max(28, widest + 6)
    left = max(24, widest + 6) + longest * 8
    frameCount = max(1, (diagram.until + diagram.frame - 1) / diagram.frame)
    frameWidth = frameCount <= 32 ? 32 : 1024 / frameCount
    let streamWidth = frameWidth > 0 ? frameCount * frameWidth : 1024
    let labelWidth =
      diagram.rows.map { row in
        if case .operator(let name) = row { name.count * 8 + 32 } else { 0 }
      }.max() ?? 0
    width = max(left + streamWidth + right, labelWidth + left + right, 200)
    var colors: [String: Int] = [:]
    for case .value(let name) in diagram.lines.flatMap(\.entries).map(\.symbol) where colors[name] == nil {
      colors[name] = colors.count
    }
    self.colors = colors
  }

  mutating func svg() -> String {
    var y = 6
    for row in diagram.rows {
      switch row {
      case .line(let line): y += draw(line, at: y)
      case .operator(let name): y += draw(box: name, at: y)
      }
    }
    y += drawAxis(at: y)
    let title = diagram.title.isEmpty ? "Marble diagram" : diagram.title
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(y)" viewBox="0 0 \(width) \(y)" \
      role="img" aria-label="\(title.escaped)">
      <title>\(title.escaped)</title>
      \(elements.joined(separator: "\n"))
      </svg>

      """
  }

  private func x(_ nanoseconds: Int) -> Int {
    // Split so that the product stays small.
    let (frames, rest) = nanoseconds.quotientAndRemainder(dividingBy: diagram.frame)
    guard frameWidth > 0 else { return left + 1024 * frames / frameCount }
    return left + frames * frameWidth + rest / 1000 * frameWidth / max(1, diagram.frame / 1000)
  }

  /// Draws a stream and returns its height.
  private mutating func draw(_ line: MarbleDiagram.Line, at top: Int) -> Int {
    let moments = Dictionary(grouping: line.entries, by: \.nanoseconds).sorted { $0.key < $1.key }
    // Values of one moment are stacked; a bar is behind them, a cross below.
    let tallest = moments.map { $0.value.count { $0.symbol != .finish && $0.symbol != .cancellation } }.max() ?? 0
    let height = Self.rowHeight + max(0, tallest - 1) * Self.stackHeight
    let y = top + Self.rowHeight / 2
    let end = line.entries.first { $0.symbol == .finish || $0.symbol == .failure || $0.symbol == .cancellation }
    if !line.name.isEmpty {
      text(line.name, x: left - 16, y: y + 4, size: 13, anchor: "end", color: palette.text)
    }
    let last = end.map { x($0.nanoseconds) } ?? x(max(diagram.until, line.until)) + 22
    stroke("M\(x(line.from)) \(y)H\(last)", width: 2)
    if end == nil { stroke("M\(last - 5) \(y - 5)L\(last) \(y)L\(last - 5) \(y + 5)", width: 2) }
    for (time, entries) in moments {
      let names = entries.compactMap { if case .value(let name) = $0.symbol { name } else { nil } }
      let reach = max(0, names.count - 1) * Self.stackHeight
      for entry in entries { drawEnd(entry.symbol, x: x(time), y: y, reach: names.isEmpty ? 0 : reach + 5) }
      for (index, name) in names.enumerated() { draw(name, x: x(time), y: y + index * Self.stackHeight) }
    }
    return height
  }

  private mutating func drawEnd(_ symbol: TimelineText.Symbol, x: Int, y: Int, reach: Int) {
    switch symbol {
    case .finish: stroke("M\(x) \(y - 12 - min(reach, 5))V\(y + 12 + reach)", width: 3)
    case .failure:
      // A cross is below the values of the same moment.
      let y = reach > 0 ? y + reach - 5 + Self.stackHeight : y
      stroke("M\(x - 8) \(y - 8)L\(x + 8) \(y + 8)M\(x + 8) \(y - 8)L\(x - 8) \(y + 8)", width: 3)
    case .cancellation: stroke("M\(x) \(y - 16)V\(y + 16 + reach)", width: 2, color: palette.faint)
    case .value, .subscription: break
    }
  }

  private static func label(_ name: String) -> String {
    name.count > longestName ? name.prefix(longestName - 1) + "…" : name
  }

  private static func halfWidth(of label: String) -> Int { max(marbleRadius, label.count * 4 + 6) }

  private mutating func draw(_ name: String, x: Int, y: Int) {
    let label = Self.label(name)
    let halfWidth = Self.halfWidth(of: label)
    let color = palette.marbles[colors[name, default: 0] % palette.marbles.count]
    elements.append(
      """
      <g><rect x="\(x - halfWidth)" y="\(y - Self.marbleRadius)" width="\(halfWidth * 2)" \
      height="\(Self.marbleRadius * 2)" rx="\(Self.marbleRadius)" fill="\(color)" stroke="\(palette.ink)" \
      stroke-width="1.5"/>\(label != name ? "<title>\(name.escaped)</title>" : "")
      """)
    text(label, x: x, y: y + 4, size: 12, anchor: "middle", color: palette.text)
    elements[elements.count - 1] += "</g>"
  }

  private mutating func draw(box name: String, at y: Int) -> Int {
    let x = left - 12
    elements.append(
      """
      <rect x="\(x)" y="\(y + 4)" width="\(width - x - 12)" height="\(Self.boxHeight - 8)" rx="6" \
      fill="\(palette.box)" stroke="\(palette.faint)"/>
      """)
    text(
      name, x: (x + width - 12) / 2, y: y + Self.boxHeight / 2 + 4, size: 13, anchor: "middle", color: palette.text,
      isCode: true)
    return Self.boxHeight
  }

  private mutating func drawAxis(at top: Int) -> Int {
    let y = top + 6
    // The smallest round number of frames that leaves room for the label.
    let step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].first { $0 * frameWidth >= 56 } ?? frameCount
    stroke("M\(left) \(y)H\(x(frameCount * diagram.frame))", width: 1, color: palette.faint)
    for frame in stride(from: 0, through: frameCount, by: step) {
      let x = x(frame * diagram.frame)
      stroke("M\(x) \(y)v4", width: 1, color: palette.faint)
      let label = frame == 0 ? "0" : DurationText.described(frame * diagram.frame)
      text(label, x: x, y: y + 17, size: 11, anchor: "middle", color: palette.faint)
    }
    return Self.axisHeight
  }

  private mutating func stroke(_ path: String, width: Int, color: String? = nil) {
    elements.append(
      #"<path d="\#(path)" stroke="\#(color ?? palette.ink)" stroke-width="\#(width)" fill="none"/>"#)
  }

  private mutating func text(
    _ text: String, x: Int, y: Int, size: Int, anchor: String, color: String, isCode: Bool = false
  ) {
    let family = isCode ? "ui-monospace,Menlo,Consolas,monospace" : "-apple-system,Helvetica,Arial,sans-serif"
    elements.append(
      """
      <text x="\(x)" y="\(y)" font-family="\(family)" font-size="\(size)" text-anchor="\(anchor)" \
      fill="\(color)">\(text.escaped)</text>
      """)
  }
}

extension String {
  fileprivate var escaped: String {
    var result = ""
    for character in self {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
    return result
  }
}
