public import Dispatch
public import Streams

extension TestScheduler {
  /// Makes a scheduler that shares the time of another, whatever its type of time is.
  ///
  /// Both are faces of one timeline. Whoever is moved on moves the other, and what is armed on either runs in one order, by
  /// date and then by sequence number:
  ///
  /// ```swift
  /// let queue = DispatchQueue.test
  /// let runLoop = TestSchedulerOf<RunLoop>(now: start, sharing: queue)
  /// queue.advance(by: .seconds(1))   // runLoop.now == start + 1 s
  /// ```
  ///
  /// What waits is counted for all together. Each has a budget and recordings of its own.
  ///
  /// The date is that of this scheduler at the beginning of the timeline, when the first face was made. If time has been
  /// moved on since, it is as much later now.
  public convenience init<Time: Strideable, Options>(
    now: SchedulerTimeType, sharing other: TestScheduler<Time, Options>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where Time.Stride: SchedulerTimeIntervalConvertible {
    self.init(
      now: now, on: other.timeline, SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Makes a scheduler that shares the time of a clock.
  ///
  /// The date is that of this scheduler at the beginning of the timeline: when the clock was made, or the first face that
  /// the clock shares its time with.
  public convenience init<D: VirtualDuration>(
    now: SchedulerTimeType, sharing clock: TestClock<D>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(
      now: now, on: clock.timeline, SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// A clock that shares the time of this scheduler, for code that takes `any Clock<Duration>`.
  ///
  /// Moving either on moves both. Sleeps on the clock and actions of the scheduler have one order, by date and then by
  /// sequence number. The clock stands at zero at the beginning of the timeline, so its present offset is ``elapsed``.
  ///
  /// ```swift
  /// let scheduler = DispatchQueue.test
  /// let model = Model(queue: scheduler.eraseToAnyScheduler(), clock: scheduler.clock)
  /// scheduler.advance(by: .seconds(1))
  /// ```
  ///
  /// Each time it is asked for it is a new face; all of them are alike.
  public var clock: TestClock<Duration> { TestClock(now: TestClock.Instant(), on: timeline) }
}

extension TestClock {
  /// Makes a clock that shares the time of a scheduler.
  ///
  /// The moment is that of the clock at the beginning of the timeline.
  public convenience init<Time: Strideable, Options>(
    now: Instant = Instant(), sharing scheduler: TestScheduler<Time, Options>
  ) where Time.Stride: SchedulerTimeIntervalConvertible {
    self.init(now: now, on: scheduler.timeline)
  }
}

extension DispatchQueue {
  /// A new test scheduler with the time of dispatch queues, which shares the time of another scheduler.
  ///
  /// The timeline began at 1 ns in its time, as with ``test``.
  public static func test<Time: Strideable, Options>(
    sharing scheduler: TestScheduler<Time, Options>
  ) -> TestSchedulerOf<DispatchQueue> where Time.Stride: SchedulerTimeIntervalConvertible {
    TestScheduler(now: test.origin, sharing: scheduler)
  }

  /// A new test scheduler with the time of dispatch queues, which shares the time of a clock.
  public static func test<D: VirtualDuration>(sharing clock: TestClock<D>) -> TestSchedulerOf<DispatchQueue> {
    TestScheduler(now: test.origin, sharing: clock)
  }
}
