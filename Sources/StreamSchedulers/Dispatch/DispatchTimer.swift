package import Dispatch
internal import Streams

/// An action that a dispatch timer runs, once or repeatedly.
///
/// The timer's handler and this object retain each other, so the action stays armed even if nothing else retains the object.
/// The cycle breaks when the action has run for the last time or has been cancelled.
package final class DispatchTimer: Cancellable, @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` doesn't declare it. The lock protects the reference to the action, which only the
  // queue calls. `source` belongs to Dispatch and is thread-safe.
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
  ///   - deadline: The time of the first run. If it's in the past, the action runs as soon as possible.
  ///   - interval: The positive number of nanoseconds between two runs, or `nil` if the action runs once.
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
      // A timer's handler can't be a barrier. Only a block submitted to the queue can.
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
