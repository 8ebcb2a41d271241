/// Brings work to an actor.
///
/// The runtime does not say in public whether the caller is on an actor. It acts on it, though: a task that is started
/// immediately runs at once where its closure belongs to the actor that the caller is on, and is enqueued elsewhere. So one
/// such task is the question and the hop in one. For the main actor ``Surroundings`` knows the answer, which costs less.
@usableFromInline
package enum ActorHop {
  /// Runs work on an actor: before this returns if the caller is known to be on it, else as a job of the actor.
  ///
  /// The job is on the timeline that the calling thread is moving on, if there is one.
  @usableFromInline
  package static func run(on actor: any Actor, _ work: @escaping @Sendable () -> Void) {
    if actor === MainActor.shared, let surroundings = Surroundings.current {
      if surroundings.isOnMainActor() { return work() }
      return enqueue(on: actor, work)
    }
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return enqueue(on: actor, work) }
    Task.immediate(executorPreference: Surroundings.taskExecutor, operation: operation(on: actor, work))
  }

  /// Whether the caller is known to be on an actor. It costs a task, where the actor is not the main actor.
  @usableFromInline
  package static func isCurrent(_ actor: any Actor) -> Bool {
    if actor === MainActor.shared, let surroundings = Surroundings.current { return surroundings.isOnMainActor() }
    return isCurrentToRuntime(actor)
  }

  /// Whether the runtime takes the caller to be on an actor. It costs a task.
  static func isCurrentToRuntime(_ actor: any Actor) -> Bool {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return true }
    let answer = Locked(false)
    // Unchecked: the lock protects the answer.
    nonisolated(unsafe) let shared = answer
    // Where the actor is not current, another thread may run the task before the answer is read here.
    let thread = ThreadContext.identity
    Task.immediate(
      operation: operation(on: actor) { if ThreadContext.identity == thread { shared.withLock { $0 = true } } })
    return answer.withLock { $0 }
  }

  /// Runs work as a job of the actor, also if the caller is on it.
  package static func enqueue(on actor: any Actor, _ work: @escaping @Sendable () -> Void) {
    Task(executorPreference: Surroundings.taskExecutor, operation: operation(on: actor, work))
  }

  /// Work as the operation of a task that belongs to an actor.
  private static func operation(
    on actor: any Actor, _ work: @escaping @Sendable () -> Void
  ) -> @isolated(any) () async -> Void {
    // Only a function that is isolated to the actor can make a closure that is. Making it touches nothing of the actor's, so
    // it may be called from anywhere; this is the conversion with which the standard library implements `assumeIsolated`.
    typealias Isolated = (isolated any Actor, Work) -> Operation
    typealias Anywhere = (any Actor, Work) -> Operation
    let make: Isolated = isolatedOperation
    return unsafeBitCast(make, to: Anywhere.self)(actor, Work(run: work)).run
  }

  private static func isolatedOperation(on actor: isolated any Actor, _ work: Work) -> Operation {
    let work = work.run
    let operation: @isolated(any) () async -> Void = {
      // A closure belongs to the actor of the function that it is made in if it captures that.
      _ = actor
      work()
    }
    return Operation(run: operation)
  }

  // Closures that the function takes and returns are in structs, because the conversion of the function would wrap each of
  // them in two more closures.
  private struct Work {
    let run: @Sendable () -> Void
  }

  private struct Operation {
    let run: @isolated(any) () async -> Void
  }
}
