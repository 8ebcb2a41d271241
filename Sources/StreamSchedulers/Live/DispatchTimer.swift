package import Dispatch
internal import Streams

/// Work that a dispatch timer runs, once or again and again.
///
/// The timer holds this object through its handler and this object holds the timer, so that work stays armed though
/// nobody holds it. The ring is broken when the work has run for the last time or has been cancelled.
package final class DispatchTimer: Cancellable, @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects the reference to the work, which
  // is called by the queue alone; `source` is Dispatch's and safe to use from any thread.
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
  ///   - queue: Where the work runs.
  ///   - deadline: When it runs first; as soon as possible if that is past.
  ///   - interval: How long after that it runs again, a positive number of nanoseconds; `nil` if it runs once.
  ///   - tolerance: How much later than asked for it may run, in nanoseconds.
  package init(
    on queue: DispatchQueue, at deadline: DispatchTime, every interval: Int?, tolerance: Int,
    options: DispatchQueue.SchedulerOptions?, _ action: @escaping () -> Void
  ) {
    KnownSurroundings.install
    work = Locked(Work(action: action, group: options?.group))
    source = DispatchSource.makeTimerSource(queue: queue)
    repeats = interval != nil
    options?.group?.enter()
    if let options, options.flags.contains(.barrier) {
      // A timer's handler is no barrier; only what is handed to the queue itself can be one.
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
