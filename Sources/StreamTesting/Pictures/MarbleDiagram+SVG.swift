internal import StreamSchedulers

extension MarbleDiagram {
  /// The background of an SVG picture.
  public enum Style: Sendable, CaseIterable {
    /// Dark lines, for a light background.
    case light

    /// Light lines, for a dark background.
    case dark
  }

  /// Renders the picture as SVG.
  ///
  /// ```swift
  /// let diagram = MarbleDiagram([.line(letters), .line(recorder)], frame: scheduler.frame)
  /// try diagram.svg(.dark).write(to: url, atomically: true, encoding: .utf8)
  /// ```
  ///
  /// Values are marbles in the colors of their origins. A bar marks a normal completion, a cross a failure, a triangle
  /// a subscription, and a dashed line a cancellation. The background is transparent. Text that is too long for a
  /// marble is truncated, and shown in full as a tooltip. The ``caption`` is the description of the image.
  ///
  /// - Parameter style: The background of the picture.
  /// - Returns: The text of an SVG file.
  /// - Complexity: O(*n* log *n*), where *n* is the number of events.
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
      marbles = [
        "#ffd479", "#9fd8ff", "#b6e8a8", "#ffb3ba", "#d5c2ff", "#ffc299", "#9be3da", "#e6b8e0", "#dbe58c", "#c8ccd4",
      ]
    case .dark:
      (ink, faint, box, text) = ("#f5f5f7", "#98989d", "#2c2c2e", "#f5f5f7")
      marbles = [
        "#8a5f00", "#0a5c8f", "#2d6b22", "#8f2f3c", "#5b3fa0", "#9a4a10", "#0f6b62", "#7d2f78", "#5c6410", "#55585f",
      ]
    }
  }
}

/// The layout of a picture. All measures are integers, so rounding doesn't differ between machines.
private struct Drawing {
  private let diagram: MarbleDiagram
  private let palette: Palette
  private let left: Int
  private let nameGap: Int
  private let right: Int
  private let width: Int
  private let frameWidth: Int
  private let frameCount: Int
  private let colors: [Origin: Int]
  private var elements: [String] = []
  private var definitions: [String] = []

  /// A color's key: an origin, or the text of a value without origins.
  private enum Origin: Hashable {
    case value(String)
    case nowhere(String)
  }

  private static let marbleRadius = 12
  private static let rowHeight = 44
  private static let stackHeight = 26
  private static let boxHeight = 36
  private static let axisHeight = 30
  private static let longestName = 14

  /// The maximum number of colors in a marble. If a value has more origins, the last ones are shown.
  private static let mostColors = 6

  init(_ diagram: MarbleDiagram, _ palette: Palette) {
    self.diagram = diagram
    self.palette = palette
    let longest = diagram.lines.map(\.name.count).max() ?? 0
    // A marble at either end needs room, and so does one at the beginning beside the name of its line.
    let marbles = diagram.lines.map(Self.marbles)
    let widest = marbles.joined().map(\.halfWidth).max() ?? 0
    let named = zip(diagram.lines, marbles).filter { !$0.0.name.isEmpty }.flatMap(\.1)
    nameGap = max(16, 4 + (named.filter { $0.time == 0 }.map(\.halfWidth).max() ?? 0))
    right = max(28, widest + 6)
    left = max(24, widest + 6) + longest * 8 + nameGap - 16
    frameCount = max(1, diagram.until / diagram.frame + (diagram.until % diagram.frame > 0 ? 1 : 0))
    // Frames are wide enough for the marbles of neighboring frames, within limits.
    let needed = marbles.flatMap { line in
      zip(line, line.dropFirst()).map { first, second in
        (first.halfWidth + second.halfWidth + 2)
          .multiplied(by: diagram.frame, dividedBy: max(diagram.frame, second.time.subtractingSaturating(first.time)))
      }
    }
    frameWidth = frameCount <= 32 ? min(96, needed.reduce(32, max)) : 1024 / frameCount
    let streamWidth = frameWidth > 0 ? frameCount * frameWidth : 1024
    let labelWidth =
      diagram.rows.map { row in
        if case .operator(let name) = row { name.count * 8 + 32 } else { 0 }
      }.max() ?? 0
    width = max(left + streamWidth + right, labelWidth + left + right, 200)
    var colors: [Origin: Int] = [:]
    for line in diagram.lines {
      for entry in line.entries where line.isHeard(at: entry.nanoseconds) {
        for origin in Self.origins(of: entry) where colors[origin] == nil { colors[origin] = colors.count }
      }
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
    let caption = diagram.caption
    if !definitions.isEmpty { elements.insert("<defs>\(definitions.joined())</defs>", at: 0) }
    if !caption.isEmpty { elements.insert("<desc>\(caption.escaped)</desc>", at: 0) }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(y)" viewBox="0 0 \(width) \(y)" \
      role="img" aria-label="\((caption.isEmpty ? title : caption).escaped)">
      <title>\(title.escaped)</title>
      \(elements.joined(separator: "\n"))
      </svg>

      """
  }

  /// Returns half the width of the widest marble for each time at which a line has values.
  private static func marbles(of line: MarbleDiagram.Line) -> [(time: Int, halfWidth: Int)] {
    let widths = line.entries.compactMap { entry in
      if case .value(let name) = entry.symbol {
        (time: entry.nanoseconds, halfWidth: halfWidth(of: label(name)))
      } else {
        nil
      }
    }
    return Dictionary(grouping: widths, by: \.time).sorted { $0.key < $1.key }.map { time, widths in
      (time, widths.map(\.halfWidth).max() ?? 0)
    }
  }

  private static func origins(of entry: TimelineText.Entry) -> [Origin] {
    guard case .value(let text) = entry.symbol else { return [] }
    if entry.origins.isEmpty { return [.nowhere(text)] }
    var seen: Set<String> = []
    return entry.origins.filter { seen.insert($0).inserted }.map { .value($0) }
  }

  private func x(_ nanoseconds: Int) -> Int {
    // Anything earlier is outside the picture anyway.
    let nanoseconds = max(nanoseconds, diagram.frame.multipliedSaturating(by: -1024))
    // Splitting keeps the product small.
    let (frames, rest) = nanoseconds.quotientAndRemainder(dividingBy: diagram.frame)
    guard frameWidth > 0 else { return left + 1024.multiplied(by: frames, dividedBy: frameCount) }
    return left + frames * frameWidth + rest / 1000 * frameWidth / max(1, diagram.frame / 1000)
  }

  /// Draws a stream and returns its height.
  private mutating func draw(_ line: MarbleDiagram.Line, at top: Int) -> Int {
    let moments = Dictionary(grouping: line.entries, by: \.nanoseconds).sorted { $0.key < $1.key }
    // Values at the same time are stacked, with a bar behind them and a cross below.
    let tallest = moments.map { $0.value.count { $0.symbol != .finish && $0.symbol != .cancellation } }.max() ?? 0
    let height = Self.rowHeight + max(0, tallest - 1) * Self.stackHeight
    let y = top + Self.rowHeight / 2
    let end = line.entries.first { $0.symbol == .finish || $0.symbol == .failure || $0.symbol == .cancellation }
    if !line.name.isEmpty {
      text(line.name, x: left - nameGap, y: y + 4, size: 13, anchor: "end", color: palette.text)
    }
    let last = end.map { x($0.nanoseconds) } ?? x(max(diagram.until, line.until)) + 22
    drawStroke(of: line, to: last, y: y)
    if end == nil {
      stroke(
        "M\(last - 5) \(y - 5)L\(last) \(y)L\(last - 5) \(y + 5)", width: 2,
        color: line.isHeard(at: .max) ? palette.ink : palette.faint)
    }
    let reaches = Dictionary(
      uniqueKeysWithValues: moments.map { time, entries in
        let count = entries.count { if case .value = $0.symbol { true } else { false } }
        return (time, count == 0 ? 0 : (count - 1) * Self.stackHeight + 5)
      })
    draw(cancellations: line.cancellations, y: y) { reaches[$0, default: 0] }
    for (time, entries) in moments {
      let reach = reaches[time, default: 0]
      let isHeard = line.isHeard(at: time)
      for entry in entries { drawEnd(entry.symbol, x: x(time), y: y, reach: reach, isHeard: isHeard) }
      let values = entries.filter { if case .value = $0.symbol { true } else { false } }
      for (index, value) in values.enumerated() {
        draw(value, x: x(time), y: y + index * Self.stackHeight, isHeard: isHeard)
      }
    }
    for time in Set(line.listeners.map(\.from)).sorted() {
      // The triangle is below the other marks at the same time.
      let isFree = !moments.contains { $0.key == time } && !line.cancellations.contains(time)
      let reach = max(0, reaches[time, default: 0] - 5)
      let hasCross = line.entries.contains { $0.nanoseconds == time && $0.symbol == .failure }
      let cross = hasCross && reaches[time, default: 0] > 0 ? Self.stackHeight : 0
      draw(subscriptionAt: x(time), y: y + (isFree ? 3 : 14 + reach + cross))
    }
    return height
  }

  /// Draws the line itself. If a hot publisher has had subscribers, its line is faint and dashed while there are none.
  private mutating func drawStroke(of line: MarbleDiagram.Line, to last: Int, y: Int) {
    guard line.isHot, !line.listeners.isEmpty else { return stroke("M\(x(line.from)) \(y)H\(last)", width: 2) }
    stroke("M\(x(line.from)) \(y)H\(last)", width: 2, color: palette.faint, dashes: "2 4")
    for listener in line.listeners {
      let end = min(last, listener.until.map(x) ?? last)
      if x(listener.from) < end { stroke("M\(x(listener.from)) \(y)H\(end)", width: 2) }
    }
  }

  private mutating func draw(subscriptionAt x: Int, y: Int) {
    elements.append(
      #"<path d="M\#(x) \#(y)L\#(x + 5) \#(y + 7)H\#(x - 5)Z" fill="\#(palette.ink)"><title>subscribed</title></path>"#)
  }

  private mutating func draw(cancellations: [Int], y: Int, reach: (Int) -> Int) {
    let label = "cancelled"
    // Labels don't overlap: one that is too close to the previous label is omitted.
    let room = label.count * 6
    var free = 0
    for time in cancellations {
      let x = x(time)
      stroke("M\(x) \(y - 20)V\(y + 18 + reach(time))", width: 2, dashes: "4 2")
      let isAtEnd = x + room > width
      guard (isAtEnd ? x - room : x) >= free else { continue }
      text(
        label, x: isAtEnd ? x - 4 : x + 4, y: y - 14, size: 10, anchor: isAtEnd ? "end" : "start", color: palette.text)
      free = isAtEnd ? x : x + room
    }
  }

  private mutating func drawEnd(_ symbol: TimelineText.Symbol, x: Int, y: Int, reach: Int, isHeard: Bool) {
    let color = isHeard ? palette.ink : palette.faint
    switch symbol {
    case .finish: stroke("M\(x) \(y - 12 - min(reach, 5))V\(y + 12 + reach)", width: 3, color: color)
    case .failure:
      // A cross is below the values at the same time.
      let y = reach > 0 ? y + reach - 5 + Self.stackHeight : y
      stroke("M\(x - 8) \(y - 8)L\(x + 8) \(y + 8)M\(x + 8) \(y - 8)L\(x - 8) \(y + 8)", width: 3, color: color)
    case .cancellation, .value, .subscription: break
    }
  }

  private static func label(_ name: String) -> String {
    name.count > longestName ? name.prefix(longestName - 1) + "…" : name
  }

  private static func halfWidth(of label: String) -> Int { max(marbleRadius, label.count * 4 + 6) }

  private mutating func draw(_ entry: TimelineText.Entry, x: Int, y: Int, isHeard: Bool) {
    guard case .value(let name) = entry.symbol else { return }
    let label = Self.label(name)
    let halfWidth = Self.halfWidth(of: label)
    // A value that doesn't reach a subscriber doesn't have a color.
    let (fill, stroke, ink, dashes) =
      isHeard
      ? (fill(of: entry), palette.ink, palette.text, "")
      : (palette.box, palette.faint, palette.faint, #" stroke-dasharray="3 2""#)
    elements.append(
      """
      <g><rect x="\(x - halfWidth)" y="\(y - Self.marbleRadius)" width="\(halfWidth * 2)" \
      height="\(Self.marbleRadius * 2)" rx="\(Self.marbleRadius)" fill="\(fill)" stroke="\(stroke)" \
      stroke-width="1.5"\(dashes)/>\(label != name ? "<title>\(name.escaped)</title>" : "")
      """)
    text(label, x: x, y: y + 4, size: 12, anchor: "middle", color: ink)
    let text = elements.removeLast()
    elements[elements.count - 1] += "\n\(text)</g>"
  }

  /// Returns the fill of a marble: a color, or several colors side by side.
  private mutating func fill(of entry: TimelineText.Entry) -> String {
    let parts = Self.origins(of: entry).suffix(Self.mostColors).map { origin in
      palette.marbles[colors[origin, default: 0] % palette.marbles.count]
    }
    if parts.count == 1 { return parts[0] }
    // The name determines the content, so pictures can share a page without conflicts.
    let name = "marble\(parts.map { $0.replacing("#", with: "-") }.joined())"
    let stops = parts.enumerated().map { index, color in
      let (start, end) = (100 * index / parts.count, 100 * (index + 1) / parts.count)
      return """
        <stop offset="\(start)%" stop-color="\(color)"/><stop offset="\(end)%" stop-color="\(color)"/>
        """
    }
    let definition = #"<linearGradient id="\#(name)">\#(stops.joined())</linearGradient>"#
    if !definitions.contains(definition) { definitions.append(definition) }
    return "url(#\(name))"
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
    stroke("M\(left) \(y)H\(x(diagram.frame.multipliedSaturating(by: frameCount)))", width: 1, color: palette.faint)
    for frame in stride(from: 0, through: frameCount, by: step) {
      let time = diagram.frame.multipliedSaturating(by: frame)
      let x = x(time)
      stroke("M\(x) \(y)v4", width: 1, color: palette.faint)
      let label = frame == 0 ? "0" : DurationText.described(time)
      text(label, x: x, y: y + 17, size: 11, anchor: "middle", color: palette.faint)
    }
    return Self.axisHeight
  }

  private mutating func stroke(_ path: String, width: Int, color: String? = nil, dashes: String? = nil) {
    let dashes = dashes.map { #" stroke-dasharray="\#($0)""# } ?? ""
    elements.append(
      #"<path d="\#(path)" stroke="\#(color ?? palette.ink)" stroke-width="\#(width)"\#(dashes) fill="none"/>"#)
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
