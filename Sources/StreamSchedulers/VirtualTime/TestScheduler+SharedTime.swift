public import Streams

extension TestScheduler {
  /// Creates a scheduler that shares the time of another scheduler, which may have a different time type.
  ///
  /// Both schedulers work on one timeline, so advancing either advances both. Actions of both run in one order, by date and
  /// then by sequence number:
  ///
  /// ```swift
  /// let queue = DispatchQueue.test
  /// let runLoop = TestSchedulerOf<RunLoop>(now: .init(Date()), sharing: queue)
  /// queue.advance(by: .seconds(1))   // runLoop.now is a second later, too
  /// ```
  ///
  /// Pending actions are counted for the whole timeline. Each scheduler has its own limits and recordings.
  ///
  /// - Parameters:
  ///   - now: This scheduler's date at the beginning of the timeline, when the first scheduler or clock on it was
  ///     created. If time has advanced since then, ``now`` is later by the same amount.
  ///   - other: The scheduler whose time to share.
  public convenience init<Time: Strideable, Options>(
    now: SchedulerTimeType, sharing other: TestScheduler<Time, Options>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where Time.Stride: SchedulerTimeIntervalConvertible {
    self.init(
      now: now, on: other.timeline, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Creates a scheduler that shares the time of a clock.
  ///
  /// - Parameters:
  ///   - now: This scheduler's date at the beginning of the timeline, when the first scheduler or clock on it was created.
  ///   - clock: The clock whose time to share.
  public convenience init<D: VirtualDuration>(
    now: SchedulerTimeType, sharing clock: TestClock<D>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(
      now: now, on: clock.timeline, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// A clock that shares the time of this scheduler, for code that takes `any Clock<Duration>`.
  ///
  /// If you advance either, you advance both. Sleeps on the clock and actions of the scheduler run in one order, by date and then
  /// by sequence number. The clock is at zero at the beginning of the timeline, so its current offset equals ``elapsed``.
  ///
  /// ```swift
  /// let scheduler = DispatchQueue.test
  /// let model = Model(queue: scheduler.eraseToAnyScheduler(), clock: scheduler.clock)
  /// scheduler.advance(by: .seconds(1))
  /// ```
  ///
  /// Each access returns a new clock on the same timeline.
  public var clock: TestClock<Duration> { TestClock(now: TestClock.Instant(), on: timeline) }
}

extension TestClock {
  /// Creates a clock that shares the time of a scheduler.
  ///
  /// - Parameters:
  ///   - now: The clock's instant at the beginning of the timeline. The default is zero.
  ///   - scheduler: The scheduler whose time to share.
  public convenience init<Time: Strideable, Options>(
    now: Instant = Instant(), sharing scheduler: TestScheduler<Time, Options>
  ) where Time.Stride: SchedulerTimeIntervalConvertible {
    self.init(now: now, on: scheduler.timeline)
  }
}
