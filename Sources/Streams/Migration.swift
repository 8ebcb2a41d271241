// Operators under the names that CombineExt gives them, so that code written with it needs no change but its imports.
// Each is one of ours; where the result's type is written out in such code, `AnyPublisher`, there is an overload that
// erases it.

extension Publisher {
  /// Sends the newest value of another publisher whenever this one sends a value.
  ///
  /// It is `withLatest(from:)` without this publisher's own values.
  @inlinable @_disfavoredOverload
  public __consuming func withLatestFrom<P: Publisher>(
    _ other: P
  ) -> Publishers.Map<Publishers.WithLatestFrom<Self, P>, P.Output> where P.Failure == Failure {
    withLatest(from: other).map { $0.1 }
  }

  /// Puts each value together with the newest one of another publisher, and turns the two into one.
  @inlinable @_disfavoredOverload
  public __consuming func withLatestFrom<P: Publisher, T>(
    _ other: P, isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    resultSelector: @escaping (Output, P.Output) -> T
  ) -> Publishers.Map<Publishers.WithLatestFrom<Self, P>, T> where P.Failure == Failure {
    let resultSelector = isolation.checking(resultSelector, fileID, filePath, line, column)
    return withLatest(from: other).map { resultSelector($0.0, $0.1) }
  }

  /// Sends the newest values of two other publishers whenever this one sends a value.
  @inlinable @_disfavoredOverload
  public __consuming func withLatestFrom<P: Publisher, Q: Publisher>(
    _ other: P, _ other1: Q
  )
    -> Publishers.Map<
      Publishers.WithLatestFrom<Self, Publishers.CombineLatest<P, Q>>, (P.Output, Q.Output)
    > where P.Failure == Failure, Q.Failure == Failure
  { withLatestFrom(other.combineLatest(other1)) }

  /// Puts each value together with the newest ones of two other publishers, and turns them into one.
  @inlinable @_disfavoredOverload
  public __consuming func withLatestFrom<P: Publisher, Q: Publisher, T>(
    _ other: P, _ other1: Q, isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    resultSelector: @escaping (Output, (P.Output, Q.Output)) -> T
  ) -> Publishers.Map<Publishers.WithLatestFrom<Self, Publishers.CombineLatest<P, Q>>, T>
  where P.Failure == Failure, Q.Failure == Failure {
    let resultSelector = isolation.checking(resultSelector, fileID, filePath, line, column)
    return withLatest(from: other.combineLatest(other1)).map { resultSelector($0.0, $0.1) }
  }

  /// Sends the newest values of three other publishers whenever this one sends a value.
  @inlinable @_disfavoredOverload
  public __consuming func withLatestFrom<P: Publisher, Q: Publisher, R: Publisher>(
    _ other: P, _ other1: Q, _ other2: R
  )
    -> Publishers.Map<
      Publishers.WithLatestFrom<Self, Publishers.CombineLatest3<P, Q, R>>, (P.Output, Q.Output, R.Output)
    > where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure
  {
    withLatestFrom(other.combineLatest(other1, other2))
  }

  /// Puts each value together with the newest ones of three other publishers, and turns them into one.
  @inlinable @_disfavoredOverload
  public __consuming func withLatestFrom<P: Publisher, Q: Publisher, R: Publisher, T>(
    _ other: P, _ other1: Q, _ other2: R, isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    resultSelector: @escaping (Output, (P.Output, Q.Output, R.Output)) -> T
  ) -> Publishers.Map<Publishers.WithLatestFrom<Self, Publishers.CombineLatest3<P, Q, R>>, T>
  where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
    let resultSelector = isolation.checking(resultSelector, fileID, filePath, line, column)
    return withLatest(from: other.combineLatest(other1, other2)).map { resultSelector($0.0, $0.1) }
  }

  /// Passes on what this publisher or another sends, whichever signals something first; ``race(with:)``.
  @inlinable @_disfavoredOverload
  public __consuming func amb<P: Publisher>(with other: P) -> Publishers.Race<Self, P>
  where P.Output == Output, P.Failure == Failure { race(with: other) }

  /// Passes on what this publisher or one of the others sends, whichever signals something first.
  @inlinable @_disfavoredOverload
  public __consuming func amb<Others: Collection>(with others: Others)
    -> Publishers.RaceMany<AnyPublisher<Output, Failure>>
  where Others.Element: Publisher<Output, Failure> {
    ([AnyPublisher(self)] + others.map { AnyPublisher($0) }).race()
  }

  /// Passes on values for a while, and finishes then; ``prefix(duration:tolerance:scheduler:options:)``.
  @inlinable @_disfavoredOverload
  public __consuming func prefix<S: Scheduler>(
    duration: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, on scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.PrefixDuration<Self, S> {
    prefix(duration: duration, tolerance: tolerance, scheduler: scheduler, options: options)
  }

  /// Turns each value into a publisher, and passes on what the newest of them sends.
  ///
  /// It is `map(_:)` and `switchToLatest()`.
  @inlinable
  public __consuming func flatMapLatest<P: Publisher>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.SwitchToLatest<P, Publishers.Map<Self, P>> where P.Failure == Failure {
    let transform = isolation.checking(transform, fileID, filePath, line, column)
    return map { transform($0) }.switchToLatest()
  }

  /// Attaches again after each failure when another publisher, made of the failures, says so; `retry(when:)`.
  @inlinable @_disfavoredOverload
  public __consuming func retryWhen<Trigger: Publisher>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ errorTrigger: @escaping (AnyPublisher<Failure, Never>) -> Trigger
  ) -> Publishers.RetryWhen<Self, Trigger> where Trigger.Failure == Failure {
    Publishers.RetryWhen(upstream: self, decider: isolation.checking(errorTrigger, fileID, filePath, line, column))
  }

  /// Attaches again after each failure when another publisher, which cannot fail, says so; `retry(when:)`.
  @inlinable @_disfavoredOverload
  public __consuming func retryWhen<Trigger: Publisher>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ errorTrigger: @escaping (AnyPublisher<Failure, Never>) -> Trigger
  ) -> Publishers.RetryWhen<Self, Publishers.SetFailureType<Trigger, Failure>> where Trigger.Failure == Never {
    let errorTrigger = isolation.checking(errorTrigger, fileID, filePath, line, column)
    let failureType = Failure.self
    return Publishers.RetryWhen(upstream: self, decider: { errorTrigger($0).setFailureType(to: failureType) })
  }

  /// Drops errors and finishes in place of them, with the type of failure that the next operator wants.
  @inlinable @_disfavoredOverload
  public __consuming func ignoreFailure<NewFailure: Error>(
    setFailureType newFailureType: NewFailure.Type
  ) -> Publishers.SetFailureType<Publishers.IgnoreFailure<Self>, NewFailure> {
    ignoreFailure().setFailureType(to: newFailureType)
  }

  /// Drops values, with the type of values that the next operator wants.
  @inlinable @_disfavoredOverload
  public __consuming func ignoreOutput<NewOutput>(
    setOutputType newOutputType: NewOutput.Type
  ) -> Publishers.Map<Publishers.IgnoreOutput<Self>, NewOutput> { ignoreOutput().setOutputType(to: newOutputType) }

  /// Sends one value in place of each.
  @inlinable @_disfavoredOverload
  public __consuming func mapToValue<T>(_ value: T) -> Publishers.Map<Self, T> { map(isolation: nil) { _ in value } }

  /// Sends that there was a value in place of each.
  @inlinable @_disfavoredOverload
  public __consuming func mapToVoid() -> Publishers.Map<Self, Void> { map(isolation: nil) { _ in } }

  /// Turns values into publishers, and attaches to so many of them at a time.
  @inlinable @_disfavoredOverload
  public __consuming func flatMapBatches<P: Publisher>(
    of size: Int
  ) -> Publishers.FlatMap<P, Self> where Output == P, P.Failure == Failure {
    flatMap(maxPublishers: .max(size), isolation: nil) { $0 }
  }

  /// Turns the elements of each collection that is sent into others.
  @inlinable @_disfavoredOverload
  public __consuming func mapMany<Element, T>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Element) -> T
  ) -> Publishers.Map<Self, [T]> where Output: Collection<Element> {
    let transform = isolation.checking(transform, fileID, filePath, line, column)
    return map { $0.map(transform) }
  }

  /// Passes on each collection with only those of its elements that a closure accepts.
  @inlinable @_disfavoredOverload
  public __consuming func filterMany<Element>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ isIncluded: @escaping (Element) -> Bool
  ) -> Publishers.Map<Self, [Element]> where Output: Collection<Element> {
    let isIncluded = isolation.checking(isIncluded, fileID, filePath, line, column)
    return map { $0.filter(isIncluded) }
  }
}

extension Publisher where Output: Hashable {
  /// Publishes each value once; `distinct(remembering: .max)`. Every value is remembered.
  @inlinable @_disfavoredOverload
  public __consuming func removeAllDuplicates() -> Publishers.Distinct<Self, Output> { distinct(remembering: .max) }
}

extension Publisher where Failure == Never {
  /// Assigns every value to a property of two objects each; like ``assign(to:on:isolation:)``.
  @inlinable @_disfavoredOverload
  public func assign<Root1, Root2>(
    to keyPath1: ReferenceWritableKeyPath<Root1, Output>, on object1: Root1,
    and keyPath2: ReferenceWritableKeyPath<Root2, Output>, on object2: Root2,
    isolation: isolated (any Actor)? = #isolation
  ) -> AnyCancellable {
    sink(isolation: isolation) {
      object1[keyPath: keyPath1] = $0
      object2[keyPath: keyPath2] = $0
    }
  }

  /// Assigns every value to a property of an object that may be retained or not.
  @inlinable @_disfavoredOverload
  public func assign<Root: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root, ownership: ObjectOwnership,
    isolation: isolated (any Actor)? = #isolation
  ) -> AnyCancellable {
    switch ownership {
    case .strong: assign(to: keyPath, on: object, isolation: isolation)
    case .weak: sink(isolation: isolation) { [weak object] in object?[keyPath: keyPath] = $0 }
    case .unowned: sink(isolation: isolation) { [unowned object] in object[keyPath: keyPath] = $0 }
    }
  }
}

/// How a subscriber holds the object that it works for.
public enum ObjectOwnership: Hashable, Sendable {
  /// It retains the object until the stream ends or is cancelled.
  case strong

  /// It does nothing any more when the object is gone.
  case weak

  /// The object outlives it; if it does not, the program stops.
  case unowned
}

extension AnyPublisher {
  /// Makes a publisher whose values a closure sends; ``Publishers/Create`` with a buffer without a bound.
  @inlinable
  public static func create(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ factory: @escaping (Publishers.Create<Output, Failure>.Subscriber) -> any Cancellable
  ) -> AnyPublisher<Output, Failure> {
    AnyPublisher(
      Publishers.Create(
        bufferSize: .max, whenFull: .dropNewest, isolation: isolation, fileID: fileID, filePath: filePath, line: line,
        column: column, factory))
  }

  /// Makes a publisher whose values a closure sends; ``create(isolation:fileID:filePath:line:column:_:)``.
  @inlinable
  public init(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ factory: @escaping (Publishers.Create<Output, Failure>.Subscriber) -> any Cancellable
  ) {
    self = .create(
      isolation: isolation, fileID: fileID, filePath: filePath, line: line, column: column, factory)
  }
}

extension Collection where Element: Publisher {
  /// Passes on what one of the publishers sends: the one that signals something first; ``race()``.
  @inlinable @_disfavoredOverload
  public func amb() -> Publishers.RaceMany<Element> { race() }

  /// Passes on the values of the publishers one after the other, each when the one before has finished.
  @inlinable @_disfavoredOverload
  public func concatenate() -> AnyPublisher<Element.Output, Element.Failure> {
    // Attached as they are reached, in constant stack.
    map { $0 }.publisher.setFailureType(to: Element.Failure.self).flatMap(maxPublishers: .max(1)) { $0 }
      .eraseToAnyPublisher()
  }

  /// Like `zip()`, with the type that code written for other libraries expects.
  @inlinable @_disfavoredOverload
  public func zip() -> AnyPublisher<[Element.Output], Element.Failure> {
    Publishers.ZipMany(self).eraseToAnyPublisher()
  }

  /// Like `combineLatest()`, with the type that code written for other libraries expects.
  @inlinable @_disfavoredOverload
  public func combineLatest() -> AnyPublisher<[Element.Output], Element.Failure> {
    Publishers.CombineLatestMany(self).eraseToAnyPublisher()
  }
}
