internal import StreamSchedulers
internal import Streams

extension Recorder {
  /// Fails the test because an expectation doesn't have a diagram. The message contains the diagram of the recording so
  /// far, which is also written into the source if `STREAMS_WRITE` is set.
  ///
  /// - Parameters:
  ///   - error: The expected failure, or `nil` for any.
  ///   - isComplete: Indicates whether the recording contains everything that the stream sends.
  ///   - takesPublisher: Indicates whether the call has the publisher as its first argument.
  ///   - location: The location of the call.
  func proposeDiagram(error: Failure?, isComplete: Bool = true, takesPublisher: Bool, _ location: CodeLocation) {
    let history = state.read()
    // A bad diagram has been reported already.
    guard isComparable else { return }
    var diagram = RecordedDiagram(history, from: beginning, frame: frame.nanoseconds, error: error)
    if !isComplete {
      diagram.obstacle =
        "It never stops sending values. To record its beginning, pass a diagram subscription that contains a !, such as "
        + "subscription: \"^---!\"."
    }
    let writer = ExpectationWriter.current
    let hasSignal = history.contains(where: \.event.isSignal)
    var lines = ["There is no diagram to compare the stream with. This is what it did:", ""]
    // An endless recording isn't worth reading to its end.
    let shown = isComplete ? diagram.lines : Array(diagram.lines.prefix(4))
    lines += shown.map { $0.hasPrefix("  ") || $0.isEmpty ? $0 : "  \($0)" }
    lines += reasons(for: history, lacksValues: !hasSignal)
    lines.append("")
    if writer.isWriting {
      lines.append(writer.write(diagram, at: location, takesPublisher: takesPublisher).sentence(location))
    } else {
      let instruction = "Run the test again with STREAMS_WRITE=1 in the environment to write it into the source."
      lines.append(diagram.obstacle ?? instruction)
    }
    if !hasSignal, let explanation = state.explanation { lines += explanation.lines() }
    location.report(lines.joined(separator: "\n"))
  }
}

extension ExpectationWriter.Outcome {
  fileprivate func sentence(_ location: CodeLocation) -> String {
    switch self {
    case .written, .alreadyWritten:
      "The diagram was written into \(location.description) but hasn't been compared with anything. Read it, then run the "
        + "test again."
    case .differs(let other):
      "No diagram was written into \(location.description), because the same call had a different result before: \(other)"
    case .refused(let reason):
      "No diagram was written into \(location.description). \(reason.prefix(1).uppercased())\(reason.dropFirst())"
        + (reason.hasSuffix(".") ? "" : ".")
    }
  }
}
