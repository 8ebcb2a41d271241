import StreamSchedulers
package import Streams
package import Testing

/// What every scheduler of a real queue or run loop does with repeated work.
package enum LiveSchedulerRules {
  /// Repeated work, and what it captures, is released with its cancellable.
  package static func repeatedWorkEndsWhenItsCancellableIsReleased(
    on scheduler: some Scheduler, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var token: Token? = Token()
    weak let weakToken = token
    var work: (any Cancellable)? = scheduler.schedule(
      after: scheduler.now.advanced(by: .seconds(100_000)), interval: .seconds(100_000)
    ) { [token] in token?.touch() }
    token = nil
    #expect(work != nil && weakToken != nil, sourceLocation: sourceLocation)
    work = nil
    #expect(weakToken == nil, sourceLocation: sourceLocation)
  }

  /// An interval of zero is reported, and the work runs once: later work comes next.
  package static func intervalOfZeroIsReportedAndTheWorkRunsOnce(
    on scheduler: some Scheduler, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let log = Log<Int>()
    let (work, issues) = IssueReporter.withCapture {
      scheduler.schedule(after: scheduler.now, interval: .zero) { log.append(1) }
    }
    #expect(issues.count == 1, sourceLocation: sourceLocation)
    _ = await log.first(1)
    scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(10))) { log.append(2) }
    #expect(await log.first(2) == [1, 2], sourceLocation: sourceLocation)
    work.cancel()
  }
}
