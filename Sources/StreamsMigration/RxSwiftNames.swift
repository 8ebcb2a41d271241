public import StreamAlgorithms
public import Streams

// Operators under the names of RxSwift, ReactiveSwift and ReactiveX. None can be called: the compiler says which operator of
// Streams does the same thing, and offers to correct the name if the arguments stay the same. The type checker considers
// unavailable declarations only for diagnostics.

extension Publisher {
  @available(*, unavailable, renamed: "removeDuplicates()")
  @_alwaysEmitIntoClient
  public __consuming func distinctUntilChanged() -> Publishers.RemoveDuplicates<Self> where Output: Equatable {
    explain()
  }

  @available(*, unavailable, renamed: "removeDuplicates(by:)")
  @_alwaysEmitIntoClient
  public __consuming func distinctUntilChanged(_ predicate: @escaping (Output, Output) -> Bool)
    -> Publishers.RemoveDuplicates<Self>
  { explain() }

  @available(*, unavailable, message: "use removeDuplicates(by:), as in removeDuplicates { $0.id == $1.id }")
  @_alwaysEmitIntoClient
  public __consuming func distinctUntilChanged<Key: Equatable>(_ key: @escaping (Output) -> Key)
    -> Publishers.RemoveDuplicates<Self>
  { explain() }

  @available(*, unavailable, renamed: "removeDuplicates()")
  @_alwaysEmitIntoClient
  public __consuming func skipRepeats() -> Publishers.RemoveDuplicates<Self> where Output: Equatable { explain() }

  @available(*, unavailable, renamed: "prepend(_:)")
  @_alwaysEmitIntoClient
  public __consuming func startWith(_ elements: Output...)
    -> Publishers.Concatenate<Publishers.Sequence<[Output], Failure>, Self>
  { explain() }

  @available(*, unavailable, renamed: "append(_:)")
  @_alwaysEmitIntoClient
  public __consuming func concat<P: Publisher>(_ other: P) -> Publishers.Concatenate<Self, P>
  where P.Output == Output, P.Failure == Failure { explain() }

  @available(*, unavailable, renamed: "flatMapLatest(_:)")
  @_alwaysEmitIntoClient
  public __consuming func switchMap<P: Publisher>(_ transform: @escaping (Output) -> P)
    -> Publishers.SwitchToLatest<P, Publishers.Map<Self, P>> where P.Failure == Failure
  { explain() }

  @available(*, unavailable, message: "use flatMap(maxPublishers: .max(1)), which waits for each publisher to end")
  @_alwaysEmitIntoClient
  public __consuming func concatMap<P: Publisher>(_ transform: @escaping (Output) -> P) -> Publishers.FlatMap<P, Self>
  where P.Failure == Failure { explain() }

  @available(*, unavailable, renamed: "prefix(_:)")
  @_alwaysEmitIntoClient
  public __consuming func take(_ count: Int) -> Publishers.Output<Self> { explain() }

  @available(*, unavailable, renamed: "prefix(_:)")
  @_alwaysEmitIntoClient
  public __consuming func take(first count: Int) -> Publishers.Output<Self> { explain() }

  @available(*, unavailable, renamed: "prefix(while:)")
  @_alwaysEmitIntoClient
  public __consuming func take(while predicate: @escaping (Output) -> Bool) -> Publishers.PrefixWhile<Self> {
    explain()
  }

  @available(*, unavailable, renamed: "prefix(untilOutputFrom:)")
  @_alwaysEmitIntoClient
  public __consuming func take<P: Publisher>(until other: P) -> Publishers.PrefixUntilOutput<Self, P> { explain() }

  @available(*, unavailable, renamed: "prefix(untilOutputFrom:)")
  @_alwaysEmitIntoClient
  public __consuming func takeUntil<P: Publisher>(_ other: P) -> Publishers.PrefixUntilOutput<Self, P> { explain() }

  @available(*, unavailable, renamed: "prefix(while:)")
  @_alwaysEmitIntoClient
  public __consuming func takeWhile(_ predicate: @escaping (Output) -> Bool) -> Publishers.PrefixWhile<Self> {
    explain()
  }

  @available(*, unavailable, message: "use last() for the last value, or collect() and the array's suffix(_:)")
  @_alwaysEmitIntoClient
  public __consuming func takeLast(_ count: Int) -> Publishers.Last<Self> { explain() }

  @available(*, unavailable, renamed: "dropFirst(_:)")
  @_alwaysEmitIntoClient
  public __consuming func skip(_ count: Int) -> Publishers.Drop<Self> { explain() }

  @available(*, unavailable, renamed: "dropFirst(_:)")
  @_alwaysEmitIntoClient
  public __consuming func skip(first count: Int) -> Publishers.Drop<Self> { explain() }

  @available(*, unavailable, renamed: "drop(while:)")
  @_alwaysEmitIntoClient
  public __consuming func skip(while predicate: @escaping (Output) -> Bool) -> Publishers.DropWhile<Self> { explain() }

  @available(*, unavailable, renamed: "drop(untilOutputFrom:)")
  @_alwaysEmitIntoClient
  public __consuming func skip<P: Publisher>(until other: P) -> Publishers.DropUntilOutput<Self, P> { explain() }

  @available(*, unavailable, renamed: "drop(while:)")
  @_alwaysEmitIntoClient
  public __consuming func skipWhile(_ predicate: @escaping (Output) -> Bool) -> Publishers.DropWhile<Self> { explain() }

  @available(*, unavailable, renamed: "drop(untilOutputFrom:)")
  @_alwaysEmitIntoClient
  public __consuming func skipUntil<P: Publisher>(_ other: P) -> Publishers.DropUntilOutput<Self, P> { explain() }

  @available(*, unavailable, message: "use compactMap { $0 }")
  @_alwaysEmitIntoClient
  public __consuming func skipNil<T>() -> Publishers.CompactMap<Self, T> where Output == T? { explain() }

  @available(*, unavailable, renamed: "handleEvents(receiveOutput:)")
  @_alwaysEmitIntoClient
  public __consuming func tap(_ receiveOutput: @escaping (Output) -> Void) -> Publishers.HandleEvents<Self> {
    explain()
  }

  @available(*, unavailable, renamed: "handleEvents(receiveOutput:)")
  @_alwaysEmitIntoClient
  public __consuming func `do`(onNext receiveOutput: @escaping (Output) -> Void) -> Publishers.HandleEvents<Self> {
    explain()
  }

  @available(*, unavailable, renamed: "handleEvents(receiveOutput:)")
  @_alwaysEmitIntoClient
  public __consuming func on(value receiveOutput: @escaping (Output) -> Void) -> Publishers.HandleEvents<Self> {
    explain()
  }

  @available(*, unavailable, renamed: "share(replay:)")
  @_alwaysEmitIntoClient
  public __consuming func shareReplay(_ count: Int = 1) -> ShareReplayPublisher<Self> { explain() }

  @available(*, unavailable, renamed: "replaceError(with:)")
  @_alwaysEmitIntoClient
  public __consuming func catchErrorJustReturn(_ output: Output) -> Publishers.ReplaceError<Self> { explain() }

  @available(*, unavailable, renamed: "replaceError(with:)")
  @_alwaysEmitIntoClient
  public __consuming func catchAndReturn(_ output: Output) -> Publishers.ReplaceError<Self> { explain() }

  @available(*, unavailable, renamed: "catch(_:)")
  @_alwaysEmitIntoClient
  public __consuming func flatMapError<P: Publisher>(_ handler: @escaping (Failure) -> P) -> Publishers.Catch<Self, P>
  where P.Output == Output { explain() }

  @available(*, unavailable, renamed: "collect()")
  @_alwaysEmitIntoClient
  public __consuming func toArray() -> Publishers.Collect<Self> { explain() }

  @available(*, unavailable, renamed: "ignoreOutput()")
  @_alwaysEmitIntoClient
  public __consuming func ignoreElements() -> Publishers.IgnoreOutput<Self> { explain() }

  @available(*, unavailable, renamed: "output(at:)")
  @_alwaysEmitIntoClient
  public __consuming func elementAt(_ index: Int) -> Publishers.Output<Self> { explain() }

  @available(*, unavailable, renamed: "output(at:)")
  @_alwaysEmitIntoClient
  public __consuming func element(at index: Int) -> Publishers.Output<Self> { explain() }

  @available(*, unavailable, renamed: "pairwise()")
  @_alwaysEmitIntoClient
  public __consuming func combinePrevious() -> Publishers.Map<Self, (Output, Output)> { explain() }

  @available(*, unavailable, renamed: "tryMap(_:)")
  @_alwaysEmitIntoClient
  public __consuming func attemptMap<T>(_ transform: @escaping (Output) throws -> T) -> Publishers.TryMap<Self, T> {
    explain()
  }

  @available(*, unavailable, renamed: "receive(on:)")
  @_alwaysEmitIntoClient
  public __consuming func observe<S: Scheduler>(on scheduler: S) -> Publishers.ReceiveOn<Self, S> { explain() }

  @available(*, unavailable, renamed: "receive(on:)")
  @_alwaysEmitIntoClient
  public __consuming func observeOn<S: Scheduler>(_ scheduler: S) -> Publishers.ReceiveOn<Self, S> { explain() }

  @available(*, unavailable, renamed: "subscribe(on:)")
  @_alwaysEmitIntoClient
  public __consuming func subscribeOn<S: Scheduler>(_ scheduler: S) -> Publishers.SubscribeOn<Self, S> { explain() }

  @available(*, unavailable, renamed: "sink(receiveValue:)")
  @_alwaysEmitIntoClient
  public func startWithValues(_ receiveValue: @escaping (Output) -> Void) -> AnyCancellable { explain() }

  @available(*, unavailable, renamed: "sink(receiveValue:)")
  @_alwaysEmitIntoClient
  public func observeValues(_ receiveValue: @escaping (Output) -> Void) -> AnyCancellable { explain() }

  @available(*, unavailable, renamed: "sink(receiveValue:)")
  @_alwaysEmitIntoClient
  public func subscribe(onNext receiveValue: @escaping (Output) -> Void) -> AnyCancellable { explain() }

  @available(
    *, unavailable,
    message: "use sink { completion in … } receiveValue: { value in … }; the completion is .finished or .failure(error)"
  )
  @_alwaysEmitIntoClient
  public func subscribe(
    onNext receiveValue: @escaping (Output) -> Void, onError receiveFailure: @escaping (Failure) -> Void,
    onCompleted receiveCompletion: @escaping () -> Void = {}
  ) -> AnyCancellable { explain() }

  @available(*, unavailable, renamed: "eraseToAnyPublisher()")
  @_alwaysEmitIntoClient
  public __consuming func asObservable() -> AnyPublisher<Output, Failure> { explain() }

  @available(*, unavailable, renamed: "print(_:)")
  @_alwaysEmitIntoClient
  public __consuming func debug(_ prefix: String = "") -> Publishers.Print<Self> { explain() }

  @available(*, unavailable, renamed: "delay(subscription:scheduler:)")
  @_alwaysEmitIntoClient
  public __consuming func delaySubscription<S: Scheduler>(_ interval: S.SchedulerTimeType.Stride, scheduler: S)
    -> DelaySubscriptionPublisher<Self, S>
  { explain() }

  @available(*, unavailable, renamed: "flatMapFirst(_:)")
  @_alwaysEmitIntoClient
  public __consuming func exhaustMap<P: Publisher>(_ transform: @escaping (Output) -> P) -> Publishers.FlatMap<P, Self>
  where P.Failure == Failure { explain() }

  @available(*, unavailable, renamed: "replaceEmpty(with:)")
  @_alwaysEmitIntoClient
  public __consuming func ifEmpty(default output: Output) -> Publishers.ReplaceEmpty<Self> { explain() }

  @available(*, unavailable, renamed: "switchIfEmpty(to:)")
  @_alwaysEmitIntoClient
  public __consuming func ifEmpty<P: Publisher>(switchTo other: P) -> Self
  where P.Output == Output, P.Failure == Failure { explain() }

  @available(*, unavailable, message: "use sink(with: owner) { owner, value in … }")
  @_alwaysEmitIntoClient
  public __consuming func withUnretained<Owner: AnyObject>(_ owner: Owner) -> Publishers.Map<Self, (Owner, Output)> {
    explain()
  }

  @available(*, unavailable, message: "use assign(to:), subscribe(_:) with a subject, or sink(receiveValue:)")
  @_alwaysEmitIntoClient
  public func bind<Target>(to target: Target) -> AnyCancellable { explain() }

  @available(*, unavailable, message: "use replaceError(with:) and receive(on: MainActor.shared)")
  @_alwaysEmitIntoClient
  public __consuming func asDriver(onErrorJustReturn output: Output) -> Publishers.ReplaceError<Self> { explain() }

  @available(*, unavailable, renamed: "sink(receiveValue:)")
  @_alwaysEmitIntoClient
  public func drive(onNext receiveValue: @escaping (Output) -> Void) -> AnyCancellable { explain() }
}

extension Subject {
  @available(*, unavailable, renamed: "send(_:)")
  @_alwaysEmitIntoClient
  public func onNext(_ value: Output) { explain() }

  @available(*, unavailable, message: "use send(completion: .failure(error))")
  @_alwaysEmitIntoClient
  public func onError(_ error: Failure) { explain() }

  @available(*, unavailable, message: "use send(completion: .finished)")
  @_alwaysEmitIntoClient
  public func onCompleted() { explain() }
}

extension AnyCancellable {
  @available(*, unavailable, message: "use store(in: &cancellables) with a Set<AnyCancellable> as the dispose bag")
  @_alwaysEmitIntoClient
  public func disposed<Bag>(by bag: Bag) { explain() }

  @available(*, unavailable, renamed: "store(in:)")
  @_alwaysEmitIntoClient
  public func disposed(by bag: inout Set<AnyCancellable>) { explain() }

  @available(*, unavailable, renamed: "cancel()")
  @_alwaysEmitIntoClient
  public func dispose() { explain() }
}

// Types. If another imported library has a type with the same name, the compiler prefers that one, because it's available.

@available(*, unavailable, message: "use a Set<AnyCancellable>, and store(in: &cancellables)")
public typealias DisposeBag = Set<AnyCancellable>

@available(
  *, unavailable,
  message: "use PassthroughSubject<Element, any Error>, or PassthroughSubject<Element, Never> if it cannot fail"
)
public typealias PublishSubject<Element> = PassthroughSubject<Element, any Error>

@available(
  *, unavailable,
  message: "use CurrentValueSubject<Element, any Error>, or CurrentValueSubject<Element, Never> if it cannot fail"
)
public typealias BehaviorSubject<Element> = CurrentValueSubject<Element, any Error>

@available(*, unavailable, renamed: "PassthroughRelay")
public typealias PublishRelay<Element> = PassthroughRelay<Element>

@available(*, unavailable, renamed: "CurrentValueRelay")
public typealias BehaviorRelay<Element> = CurrentValueRelay<Element>

@available(*, unavailable, renamed: "CurrentValueRelay")
public typealias MutableProperty<Element> = CurrentValueRelay<Element>

extension CurrentValueSubject {
  @available(*, unavailable, message: "the value has no label: CurrentValueSubject(value)")
  @_alwaysEmitIntoClient
  public convenience init(value: Output) { explain() }
}

extension CurrentValueRelay {
  @available(*, unavailable, message: "the value has no label: CurrentValueRelay(value)")
  @_alwaysEmitIntoClient
  public convenience init(value: Output) { explain() }
}
