public import Foundation
public import StreamSchedulers
internal import Streams

extension TestScheduler {
  /// Returns what tells the date, for code that takes the present date from outside.
  ///
  /// ```swift
  /// let model = Model(date: scheduler.dateProvider(from: Date(timeIntervalSince1970: 0)))
  /// ```
  ///
  /// The date that is given is that at the beginning of the timeline. It may be asked from any thread.
  public func dateProvider(from start: Date) -> @Sendable () -> Date { timeline.dateProvider(from: start) }
}

extension TestClock {
  /// Returns what tells the date, for code that takes the present date from outside.
  ///
  /// The date that is given is that at the beginning of the timeline. It may be asked from any thread.
  public func dateProvider(from start: Date) -> @Sendable () -> Date { timeline.dateProvider(from: start) }
}

extension Timeline {
  fileprivate func dateProvider(from start: Date) -> @Sendable () -> Date {
    let timeline = HandedOver(self)
    return { start.addingTimeInterval(TimeInterval(timeline.value.now) / 1_000_000_000) }
  }
}
