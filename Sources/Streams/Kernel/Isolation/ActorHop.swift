/// A namespace for running work on an actor.
///
/// No public runtime function reports whether the caller is on an actor. The runtime does use this information, though: a task
/// started with `Task.immediate` runs synchronously if its closure is isolated to the actor that the caller is on, and is
/// enqueued otherwise. A single such task therefore serves as both the check and the hop. For the main actor,
/// ``ExecutionEnvironment`` answers the question at a lower cost.
package enum ActorHop {
  /// Runs work on an actor: synchronously if the caller is known to be on that actor, otherwise as a job of the actor.
  ///
  /// The job runs on the timeline that the calling thread is advancing, if there's one. Its task is named after the
  /// operator that needs the hop.
  package static func run(on actor: any Actor, for operatorName: String, _ work: @escaping @Sendable () -> Void) {
    if actor === MainActor.shared, let environment = ExecutionEnvironment.current {
      if environment.isOnMainActor() { return work() }
      return enqueue(on: actor, for: operatorName, work)
    }
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
      return enqueue(on: actor, for: operatorName, work)
    }
    Task.immediate(
      name: NamedTask.name(operatorName), executorPreference: ExecutionEnvironment.taskExecutor,
      operation: operation(on: actor, work))
  }

  /// Runs work as a job of the actor, even if the caller is on it.
  package static func enqueue(on actor: any Actor, for operatorName: String, _ work: @escaping @Sendable () -> Void) {
    NamedTask.start(operatorName, operation: operation(on: actor, work))
  }

  /// Returns the operation of a task that is isolated to an actor.
  private static func operation(
    on actor: any Actor, _ work: @escaping @Sendable () -> Void
  ) -> @isolated(any) () async -> Void {
    // Only a function that is isolated to the actor can create a closure that is. Creating it accesses none of the actor's
    // state, so it may be called from anywhere. The standard library implements `assumeIsolated` with the same conversion.
    typealias Isolated = (isolated any Actor, Work) -> Operation
    typealias Anywhere = (any Actor, Work) -> Operation
    let make: Isolated = isolatedOperation
    return unsafeBitCast(make, to: Anywhere.self)(actor, Work(run: work)).run
  }

  // The function's closure parameters and results are wrapped in structs, because converting the function would
  // otherwise wrap each of them in two more closures.
  fileprivate struct Work {
    let run: @Sendable () -> Void
  }

  fileprivate struct Operation {
    let run: @isolated(any) () async -> Void
  }
}

/// Returns an operation that is isolated to an actor. This is a global function, because a reference to a method is a closure,
/// and an isolated closure checks that it's called on its actor if this module is built with `-enable-actor-data-race-checks`.
private func isolatedOperation(on actor: isolated any Actor, _ work: ActorHop.Work) -> ActorHop.Operation {
  let work = work.run
  let operation: @isolated(any) () async -> Void = {
    // A closure is isolated to the actor of the enclosing function if it captures that actor.
    _ = actor
    work()
  }
  return ActorHop.Operation(run: operation)
}
