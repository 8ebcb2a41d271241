/// The failure that a check has found, made as small as possible.
public struct TimelineFailure: Error, Sendable, CustomStringConvertible {
  /// The number of the run that failed, counted from one.
  public let run: Int

  /// The number of runs that the check would have made.
  public let runs: Int

  /// The number of further runs that were made to make the failing one smaller.
  public let shrinkingRuns: Int

  /// The seed of the check.
  public let seed: UInt64

  /// The number of events, including completions, in the smallest run that fails.
  public let eventCount: Int

  /// The number of events in the run that failed first.
  public let originalEventCount: Int

  /// The error, or the first issue, of the smallest run.
  public internal(set) var reason: String

  /// The smallest run as marbles: its arguments, and the streams that were recorded.
  public internal(set) var diagram = ""

  /// A test that repeats the smallest run without the check.
  public internal(set) var test = ""

  /// The failure, with everything that is needed to repeat it.
  public var description: String { text(Int.max) + "\n\n" + reason }

  /// The description, shortened so that it fits on a screen.
  var shortDescription: String { explanation + "\n\n" + Self.limited(reason, to: 7) }

  /// The description without the reason, shortened.
  var explanation: String { text(12) }

  private func text(_ limit: Int) -> String {
    let smaller =
      shrinkingRuns == 0
      ? "" : " \(shrinkingRuns) more made it smaller, from \(originalEventCount) to \(eventCount) events."
    return """
      Run \(run) of \(runs) fails (seed \(seed)).\(smaller)

      \(Self.limited(diagram, to: limit))

      A test that repeats it:

      \(Self.limited(test, to: limit))
      """
  }

  private static func limited(_ text: String, to limit: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).limited(to: limit)
      .joined(separator: "\n")
  }
}
