// Methods that you can't call. When no other overload fits a call, the compiler picks one of these and reports the problem.
// Without these methods, it would list the candidates that it tried, or give up ("failed to produce diagnostic for
// expression"). The result types let the compiler understand the rest of the chain. `Tools/run diagnostics` compares the
// compiler's messages with the expected messages.
//
// These methods slow down compilation. The type checker tries unavailable declarations only when it looks for a diagnosis, but
// then for every call in the chain, even if the mistake is in another call. It also counts them when it decides which call to
// check first. So a method is declared here only if it hardly slows down chains that use its name, with or without a mistake,
// and if the compiler's own message would mislead.
//
// `map`, `filter`, `compactMap`, `catch`, `zip`, `append`, `prepend` and `sink` don't have such methods. With them, the
// compiler gave up on 54 of 100 chains that contain one mistake. Without them, it gives up on 37, as many as with OpenCombine.
// The compiler's own messages say what's wrong: "invalid conversion from throwing function", "requires the types 'Never' and
// 'any Error' be equivalent".

extension Publisher {
  @available(
    *, unavailable,
    message: "the subscriber receives other types; a generic one needs `where S.Input == Output, S.Failure == Failure`"
  )
  @_alwaysEmitIntoClient
  public func subscribe<S: Subscriber>(_ subscriber: S) { explain() }

  @available(*, unavailable, message: "the two publishers send values of different types; use map(_:) on one of them")
  @_alwaysEmitIntoClient
  public __consuming func merge<P: Publisher>(with other: P) -> Publishers.MergeMany<Self> where P.Failure == Failure {
    explain()
  }

  @available(
    *, unavailable,
    message: "the two publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func merge<P: Publisher>(with other: P) -> Publishers.MergeMany<Self> { explain() }

  @available(
    *, unavailable,
    message: "the closure returns a publisher with a different failure type; use setFailureType(to:) or mapError(_:)"
  )
  @_alwaysEmitIntoClient
  public __consuming func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
  ) -> Publishers.Map<Self, P.Output> { explain() }

  @available(*, unavailable, message: "the closure does not return a publisher; use map(_:) for values")
  @_alwaysEmitIntoClient
  public __consuming func flatMap<T>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> T
  ) -> Publishers.Map<Self, T> { explain() }

  @available(*, unavailable, message: "the values are not publishers; use map(_:) to turn each into a publisher")
  @_alwaysEmitIntoClient
  public __consuming func switchToLatest() -> Self { explain() }

  @available(*, unavailable, message: "the publisher may fail; use catch(_:) or replaceError(with:) before it")
  @_alwaysEmitIntoClient
  public func assign<Root>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root
  ) -> AnyCancellable { explain() }

  @available(*, unavailable, message: "the property belongs to a structure; assign to a property of a class")
  @_alwaysEmitIntoClient
  public func assign<Root>(
    to keyPath: WritableKeyPath<Root, Output>, on object: Root
  ) -> AnyCancellable { explain() }

  @available(*, unavailable, message: "the publisher may fail; use catch(_:) or replaceError(with:) before it")
  @_alwaysEmitIntoClient
  public func assign(to published: inout Published<Output>.Publisher) { explain() }

  @available(
    *, unavailable,
    message: "the subject has a different output type or failure type than the publisher"
  )
  @_alwaysEmitIntoClient
  public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable { explain() }

  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func combineLatest<P: Publisher>(_ other: P) -> Publishers.Map<Self, (Output, P.Output)> {
    explain()
  }

  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func combineLatest<P: Publisher, T>(_ other: P, _ transform: @escaping (Output, P.Output) -> T)
    -> Publishers.Map<Self, T>
  { explain() }

  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func combineLatest<P: Publisher, Q: Publisher>(_ publisher1: P, _ publisher2: Q)
    -> Publishers.Map<Self, (Output, P.Output, Q.Output)>
  { explain() }

  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func combineLatest<P: Publisher, Q: Publisher, T>(
    _ publisher1: P, _ publisher2: Q, _ transform: @escaping (Output, P.Output, Q.Output) -> T
  ) -> Publishers.Map<Self, T> { explain() }

  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R
  ) -> Publishers.Map<Self, (Output, P.Output, Q.Output, R.Output)> { explain() }

  @available(
    *, unavailable,
    message:
      "the interval is not the scheduler's stride; write .milliseconds(300), or import StreamAlgorithms, which takes a Duration"
  )
  @_alwaysEmitIntoClient
  public __consuming func debounce<T, S: Scheduler>(for dueTime: T, scheduler: S) -> Self { explain() }

  @available(
    *, unavailable,
    message:
      "the interval is not the scheduler's stride; write .milliseconds(300), or import StreamAlgorithms, which takes a Duration"
  )
  @_alwaysEmitIntoClient
  public __consuming func delay<T, S: Scheduler>(for interval: T, scheduler: S) -> Self { explain() }

  @available(
    *, unavailable,
    message:
      "the interval is not the scheduler's stride; write .milliseconds(300), or import StreamAlgorithms, which takes a Duration"
  )
  @_alwaysEmitIntoClient
  public __consuming func throttle<T, S: Scheduler>(for interval: T, scheduler: S, latest: Bool) -> Self { explain() }

  @available(
    *, unavailable,
    message:
      "the interval is not the scheduler's stride; write .milliseconds(300), or import StreamAlgorithms, which takes a Duration"
  )
  @_alwaysEmitIntoClient
  public __consuming func timeout<T, S: Scheduler>(_ interval: T, scheduler: S) -> Self { explain() }
}

// The same methods, for contexts (such as a result type) that fix the other publisher's failure type. The methods above fix this
// publisher's failure type. Variants with three publishers or a closure would slow down type checking of other calls.
extension Publisher {
  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public __consuming func merge<P: Publisher>(with other: P) -> P { explain() }

  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public __consuming func combineLatest<P: Publisher>(_ other: P) -> Publishers.Map<P, (Output, P.Output)> { explain() }
}

extension Publisher {
  @available(
    *, unavailable, message: "the values are not Equatable, as tuples never are; use removeDuplicates(by:), or (by: ==)"
  )
  @_alwaysEmitIntoClient
  public __consuming func removeDuplicates() -> Self { explain() }
}

extension Subject where Failure == Never {
  @available(*, unavailable, message: "the subject cannot fail; declare it with the type of the error as its Failure")
  @_alwaysEmitIntoClient
  public func send<E: Error>(completion: Subscribers.Completion<E>) { explain() }
}

extension Publisher where Output: Publisher {
  @available(
    *, unavailable,
    message:
      "the inner publishers have a different failure type; use setFailureType(to:) or mapError(_:) on one of the two"
  )
  @_alwaysEmitIntoClient
  public __consuming func switchToLatest() -> Output { explain() }
}

/// The body of every method that exists only to explain an error.
@usableFromInline
package func explain() -> Never {
  stopProgram("This method only explains a compiler error and cannot be called.")
}

extension Future {
  /// Has no effect. A future runs its closure once and sends the result to each subscriber.
  ///
  /// - Parameter retries: The number of additional attempts.
  /// - Returns: A publisher that publishes the future's result.
  @available(
    *, deprecated, message: "a future runs its closure only once; use Deferred { Future { … } }"
  )
  @_alwaysEmitIntoClient
  public __consuming func retry(_ retries: Int) -> Publishers.Retry<Future> {
    Publishers.Retry(upstream: self, retries: retries)
  }
}
