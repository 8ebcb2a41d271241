package import Dispatch
internal import Streams

/// An action that a dispatch timer runs, once or repeatedly.
///
/// The timer retains this object through its handler and this object retains the timer, so that the action stays armed
/// even if nothing else retains it. The cycle is broken when the action has run for the last time or has been
/// cancelled.
package final class DispatchTimer: Cancellable, @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` is not marked: the lock protects the reference to the action, which only
  // the queue calls; `source` is Dispatch's and thread-safe.
  private let work: Locked<Work?>
  private let source: any DispatchSourceTimer
  private let repeats: Bool

  struct Work {
    let action: () -> Void
    let group: DispatchGroup?
  }

  /// Arms a timer.
  ///
  /// - Parameters:
  ///   - queue: The queue on which the action runs.
  ///   - deadline: The time of the first run; as soon as possible if it is in the past.
  ///   - interval: The positive number of nanoseconds between two runs; `nil` if the action runs once.
  ///   - tolerance: The number of nanoseconds by which a run may be late.
  package init(
    on queue: DispatchQueue, at deadline: DispatchTime, every interval: Int?, tolerance: Int,
    options: DispatchQueue.SchedulerOptions?, _ action: @escaping () -> Void
  ) {
    KnownExecutionEnvironment.install
    work = Locked(Work(action: action, group: options?.group))
    source = DispatchSource.makeTimerSource(queue: queue)
    repeats = interval != nil
    options?.group?.enter()
    if let options, options.flags.contains(.barrier) {
      // A timer's handler cannot be a barrier; only a block that is submitted to the queue can.
      source.setEventHandler { queue.async(qos: options.qos, flags: options.flags, execute: self.fire) }
    } else {
      source.setEventHandler(qos: options?.qos ?? .unspecified, flags: options?.flags ?? [], handler: fire)
    }
    let leeway = DispatchTimeInterval.nanoseconds(max(0, tolerance))
    if let interval {
      source.schedule(deadline: deadline, repeating: .nanoseconds(interval), leeway: leeway)
    } else {
      source.schedule(deadline: deadline, leeway: leeway)
    }
    source.activate()
  }

  package func cancel() {
    guard let work = takeWork() else { return }
    source.cancel()
    work.group?.leave()
  }

  @Sendable
  private func fire() {
    guard !repeats else {
      work.withLock { $0 }?.action()
      return
    }
    guard let work = takeWork() else { return }
    source.cancel()
    work.action()
    work.group?.leave()
  }

  private func takeWork() -> Work? { work.withLock { $0.take() } }
}
