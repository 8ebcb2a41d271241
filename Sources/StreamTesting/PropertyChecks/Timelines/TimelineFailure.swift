/// The smallest failure that a check has found.
public struct TimelineFailure: Error, Sendable, CustomStringConvertible {
  /// The number of the run that failed, counted from one.
  package let run: Int

  /// The number of runs that the check would have performed without a failure, or the limit if it tries all timelines.
  package let runs: Int

  /// The number of further runs for shrinking the failing one.
  package let shrinkingRuns: Int

  /// The seed of the check, or zero if it tries all timelines.
  package let seed: UInt64

  /// Indicates whether the check tries all timelines.
  var isExhaustive = false

  /// The number of events in the smallest run that fails: values, completions, requests, moments, and delays.
  ///
  /// An argument of ``TimelineGenerator/value(of:)`` isn't an event.
  package let eventCount: Int

  /// The number of events in the run that failed first.
  package let originalEventCount: Int

  /// The reason why the smallest run fails, such as its error or its first issue.
  public internal(set) var reason: String

  /// A marble diagram of the smallest run: its arguments and the recorded streams.
  public internal(set) var diagram = ""

  /// A test that repeats the smallest run without the check.
  public internal(set) var test = ""

  /// The failure, with everything that you need to repeat it.
  public var description: String { reason + "\n\n" + explanation(diagram, test) }

  /// The maximum number of lines in a shortened description. With the test library's own lines, a failure has fewer
  /// than 40.
  private static let screen = 28

  /// The description, shortened to fit on a screen. The test gets the lines that the reason and the diagram leave,
  /// because it's attached as a whole.
  var shortDescription: String {
    let reason = Self.lines(of: reason).limited(to: 12)
    return reason.joined(separator: "\n") + "\n\n" + explanation(lineCount: Self.screen - reason.count - 1)
  }

  /// The description without the reason, shortened.
  var explanation: String { explanation(lineCount: Self.screen - 3) }

  private func explanation(lineCount: Int) -> String {
    let diagram = Self.lines(of: diagram).limited(to: lineCount > 18 ? 10 : 6)
    // Five lines are between and around them.
    let test = Self.lines(of: test).limited(to: max(4, lineCount - diagram.count - 6))
    return explanation(diagram.joined(separator: "\n"), test.joined(separator: "\n"))
  }

  private func explanation(_ diagram: String, _ test: String) -> String {
    let more = "\(shrinkingRuns) more run\(shrinkingRuns == 1 ? "" : "s")"
    let smaller =
      shrinkingRuns == 0
      ? ""
      : eventCount == originalEventCount
        ? " In \(more), nothing with fewer events failed."
        : " \(more) reduced it from \(originalEventCount) to \(eventCount) events."
    return """
      Run \(run) \(isExhaustive ? "of all timelines fails" : "of \(runs) fails (seed \(seed))").\(smaller)

      \(diagram)

      A test that repeats it:

      \(test)
      """
  }

  private static func lines(of text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
