package import Streams

/// Decides who hears about a mistake in the use of this package.
///
/// An unimplemented scheduler that is used, a clock that is asked to go back: such a mistake is reported to the first
/// of these that is there.
///
/// 1. The capture that surrounds the call, see `withCapture`.
/// 2. The reporter that was installed, see ``install(_:)``.
/// 3. The test that is running, in Swift Testing or in XCTest, where it is a failure at the line of the mistake.
///    Both are looked up in the running process; nothing is linked.
/// 4. Standard error, where it is a warning with file and line.
///
/// Reporting never ends the process, so a mistake does no more harm than the mistake itself.
public enum IssueReporter {
  /// Sends issues to a closure from now on, instead of to the running test or to standard error.
  ///
  /// Tests of Swift Testing and XCTest need it only where these libraries cannot be found, because they are linked
  /// statically for example. An app can send its issues to its log with it.
  ///
  /// ```swift
  /// IssueReporter.install { issue in Issue.record("\(issue)") }
  /// ```
  ///
  /// There is one such closure in a process; a later call replaces it. It is called on the thread of the mistake, with
  /// no lock held. An issue that the closure itself causes goes past it, to the test or to standard error.
  public static func install(_ report: @escaping @Sendable (ReportedIssue) -> Void) {
    KnownSurroundings.install
    installed.replace(with: InstalledReporter.Closure(call: report))
  }

  /// Lets go of the closure that was installed; issues take their usual way again.
  public static func uninstall() {
    installed.replace(with: nil)
  }

  /// Runs work and keeps the issues that it reports from failing the test.
  ///
  /// It is for tests of mistakes:
  ///
  /// ```swift
  /// let (_, issues) = IssueReporter.withCapture { scheduler.advance(by: -1) }
  /// #expect(issues.map(\.line) == [12])
  /// ```
  ///
  /// Captured is what the calling thread or task reports until the work returns, and what child tasks of it report.
  /// Other threads report as ever. Captures may be nested; the innermost one gets the issue.
  public static func withCapture<Result>(
    _ body: () throws -> Result
  ) rethrows -> (result: Result, issues: [ReportedIssue]) {
    KnownSurroundings.install
    let capture = IssueCapture()
    let result = try $capture.withValue(capture, operation: body)
    return (result, capture.issues)
  }

  /// Runs asynchronous work and keeps the issues that it reports from failing the test.
  ///
  /// It is the other `withCapture` for work that waits.
  nonisolated(nonsending)
    public static func withCapture<Result>(
      _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> (result: Result, issues: [ReportedIssue])
  {
    KnownSurroundings.install
    let capture = IssueCapture()
    let result = try await $capture.withValue(capture, operation: body)
    return (result, capture.issues)
  }

  @TaskLocal fileprivate static var capture: IssueCapture?

  /// Whether this thread or task is inside the installed reporter.
  @TaskLocal fileprivate static var isReporting = false

  private static let installed = InstalledReporter()

  fileprivate static func report(_ issue: ReportedIssue, filePath: StaticString) {
    if let capture { return capture.append(issue) }
    if !isReporting, let report = installed.current {
      return $isReporting.withValue(true) { report.call(issue) }
    }
    if RunningTest.record(issue, filePath: filePath) { return }
    writeToStandardError("\(issue)\n")
  }
}

/// Reports a mistake at the place where it was made.
///
/// `fileID`, `filePath`, `line` and `column` are those of the caller whose mistake it is: a public function that
/// reports takes them with `#fileID` and its likes as defaults, and hands them on.
@usableFromInline
package func reportIssue(
  _ message: @autoclosure () -> String, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
) {
  let issue = ReportedIssue(
    message: message(), fileID: "\(fileID)", filePath: "\(filePath)", line: line, column: column)
  IssueReporter.report(issue, filePath: filePath)
}

extension SourcePlace {
  /// Reports a mistake that was made here.
  package func report(_ message: String) {
    reportIssue(message, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Runs work and returns the issues that the calling thread or task reported meanwhile.
package func withIssueCapture<R>(_ body: () throws -> R) rethrows -> (result: R, issues: [CapturedIssue]) {
  try IssueReporter.withCapture(body)
}

/// The issues of one capture.
private final class IssueCapture: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects the array.
  private let state = Locked<[ReportedIssue]>([])

  var issues: [ReportedIssue] { state.withLock { $0 } }

  func append(_ issue: ReportedIssue) { state.withLock { $0.append(issue) } }
}

/// The closure that was installed, if any.
private final class InstalledReporter: @unchecked Sendable {
  /// A struct, because a bare closure that comes out of generic code is wrapped each time.
  struct Closure {
    let call: @Sendable (ReportedIssue) -> Void
  }

  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects the reference to the closure.
  private let state = Locked<Closure?>(nil)

  var current: Closure? { state.withLock { $0 } }

  func replace(with report: Closure?) {
    // The old closure leaves the lock before it is let go of.
    _ = state.withLock { current in
      let old = current
      current = report
      return old
    }
  }
}
