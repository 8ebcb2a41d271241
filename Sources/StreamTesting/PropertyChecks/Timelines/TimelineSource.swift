internal import Foundation
internal import StreamSchedulers

/// A run as a marble diagram, and as a test to paste.
struct TimelineSource {
  private let arguments: [any ArgumentSlot]
  private let run: DrawnRun

  /// The number of the run that failed first.
  private let number: Int
  private let settings: TimelineCheck.Settings
  private let names: [String]

  /// The closure that was passed to the check, if its source can be read.
  private let closure: CallSite.Closure?

  init(_ arguments: [any ArgumentSlot], _ run: DrawnRun, _ number: Int, _ settings: TimelineCheck.Settings) {
    self.arguments = arguments
    self.run = run
    self.number = number
    self.settings = settings
    closure = CallSite(settings.location, of: settings.function)?.trailingClosure
    let parameters = closure?.parameters ?? []
    var names: [String] = []
    for (index, argument) in arguments.enumerated() {
      // The scheduler comes first.
      if parameters.count == arguments.count + 1, parameters[index + 1] != "_" {
        names.append(parameters[index + 1])
      } else {
        let count = names.count { $0.hasPrefix(argument.name) }
        names.append(count == 0 ? argument.name : "\(argument.name)\(count + 1)")
      }
    }
    self.names = names
  }

  /// The arguments with times, and the recorded streams.
  func timelines(_ transcript: RunTranscript?) -> FailureTimelines {
    let sources = pictures.compactMap { if case .row(let row) = $0 { row } else { nil } }
    let rows = sources + (transcript?.rows ?? [])
    return FailureTimelines(rows: rows, title: "A run that fails", frame: settings.frame.nanoseconds)
  }

  /// The arguments and the recorded streams as text, one below the other.
  func diagram(_ transcript: RunTranscript? = nil) -> String {
    let texts = pictures.compactMap { if case .text(let text) = $0 { text } else { nil } }
    return ([timelines(transcript).text] + texts).filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private var pictures: [ArgumentPicture] {
    arguments.indices.map { arguments[$0].picture(of: run.timelines[$0], named: names[$0]) }
  }

  /// The test to paste: the arguments, and the body of the closure as it stands in its file.
  var test: String {
    let order = run.order.map { "(order: \(Self.code(ofOrder: $0)))" } ?? ""
    var lines = ["let scheduler = DispatchQueue.test\(order)"]
    if settings.frame != .milliseconds(1) {
      lines.append("scheduler.frame = \(TimeCode.expression(settings.frame.nanoseconds))")
    }
    if !run.hotEventsComeFirst { lines.append("scheduler.hotEventsComeFirst = false") }
    let declarations = arguments.indices.map { index in
      "let \(names[index]) = \(arguments[index].code(of: run.timelines[index]))"
    }
    let ordered = run.isReversed ? declarations.reversed() : declarations
    return switch settings.world {
    case .none: function(lines + ordered + body)
    case .synchronous:
      function(lines + ordered + block("\(Self.isThrowing(body) ? "try " : "")scheduler.withVirtualWorld {", body))
    // As in a run, events at the beginning happen after the closure has begun.
    case .asynchronous: function(lines + block("try scheduler.runVirtualWorld {", ordered + body))
    }
  }

  /// Returns the order as a Swift expression, with the shorter replay string if the order has many choices.
  private static func code(ofOrder text: String) -> String {
    let code = RunOrder(replaying: text)?.description ?? ".fifo"
    return code.count <= 60 ? code : "RunOrder(replaying: \"\(text)\") ?? .fifo"
  }

  private var body: [String] {
    guard let closure else { return ["// The body of the closure that was passed to \(settings.function)."] }
    if !closure.parameters.isEmpty { return closure.body }
    return closure.body.map { line in
      names.indices.reversed().reduce(line) { line, index in line.replacing("$\(index + 1)", with: names[index]) }
        .replacing("$0", with: "scheduler")
    }
  }

  private func block(_ call: String, _ body: [String]) -> [String] {
    [call] + body.map { $0.isEmpty ? "" : "  \($0)" } + ["}"]
  }

  private func function(_ lines: [String]) -> String {
    let effects = Self.isThrowing(lines) ? " throws" : ""
    let isolation = settings.world == .none ? "" : "@MainActor "
    let attribute = RunningLibrary.isSwiftTesting ? "@Test " : ""
    let header = "\(isolation)\(attribute)func \(RunningLibrary.nameOfTest ?? "repeats")_run\(number)()\(effects) {"
    return (missingImport + block(header, lines)).joined(separator: "\n")
  }

  /// The import that `DispatchQueue.test` needs, if the check's file doesn't have it.
  private var missingImport: [String] {
    guard let data = FileManager.default.contents(atPath: "\(settings.location.filePath)") else { return [] }
    let source = String(decoding: data, as: UTF8.self)
    return source.contains(/import (Dispatch|Foundation)\b/) ? [] : ["import Dispatch", ""]
  }

  private static func isThrowing(_ lines: [String]) -> Bool {
    lines.contains { $0.contains(/\btry\b(?![?!])/) || $0.contains(/\bthrow\b/) }
  }
}
