internal import Foundation
internal import StreamSchedulers
internal import Streams

#if canImport(Testing)
  internal import Testing
#endif

/// Detects failures of a run, including failed assertions of Swift Testing, which throw nothing.
///
/// Such an assertion is recorded while the run continues; its comment describes how to repeat the run.
final class RunWatch: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` does not declare it: the lock protects all mutable state.
  private struct State {
    var run = 0

    /// The order of the current run; `nil` between runs.
    var order: RunOrder?

    /// The first assertion that failed in the current run.
    var recorded: String?

    /// Indicates whether comments are added to failures.
    var comments = false
  }

  private let state = Locked(State())

  /// Makes a run. If it fails, reports the failure and returns it.
  func failure(
    ofRun run: Int, in order: RunOrder, at place: SourcePlace, _ body: (RunOrder) throws -> Void
  ) -> ExploredFailure? {
    state.withLock { ($0.run, $0.order) = (run, order) }
    let (thrown, issues) = IssueReporter.withCapture {
      do {
        try body(order)
        return nil as (any Error)?
      } catch {
        return error
      }
    }
    let (recorded, isSaid) = state.withLock { state in
      state.order = nil
      return (state.recorded, state.recorded != nil && state.comments)
    }
    // A failed `#require` was recorded before it threw, so its error adds nothing.
    let reported = (isSaid && isRequirement(thrown) ? nil : thrown).map { "\($0)" } ?? issues.first?.message
    guard let reason = recorded ?? reported else { return nil }
    let failure = ExploredFailure(order: order.made, run: run, reason: reason)
    if !isSaid {
      place.report(failure.description)
    } else if let reported {
      place.report(ExploredFailure(order: failure.order, run: run, reason: reported).description)
    }
    return failure
  }
}

extension RunOrder {
  /// The order that repeats the run.
  fileprivate var made: Self { record.map { .script($0.all.map(\.choice)) } ?? self }
}

#if canImport(Testing)
  extension RunWatch {
    /// Makes runs, and observes the issues that assertions of the current test record in them.
    func watching<Result>(_ explore: () -> Result) -> Result {
      guard let test = Test.current else { return explore() }
      var result: Result?
      // No issue is known here. This scope is asked about issues that no scope in a run has matched.
      withKnownIssue(isIntermittent: true) {
        commenting(in: test) { result = explore() }
      } matching: { [self] issue in
        note(issue)
        return false
      }
      return result ?? explore()
    }

    /// Calls a closure in a scope that adds comments to failures.
    ///
    /// The scope is asynchronous, but does not suspend: a task that starts immediately runs it here and now, in the
    /// caller's context. If it suspends nevertheless, the closure is called without the scope, and the failure is
    /// reported separately from the assertion.
    private func commenting(in test: Test, _ explore: () -> Void) {
      guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return explore() }
      withoutActuallyEscaping(explore) { explore in
        let work = WorkHere(explore)
        let scope = IssueHandlingTrait.compactMapIssues { [self] in commented($0) }
        Task.immediate { [self] in
          try? await scope.provideScope(for: test, testCase: Test.Case.current) {
            work.run { self.state.withLock { $0.comments = true } }
          }
        }
        work.run {}
      }
    }

    private func note(_ issue: Issue) {
      #if compiler(>=6.3)
        guard issue.severity >= .error else { return }
      #endif
      state.withLock { state in
        if state.order != nil, state.recorded == nil { state.recorded = "\(issue)" }
      }
    }

    /// Returns the issue, with a comment if the run has failed.
    private func commented(_ issue: Issue) -> Issue {
      let (run, order) = state.withLock { ($0.run, $0.recorded == nil ? nil : $0.order) }
      guard let order else { return issue }
      var issue = issue
      let text = ExploredFailure(order: order.made, run: run, reason: "").description
      issue.comments.append(Comment(rawValue: text))
      return issue
    }

    private func isRequirement(_ error: (any Error)?) -> Bool { error is ExpectationFailedError }
  }

  /// Work that is done once, and only on the thread that created this.
  private final class WorkHere: @unchecked Sendable {
    // `Sendable` is unchecked because the closure is not sendable: it is called on the thread that created it.
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
