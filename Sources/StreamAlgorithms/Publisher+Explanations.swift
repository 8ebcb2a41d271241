public import Streams

// Methods that you can't call, which explain what is wrong with a call; see the file of this name in Streams.

extension Publisher {
  /// Explains that the closure's publisher has a different failure type.
  @available(
    *, unavailable,
    message: "the closure returns a publisher with a different failure type; use setFailureType(to:) or mapError(_:)"
  )
  @_alwaysEmitIntoClient
  public __consuming func flatMapFirst<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> Publishers.Map<Self, P.Output> { explain() }

  /// Explains that the closure doesn't return a publisher.
  @available(*, unavailable, message: "the closure does not return a publisher; use map(_:) for values")
  @_alwaysEmitIntoClient
  public __consuming func flatMapFirst<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Self, T> { explain() }

  /// Explains that the other publisher must have the same failure type.
  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func withLatest<P: Publisher>(from other: P) -> Publishers.Map<Self, (Output, P.Output)> {
    explain()
  }

  /// Explains that publishers with different output types can't race.
  @available(*, unavailable, message: "the two publishers send values of different types; use map(_:) on one of them")
  @_alwaysEmitIntoClient
  public __consuming func race<P: Publisher>(with other: P) -> Self where P.Failure == Failure { explain() }

  /// Explains that publishers with different failure types can't race.
  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func race<P: Publisher>(with other: P) -> Self { explain() }

  /// Explains that the other publisher must have the same failure type.
  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func sample<P: Publisher>(by trigger: P) -> Self { explain() }

  /// Explains that a retry policy needs a scheduler.
  @available(
    *, unavailable,
    message: "the policy has delays; add the scheduler that measures them: retry(policy, scheduler: scheduler)"
  )
  @_alwaysEmitIntoClient
  public __consuming func retry(_ policy: RetryPolicy) -> Self { explain() }

  /// Explains that you need to pass an actor, not its type.
  @available(*, unavailable, message: "pass the actor itself: receive(on: MainActor.shared)")
  @_alwaysEmitIntoClient
  public __consuming func receive<A: GlobalActor>(on actor: A.Type)
    -> ReceiveOnActorPublisher<Self, A.ActorType>
  { explain() }

  /// Explains that publishers with different failure types can't race.
  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public __consuming func race<P: Publisher>(with other: P) -> P { explain() }

  /// Explains that the closure's publisher has a different failure type.
  @available(
    *, unavailable,
    message: "the closure returns a publisher with a different failure type; use setFailureType(to:) or mapError(_:)"
  )
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public __consuming func flatMapFirst<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> P { explain() }
}
