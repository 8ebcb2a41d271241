public import Streams

// Methods that you can't call. Their messages explain what's wrong with a call. See the file of this name in Streams.

extension Publisher {
  @available(
    *, unavailable,
    message: "the closure returns a publisher with a different failure type; use setFailureType(to:) or mapError(_:)"
  )
  @_alwaysEmitIntoClient
  public __consuming func flatMapFirst<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> Publishers.Map<Self, P.Output> { explain() }

  @available(*, unavailable, message: "the closure does not return a publisher; use map(_:) for values")
  @_alwaysEmitIntoClient
  public __consuming func flatMapFirst<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Self, T> { explain() }

  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func withLatest<P: Publisher>(from other: P) -> Publishers.Map<Self, (Output, P.Output)> {
    explain()
  }

  @available(*, unavailable, message: "the two publishers send values of different types; use map(_:) on one of them")
  @_alwaysEmitIntoClient
  public __consuming func race<P: Publisher>(with other: P) -> Self where P.Failure == Failure { explain() }

  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func race<P: Publisher>(with other: P) -> Self { explain() }

  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func sample<P: Publisher>(by trigger: P) -> Self { explain() }

  @available(
    *, unavailable,
    message: "the policy has delays; add the scheduler that measures them: retry(policy, scheduler: scheduler)"
  )
  @_alwaysEmitIntoClient
  public __consuming func retry(_ policy: RetryPolicy) -> Self { explain() }

  @available(*, unavailable, message: "pass the actor itself: receive(on: MainActor.shared)")
  @_alwaysEmitIntoClient
  public __consuming func receive<A: GlobalActor>(on actor: A.Type)
    -> ReceiveOnActorPublisher<Self, A.ActorType>
  { explain() }

  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public __consuming func race<P: Publisher>(with other: P) -> P { explain() }

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
