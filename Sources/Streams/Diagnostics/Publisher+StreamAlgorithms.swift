// Unavailable copies of StreamAlgorithms operators. In a file that doesn't import the module, calling such an operator produces
// a message that says to import the module. Where the module is imported, its own declarations take precedence, and so do
// operators that a program has declared.
//
// There are none for collections: a method `zip` or `merge` would hide the function of that name in every extension of a
// collection.

extension Publisher {
  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func acknowledge<Target>(to target: Target) -> AnyPublisher<Output, Failure> { explain() }

  /// Explains that StreamAlgorithms isn't imported.
  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func acknowledge<Target>(to target: Target, after index: Output) -> AnyPublisher<Output, Failure> { explain() }

  /// Explains that StreamAlgorithms isn't imported.
  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func checkpoint(_ name: String) -> AnyPublisher<Output, Failure> { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func pairwise() -> AnyPublisher<(Output, Output), Failure> { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func nwise(_ size: Int) -> AnyPublisher<[Output], Failure> { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func enumerated(initial: Int = 0) -> AnyPublisher<(offset: Int, element: Output), Failure> { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func distinct(remembering count: Int) -> AnyPublisher<Output, Failure> { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func distinct<Key>(by key: @escaping (Output) -> Key, remembering count: Int) -> AnyPublisher<Output, Failure>
  { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func partition(_ isIncluded: @escaping (Output) -> Bool) -> (
    matches: Publishers.Filter<Self>, others: Publishers.Filter<Self>
  ) { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func chunked(maxCount: Int, by belongsInSameChunk: @escaping (Output, Output) -> Bool) -> AnyPublisher<
    [Output], Failure
  > { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func chunked<Key>(maxCount: Int, on key: @escaping (Output) -> Key) -> AnyPublisher<(Key, [Output]), Failure> {
    explain()
  }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func groupBy<Key>(_ key: @escaping (Output) -> Key, maxGroups: Int, bufferSize: Int) -> AnyPublisher<
    AnyPublisher<Output, Failure>, Failure
  > { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func window<P: Publisher>(by boundary: P, bufferSize: Int) -> AnyPublisher<
    AnyPublisher<Output, Failure>, Failure
  > { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func buffer<P: Publisher>(by boundary: P, maxCount: Int) -> AnyPublisher<[Output], Failure> { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func withLatest<P: Publisher>(from other: P) -> AnyPublisher<(Output, P.Output), Failure> { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func withLatest<P: Publisher, T>(from other: P, _ transform: @escaping (Output, P.Output) -> T)
    -> AnyPublisher<T, Failure>
  { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func withLatest<P: Publisher, Q: Publisher>(from publisher1: P, _ publisher2: Q) -> AnyPublisher<
    (Output, P.Output, Q.Output), Failure
  > { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func race<P: Publisher>(with other: P...) -> AnyPublisher<Output, Failure> where P.Output == Output {
    explain()
  }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func combineLatest<P: Publisher>(with others: P...) -> AnyPublisher<[Output], Failure>
  where P.Output == Output { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func finish<P: Publisher>(when stop: P) -> AnyPublisher<Output, Failure> { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func sample<P: Publisher>(by sampler: P) -> AnyPublisher<Output, Failure> { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func pausable<P: Publisher>(runningWhile isRunning: P) -> AnyPublisher<Output, Failure>
  where P.Output == Bool { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func poll<S: Scheduler>(every interval: S.SchedulerTimeType.Stride, scheduler: S) -> AnyPublisher<
    Output, Failure
  > { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func delay<S: Scheduler>(subscription interval: S.SchedulerTimeType.Stride, scheduler: S) -> AnyPublisher<
    Output, Failure
  > { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func prefix<S: Scheduler>(duration: S.SchedulerTimeType.Stride, scheduler: S) -> AnyPublisher<Output, Failure>
  { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func ignoreFailure(completeImmediately: Bool = true) -> AnyPublisher<Output, Never> { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func mapToResult() -> AnyPublisher<Result<Output, Failure>, Never> { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func mapToPhase() -> AnyPublisher<Result<Output, Failure>, Never> { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func materialize() -> AnyPublisher<Result<Output, Failure>, Never> { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func `repeat`(_ count: Int = 1) -> AnyPublisher<Output, Failure> { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func retry<P: Publisher>(when decider: @escaping (AnyPublisher<Failure, Never>) -> P) -> AnyPublisher<
    Output, Failure
  > { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func switchIfEmpty<P: Publisher>(to other: P) -> AnyPublisher<Output, Failure> where P.Output == Output {
    explain()
  }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func flatMapFirst<P: Publisher>(_ transform: @escaping (Output) -> P) -> AnyPublisher<P.Output, Failure> {
    explain()
  }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func flatMapLatest<P: Publisher>(_ transform: @escaping (Output) -> P) -> AnyPublisher<P.Output, Failure> {
    explain()
  }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func flatMapLatest<T>(_ transform: @escaping (Output) async throws -> T) -> AnyPublisher<T, Failure> {
    explain()
  }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func map<T>(maxTasks: Int, _ transform: @escaping (Output) async throws -> T) -> AnyPublisher<T, Failure> {
    explain()
  }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func flatMap<T>(maxTasks: Int, _ transform: @escaping (Output) async throws -> T) -> AnyPublisher<T, Failure> {
    explain()
  }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func share(replay count: Int) -> AnyPublisher<Output, Failure> { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func receive<A: Actor>(on actor: A) -> AnyPublisher<Output, Failure> { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func run(_ body: (Output) async throws -> Void) async throws { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func sink<Owner: AnyObject>(with owner: Owner, receiveValue: @escaping (Owner, Output) -> Void)
    -> AnyCancellable
  { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func sink<Owner: AnyObject>(
    with owner: Owner, receiveCompletion: @escaping (Owner, Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (Owner, Output) -> Void
  ) -> AnyCancellable { explain() }

  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func eraseToAnySendablePublisher() -> AnyPublisher<Output, Failure> { explain() }
}

extension Publisher where Output == Bool {
  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func toggle() -> AnyPublisher<Bool, Failure> { explain() }
}

extension AsyncSequence {
  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this property")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public var publisher: AnyPublisher<Element, any Error> { explain() }
}

extension Future where Failure == any Error {
  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has futures of asynchronous closures")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public convenience init(operation: @escaping () async throws -> Output) { explain() }
}

extension Deferred {
  @available(*, unavailable, message: "add `import StreamAlgorithms`, which has futures of asynchronous closures")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public init<T>(operation: @escaping () async throws -> T) where DeferredPublisher == Future<T, any Error> {
    explain()
  }
}
