public import StreamSchedulers

/// The failure of an explored run, and the order in which the run failed.
public struct ExploredFailure: Error, Sendable, CustomStringConvertible {
  /// The order of the reported run: the smallest failing order that was found. A scheduler with this order repeats the
  /// run.
  public let order: RunOrder

  /// The number of the first run that failed, counted from one.
  package let run: Int

  /// The error that the run threw, or the issue that was reported in it.
  public let reason: String

  package let firstOrder: RunOrder

  /// Notes on the order, one per line.
  let notes: [String]

  init(order: RunOrder, run: Int, reason: String, firstOrder: RunOrder? = nil, notes: [String] = []) {
    self.order = order
    self.run = run
    self.reason = reason
    self.firstOrder = firstOrder ?? order
    self.notes = notes
  }

  /// The failure, the choices that differ from the order in which the work was scheduled, and instructions for
  /// repeating the run, in fewer than 40 lines.
  public var description: String {
    let text = order.replayString
    // A long script is shown once.
    let shown = text.utf8.count > 60 ? "" : " in the order \(order)"
    let head = "Run \(run) failed\(shown)" + (reason.isEmpty ? "." : ": \(shortReason)")
    return ([head] + notes + ["Set STREAMS_ORDER=\(text) to repeat this run alone."]).joined(separator: "\n")
  }

  private var shortReason: String {
    let lines = reason.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.prefix(20).joined(separator: "\n") + (lines.count > 20 ? "\n… and \(lines.count - 20) more lines" : "")
  }
}
