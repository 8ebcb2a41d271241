internal import Foundation
internal import StreamSchedulers
internal import Streams
internal import Synchronization

/// The two hooks through which the Swift runtime lets other code decide where tasks run.
///
/// They're variables of the runtime, found by name. They're set only on entry to a virtual world, a scope in which all
/// tasks run in virtual time. On threads that aren't in a world, the hooks don't change anything.
enum RuntimeHooks {
  typealias EnqueueOriginal = @convention(thin) (UnownedJob) -> Void
  typealias EnqueueHook = @convention(thin) (UnownedJob, EnqueueOriginal) -> Void
  typealias MainExecutorOriginal = @convention(thin) () -> UnownedSerialExecutor
  typealias MainExecutorHook = @convention(thin) (MainExecutorOriginal) -> UnownedSerialExecutor
  typealias TaskIdentifier = @convention(thin) (UnownedJob) -> UInt64
  typealias JobFlags = @convention(thin) (UnownedJob) -> Int

  /// The names of the missing runtime symbols: none where virtual worlds are possible.
  static let missing: [String] = names.filter { symbol($0) == nil }

  private static let enqueueName = "swift_task_enqueueGlobal_hook"
  private static let mainExecutorName = "swift_task_getMainExecutor_hook"
  private static let identifierName = "swift_task_getJobTaskId"
  private static let names = [enqueueName, mainExecutorName, identifierName]

  // Pointers to variables of the runtime. Code that enters a world, on the main actor, writes the variables. The
  // runtime reads them on all threads, as whole words.
  private nonisolated(unsafe) static let enqueue = symbol(enqueueName)?.assumingMemoryBound(to: EnqueueHook?.self)
  private nonisolated(unsafe) static let mainExecutor =
    symbol(mainExecutorName)?.assumingMemoryBound(to: MainExecutorHook?.self)

  private static let identify = symbol(identifierName).map { unsafeBitCast($0, to: TaskIdentifier.self) }

  // Optional: without it, the ends of tasks, and jobs that resume a task after a yield, aren't recognized.
  private static let flags = symbol("swift_task_getJobFlags").map { unsafeBitCast($0, to: JobFlags.self) }

  /// Sets both hooks, each time a world is entered.
  @MainActor
  static func install() {
    guard missing.isEmpty else { return }
    WorldDefaultExecutor.install
    // Another library may have set or reset the same variables since the last call.
    enqueue?.pointee = enqueueHook
    mainExecutor?.pointee = mainExecutorHook
  }

  // The runtime calls these closures on any thread. They aren't isolated to the main actor: with
  // `-enable-actor-data-race-checks`, isolated closures would ask the runtime for the main actor's executor, that is,
  // call themselves.

  private static var enqueueHook: EnqueueHook {
    { job, original in
      guard let owner = VirtualWorld.owner(of: job) else { return original(job) }
      owner.enqueue(job)
    }
  }

  private static var mainExecutorHook: MainExecutorHook {
    { original in DrivingThread.isInWorld ? VirtualMainExecutor.shared.asUnownedSerialExecutor() : original() }
  }

  /// Returns the unique identifier of a job's task, or 0 for a job without a task.
  static func taskIdentifier(of job: UnownedJob) -> UInt64 { identify?(job) ?? 0 }

  /// Returns a job's task, so the caller can check whether the task has ended after the job. Returns `nil` for a job
  /// without a task, and for a child task of an `async let`, whose memory is part of its parent's.
  static func task(of job: UnownedJob) -> Unmanaged<WorldHost.Object>? {
    guard let flags, flags(job) & (1 << 28) == 0, taskIdentifier(of: job) != 0 else { return nil }
    return UnsafeRawPointer(bitPattern: job.address).map { .fromOpaque($0) }
  }

  /// Returns whether a job resumes a task that has yielded. Such a job holds a continuation.
  static func isYield(_ job: UnownedJob) -> Bool { flags.map { $0(job) & 0xff == 195 } ?? false }

  /// Starts a task and returns its identifier, which is greater than the identifiers of all earlier tasks.
  static func newestTask() -> UInt64 {
    let probe = IdentifierProbe()
    Task.detached(executorPreference: probe) {}
    return probe.identifier.load(ordering: .relaxed)
  }

  /// Runs a task immediately, and records its identifier.
  private final class IdentifierProbe: TaskExecutor {
    let identifier = Atomic<UInt64>(0)

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      identifier.store(taskIdentifier(of: job), ordering: .relaxed)
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  private static func symbol(_ name: String) -> UnsafeMutableRawPointer? {
    dlopen(nil, RTLD_NOW).flatMap { dlsym($0, name) }
  }
}
