internal import StreamSchedulers

/// A run as marbles, and as a test to paste.
struct TimelineSource {
  private let arguments: [any ArgumentSlot]
  private let run: DrawnRun
  private let settings: TimelineCheck.Settings
  private let names: [String]

  init(_ arguments: [any ArgumentSlot], _ run: DrawnRun, _ settings: TimelineCheck.Settings) {
    self.arguments = arguments
    self.run = run
    self.settings = settings
    var names: [String] = []
    for argument in arguments {
      let count = names.count { $0.hasPrefix(argument.name) }
      names.append(count == 0 ? argument.name : "\(argument.name)\(count + 1)")
    }
    self.names = names
  }

  /// The arguments and the recorded streams, one below the other.
  func diagram(_ transcript: RunTranscript) -> String {
    var lines: [MarbleDiagram.Line] = []
    var texts: [String] = []
    for (index, argument) in arguments.enumerated() {
      switch argument.picture(of: run.timelines[index], named: names[index]) {
      case .line(let line): lines.append(line)
      case .text(let text): texts.append(text)
      }
    }
    let rows = (lines + transcript.lines).map { MarbleDiagram.Row.line($0) }
    return ([MarbleDiagram(rows, frame: settings.frame).text] + texts).joined(separator: "\n")
  }

  /// The test to paste.
  var test: String {
    let order = run.order.map { "DispatchQueue.test(order: .shuffled(seed: \($0)))" } ?? "DispatchQueue.test"
    var lines = ["let scheduler = \(order)"]
    if settings.frame != .milliseconds(1) {
      lines.append("scheduler.frame = \(TimeCode.expression(settings.frame.nanoseconds))")
    }
    let declarations = arguments.indices.map { index in
      "let \(names[index]) = \(arguments[index].code(of: run.timelines[index]))"
    }
    lines += run.isReversed ? declarations.reversed() : declarations
    return lines.joined(separator: "\n")
  }
}
