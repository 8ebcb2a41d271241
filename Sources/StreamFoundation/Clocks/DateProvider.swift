public import Foundation
public import StreamSchedulers
internal import Streams

extension TestScheduler {
  /// Returns a closure that returns the current virtual date, for code that takes such a closure as a parameter.
  ///
  /// ```swift
  /// let model = Model(date: scheduler.dateProvider(from: Date(timeIntervalSince1970: 0)))
  /// ```
  ///
  /// The closure is thread-safe.
  ///
  /// - Parameter start: The date at the beginning of the timeline. An infinite date becomes the latest or the earliest.
  ///   NaN stops the program.
  /// - Returns: A closure that returns `start` plus the timeline's elapsed time.
  public func dateProvider(from start: Date) -> @Sendable () -> Date { timeline.dateProvider(from: start) }
}

extension TestClock {
  /// Returns a closure that returns the current virtual date, like
  /// ``StreamSchedulers/TestScheduler/dateProvider(from:)``.
  ///
  /// ```swift
  /// let model = Model(date: clock.dateProvider(from: Date(timeIntervalSince1970: 0)))
  /// ```
  public func dateProvider(from start: Date) -> @Sendable () -> Date { timeline.dateProvider(from: start) }
}

extension Timeline {
  fileprivate func dateProvider(from start: Date) -> @Sendable () -> Date {
    let timeline = UnsafeTransfer(self)
    let seconds = start.timeIntervalSinceReferenceDate.saturated
    return {
      Date(timeIntervalSinceReferenceDate: seconds + TimeInterval(timeline.value.now) / 1_000_000_000)
    }
  }
}
