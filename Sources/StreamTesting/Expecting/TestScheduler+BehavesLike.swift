public import StreamSchedulers
public import Streams

extension TestScheduler {
  /// Subscribes to a publisher and to its model at the same time, runs pending work, and compares their events.
  ///
  /// The model is a simpler publisher that does the same thing: an operator of this library, a chain of them, or an earlier
  /// version. Together with `checkTimelines`, this tests an operator with timelines that nobody has thought of:
  ///
  /// ```swift
  /// checkTimelines(of: .letters) { scheduler, letters in
  ///   scheduler.expect(
  ///     letters.quiet(for: .milliseconds(2), scheduler: scheduler),
  ///     behavesLike: letters.debounce(for: .milliseconds(2), scheduler: scheduler))
  /// }
  /// ```
  ///
  /// Values, completions, and their times must be equal, and nothing may arrive after a cancellation. The model is
  /// subscribed to first, and both subscribers request the same demand.
  ///
  /// Pending work runs until the model has ended, nothing is left, or it's time to cancel. A stream that hasn't ended by then
  /// must not send anything more: further work runs until the stream sends something, nothing is left, or ten thousand actions
  /// have run. Then both streams are cancelled. A difference is reported as for a diagram.
  ///
  /// If the model hasn't ended after `maximumActions` actions, the exceeded budget is reported instead. For streams
  /// that don't end, pass a time in `cancelledAt`.
  ///
  /// - Parameters:
  ///   - publisher: The publisher to test.
  ///   - model: The publisher whose events are expected.
  ///   - demand: The demand to request from both.
  ///   - cancellation: The time, from the beginning of the scheduler's time, at which both are cancelled, or `nil` to
  ///     cancel them only at the end. As in the frame of a `!`, events at that time aren't received.
  public func expect<P: Publisher, Model: Publisher>(
    _ publisher: P, behavesLike model: Model, demand: DemandScript<SchedulerTimeType.Stride> = .unlimited,
    cancelledAt cancellation: SchedulerTimeType.Stride? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where P.Output: Equatable, Model.Output == P.Output, Model.Failure == P.Failure {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let isCancelled = cancellation != nil
    let expected = makeRecorder(
      for: model, demand, as: RunTranscript.Row(name: "expected", hidesCancellation: !isCancelled), location)
    let actual = makeRecorder(
      for: publisher, demand, as: RunTranscript.Row(name: "actual", hidesCancellation: !isCancelled), location)
    model.subscribe(expected.subscriber)
    publisher.subscribe(actual.subscriber)
    let isReached = run([actual, expected], cancellation, location) { expected.state.isOver ? nil : .max }
    if isReached { compare(actual, with: expected.events, location) }
  }

  /// Subscribes to a publisher, runs pending work, and compares the publisher's events with a list.
  ///
  /// The list can come from a function that you apply to the source's events, as a model without streams:
  ///
  /// ```swift
  /// checkTimelines(of: .letters) { scheduler, letters in
  ///   let firsts = letters.events.filter { _ in … }
  ///   scheduler.expect(letters.firstOfEachBurst(), behavesLike: firsts)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - publisher: The publisher to test.
  ///   - events: The expected events, whose times count from the beginning of the scheduler's time.
  ///   - demand: The demand to request.
  ///   - cancellation: The time at which the stream is cancelled, or `nil` to cancel it only at the end. As in the
  ///     frame of a `!`, events at that time aren't received.
  public func expect<P: Publisher>(
    _ publisher: P, behavesLike events: [Recorded<P.Output, P.Failure, SchedulerTimeType.Stride>],
    demand: DemandScript<SchedulerTimeType.Stride> = .unlimited,
    cancelledAt cancellation: SchedulerTimeType.Stride? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where P.Output: Equatable {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let row = RunTranscript.Row(name: "actual", hidesCancellation: cancellation == nil)
    let actual = makeRecorder(for: publisher, demand, as: row, location)
    publisher.subscribe(actual.subscriber)
    let last = events.map(\.time.nanoseconds).max() ?? 0
    let isReached = run([actual], cancellation, location) { last }
    if isReached { compare(actual, with: events, location) }
  }

  /// Runs the work up to the last expected event, and work that may follow, and cancels the recordings. The first
  /// recorder is the one to test.
  ///
  /// - Parameter end: A closure that returns the last date at which something is still expected, or `nil` if nothing
  ///   more is expected.
  /// - Returns: `true` if all expected events could happen. If not, that has been reported.
  private func run<Output, Failure>(
    _ recorders: [Recorder<Output, Failure, SchedulerTimeType.Stride>],
    _ cancellation: SchedulerTimeType.Stride?, _ location: CodeLocation, through end: () -> Int?
  ) -> Bool {
    defer { for recorder in recorders { recorder.cancel() } }
    if let cancellation {
      guard moveToBeginning(of: cancellation.nanoseconds, location) else { return false }
      for recorder in recorders { recorder.cancel() }
      // Something may still arrive.
      stepAtMostTenThousandTimes { true }
      return true
    }
    let start = timeline.runCount
    while let next = timeline.nextDate, let end = end(), next <= end {
      guard let excess = timeline.run(through: next, within: budget.withLock({ $0 }), since: start) else { continue }
      location.report(
        "The budget of actions is used up, and the end of what is expected isn't reached, so nothing was compared. If the "
          + "streams don't end, pass cancelledAt:. \(excess.description)")
      return false
    }
    runUntilItGoesOn(recorders[0])
    return true
  }

  private func compare<Output: Equatable, Failure>(
    _ actual: Recorder<Output, Failure, SchedulerTimeType.Stride>,
    with events: [Recorded<Output, Failure, SchedulerTimeType.Stride>], _ location: CodeLocation
  ) {
    actual.check(Expectation(events, from: .zero), from: .zero, location)
    let count = actual.state.lateCount
    if count > 0 {
      location.report(
        "\(count == 1 ? "A signal" : "\(count) signals") arrived after the cancellation. A stream must not send "
          + "anything after cancel() has returned.")
    }
  }
}
