import StreamSchedulers
import StreamTesting
import Streams

extension DiagramCatalog {
  static let recovering: [DiagramEntry] = [
    DiagramEntry("catch", "catch { _ in other }") { canvas in
      let source = canvas.cold("-a--b-#", name: "source")
      let other = canvas.cold("--x--y|", name: "other")
      return source.catch { _ in other }
    },
    DiagramEntry("tryCatch", "tryCatch { throw LoadError($0) }") { canvas in
      canvas.cold("-a--b-#").tryCatch { error -> Just<Text> in throw error }
    },
    // Values sent by a failed attempt remain in the output.
    DiagramEntry("retry", "retry(1)") { canvas in
      var attempts = [canvas.cold("-a--#", name: "attempt 1"), canvas.cold("-a--b-|", name: "attempt 2")][...]
      return Deferred { attempts.popFirst()! }.retry(1)
    },
    DiagramEntry("retry-exhausted", "retry(1)") { $0.cold("-a--#").retry(1) },
    DiagramEntry("replaceError", "replaceError(with: 0)") { $0.numbers("-1--2--#").replaceError(with: 0) },
    DiagramEntry("replaceEmpty", "replaceEmpty(with: 0)") { $0.numbers("------|").replaceEmpty(with: 0) },
  ]

  static let observing: [DiagramEntry] = [
    .subscribers("handleEvents", "handleEvents(receiveOutput: { log($0) })") { canvas in
      let log = PassthroughSubject<Text, Never>()
      canvas.subscribe(canvas.letters("-a--b--c-|").handleEvents(receiveOutput: { log.send($0) }))
      canvas.subscribe(log, name: "log")
    },
    .subscribers("print", "print()") { canvas in
      let lines = PassthroughSubject<Text, Never>()
      let values = lines.compactMap { line in
        line.compactMap { $0.hasPrefix("receive value: ") ? String($0.dropFirst(8)) : nil }
      }
      var origins: [String] = []
      let numbers = canvas.numbers("---1---|").handleEvents(receiveOutput: { origins = $0.origins })
      canvas.subscribe(numbers.print(to: PrintedLines(lines: lines) { origins }))
      canvas.subscribe(values, name: "console")
    },
    DiagramEntry("breakpoint", "breakpoint(receiveOutput: { $0 < 0 })") {
      $0.numbers("-1--2--3-|").breakpoint(receiveOutput: { $0 < 0 })
    },
    DiagramEntry("breakpointOnError", "breakpointOnError()") { $0.letters("-a--b--c-|").breakpointOnError() },
    DiagramEntry("assertNoFailure", "assertNoFailure()") { $0.letters("-a--b--c-|").assertNoFailure() },
  ]
}

/// Sends printed text to a stream.
private struct PrintedLines: TextOutputStream {
  let lines: PassthroughSubject<Text, Never>

  /// The origins of the value that is being printed.
  let origins: () -> [String]

  mutating func write(_ text: String) {
    let line = text.filter { !$0.isNewline }
    if !line.isEmpty { lines.send(Text(line, origins: origins())) }
  }
}
