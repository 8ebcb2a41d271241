public import StreamAlgorithms
public import Streams

// Operators under the names that CombineExt uses. Each forwards to operators of Streams, and is deprecated if one of them does
// the same thing.

extension Publisher {
  /// Publishes the latest value from another publisher whenever this one sends a value.
  ///
  ///     saveTaps.withLatestFrom($title)
  ///
  /// Like `withLatest(from:)`, the operator doesn't request values from this publisher until the other one has sent
  /// one. It handles demand, completion and failure in the same way, too.
  ///
  /// - Parameter other: The publisher whose latest value is published.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func withLatestFrom<P: Publisher>(
    _ other: P
  ) -> Publishers.Map<WithLatestFromPublisher<Self, P>, P.Output> where P.Failure == Failure {
    withLatest(from: other).map { $0.1 }
  }

  /// Combines each value with the latest value from another publisher, like ``withLatestFrom(_:)``, and transforms the
  /// two with the closure `resultSelector`.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func withLatestFrom<P: Publisher, T>(
    _ other: P, resultSelector: @escaping (Output, P.Output) -> T
  ) -> Publishers.Map<WithLatestFromPublisher<Self, P>, T> where P.Failure == Failure {
    withLatest(from: other).map { resultSelector($0.0, $0.1) }
  }

  /// Publishes a pair of the latest values from two other publishers whenever this one sends a value, like
  /// ``withLatestFrom(_:)``.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func withLatestFrom<P: Publisher, Q: Publisher>(
    _ other: P, _ other1: Q
  )
    -> Publishers.Map<
      WithLatestFromPublisher<Self, Publishers.CombineLatest<P, Q>>, (P.Output, Q.Output)
    > where P.Failure == Failure, Q.Failure == Failure
  { withLatestFrom(other.combineLatest(other1)) }

  /// Combines each value with the latest values from two other publishers, and transforms them with the closure
  /// `resultSelector`, like ``withLatestFrom(_:resultSelector:)``.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func withLatestFrom<P: Publisher, Q: Publisher, T>(
    _ other: P, _ other1: Q, resultSelector: @escaping (Output, (P.Output, Q.Output)) -> T
  ) -> Publishers.Map<WithLatestFromPublisher<Self, Publishers.CombineLatest<P, Q>>, T>
  where P.Failure == Failure, Q.Failure == Failure {
    withLatest(from: other.combineLatest(other1)).map { resultSelector($0.0, $0.1) }
  }

  /// Publishes a triple of the latest values from three other publishers whenever this one sends a value, like
  /// ``withLatestFrom(_:)``.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func withLatestFrom<P: Publisher, Q: Publisher, R: Publisher>(
    _ other: P, _ other1: Q, _ other2: R
  )
    -> Publishers.Map<
      WithLatestFromPublisher<Self, Publishers.CombineLatest3<P, Q, R>>, (P.Output, Q.Output, R.Output)
    > where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure
  {
    withLatestFrom(other.combineLatest(other1, other2))
  }

  /// Combines each value with the latest values from three other publishers, and transforms them with the closure
  /// `resultSelector`, like ``withLatestFrom(_:resultSelector:)``.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func withLatestFrom<P: Publisher, Q: Publisher, R: Publisher, T>(
    _ other: P, _ other1: Q, _ other2: R, resultSelector: @escaping (Output, (P.Output, Q.Output, R.Output)) -> T
  ) -> Publishers.Map<WithLatestFromPublisher<Self, Publishers.CombineLatest3<P, Q, R>>, T>
  where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
    withLatest(from: other.combineLatest(other1, other2)).map { resultSelector($0.0, $0.1) }
  }

  /// Publishes the signals of this publisher or of another, whichever sends one first, like `race(with:)`.
  @available(*, deprecated, renamed: "race(with:)")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func amb<P: Publisher>(_ other: P) -> RacePublisher<Self, P>
  where P.Output == Output, P.Failure == Failure { race(with: other) }

  /// Publishes the signals of this publisher or of another, whichever sends one first, like `race(with:)`.
  @available(*, deprecated, renamed: "race(with:)")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func amb<P: Publisher>(with other: P) -> RacePublisher<Self, P>
  where P.Output == Output, P.Failure == Failure { race(with: other) }

  /// Publishes the signals of this publisher or of one of the others, whichever sends one first, like `race(with:)`
  /// with several publishers.
  @available(*, deprecated, renamed: "race(with:)")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func amb<P: Publisher>(with others: P...) -> AnyPublisher<Output, Failure>
  where P.Output == Output, P.Failure == Failure { race(with: others) }

  /// Publishes the signals of this publisher or of one of the others, whichever sends one first, like `race(with:)`
  /// with a collection.
  @available(*, deprecated, renamed: "race(with:)")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func amb<Others: Collection>(with others: Others) -> AnyPublisher<Output, Failure>
  where Others.Element: Publisher<Output, Failure> { race(with: others) }

  /// Publishes values for a limited time, and then finishes, like `prefix(duration:tolerance:scheduler:options:)`.
  @available(*, deprecated, renamed: "prefix(duration:tolerance:scheduler:options:)")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func prefix<S: Scheduler>(
    duration: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, on scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> PrefixDurationPublisher<Self, S> {
    prefix(duration: duration, tolerance: tolerance, scheduler: scheduler, options: options)
  }

  /// Subscribes again whenever a trigger that you derive from the failures sends a value, like `retry(when:)`.
  @available(*, deprecated, renamed: "retry(when:)")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func retryWhen<Trigger: Publisher>(
    _ errorTrigger: @escaping (AnyPublisher<Failure, Never>) -> Trigger
  ) -> RetryWhenPublisher<Self, Trigger> where Trigger.Failure == Failure { retry(when: errorTrigger) }

  /// Subscribes again whenever a trigger that can't fail sends a value, like `retry(when:)`.
  @available(*, deprecated, renamed: "retry(when:)")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func retryWhen<Trigger: Publisher>(
    _ errorTrigger: @escaping (AnyPublisher<Failure, Never>) -> Trigger
  ) -> RetryWhenPublisher<Self, Publishers.SetFailureType<Trigger, Failure>> where Trigger.Failure == Never {
    retry(when: errorTrigger)
  }

  /// Subscribes again whenever a trigger that can fail with any error sends a value, like `retry(when:)`.
  @available(*, deprecated, renamed: "retry(when:)")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func retryWhen<Trigger: Publisher>(
    _ errorTrigger: @escaping (AnyPublisher<Failure, Never>) -> Trigger
  ) -> RetryWhenPublisher<Self, AnyPublisher<Trigger.Output, Failure>> { retry(when: errorTrigger) }

  /// Replaces a failure with a normal completion, or ignores it, and changes the failure type to match the next
  /// operator.
  ///
  ///     load().ignoreFailure(setFailureType: SearchError.self)
  ///
  /// Values, demand and cancellation pass through unchanged.
  ///
  /// - Parameters:
  ///   - newFailureType: The failure type of the returned publisher.
  ///   - completeImmediately: `true` to finish when upstream fails, `false` to ignore the failure altogether.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func ignoreFailure<NewFailure: Error>(
    setFailureType newFailureType: NewFailure.Type, completeImmediately: Bool = true
  ) -> Publishers.SetFailureType<IgnoreFailurePublisher<Self>, NewFailure> {
    ignoreFailure(completeImmediately: completeImmediately).setFailureType(to: newFailureType)
  }

  /// Drops all values, and changes the output type to match the next operator.
  ///
  ///     saved.ignoreOutput(setOutputType: String.self)
  ///
  /// Handles demand, completion and cancellation like `ignoreOutput()`.
  ///
  /// - Parameter newOutputType: The output type of the returned publisher.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func ignoreOutput<NewOutput>(
    setOutputType newOutputType: NewOutput.Type
  ) -> Publishers.Map<Publishers.IgnoreOutput<Self>, NewOutput> { ignoreOutput().setOutputType(to: newOutputType) }

  /// Replaces each value with a constant.
  ///
  ///     taps.mapToValue(1).scan(0, +)
  ///
  /// Demand, completion and cancellation pass through unchanged.
  ///
  /// - Parameter value: The value to publish in place of each value.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func mapToValue<T>(_ value: T) -> Publishers.Map<Self, T> { map { _ in value } }

  /// Replaces each value with `Void`.
  ///
  ///     taps.mapToVoid().scan(0) { count, _ in count + 1 }
  ///
  /// Demand, completion and cancellation pass through unchanged.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func mapToVoid() -> Publishers.Map<Self, Void> { map { _ in } }

  /// Transforms the elements of each published collection with a closure.
  ///
  ///     [[1, 2], [3]].publisher.mapMany { $0 * 2 }   // [2, 4] [6]
  ///
  /// Demand, completion and cancellation pass through unchanged.
  ///
  /// - Parameter transform: A closure that transforms an element.
  /// - Complexity: O(*n*) for each value, where *n* is the number of elements in the collection.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func mapMany<Element, T>(
    _ transform: @escaping (Element) -> T
  ) -> Publishers.Map<Self, [T]> where Output: Collection<Element> {
    map { $0.map(transform) }
  }

  /// Filters the elements of each published collection with a predicate.
  ///
  ///     [[1, 2], [3]].publisher.filterMany { $0 > 1 }   // [2] [3]
  ///
  /// Demand, completion and cancellation pass through unchanged.
  ///
  /// - Parameter isIncluded: A predicate that returns `true` for an element to keep.
  /// - Complexity: O(*n*) for each value, where *n* is the number of elements in the collection.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func filterMany<Element>(
    _ isIncluded: @escaping (Element) -> Bool
  ) -> Publishers.Map<Self, [Element]> where Output: Collection<Element> {
    map { $0.filter(isIncluded) }
  }
}

extension Publisher where Failure == Never {
  /// Publishes the values that events contain, and drops `failure` and `finished` events, like `compactMap { $0.value }`.
  @available(*, deprecated, message: "Use compactMap { $0.value }.")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func values<Value, Problem>(
    of events: PublisherEvent<Value, Problem>.Type = PublisherEvent<Value, Problem>.self
  ) -> Publishers.CompactMap<Self, Value> where Output == PublisherEvent<Value, Problem> { compactMap { $0.value } }

  /// Publishes the errors that `failure` events contain, and drops all other events, like `compactMap { $0.failure }`.
  @available(*, deprecated, message: "Use compactMap { $0.failure }.")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func failures<Value, Problem>(
    of events: PublisherEvent<Value, Problem>.Type = PublisherEvent<Value, Problem>.self
  ) -> Publishers.CompactMap<Self, Problem> where Output == PublisherEvent<Value, Problem> { compactMap { $0.failure } }
}

extension Publisher where Output: Hashable {
  /// Publishes each distinct value once, like `distinct(remembering: .max)`, and remembers every value.
  @available(*, deprecated, message: "Use distinct(remembering:). Pass .max for the same behavior.")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func removeAllDuplicates() -> DistinctPublisher<Self, Output> {
    distinct(remembering: .max)
  }
}

extension Publisher where Failure == Never {
  /// Assigns each value to properties of two objects, like ``/Streams/Publisher/assign(to:on:isolation:)``.
  ///
  /// Requests unlimited demand. The objects are retained until the stream ends or is cancelled.
  ///
  /// - Parameters:
  ///   - keyPath1: The key path of the first object's property.
  ///   - object1: The first object.
  ///   - keyPath2: The key path of the second object's property.
  ///   - object2: The second object.
  ///   - isolation: The actor that the objects belong to, by default the caller's.
  /// - Returns: A cancellable that keeps the stream alive. Releasing it cancels the stream.
  @_alwaysEmitIntoClient @_disfavoredOverload
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

  /// Assigns each value to properties of three objects, like ``assign(to:on:and:on:isolation:)``.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func assign<Root1, Root2, Root3>(
    to keyPath1: ReferenceWritableKeyPath<Root1, Output>, on object1: Root1,
    and keyPath2: ReferenceWritableKeyPath<Root2, Output>, on object2: Root2,
    and keyPath3: ReferenceWritableKeyPath<Root3, Output>, on object3: Root3,
    isolation: isolated (any Actor)? = #isolation
  ) -> AnyCancellable {
    sink(isolation: isolation) {
      object1[keyPath: keyPath1] = $0
      object2[keyPath: keyPath2] = $0
      object3[keyPath: keyPath3] = $0
    }
  }

  /// Assigns each value to a property of an object through a strong, weak or unowned reference.
  ///
  ///     titles.assign(to: \.text, on: label, ownership: .weak).store(in: &cancellables)
  ///
  /// Requests unlimited demand.
  ///
  /// - Parameters:
  ///   - keyPath: The key path of the property.
  ///   - object: The object that has the property.
  ///   - ownership: The kind of reference to the object.
  ///   - isolation: The actor that the object belongs to, by default the caller's.
  /// - Returns: A cancellable that keeps the stream alive. Releasing it cancels the stream.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func assign<Root: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root,
    ownership: ObjectOwnership, isolation: isolated (any Actor)? = #isolation
  ) -> AnyCancellable {
    sink(isolation: isolation, receiveValue: ownership.assignment(to: keyPath, on: object))
  }

  /// Assigns each value to properties of two objects, like ``assign(to:on:and:on:isolation:)``, with references of the
  /// kind that `ownership` states.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func assign<Root1: AnyObject, Root2: AnyObject>(
    to keyPath1: ReferenceWritableKeyPath<Root1, Output>, on object1: Root1,
    and keyPath2: ReferenceWritableKeyPath<Root2, Output>, on object2: Root2,
    ownership: ObjectOwnership, isolation: isolated (any Actor)? = #isolation
  ) -> AnyCancellable {
    let first = ownership.assignment(to: keyPath1, on: object1)
    let second = ownership.assignment(to: keyPath2, on: object2)
    return sink(isolation: isolation) {
      first($0)
      second($0)
    }
  }

  /// Assigns each value to properties of three objects, like ``assign(to:on:and:on:and:on:isolation:)``, with
  /// references of the kind that `ownership` states.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func assign<Root1: AnyObject, Root2: AnyObject, Root3: AnyObject>(
    to keyPath1: ReferenceWritableKeyPath<Root1, Output>, on object1: Root1,
    and keyPath2: ReferenceWritableKeyPath<Root2, Output>, on object2: Root2,
    and keyPath3: ReferenceWritableKeyPath<Root3, Output>, on object3: Root3,
    ownership: ObjectOwnership, isolation: isolated (any Actor)? = #isolation
  ) -> AnyCancellable {
    let first = ownership.assignment(to: keyPath1, on: object1)
    let second = ownership.assignment(to: keyPath2, on: object2)
    let third = ownership.assignment(to: keyPath3, on: object3)
    return sink(isolation: isolation) {
      first($0)
      second($0)
      third($0)
    }
  }
}

extension ObjectOwnership {
  /// Returns a closure that assigns a value to a property of an object, through a reference of this kind.
  @_alwaysEmitIntoClient
  func assignment<Root: AnyObject, Value>(
    to keyPath: ReferenceWritableKeyPath<Root, Value>, on object: Root
  ) -> (Value) -> Void {
    switch self {
    case .strong: { object[keyPath: keyPath] = $0 }
    case .weak: { [weak object] in object?[keyPath: keyPath] = $0 }
    case .unowned: { [unowned object] in object[keyPath: keyPath] = $0 }
    }
  }
}

/// The kind of reference that a subscriber holds to its object.
public enum ObjectOwnership: Hashable, Sendable {
  /// A strong reference: the object is retained until the stream ends or is cancelled.
  case strong

  /// A weak reference: once the object has been released, values are dropped.
  case weak

  /// An unowned reference: if a value arrives after the object has been released, the program stops.
  case unowned
}

extension AnyPublisher {
  /// Creates a publisher whose values come from a closure, like `CreatePublisher`.
  ///
  /// - Parameter factory: A closure that begins to send values to a subscriber, and returns a cancellable that stops
  ///   this work.
  /// - Returns: A publisher of the values that the closure sends.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public static func create(
    _ factory: @escaping (CreatePublisher<Output, Failure>.Subscriber) -> any Cancellable
  ) -> AnyPublisher<Output, Failure> {
    AnyPublisher(CreatePublisher(factory))
  }

  /// Creates a publisher whose values come from a closure, like ``create(_:)``.
  ///
  /// - Parameter factory: A closure that begins to send values to a subscriber, and returns a cancellable that stops
  ///   this work.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public init(_ factory: @escaping (CreatePublisher<Output, Failure>.Subscriber) -> any Cancellable) {
    self = .create(factory)
  }
}

extension Collection where Element: Publisher {
  /// Publishes the signals of whichever publisher sends one first, like `race()`.
  @available(*, deprecated, renamed: "race()")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func amb() -> RaceManyPublisher<Element> { race() }

  /// Publishes the values of the publishers one after the other, subscribing to each when the previous one has
  /// finished.
  ///
  ///     pages.map { load($0) }.concatenate()
  ///
  /// A failure ends the stream. For an empty collection, the stream finishes immediately.
  ///
  /// - Complexity: O(*n*), where *n* is the number of publishers, and O(1) for each value.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func concatenate() -> AnyPublisher<Element.Output, Element.Failure> {
    // This subscribes to the publishers one after the other, without growing the stack.
    map { $0 }.publisher.setFailureType(to: Element.Failure.self).flatMap(maxPublishers: .max(1)) { $0 }
      .eraseToAnyPublisher()
  }

  /// Subscribes to `size` publishers at a time and combines their values into arrays, then continues with the next
  /// batch.
  ///
  ///     pages.map { load($0) }.flatMapBatches(of: 4)
  ///
  /// Each batch works like `zip()`, including its handling of demand, and the arrays have the order of the collection.
  /// The last batch may be smaller. A failure ends the stream. For an empty collection, the stream finishes
  /// immediately.
  ///
  /// - Parameter size: The number of publishers to subscribe to at a time.
  /// - Precondition: `size` is positive.
  /// - Complexity: O(*n*), where *n* is the number of publishers, and O(*size*) for each array.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func flatMapBatches(of size: Int) -> AnyPublisher<[Element.Output], Element.Failure> {
    require(size > 0, or: "flatMapBatches(of:) requires a size of at least 1, got \(size).")
    var batches: [ZipManyPublisher<Element>] = []
    var start = startIndex
    while start != endIndex {
      let end = index(start, offsetBy: size, limitedBy: endIndex) ?? endIndex
      batches.append(ZipManyPublisher(self[start..<end]))
      start = end
    }
    return batches.concatenate()
  }

  // Unlike the operators of Streams, these aren't disfavored: code that was written for CombineExt may infer types from their
  // results.

  /// Combines the values of all publishers into arrays, like `zip()` of `StreamAlgorithms`, with an erased result type.
  @_alwaysEmitIntoClient
  public func zip() -> AnyPublisher<[Element.Output], Element.Failure> {
    ZipManyPublisher(self).eraseToAnyPublisher()
  }

  /// Combines the latest values of all publishers into arrays, like `combineLatest()` of `StreamAlgorithms`, with an
  /// erased result type.
  @_alwaysEmitIntoClient
  public func combineLatest() -> AnyPublisher<[Element.Output], Element.Failure> {
    CombineLatestManyPublisher(self).eraseToAnyPublisher()
  }
}
