import Dispatch
import NIOCore
import StreamSchedulers
import Streams
import Synchronization

/// Work that an event loop runs once or repeatedly, until it's cancelled.
final class ScheduledWork: Cancellable, Sendable {
  private let eventLoop: any EventLoop
  private let interval: TimeAmount?
  private let state: Mutex<State?>

  /// The action, until it has run for the last time or has been cancelled.
  private struct State: @unchecked Sendable {
    // Unchecked: only the event loop calls the action, as a scheduler is meant to.
    let action: () -> Void
    let group: DispatchGroup?
    var scheduled: Scheduled<Void>?
  }

  init(
    on eventLoop: any EventLoop, _ options: DispatchQueue.SchedulerOptions?, every interval: TimeAmount? = nil,
    _ action: @escaping () -> Void
  ) {
    self.eventLoop = eventLoop
    self.interval = interval
    state = Mutex(State(action: action, group: options?.group))
    options?.group?.enter()
  }

  func arm(at deadline: NIODeadline) {
    let scheduled = eventLoop.scheduleTask(deadline: deadline) { self.fire(deadline) }
    let isCancelled = state.withLock { state in
      state?.scheduled = scheduled
      return state == nil
    }
    if isCancelled { scheduled.cancel() }
  }

  /// Runs the action for the last time.
  func run() {
    guard let state = takeState() else { return }
    state.action()
    state.group?.leave()
  }

  func cancel() {
    guard let state = takeState() else { return }
    state.scheduled?.cancel()
    state.group?.leave()
  }

  private func fire(_ deadline: NIODeadline) {
    guard let interval else { return run() }
    guard let action = state.withLock({ $0?.action }) else { return }
    action()
    let missed = max(0, (eventLoop.now - deadline).nanoseconds / interval.nanoseconds)
    let (distance, overflow) = interval.nanoseconds.multipliedReportingOverflow(by: missed + 1)
    if !overflow { arm(at: deadline + .nanoseconds(distance)) }
  }

  private func takeState() -> State? { state.withLock { $0.take() } }
}
