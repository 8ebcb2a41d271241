// Methods that you can't call. When no other overload fits a call, the compiler picks one of these and reports the problem.
// Otherwise, it would list the candidates that it tried, or give up ("failed to produce diagnostic for expression"). The type
// checker doesn't try unavailable declarations until it looks for a diagnosis, but it counts them when it decides which call of a
// chain to check first. So a method stays here only if chains that compile take hardly longer with it. For a chain with a mistake,
// the checker tries those of every call, so the diagnosis of a long chain takes longer. The result types let the compiler
// understand the rest of the chain. `Tools/run diagnostics` compares the compiler's messages with the expected messages.
//
// These are deliberately missing:
//
// - `map` with an asynchronous closure, or with a closure that has three parameters: they would slow down type checking of other
//   calls to `map` by a factor of up to seven (`#expect(… .map { $0.0 + $0.1 + $0.2 } == …)`: from 0.16 to 1.2 seconds, or until
//   the compiler gives up).
// - `compactMap` with a closure that throws or suspends: with either, a chain of two `map` and two `compactMap` took seven times as
//   long. With both, one with two more operators didn't compile.

extension Publisher {
  /// Explains that a subscriber can't subscribe if its types don't match the publisher's.
  @available(
    *, unavailable,
    message: "the subscriber receives other types; a generic one needs `where S.Input == Output, S.Failure == Failure`"
  )
  @_alwaysEmitIntoClient
  public func subscribe<S: Subscriber>(_ subscriber: S) { explain() }

  /// Explains that you can't merge publishers with different output types.
  @available(*, unavailable, message: "the two publishers send values of different types; use map(_:) on one of them")
  @_alwaysEmitIntoClient
  public __consuming func merge<P: Publisher>(with other: P) -> Publishers.MergeMany<Self> where P.Failure == Failure {
    explain()
  }

  /// Explains that you can't merge publishers with different failure types.
  @available(
    *, unavailable,
    message: "the two publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func merge<P: Publisher>(with other: P) -> Publishers.MergeMany<Self> { explain() }

  /// Explains that you can't append a publisher with a different output type.
  @available(*, unavailable, message: "the two publishers send values of different types; use map(_:) on one of them")
  @_alwaysEmitIntoClient
  public __consuming func append<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, Self>
  where P.Failure == Failure {
    explain()
  }

  /// Explains that you can't append a publisher with a different failure type.
  @available(
    *, unavailable,
    message: "the two publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func append<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, Self> { explain() }

  /// Explains that you can't prepend a publisher with a different output type.
  @available(*, unavailable, message: "the two publishers send values of different types; use map(_:) on one of them")
  @_alwaysEmitIntoClient
  public __consuming func prepend<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, Self>
  where P.Failure == Failure {
    explain()
  }

  /// Explains that you can't prepend a publisher with a different failure type.
  @available(
    *, unavailable,
    message: "the two publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func prepend<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, Self> { explain() }

  /// Explains that the closure's publisher has a different failure type.
  @available(
    *, unavailable,
    message: "the closure returns a publisher with a different failure type; use setFailureType(to:) or mapError(_:)"
  )
  @_alwaysEmitIntoClient
  public __consuming func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
  ) -> Publishers.Map<Self, P.Output> { explain() }

  /// Explains that the closure doesn't return a publisher.
  @available(*, unavailable, message: "the closure does not return a publisher; use map(_:) for values")
  @_alwaysEmitIntoClient
  public __consuming func flatMap<T>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> T
  ) -> Publishers.Map<Self, T> { explain() }

  /// Explains that the values aren't publishers.
  @available(*, unavailable, message: "the values are not publishers; use map(_:) to turn each into a publisher")
  @_alwaysEmitIntoClient
  public __consuming func switchToLatest() -> Self { explain() }

  /// Explains that a publisher that can fail needs a closure for its completion.
  @available(
    *, unavailable,
    message:
      "the publisher may fail; use sink(receiveCompletion:receiveValue:), or catch(_:) or replaceError(with:) before it"
  )
  @_alwaysEmitIntoClient
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable { explain() }

  /// Explains that you can't assign a publisher that can fail to a property.
  @available(*, unavailable, message: "the publisher may fail; use catch(_:) or replaceError(with:) before it")
  @_alwaysEmitIntoClient
  public func assign<Root>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root
  ) -> AnyCancellable { explain() }

  /// Explains that you can't assign values to a property of a structure.
  @available(*, unavailable, message: "the property belongs to a structure; assign to a property of a class")
  @_alwaysEmitIntoClient
  public func assign<Root>(
    to keyPath: WritableKeyPath<Root, Output>, on object: Root
  ) -> AnyCancellable { explain() }

  /// Explains that you can't assign a publisher that can fail to a published property.
  @available(*, unavailable, message: "the publisher may fail; use catch(_:) or replaceError(with:) before it")
  @_alwaysEmitIntoClient
  public func assign(to published: inout Published<Output>.Publisher) { explain() }

  /// Explains that the subject has a different output or failure type.
  @available(
    *, unavailable,
    message: "the subject has a different output type or failure type than the publisher"
  )
  @_alwaysEmitIntoClient
  public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable { explain() }

  /// Explains that you can't combine publishers with different failure types.
  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func combineLatest<P: Publisher>(_ other: P) -> Publishers.Map<Self, (Output, P.Output)> {
    explain()
  }

  /// Explains that you can't combine publishers with different failure types.
  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func combineLatest<P: Publisher, T>(_ other: P, _ transform: @escaping (Output, P.Output) -> T)
    -> Publishers.Map<Self, T>
  { explain() }

  /// Explains that you can't combine publishers with different failure types.
  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func combineLatest<P: Publisher, Q: Publisher>(_ publisher1: P, _ publisher2: Q)
    -> Publishers.Map<Self, (Output, P.Output, Q.Output)>
  { explain() }

  /// Explains that you can't combine publishers with different failure types.
  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func combineLatest<P: Publisher, Q: Publisher, T>(
    _ publisher1: P, _ publisher2: Q, _ transform: @escaping (Output, P.Output, Q.Output) -> T
  ) -> Publishers.Map<Self, T> { explain() }

  /// Explains that you can't combine publishers with different failure types.
  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R
  ) -> Publishers.Map<Self, (Output, P.Output, Q.Output, R.Output)> { explain() }

  /// Explains that you can't combine publishers with different failure types.
  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func zip<P: Publisher>(_ other: P) -> Publishers.Map<Self, (Output, P.Output)> { explain() }

  /// Explains that you can't combine publishers with different failure types.
  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func zip<P: Publisher, T>(_ other: P, _ transform: @escaping (Output, P.Output) -> T)
    -> Publishers.Map<Self, T>
  { explain() }

  /// Explains that you can't combine publishers with different failure types.
  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func zip<P: Publisher, Q: Publisher>(_ publisher1: P, _ publisher2: Q)
    -> Publishers.Map<Self, (Output, P.Output, Q.Output)>
  { explain() }

  /// Explains that you can't combine publishers with different failure types.
  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func zip<P: Publisher, Q: Publisher, T>(
    _ publisher1: P, _ publisher2: Q, _ transform: @escaping (Output, P.Output, Q.Output) -> T
  ) -> Publishers.Map<Self, T> { explain() }

  /// Explains that you can't combine publishers with different failure types.
  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  public __consuming func zip<P: Publisher, Q: Publisher, R: Publisher>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R
  ) -> Publishers.Map<Self, (Output, P.Output, Q.Output, R.Output)> { explain() }

  /// Explains that the closure doesn't return a publisher.
  @available(
    *, unavailable,
    message: "the closure does not return a publisher; use replaceError(with:) for a value, or return Just(…)"
  )
  @_alwaysEmitIntoClient
  public __consuming func `catch`<T>(_ handler: @escaping (Failure) -> T) -> Publishers.ReplaceError<Self> { explain() }

  /// Explains that the closure's publisher sends values of a different type.
  @available(
    *, unavailable,
    message: "the closure returns a publisher with a different output type; use map(_:) on one of the two"
  )
  @_alwaysEmitIntoClient
  public __consuming func `catch`<P: Publisher>(_ handler: @escaping (Failure) -> P) -> Publishers.ReplaceError<Self> {
    explain()
  }

  /// Explains that the closure can't throw.
  @available(*, unavailable, message: "the closure throws; use tryMap(_:)")
  @_alwaysEmitIntoClient
  public __consuming func map<T>(_ transform: @escaping (Output) throws -> T) -> Publishers.TryMap<Self, T> {
    explain()
  }

  /// Explains that the closure can't throw.
  @available(*, unavailable, message: "the closure throws; use tryFilter(_:)")
  @_alwaysEmitIntoClient
  public __consuming func filter(_ isIncluded: @escaping (Output) throws -> Bool) -> Publishers.TryFilter<Self> {
    explain()
  }

  /// Explains that the closure can't throw.
  @available(*, unavailable, message: "the closure throws; use tryMap(_:) and then flatMap(_:)")
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public __consuming func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) throws -> P
  ) -> P { explain() }

  /// Explains that the closure can't throw.
  @available(*, unavailable, message: "the closure throws and does not return a publisher; use tryMap(_:)")
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public __consuming func flatMap<T>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) throws -> T
  ) -> Publishers.TryMap<Self, T> { explain() }

  /// Explains that the closure can't suspend.
  @available(
    *, unavailable,
    message: "the closure is asynchronous; use flatMap(maxTasks:_:) or flatMapLatest(_:) of StreamAlgorithms"
  )
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public __consuming func flatMap<T>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) async throws -> T
  ) -> Publishers.Map<Self, T> { explain() }

  /// Explains that the closures are in the wrong order.
  @available(*, unavailable, message: "the closures are in the wrong order; use sink(receiveCompletion:receiveValue:)")
  @_alwaysEmitIntoClient
  public func sink(
    receiveValue: @escaping (Output) -> Void, receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void
  ) -> AnyCancellable { explain() }

  /// Explains that the closure can't throw.
  @available(
    *, unavailable,
    message: "the closure throws; handle the error in it, or use tryMap(_:) and sink(receiveCompletion:receiveValue:)"
  )
  @_alwaysEmitIntoClient
  public func sink(receiveValue: @escaping (Output) throws -> Void) -> AnyCancellable { explain() }

  /// Explains that the closure can't suspend.
  @available(
    *, unavailable,
    message:
      "the closure is asynchronous; use map(maxTasks:_:) of StreamAlgorithms before the sink, or for await … in values"
  )
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public func sink(receiveValue: @escaping (Output) async throws -> Void) -> AnyCancellable { explain() }

  /// Explains that the interval has a different type from the scheduler's.
  @available(
    *, unavailable,
    message:
      "the interval is not the scheduler's stride; write .milliseconds(300), or import StreamAlgorithms, which takes a Duration"
  )
  @_alwaysEmitIntoClient
  public __consuming func debounce<T, S: Scheduler>(for dueTime: T, scheduler: S) -> Self { explain() }

  /// Explains that the interval has a different type from the scheduler's.
  @available(
    *, unavailable,
    message:
      "the interval is not the scheduler's stride; write .milliseconds(300), or import StreamAlgorithms, which takes a Duration"
  )
  @_alwaysEmitIntoClient
  public __consuming func delay<T, S: Scheduler>(for interval: T, scheduler: S) -> Self { explain() }

  /// Explains that the interval has a different type from the scheduler's.
  @available(
    *, unavailable,
    message:
      "the interval is not the scheduler's stride; write .milliseconds(300), or import StreamAlgorithms, which takes a Duration"
  )
  @_alwaysEmitIntoClient
  public __consuming func throttle<T, S: Scheduler>(for interval: T, scheduler: S, latest: Bool) -> Self { explain() }

  /// Explains that the interval has a different type from the scheduler's.
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
  /// Explains that you can't merge publishers with different failure types.
  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public __consuming func merge<P: Publisher>(with other: P) -> P { explain() }

  /// Explains that you can't append a publisher with a different failure type.
  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public __consuming func append<P: Publisher>(_ publisher: P) -> P { explain() }

  /// Explains that you can't prepend a publisher with a different failure type.
  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public __consuming func prepend<P: Publisher>(_ publisher: P) -> P { explain() }

  /// Explains that you can't combine publishers with different failure types.
  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public __consuming func combineLatest<P: Publisher>(_ other: P) -> Publishers.Map<P, (Output, P.Output)> { explain() }

  /// Explains that you can't combine publishers with different failure types.
  @available(
    *, unavailable,
    message: "the publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public __consuming func zip<P: Publisher>(_ other: P) -> Publishers.Map<P, (Output, P.Output)> { explain() }

  /// Explains that the closure's publisher has a different failure type.
  @available(
    *, unavailable,
    message: "the closure returns a publisher with a different failure type; use setFailureType(to:) or mapError(_:)"
  )
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public __consuming func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
  ) -> P { explain() }
}

extension Publisher {
  /// Explains that the values can't be compared.
  @available(
    *, unavailable, message: "the values are not Equatable, as tuples never are; use removeDuplicates(by:), or (by: ==)"
  )
  @_alwaysEmitIntoClient
  public __consuming func removeDuplicates() -> Self { explain() }
}

extension Subject where Failure == Never {
  /// Explains that the subject can't fail.
  @available(*, unavailable, message: "the subject cannot fail; declare it with the type of the error as its Failure")
  @_alwaysEmitIntoClient
  public func send<E: Error>(completion: Subscribers.Completion<E>) { explain() }
}

extension Publisher where Output: Publisher {
  /// Explains that the inner publishers have a different failure type.
  @available(
    *, unavailable,
    message:
      "the inner publishers have a different failure type; use setFailureType(to:) or mapError(_:) on one of the two"
  )
  @_alwaysEmitIntoClient
  public __consuming func switchToLatest() -> Output { explain() }
}

// Former names of operators. Your program's own operators with these names take precedence.

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
