/// Operators on one value that result in at most one value, an error, or (for `append` and `prepend`) a sequence.
///
/// They compute the result directly and don't attach an operator. All other operators are the general ones from `Publisher`,
/// which run on delivery.
extension Just {
  /// Transforms the value with a closure.
  @_alwaysEmitIntoClient
  public func map<T>(_ transform: (Output) -> T) -> Just<T> { Just<T>(transform(output)) }

  /// Transforms the value with a throwing closure.
  @_alwaysEmitIntoClient
  public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
    Result<T, any Error>.Publisher(Result { try transform(output) })
  }

  /// Transforms the value with a closure and drops it if the closure returns `nil`.
  @_alwaysEmitIntoClient
  public func compactMap<T>(_ transform: (Output) -> T?) -> Optional<T>.Publisher {
    Optional<T>.Publisher(transform(output))
  }

  /// Changes the failure type. The closure never runs.
  @_alwaysEmitIntoClient
  public func mapError<E: Error>(_ transform: (Never) -> E) -> Result<Output, E>.Publisher {
    Result<Output, E>.Publisher(output)
  }

  /// Changes the failure type to match a publisher that can fail.
  @_alwaysEmitIntoClient
  public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Output, E>.Publisher {
    Result<Output, E>.Publisher(output)
  }

  /// Combines an initial result with the value.
  @_alwaysEmitIntoClient
  public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Result<T, Never>.Publisher {
    Result<T, Never>.Publisher(nextPartialResult(initialResult, output))
  }

  /// Combines an initial result with the value using a throwing closure.
  @_alwaysEmitIntoClient
  public func tryScan<T>(
    _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
  ) -> Result<T, any Error>.Publisher {
    tryMap { try nextPartialResult(initialResult, $0) }
  }
}

extension Just {
  /// Keeps the value if it satisfies a predicate.
  @_alwaysEmitIntoClient
  public func filter(_ isIncluded: (Output) -> Bool) -> Optional<Output>.Publisher { kept(isIncluded(output)) }

  /// Drops the value if it satisfies a predicate.
  @_alwaysEmitIntoClient
  public func drop(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher { kept(!predicate(output)) }

  /// Drops the given number of values.
  ///
  /// - Precondition: `count` isn't negative.
  @_alwaysEmitIntoClient
  public func dropFirst(_ count: Int = 1) -> Optional<Output>.Publisher {
    requireNotNegative(count, in: "dropFirst(_:)", "a count")
    return kept(count == 0)
  }

  /// Returns this publisher, which sends exactly one value.
  @_alwaysEmitIntoClient
  public func first() -> Just<Output> { self }

  /// Keeps the value if it satisfies a predicate.
  @_alwaysEmitIntoClient
  public func first(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher { filter(predicate) }

  /// Returns this publisher, which sends exactly one value.
  @_alwaysEmitIntoClient
  public func last() -> Just<Output> { self }

  /// Keeps the value if it satisfies a predicate.
  @_alwaysEmitIntoClient
  public func last(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher { filter(predicate) }

  /// Keeps at most the given number of values.
  ///
  /// - Precondition: `maxLength` isn't negative.
  @_alwaysEmitIntoClient
  public func prefix(_ maxLength: Int) -> Optional<Output>.Publisher {
    requireNotNegative(maxLength, in: "prefix(_:)", "a maximum length")
    return output(in: ..<maxLength)
  }

  /// Keeps the value if it satisfies a predicate.
  @_alwaysEmitIntoClient
  public func prefix(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher { filter(predicate) }

  /// Keeps the value if the position is zero.
  ///
  /// - Precondition: `index` isn't negative.
  @_alwaysEmitIntoClient
  public func output(at index: Int) -> Optional<Output>.Publisher {
    requireNotNegative(index, in: "output(at:)", "an index")
    return output(in: index...index)
  }

  /// Keeps the value if the range contains position zero. The range may begin below zero.
  ///
  /// An empty range drops the value. In Combine, `output(in: 0..<0)` keeps it.
  @_alwaysEmitIntoClient
  public func output<R: RangeExpression>(in range: R) -> Optional<Output>.Publisher where R.Bound == Int {
    kept(range.hasFirstPosition)
  }

  /// Drops the value and finishes.
  @_alwaysEmitIntoClient
  public func ignoreOutput() -> Empty<Output, Never> { Empty() }

  /// Returns this publisher, because a single value can't be a duplicate. The closure never runs.
  @_alwaysEmitIntoClient
  public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Just<Output> { self }

  /// Publishes the value, unless the closure throws. The closure runs once, with the value as both arguments. Its
  /// result is ignored.
  @_alwaysEmitIntoClient
  public func tryRemoveDuplicates(
    by predicate: (Output, Output) throws -> Bool
  ) -> Result<Output, any Error>.Publisher {
    tryMap { value in
      _ = try predicate(value, value)
      return value
    }
  }

  /// Publishes the value or finishes without one.
  @_alwaysEmitIntoClient
  func kept(_ isKept: Bool) -> Optional<Output>.Publisher { Optional<Output>.Publisher(isKept ? output : nil) }
}

extension Just {
  /// Collects the value into an array.
  @_alwaysEmitIntoClient
  public func collect() -> Just<[Output]> { Just<[Output]>([output]) }

  /// Publishes the number of values.
  @_alwaysEmitIntoClient
  public func count() -> Just<Int> { Just<Int>(1) }

  /// Combines an initial result with the value.
  @_alwaysEmitIntoClient
  public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Result<T, Never>.Publisher {
    scan(initialResult, nextPartialResult)
  }

  /// Combines an initial result with the value using a throwing closure.
  @_alwaysEmitIntoClient
  public func tryReduce<T>(
    _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
  ) -> Result<T, any Error>.Publisher {
    tryScan(initialResult, nextPartialResult)
  }

  /// Returns this publisher, whose value is the maximum. The closure never runs.
  @_alwaysEmitIntoClient
  public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Just<Output> { self }

  /// Returns this publisher, whose value is the minimum. The closure never runs.
  @_alwaysEmitIntoClient
  public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Just<Output> { self }

  /// Publishes whether the value satisfies a predicate.
  @_alwaysEmitIntoClient
  public func contains(where predicate: (Output) -> Bool) -> Just<Bool> { map(predicate) }

  /// Publishes whether the value satisfies a throwing predicate.
  @_alwaysEmitIntoClient
  public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    tryMap(predicate)
  }

  /// Publishes whether the value satisfies a predicate.
  @_alwaysEmitIntoClient
  public func allSatisfy(_ predicate: (Output) -> Bool) -> Just<Bool> { map(predicate) }

  /// Publishes whether the value satisfies a throwing predicate.
  @_alwaysEmitIntoClient
  public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    tryMap(predicate)
  }
}

extension Just {
  /// Appends values to this publisher's value.
  ///
  /// - Complexity: O(*n*), where *n* is the number of appended values.
  @_alwaysEmitIntoClient
  public func append(_ elements: Output...) -> Publishers.Sequence<[Output], Never> { append(elements) }

  /// Appends a collection's elements to this publisher's value. The operator copies the collection when you apply it.
  ///
  /// A sequence that isn't a collection may be infinite, so the operator doesn't copy it. Combine does.
  ///
  /// - Complexity: O(*n*), where *n* is the number of elements.
  @_alwaysEmitIntoClient
  public func append<C: Collection>(_ elements: C) -> Publishers.Sequence<[Output], Never> where C.Element == Output {
    Publishers.Sequence(sequence: [output] + elements, looksAhead: true)
  }

  /// Prepends values to this publisher's value.
  ///
  /// - Complexity: O(*n*), where *n* is the number of prepended values.
  @_alwaysEmitIntoClient
  public func prepend(_ elements: Output...) -> Publishers.Sequence<[Output], Never> { prepend(elements) }

  /// Prepends a collection's elements to this publisher's value, with a copy as for `append`.
  ///
  /// A sequence that isn't a collection may be infinite, so the operator doesn't copy it. Combine does.
  ///
  /// - Complexity: O(*n*), where *n* is the number of elements.
  @_alwaysEmitIntoClient
  public func prepend<C: Collection>(_ elements: C) -> Publishers.Sequence<[Output], Never> where C.Element == Output {
    Publishers.Sequence(sequence: elements + [output], looksAhead: true)
  }

  /// Returns this publisher, which is never empty.
  @_alwaysEmitIntoClient
  public func replaceEmpty(with output: Output) -> Just<Output> { self }

  /// Returns this publisher, which never fails.
  @_alwaysEmitIntoClient
  public func replaceError(with output: Output) -> Just<Output> { self }

  /// Returns this publisher, which never fails.
  @_alwaysEmitIntoClient
  public func retry(_ retries: Int) -> Just<Output> { self }
}

extension Just where Output: Equatable {
  /// Returns this publisher, because a single value can't be a duplicate.
  @_alwaysEmitIntoClient
  public func removeDuplicates() -> Just<Output> { self }

  /// Publishes whether the value equals a given one.
  @_alwaysEmitIntoClient
  public func contains(_ output: Output) -> Just<Bool> { Just<Bool>(self.output == output) }
}

extension Just where Output: Comparable {
  /// Returns this publisher, whose value is the maximum.
  @_alwaysEmitIntoClient
  public func max() -> Just<Output> { self }

  /// Returns this publisher, whose value is the minimum.
  @_alwaysEmitIntoClient
  public func min() -> Just<Output> { self }
}
