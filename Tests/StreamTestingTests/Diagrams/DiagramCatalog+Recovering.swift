import StreamSchedulers
import StreamTesting
import Streams

extension DiagramCatalog {
  static let recovering: [DiagramEntry] = [
    DiagramEntry("catch", "catch { _ in other }") { canvas in
      let source = canvas.cold("-a--b-#")
      let other = canvas.cold("--x--y|")
      return source.catch { _ in other }
    },
    DiagramEntry("tryCatch", "tryCatch { throw LoadError($0) }") { canvas in
      canvas.cold("-a--b-#").tryCatch { error -> Just<String> in throw error }
    },
    // Values sent by a failed attempt remain in the output.
    DiagramEntry("retry", "retry(1)") { canvas in
      var attempts = [canvas.cold("-a--#"), canvas.cold("-a--b-|")][...]
      return Deferred { attempts.popFirst()! }.retry(1)
    },
    DiagramEntry("retry-exhausted", "retry(1)") { $0.cold("-a--#").retry(1) },
    DiagramEntry("replaceError", "replaceError(with: 0)") { $0.numbers("-1--2--#").replaceError(with: 0) },
    DiagramEntry("replaceEmpty", "replaceEmpty(with: 0)") { $0.numbers("------|").replaceEmpty(with: 0) },
  ]

  static let observing: [DiagramEntry] = [
    .subscribers("handleEvents", "handleEvents(receiveOutput: { log($0) })") { canvas in
      let log = PassthroughSubject<String, Never>()
      canvas.subscribe(canvas.letters("-a--b--c-|").handleEvents(receiveOutput: { log.send($0) }))
      canvas.subscribe(log, name: "log")
    },
    .subscribers("print", "print()") { canvas in
      let lines = PassthroughSubject<String, Never>()
      let values = lines.compactMap { $0.hasPrefix("receive value: ") ? String($0.dropFirst(8)) : nil }
      canvas.subscribe(canvas.letters("--a---b---c--|").print(to: PrintedLines(lines: lines)))
      canvas.subscribe(values, name: "printed")
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
  let lines: PassthroughSubject<String, Never>

  mutating func write(_ text: String) {
    if text != "\n" { lines.send(text) }
  }
}
