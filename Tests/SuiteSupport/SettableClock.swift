package import Dispatch
package import StreamSchedulers
internal import Streams

extension TestSchedulerOf<DispatchQueue> {
  /// Returns a scheduler whose clock a test sets, by changing `shift`. Its timers measure time regardless of that, like those
  /// of a run loop.
  package func withClock(setBy shift: Box<DispatchQueue.SchedulerTimeType.Stride>) -> AnySchedulerOf<DispatchQueue> {
    AnySchedulerOf<DispatchQueue>(
      minimumTolerance: { 0 }, now: { self.now.advanced(by: shift.value) },
      scheduleImmediately: { self.schedule(options: $0, $1) },
      delayed: { date, tolerance, options, action in
        self.schedule(
          after: date.advanced(by: .zero - shift.value), tolerance: tolerance, options: options, action)
      },
      interval: { date, interval, tolerance, options, action in
        self.schedule(
          after: date.advanced(by: .zero - shift.value), interval: interval, tolerance: tolerance, options: options,
          action)
      })
  }
}
