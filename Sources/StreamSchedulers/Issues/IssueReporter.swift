internal import Streams

/// The destination of issues, which are mistakes in the use of this package.
///
/// Examples are a call to an unimplemented scheduler and an attempt to move a clock back. An issue goes to the first of
/// these that exists:
///
/// 1. The capture that surrounds the call. See `withCapture`.
/// 2. The reporter that was installed. See ``install(_:)``.
/// 3. The running Swift Testing or XCTest test, which fails at the line of the mistake. Both libraries are looked up in the
///    running process, not linked.
/// 4. Standard error, as a warning with file and line.
///
/// Reporting never ends the process.
public enum IssueReporter {
  /// Sends further issues to a closure instead of to the running test or standard error.
  ///
  /// Tests need it only where Swift Testing or XCTest can't be looked up, for example because of static linking. An app can use
  /// it to send issues to its log.
  ///
  /// ```swift
  /// IssueReporter.install { issue in Issue.record("\(issue)") }
  /// ```
  ///
  /// A process has one such closure, which a later call replaces. It runs on the thread that made the mistake, with no lock
  /// held. An issue that the closure itself causes bypasses it and goes to the test or to standard error.
  ///
  /// - Parameter report: A closure that receives each issue.
  public static func install(_ report: @escaping @Sendable (ReportedIssue) -> Void) {
    KnownExecutionEnvironment.install
    installed.replace(with: InstalledReporter.Closure(call: report))
  }

  /// Removes the installed closure. Issues go to the running test or standard error again.
  public static func uninstall() {
    installed.replace(with: nil)
  }

  /// Runs a closure and captures the issues that it reports, so that they don't fail the test.
  ///
  /// Use it to test that mistakes are reported:
  ///
  /// ```swift
  /// let (_, issues) = IssueReporter.withCapture { scheduler.advance(by: -1) }
  /// #expect(issues.map(\.line) == [12])
  /// ```
  ///
  /// Until the closure returns, it captures issues from the calling thread or task and from tasks that the closure starts,
  /// except detached ones. Other threads aren't affected. Captures can be nested. The innermost one receives the issue.
  ///
  /// - Parameter body: The closure to run.
  /// - Returns: The result of the closure and the captured issues.
  /// - Throws: The error that the closure throws.
  public static func withCapture<Result>(
    _ body: () throws -> Result
  ) rethrows -> (result: Result, issues: [ReportedIssue]) {
    KnownExecutionEnvironment.install
    let capture = IssueCapture()
    let result = try $capture.withValue(capture, operation: body)
    return (result, capture.issues)
  }

  /// Runs an asynchronous closure and captures the issues that it reports, like ``withCapture(_:)-3brjd``.
  nonisolated(nonsending)
    public static func withCapture<Result>(
      _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> (result: Result, issues: [ReportedIssue])
  {
    KnownExecutionEnvironment.install
    let capture = IssueCapture()
    let result = try await $capture.withValue(capture, operation: body)
    return (result, capture.issues)
  }

  /// Indicates whether issues from the calling thread or task are captured.
  package static var isCapturing: Bool { capture != nil }

  @TaskLocal fileprivate static var capture: IssueCapture?

  /// Indicates whether this thread or task is inside the installed reporter.
  @TaskLocal fileprivate static var isReporting = false

  private static let installed = InstalledReporter()

  /// Reports an issue. XCTest needs the path as a static string.
  package static func report(_ issue: ReportedIssue, filePath: StaticString) {
    if let capture { return capture.append(issue) }
    if !isReporting, let report = installed.current {
      return $isReporting.withValue(true) { report.call(issue) }
    }
    if RunningTest.record(issue, filePath: filePath) { return }
    Platform.writeToStandardError("\(issue)\n")
  }
}

/// Reports a mistake at the source location of the caller that made it.
///
/// A public function that reports mistakes has the parameters `fileID`, `filePath`, `line` and `column`, which default to
/// `#fileID` and so on, and forwards them.
package func reportIssue(
  _ message: @autoclosure () -> String, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
) {
  let issue = ReportedIssue(
    message: message(), fileID: "\(fileID)", filePath: "\(filePath)", line: line, column: column)
  IssueReporter.report(issue, filePath: filePath)
}

extension CodeLocation {
  package func report(_ message: String) {
    reportIssue(message, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Runs a closure and returns its result and the issues that the calling thread or task reported while the closure ran.
package func withIssueCapture<R>(_ body: () throws -> R) rethrows -> (result: R, issues: [CapturedIssue]) {
  try IssueReporter.withCapture(body)
}

private final class IssueCapture: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` doesn't declare it. The lock protects the array.
  private let state = Locked<[ReportedIssue]>([])

  var issues: [ReportedIssue] { state.withLock { $0 } }

  func append(_ issue: ReportedIssue) { state.withLock { $0.append(issue) } }
}

/// The closure that was installed, if any.
private final class InstalledReporter: @unchecked Sendable {
  /// A struct, because Swift wraps a bare closure in a new closure each time it leaves generic code.
  struct Closure {
    let call: @Sendable (ReportedIssue) -> Void
  }

  // `Sendable` is unchecked because `Locked` doesn't declare it. The lock protects the reference to the closure.
  private let state = Locked<Closure?>(nil)

  var current: Closure? { state.withLock { $0 } }

  func replace(with report: Closure?) {
    // The old closure is returned from the critical section and released outside it.
    _ = state.withLock { current in
      let old = current
      current = report
      return old
    }
  }
}
