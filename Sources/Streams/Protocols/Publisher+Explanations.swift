// Methods that cannot be called. When no other overload fits a call, the compiler resolves it to one of these and
// reports what is missing, instead of listing the candidates that it tried or giving up ("failed to produce diagnostic
// for expression"). The type checker leaves out unavailable declarations until it looks for a diagnosis, so a call that
// fits an operator does not take longer to check. The result types let the compiler understand the rest of the chain.
// `.ci/diagnostics` compares the compiler's messages with the expected ones.

extension Publisher {
  /// Explains that publishers of different output types cannot be merged.
  @available(*, unavailable, message: "the two publishers send values of different types; use map(_:) on one of them")
  public __consuming func merge<P: Publisher>(with other: P) -> Publishers.MergeMany<Self> where P.Failure == Failure {
    explain()
  }

  /// Explains that publishers of different failure types cannot be merged.
  @available(
    *, unavailable,
    message: "the two publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  public __consuming func merge<P: Publisher>(with other: P) -> Publishers.MergeMany<Self> { explain() }

  /// Explains that a publisher of another output type cannot be appended.
  @available(*, unavailable, message: "the two publishers send values of different types; use map(_:) on one of them")
  public __consuming func append<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, Self>
  where P.Failure == Failure {
    explain()
  }

  /// Explains that a publisher of another failure type cannot be appended.
  @available(
    *, unavailable,
    message: "the two publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  public __consuming func append<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, Self> { explain() }

  /// Explains that a publisher of another output type cannot be prepended.
  @available(*, unavailable, message: "the two publishers send values of different types; use map(_:) on one of them")
  public __consuming func prepend<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, Self>
  where P.Failure == Failure {
    explain()
  }

  /// Explains that a publisher of another failure type cannot be prepended.
  @available(
    *, unavailable,
    message: "the two publishers have different failure types; use setFailureType(to:) or mapError(_:) on one of them"
  )
  public __consuming func prepend<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, Self> { explain() }

  /// Explains that the closure's publisher has another failure type.
  @available(
    *, unavailable,
    message: "the closure returns a publisher with a different failure type; use setFailureType(to:) or mapError(_:)"
  )
  public __consuming func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
  ) -> Publishers.Map<Self, P.Output> { explain() }

  /// Explains that the closure does not return a publisher.
  @available(*, unavailable, message: "the closure does not return a publisher; use map(_:) for values")
  public __consuming func flatMap<T>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> T
  ) -> Publishers.Map<Self, T> { explain() }

  /// Explains that the values are not publishers.
  @available(*, unavailable, message: "the values are not publishers; use map(_:) to make a publisher of each")
  public __consuming func switchToLatest() -> Self { explain() }

  /// Explains that a publisher that may fail needs a closure for its completion.
  @available(
    *, unavailable,
    message:
      "the publisher may fail; use sink(receiveCompletion:receiveValue:), or catch(_:) or replaceError(with:) before"
  )
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable { explain() }

  /// Explains that a publisher that may fail cannot be assigned to a property.
  @available(*, unavailable, message: "the publisher may fail; use catch(_:) or replaceError(with:) before it")
  public func assign<Root>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root
  ) -> AnyCancellable { explain() }

  /// Explains that values cannot be assigned to a property of a structure.
  @available(*, unavailable, message: "the property belongs to a structure; assign to a property of a class")
  public func assign<Root>(
    to keyPath: WritableKeyPath<Root, Output>, on object: Root
  ) -> AnyCancellable { explain() }

  /// Explains that a publisher that may fail cannot be assigned to a published property.
  @available(*, unavailable, message: "the publisher may fail; use catch(_:) or replaceError(with:) before it")
  public func assign(to published: inout Published<Output>.Publisher) { explain() }

  /// Explains that the subject has another output or failure type.
  @available(
    *, unavailable,
    message: "the subject has a different output type or failure type than the publisher"
  )
  public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable { explain() }
}

extension Publisher where Output: Publisher {
  /// Explains that the inner publishers have another failure type.
  @available(
    *, unavailable,
    message:
      "the inner publishers have a different failure type; use setFailureType(to:) or mapError(_:) on one of the two"
  )
  public __consuming func switchToLatest() -> Output { explain() }
}

private func explain() -> Never {
  stopProgram("This method only explains a compiler error and cannot be called.")
}
