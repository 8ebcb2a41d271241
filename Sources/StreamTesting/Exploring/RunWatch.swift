internal import Foundation
internal import StreamSchedulers
internal import Streams

#if canImport(Testing)
  internal import Testing
#endif

/// Sees in which run something fails, also when it is an assertion of Swift Testing, which throws nothing.
///
/// Such a failure is recorded while the run goes on; it gets a comment that says how to make the run again.
final class RunWatch: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects all that changes.
  private struct State {
    var run = 0

    /// The order of the run that is being made, if one is.
    var order: RunOrder?

    /// What an assertion said in it.
    var recorded: String?

    /// Whether failures get their comment.
    var comments = false
  }

  private let state = Locked(State())

  /// Makes a run; returns how it fails, if it does, which is then reported.
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
    // A requirement was recorded before it threw.
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
  /// The order that makes the same run again.
  fileprivate var made: Self { record.map { .script($0.all.map(\.choice)) } ?? self }
}

#if canImport(Testing)
  extension RunWatch {
    /// Makes runs, and sees what assertions of the current test record in them.
    func watching<Result>(_ explore: () -> Result) -> Result {
      guard let test = Test.current else { return explore() }
      var result: Result?
      // Nothing is known here. This scope is asked about what no scope in a run has known.
      withKnownIssue(isIntermittent: true) {
        commenting(in: test) { result = explore() }
      } matching: { [self] issue in
        note(issue)
        return false
      }
      return result ?? explore()
    }

    /// Does work in a scope that adds comments to failures.
    ///
    /// The scope is asynchronous, but does not suspend: a task that starts at once runs it here and now, in the caller's
    /// surroundings. Should it suspend, work is done without it, and the failure is reported apart from what failed.
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

    /// The issue, with a comment if the run has failed.
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

  /// Work that is done once, and only on the thread that has made this.
  private final class WorkHere: @unchecked Sendable {
    // `Sendable` is unchecked because the closure is not: it is called on the thread that it comes from.
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
