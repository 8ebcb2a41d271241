internal import Foundation
internal import StreamSchedulers
internal import Streams

#if canImport(Testing)
  internal import Testing
#endif

/// The failure of one run: a thrown error, a reported issue, or a failed assertion of Swift Testing.
struct RunFailure: Sendable {
  /// The text of the assertion, the error, or the issue.
  var reason: String

  /// The line of the assertion or issue, or the error's type. Runs with the same origin fail in the same way.
  var origin: String

  /// Indicates whether Swift Testing has recorded the assertion, with a comment on the run.
  var isRecorded = false

  /// An error or an issue besides the recorded assertion.
  var further: String?

  /// The issue that this package has raised but not reported yet, if that's the failure.
  private var issue: ReportedIssue?

  init(reason: String, origin: String) {
    self.reason = reason
    self.origin = origin
  }

  fileprivate init(_ error: any Error) { self.init(reason: "\(error)", origin: "\(type(of: error))") }

  fileprivate init(_ issue: ReportedIssue) {
    self.init(reason: issue.message, origin: "\(issue.fileID):\(issue.line)")
    self.issue = issue
  }

  /// Reports a message at the issue's line, or else at a given location.
  func report(_ message: String, orAt location: CodeLocation) {
    // XCTest accepts only a `StaticString` as the path, and only the path of `location` is one.
    guard var issue, RunningLibrary.isSwiftTesting || issue.filePath == "\(location.filePath)" else {
      return location.report(message)
    }
    issue.message = message
    IssueReporter.report(issue, filePath: location.filePath)
  }
}

/// A detector of failures in a run, including failed assertions of Swift Testing, which don't throw.
///
/// Such an assertion is recorded while the run continues, and its comment describes how to repeat the run. In a quiet
/// run, nothing is recorded.
final class RunWatch: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` doesn't declare it: the lock protects all mutable state.
  private enum Manner {
    case quiet(keepsWarnings: Bool)
    case loud(comment: () -> String)
  }

  private struct State {
    /// The manner of the current run, or `nil` between runs.
    var manner: Manner?

    /// The first assertion that failed in the current run.
    var recorded: RunFailure?

    /// Indicates whether a failed assertion can get a comment or be left unrecorded.
    var handlesIssues = false
  }

  private let state = Locked(State())

  /// Performs a run without reporting or recording anything, and returns its failure, if any.
  ///
  /// If Swift Testing doesn't allow that, failed assertions are recorded as known issues. Warnings of Swift Testing,
  /// which don't fail a run, can still be recorded.
  func quietFailure(keepingWarnings keepsWarnings: Bool = false, of run: () throws -> Void) -> RunFailure? {
    failure(of: run, .quiet(keepsWarnings: keepsWarnings))
  }

  /// Performs a run, records its failed assertions with a comment, and returns its failure, if any.
  ///
  /// The caller reports what wasn't recorded: an error, an issue of this package, or an assertion to which no comment
  /// could be added.
  func failure(of run: () throws -> Void, comment: @escaping () -> String) -> RunFailure? {
    failure(of: run, .loud(comment: comment))
  }

  private func failure(of run: () throws -> Void, _ manner: Manner) -> RunFailure? {
    state.withLock { ($0.manner, $0.recorded) = (manner, nil) }
    let (thrown, issues) = IssueReporter.withCapture {
      do {
        try run()
        return nil as (any Error)?
      } catch {
        return error
      }
    }
    let (recorded, handlesIssues) = state.withLock { state in
      state.manner = nil
      return (state.recorded, state.handlesIssues)
    }
    guard var failure = recorded else { return thrown.map { RunFailure($0) } ?? issues.first.map { RunFailure($0) } }
    guard case .loud = manner, handlesIssues else { return failure }
    failure.isRecorded = true
    // A failed `#require` was recorded before it threw, so its error adds nothing.
    let error = isRequirement(thrown) ? nil : thrown
    failure.further = error.map { "\($0)" } ?? issues.first?.message
    return failure
  }

  /// Performs a run. If it fails, reports the failure and returns it.
  func failure(
    ofRun number: Int, in order: RunOrder, at location: CodeLocation, _ body: (RunOrder) throws -> Void
  ) -> ExploredFailure? {
    func explored(_ reason: String) -> ExploredFailure {
      ExploredFailure(order: order.made, run: number, reason: reason)
    }
    guard let failure = failure(of: { try body(order) }, comment: { explored("").description }) else { return nil }
    if let reason = failure.isRecorded ? failure.further : failure.reason {
      location.report(explored(reason).description)
    }
    return explored(failure.reason)
  }
}

extension RunOrder {
  fileprivate var made: Self { record.map { .script($0.all.map(\.index)) } ?? self }
}

#if canImport(Testing)
  extension RunWatch {
    /// Calls a closure that performs runs, and observes the issues that the current test's assertions record in these
    /// runs.
    func watching<Result>(_ explore: () -> Result) -> Result {
      guard let test = Test.current else { return explore() }
      var result: Result?
      // This scope observes issues that no scope in a run has matched, and hides them only in a quiet run.
      withKnownIssue(isIntermittent: true) {
        handlingIssues(in: test) { result = explore() }
      } matching: { [self] issue in
        note(issue)
      }
      return result ?? explore()
    }

    /// Calls a closure in a scope that drops failures, or adds comments to them.
    ///
    /// The scope is asynchronous, but doesn't suspend: a task that starts immediately runs it synchronously, in the
    /// caller's context. If it does suspend, the closure is called without the scope, and the failure is reported
    /// separately from the assertion.
    private func handlingIssues(in test: Test, _ explore: () -> Void) {
      guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return explore() }
      withoutActuallyEscaping(explore) { explore in
        let work = WorkHere(explore)
        let scope = IssueHandlingTrait.compactMapIssues { [self] in handled($0) }
        Task.immediate { [self] in
          try? await scope.provideScope(for: test, testCase: Test.Case.current) {
            work.run { self.state.withLock { $0.handlesIssues = true } }
          }
        }
        work.run {}
      }
    }

    /// Notes an issue, and returns whether to record it as a known one.
    private func note(_ issue: Issue) -> Bool {
      if isWarning(issue) { return false }
      return state.withLock { state in
        guard let manner = state.manner else { return false }
        if state.recorded == nil {
          let location = issue.sourceLocation.map { "\($0.fileID):\($0.line)" }
          state.recorded = RunFailure(reason: "\(issue)", origin: location ?? "\(issue.kind)")
        }
        if case .quiet = manner { return !state.handlesIssues }
        return false
      }
    }

    /// Returns the issue, with a comment if the run has failed, or `nil` to leave it unrecorded.
    private func handled(_ issue: Issue) -> Issue? {
      let (manner, hasFailed) = state.withLock { ($0.manner, $0.recorded != nil) }
      switch manner {
      case .quiet(let keepsWarnings): return keepsWarnings && isWarning(issue) ? issue : nil
      case .loud(let comment) where hasFailed:
        var issue = issue
        issue.comments.append(Comment(rawValue: comment()))
        return issue
      case .loud, nil: return issue
      }
    }

    private func isWarning(_ issue: Issue) -> Bool {
      #if compiler(>=6.3)
        return issue.severity < .error
      #else
        return false
      #endif
    }

    private func isRequirement(_ error: (any Error)?) -> Bool { error is ExpectationFailedError }
  }

  /// Work that's done once, and only on the thread that created this object.
  private final class WorkHere: @unchecked Sendable {
    // `Sendable` is unchecked because the closure isn't sendable: it's called only on the thread that created this
    // object.
    private let work: Locked<(() -> Void)?>
    private let thread = Thread.current

    init(_ work: @escaping () -> Void) { self.work = Locked(work) }

    func run(_ prepare: () -> Void) {
      guard Thread.current === thread, let work = work.withLock({ $0.take() }) else { return }
      prepare()
      work()
    }
  }
#else
  extension RunWatch {
    func watching<Result>(_ explore: () -> Result) -> Result { explore() }

    private func isRequirement(_ error: (any Error)?) -> Bool { false }
  }
#endif
