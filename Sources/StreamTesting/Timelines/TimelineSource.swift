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

  /// The arguments with times, and the recorded streams.
  func picture(_ transcript: RunTranscript?) -> MarbleDiagram {
    let sources = pictures.compactMap { if case .line(let line) = $0 { line } else { nil } }
    let rows = (sources + (transcript?.lines ?? [])).map { MarbleDiagram.Row.line($0) }
    return MarbleDiagram(rows, title: "A run that fails", frame: settings.frame)
  }

  /// The arguments and the recorded streams as text, one below the other.
  func diagram(_ transcript: RunTranscript? = nil) -> String {
    let texts = pictures.compactMap { if case .text(let text) = $0 { text } else { nil } }
    return ([picture(transcript).text] + texts).filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private var pictures: [ArgumentPicture] {
    arguments.indices.map { arguments[$0].picture(of: run.timelines[$0], named: names[$0]) }
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
