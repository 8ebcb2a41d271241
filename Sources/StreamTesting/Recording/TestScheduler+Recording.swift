public import StreamSchedulers
public import Streams

extension TestScheduler {
  /// Subscribes to a publisher now, and records everything that it does, with times.
  ///
  /// ```swift
  /// let recorder = scheduler.record(model.$isValid)
  /// scheduler.run()
  /// #expect(recorder.events == [.next(at: 0, false), .next(at: .milliseconds(30), true)])
  /// ```
  ///
  /// Times count from the beginning of the scheduler's time.
  ///
  /// - Parameters:
  ///   - publisher: The publisher to subscribe to.
  ///   - demand: The demand to request.
  /// - Returns: A recorder, which records until the stream ends or it's cancelled or released.
  /// - Complexity: O(1) for each event, and O(log *n*) for each request in the script, where *n* is the number of
  ///   pending actions.
  public func record<P: Publisher>(
    _ publisher: P, demand: DemandScript<SchedulerTimeType.Stride> = .unlimited,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> Recorder<P.Output, P.Failure, SchedulerTimeType.Stride> {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let recorder = makeRecorder(for: publisher, demand, location)
    publisher.subscribe(recorder.subscriber)
    return recorder
  }

  /// Creates a publisher, subscribes to it and cancels the subscription at given times, and returns the recorder.
  ///
  /// The default times are a convention in many test suites: creation at 100, subscription at 200, cancellation at
  /// 1000. For queues and run loops, these are seconds. The method advances time to the latest of the given times.
  ///
  /// ```swift
  /// let numbers = scheduler.hot(.next(at: 150, 1), .next(at: 210, 2), .completed(at: 300))
  /// let recorder = scheduler.start { numbers.map { $0 * 2 } }
  /// #expect(recorder.events == [.next(at: 210, 4), .completed(at: 300)])
  /// ```
  ///
  /// Times count from the beginning of the scheduler's time. They must not decrease or be in the past. Otherwise, an
  /// issue is reported, and anything that's late happens immediately.
  ///
  /// - Parameters:
  ///   - created: The time at which the closure is called.
  ///   - subscribed: The time at which the publisher is subscribed to.
  ///   - cancelled: The time at which the subscription is cancelled.
  ///   - demand: The demand to request.
  ///   - create: A closure that returns the publisher.
  public func start<P: Publisher>(
    created: SchedulerTimeType.Stride = 100, subscribed: SchedulerTimeType.Stride = 200,
    cancelled: SchedulerTimeType.Stride = 1000, demand: DemandScript<SchedulerTimeType.Stride> = .unlimited,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    _ create: @escaping () -> P
  ) -> Recorder<P.Output, P.Failure, SchedulerTimeType.Stride> {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    if created < elapsed || subscribed < created || cancelled < subscribed {
      let times = [created, subscribed, cancelled, elapsed].map { DurationText.described($0.nanoseconds) }
      location.report(
        "The times \(times[0]), \(times[1]) and \(times[2]) aren't in order, or they're earlier than the current time, \(times[3])."
      )
    }
    var publisher: P?
    var recorder: Recorder<P.Output, P.Failure, SchedulerTimeType.Stride>?
    schedule(after: date(created)) { publisher = create() }
    schedule(after: date(subscribed)) {
      guard let made = publisher.take() else { return }
      let attached = self.makeRecorder(for: made, demand, location)
      recorder = attached
      made.subscribe(attached.subscriber)
    }
    schedule(after: date(cancelled)) { recorder?.cancel() }
    run(
      through: max(elapsed, created, subscribed, cancelled).nanoseconds,
      fileID: fileID, filePath: filePath, line: line, column: column)
    // There's no recorder if the budget of actions was too small, or if the publisher ended the test.
    return recorder ?? makeRecorder(for: Empty<P.Output, P.Failure>(), demand, location)
  }

  /// Creates a recorder that isn't attached yet. By default, its diagrams begin now.
  func makeRecorder<P: Publisher>(
    for publisher: P, _ demand: DemandScript<SchedulerTimeType.Stride>,
    beginning: SchedulerTimeType.Stride? = nil, as row: RunTranscript.Row = RunTranscript.Row(),
    _ location: CodeLocation
  ) -> Recorder<P.Output, P.Failure, SchedulerTimeType.Stride> {
    let beginning = beginning ?? elapsed
    let script = demand.resolved(from: beginning, frame: frame, location)
    let recorder = Recorder<P.Output, P.Failure, SchedulerTimeType.Stride>(
      demand: script, frame: frame, beginning: beginning, now: timeReader(), looseEnds: looseEnds,
      reasonsForMissingValues: ReasonsForMissingValues(kind: P.self, pending: pendingReader()), location: location)
    attachments.existing(RunTranscript.self)?.add(recorder.state, as: row, recordedAt: location)
    for request in script.requests {
      schedule(after: date(request.time)) { [weak state = recorder.state] in state?.request(request.demand) }
    }
    return recorder
  }
}

extension TestScheduler {
  /// Returns the date at an interval from the beginning of the scheduler's time.
  func date(_ time: SchedulerTimeType.Stride) -> SchedulerTimeType { date(at: time.nanoseconds) }

  /// Returns a closure that describes the pending work without retaining the scheduler.
  private func pendingReader() -> () -> (count: Int, next: Int, now: Int)? {
    { [weak timeline] in
      guard let timeline, let next = timeline.nextDate else { return nil }
      return (timeline.pendingCount, next, timeline.now)
    }
  }

  /// Returns a closure that reads the time without retaining the scheduler, whose pending work may retain the caller.
  func timeReader() -> () -> SchedulerTimeType.Stride {
    { [weak timeline] in .nanoseconds(timeline?.now ?? 0) }
  }
}

extension Publisher {
  /// Subscribes now, without a scheduler, and records everything that the publisher does.
  ///
  /// Use it for streams that don't depend on time, and for live streams that a test waits for with `next()` and
  /// `finished()`. All times are zero, and a script's timed requests are made right after the subscription.
  ///
  /// ```swift
  /// let recorder = [1, 2].publisher.record(demand: .max(1))
  /// #expect(recorder.values == [1])
  /// #expect(recorder.completion == nil)
  /// ```
  ///
  /// - Parameters:
  ///   - demand: The demand to request.
  /// - Returns: A recorder, which records until the stream ends or it's cancelled or released.
  public func record(
    demand: DemandScript<ImmediateTime.Stride> = .unlimited,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> Recorder<Output, Failure, ImmediateTime.Stride> {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let script = demand.resolved(from: 0, frame: 0, location)
    let recorder = Recorder<Output, Failure, ImmediateTime.Stride>(
      demand: script, frame: 0, beginning: 0, now: { 0 }, looseEnds: nil,
      reasonsForMissingValues: ReasonsForMissingValues(kind: Self.self, pending: { nil }), location: location)
    subscribe(recorder.subscriber)
    for request in script.requests { recorder.request(request.demand) }
    return recorder
  }
}
