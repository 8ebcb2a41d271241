// What nobody can call. When nothing else fits a call, the compiler comes here and says what is missing, instead of listing
// what it has tried or giving up ("failed to produce diagnostic for expression"). The type checker leaves out what is
// unavailable until it looks for an explanation, so a call that fits an operator costs nothing more. What a method here
// returns lets it understand the rest of the chain. `.ci/diagnostics` compares what the compiler says with what it should.

extension Publisher {
  /// Explains why publishers cannot be merged.
  @available(*, unavailable, message: "the two publishers send values of different types; use map(_:) on one of them")
  public __consuming func merge<P: Publisher>(with other: P) -> Publishers.MergeMany<Self> where P.Failure == Failure {
    explain()
  }

  /// Explains why publishers cannot be merged.
  @available(
    *, unavailable,
    message: "the two publishers fail with different errors; use setFailureType(to:) or mapError(_:) on one of them"
  )
  public __consuming func merge<P: Publisher>(with other: P) -> Publishers.MergeMany<Self> { explain() }

  /// Explains why publishers cannot follow one another.
  @available(*, unavailable, message: "the two publishers send values of different types; use map(_:) on one of them")
  public __consuming func append<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, Self>
  where P.Failure == Failure {
    explain()
  }

  /// Explains why publishers cannot follow one another.
  @available(
    *, unavailable,
    message: "the two publishers fail with different errors; use setFailureType(to:) or mapError(_:) on one of them"
  )
  public __consuming func append<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, Self> { explain() }

  /// Explains why publishers cannot follow one another.
  @available(*, unavailable, message: "the two publishers send values of different types; use map(_:) on one of them")
  public __consuming func prepend<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, Self>
  where P.Failure == Failure {
    explain()
  }

  /// Explains why publishers cannot follow one another.
  @available(
    *, unavailable,
    message: "the two publishers fail with different errors; use setFailureType(to:) or mapError(_:) on one of them"
  )
  public __consuming func prepend<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, Self> { explain() }

  /// Explains why a closure cannot be that of `flatMap`.
  @available(
    *, unavailable,
    message: "the closure returns a publisher that fails with another error; use setFailureType(to:) or mapError(_:)"
  )
  public __consuming func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
  ) -> Publishers.Map<Self, P.Output> { explain() }

  /// Explains why a closure cannot be that of `flatMap`.
  @available(*, unavailable, message: "the closure does not return a publisher; use map(_:) for values")
  public __consuming func flatMap<T>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> T
  ) -> Publishers.Map<Self, T> { explain() }

  /// Explains why one cannot switch to the latest value.
  @available(*, unavailable, message: "the values are not publishers; use map(_:) to make a publisher of each")
  public __consuming func switchToLatest() -> Self { explain() }

  /// Explains why values cannot be taken without a look at failures.
  @available(
    *, unavailable,
    message:
      "the publisher may fail; use sink(receiveCompletion:receiveValue:), or catch(_:) or replaceError(with:) before"
  )
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable { explain() }

  /// Explains why values cannot be assigned.
  @available(*, unavailable, message: "the publisher may fail; use catch(_:) or replaceError(with:) before it")
  public func assign<Root>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root
  ) -> AnyCancellable { explain() }

  /// Explains why values cannot be assigned.
  @available(*, unavailable, message: "the property belongs to a structure; assign to a property of a class")
  public func assign<Root>(
    to keyPath: WritableKeyPath<Root, Output>, on object: Root
  ) -> AnyCancellable { explain() }

  /// Explains why values cannot be assigned.
  @available(*, unavailable, message: "the publisher may fail; use catch(_:) or replaceError(with:) before it")
  public func assign(to published: inout Published<Output>.Publisher) { explain() }

  /// Explains why a subject cannot be attached.
  @available(
    *, unavailable,
    message: "the subject takes values of another type, or fails with another error, than the publisher"
  )
  public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable { explain() }
}

extension Publisher where Output: Publisher {
  /// Explains why one cannot switch to the latest publisher.
  @available(
    *, unavailable,
    message: "the publishers in it fail with another error; use setFailureType(to:) or mapError(_:) on them or on it"
  )
  public __consuming func switchToLatest() -> Output { explain() }
}

private func explain() -> Never {
  stopProgram("This method is there to explain what a call lacks. Nobody can call it.")
}
