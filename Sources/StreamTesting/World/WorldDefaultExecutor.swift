internal import StreamSchedulers
internal import Streams

// A task that has called a default actor and then yields is given to the process's default executor, which no hook sees. So
// that is replaced as well, where the runtime lets us; it hands everything on that does not belong to a world.
#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
  @_spi(ExperimentalScheduling) @_spi(ExperimentalCustomExecutors) internal import _Concurrency

  /// The process's default executor, once there has been a world.
  ///
  /// The runtime reads which one it is, a reference and a table of functions, without a lock. A thread that reads while it
  /// is replaced may see one of the old and one of the new: that does no harm, because neither executor uses its own object.
  final class WorldDefaultExecutor: TaskExecutor, SchedulingExecutor, Sendable {
    private static let shared = WorldDefaultExecutor()
    private static let original: any TaskExecutor = Task<Never, Never>.defaultExecutor

    /// Takes the place of the default executor, once.
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
    /// There is nothing to take the place of; the probe of worlds finds out what does not work.
    static let install: Void = ()
  }
#endif
