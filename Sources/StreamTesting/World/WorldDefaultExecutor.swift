internal import StreamSchedulers
internal import Streams

// A task that has called a default actor and then yields is enqueued on the process's default executor, which no hook
// intercepts. So where the runtime permits it, that executor is also replaced with one that forwards everything that
// doesn't belong to a virtual world.
#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
  @_spi(ExperimentalScheduling) @_spi(ExperimentalCustomExecutors) internal import _Concurrency

  /// The executor that becomes the process's default when the first virtual world is entered.
  ///
  /// The runtime reads the reference to the executor, an object and a witness table, without a lock. During the
  /// replacement, a thread may read the old object with the new witness table, or the reverse. That's harmless, because
  /// neither executor uses its own object.
  final class WorldDefaultExecutor: TaskExecutor, SchedulingExecutor, Sendable {
    private static let shared = WorldDefaultExecutor()
    private static let original: any TaskExecutor = Task<Never, Never>.defaultExecutor

    /// Replaces the default executor, once.
    static let install: Void = {
      _ = original
      _createExecutors(factory: Factory.self)
    }()

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      guard let owner = VirtualWorld.owner(of: job) else { return Self.original.enqueue(ExecutorJob(job)) }
      owner.enqueue(job)
    }

    func enqueue<C: Clock>(_ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C) {
      let job = UnownedJob(job)
      if VirtualWorld.owner(of: job)?.timeline.captureSleep(job, until: instant, of: clock) == true { return }
      (Self.original as? any SchedulingExecutor)?
        .enqueue(ExecutorJob(job), at: instant, tolerance: tolerance, clock: clock)
    }

    private struct Factory: ExecutorFactory {
      static var mainExecutor: any MainExecutor { MainActor.executor }
      static var defaultExecutor: any TaskExecutor { shared }
    }
  }
#else
  enum WorldDefaultExecutor {
    /// Does nothing. The default executor can't be replaced on this platform or with this compiler, and `WorldProbe`
    /// detects that.
    static let install: Void = ()
  }
#endif
