internal import Dispatch
internal import Streams
internal import Synchronization

/// A pause in which one caller holds all threads of the global executor, so that they don't run anything else.
///
/// A round through the executor shows that other jobs have begun, not that they have ended: the operating system may
/// suspend a task's thread for longer than many rounds take on the other threads. If the number of threads is known, a pause
/// starts one job for each. The job holds its thread until all threads are held, so no other job can be running. Jobs can't be
/// counted instead, because yields, sleeps and custom executors enqueue them unseen.
///
/// A thread is held only until the other threads have finished their jobs, and only for a bounded time. There's one pause at a
/// time, because two would wait for each other's threads.
final class GlobalExecutorPause: Sendable {
  /// The time after which a pause is abandoned because a thread is blocked or busy.
  private static let patience = DispatchTimeInterval.seconds(1)

  /// The largest number of processors for which a pause is worth its cost.
  private static let mostThreads = 16

  private static let isHeld = Atomic(false)

  /// The number of abandoned pauses in a row. After `mostFailures`, only one in 64 is tried.
  private static let failures = Atomic(0)
  private static let mostFailures = 3
  private static let skipped = Atomic(0)

  private static var isWorthTrying: Bool {
    failures.load(ordering: .relaxed) < mostFailures
      || skipped.wrappingAdd(1, ordering: .relaxed).newValue.isMultiple(of: 64)
  }

  private let missing: Atomic<Int>
  private let count: Int
  private let isOver = Atomic(false)
  private let hasFailed = Atomic(false)
  private let everyoneIsThere = DispatchSemaphore(value: 0)
  private let deadline = DispatchTime.now() + GlobalExecutorPause.patience

  private init(of count: Int) {
    self.count = count
    missing = Atomic(count)
  }

  /// Suspends the caller until all threads are held at the same time. Returns `false` if that fails or isn't possible.
  nonisolated(nonsending)
    static func begin() async -> Bool
  {
    // A caller that runs on a timeline has to stay there.
    guard let width = globalExecutorWidth, width <= mostThreads, DrivingThread.existing?.jobTimeline == nil,
      isWorthTrying
    else { return false }
    let end = DispatchTime.now() + patience
    while !isHeld.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged {
      if DispatchTime.now() > end { return true }
      await Task.yield()
    }
    let name = NamedTask.name("TestScheduler.advance")
    let pause = GlobalExecutorPause(of: width * TaskPriority.withThreads.count)
    await withUnsafeContinuation { continuation in
      for priority in TaskPriority.withThreads {
        for _ in 0..<width {
          Task.detached(name: name, priority: priority) { pause.hold { continuation.resume() } }
        }
      }
    }
    isHeld.store(false, ordering: .releasing)
    let hasFailed = pause.hasFailed.load(ordering: .relaxed)
    if hasFailed { failures.wrappingAdd(1, ordering: .relaxed) } else { failures.store(0, ordering: .relaxed) }
    return !hasFailed
  }

  /// Holds the calling thread until all threads are held. The last call ends the pause.
  private func hold(_ end: () -> Void) {
    let isLast = missing.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0
    if isLast {
      if isOver.exchange(true, ordering: .acquiringAndReleasing) { return }
      for _ in 1..<count { everyoneIsThere.signal() }
      return end()
    }
    guard !isOver.load(ordering: .acquiring) else { return }
    // Another executor may have replaced the global one, and that executor's threads must not be blocked.
    if WaitingThread.current == .pool, everyoneIsThere.wait(timeout: deadline) == .success { return }
    guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return }
    hasFailed.store(true, ordering: .relaxed)
    for _ in 1..<count { everyoneIsThere.signal() }
    end()
  }
}
