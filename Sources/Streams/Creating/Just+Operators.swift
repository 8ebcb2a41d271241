/// Operators on one value that result in one value, at most one value, or an error.
///
/// They compute the result directly and don't attach an operator. As in Combine, their closures run when you apply the operator,
/// not once for each subscriber. Only sequences are lazy sources. All other operators are the general ones from `Publisher`,
/// which run on delivery.
extension Just {
  /// Transforms the value with a closure.
  ///
  /// - Parameter transform: A closure that transforms the value.
  /// - Returns: A publisher that publishes the transformed value.
  @_alwaysEmitIntoClient
  public func map<T>(_ transform: (Output) -> T) -> Just<T> { Just<T>(transform(output)) }

  /// Transforms the value with a throwing closure.
  ///
  /// - Parameter transform: A closure that transforms the value, or throws the error that the publisher fails with.
  /// - Returns: A publisher that publishes the transformed value or fails with the error.
  @_alwaysEmitIntoClient
  public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
    Result<T, any Error>.Publisher(Result { try transform(output) })
  }

  /// Transforms the value with a closure and drops it if the closure returns `nil`.
  ///
  /// - Parameter transform: A closure that transforms the value, or returns `nil` to drop it.
  /// - Returns: A publisher that publishes the transformed value or finishes without one.
  @_alwaysEmitIntoClient
  public func compactMap<T>(_ transform: (Output) -> T?) -> Optional<T>.Publisher {
    Optional<T>.Publisher(transform(output))
  }

  /// Changes the failure type. The closure never runs.
  ///
  /// - Parameter transform: A closure that determines the failure type.
  /// - Returns: A publisher that publishes the value and has the closure's error type as its failure type.
  @_alwaysEmitIntoClient
  public func mapError<E: Error>(_ transform: (Never) -> E) -> Result<Output, E>.Publisher {
    Result<Output, E>.Publisher(output)
  }

  /// Changes the failure type to match a publisher that can fail.
  ///
  /// - Parameter failureType: The failure type of the returned publisher.
  /// - Returns: A publisher that publishes the value and has the given failure type.
  @_alwaysEmitIntoClient
  public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Output, E>.Publisher {
    Result<Output, E>.Publisher(output)
  }

  /// Combines an initial result and the value with a closure.
  ///
  /// - Parameters:
  ///   - initialResult: The result before the value.
  ///   - nextPartialResult: A closure that combines the initial result and the value.
  /// - Returns: A publisher that publishes the closure's result.
  @_alwaysEmitIntoClient
  public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Result<T, Never>.Publisher {
    Result<T, Never>.Publisher(nextPartialResult(initialResult, output))
  }

  /// Combines an initial result and the value with a throwing closure.
  ///
  /// - Parameters:
  ///   - initialResult: The result before the value.
  ///   - nextPartialResult: A closure that combines the initial result and the value, or throws the error that
  ///     the publisher fails with.
  /// - Returns: A publisher that publishes the closure's result or fails with the error.
  @_alwaysEmitIntoClient
  public func tryScan<T>(
    _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
  ) -> Result<T, any Error>.Publisher {
    tryMap { try nextPartialResult(initialResult, $0) }
  }
}

extension Just {
  /// Keeps the value if it satisfies a predicate.
  ///
  /// - Parameter isIncluded: A predicate that returns `true` to keep the value.
  /// - Returns: A publisher that publishes the value or finishes without one.
  @_alwaysEmitIntoClient
  public func filter(_ isIncluded: (Output) -> Bool) -> Optional<Output>.Publisher { kept(isIncluded(output)) }

  /// Drops the value if it satisfies a predicate.
  ///
  /// - Parameter predicate: A predicate that returns `true` to drop the value.
  /// - Returns: A publisher that publishes the value or finishes without one.
  @_alwaysEmitIntoClient
  public func drop(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher { kept(!predicate(output)) }

  /// Drops the given number of values.
  ///
  /// - Parameter count: The number of values to drop.
  /// - Returns: A publisher that publishes the value if `count` is zero, and otherwise finishes without one.
  /// - Precondition: `count` isn't negative.
  @_alwaysEmitIntoClient
  public func dropFirst(_ count: Int = 1) -> Optional<Output>.Publisher {
    requireNotNegative(count, in: "dropFirst(_:)", "a count")
    return kept(count == 0)
  }

  /// Returns this publisher, which sends exactly one value.
  ///
  /// - Returns: This publisher.
  @_alwaysEmitIntoClient
  public func first() -> Just<Output> { self }

  /// Keeps the value if it satisfies a predicate.
  ///
  /// - Parameter predicate: A predicate that returns `true` to keep the value.
  /// - Returns: A publisher that publishes the value or finishes without one.
  @_alwaysEmitIntoClient
  public func first(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher { filter(predicate) }

  /// Returns this publisher, which sends exactly one value.
  ///
  /// - Returns: This publisher.
  @_alwaysEmitIntoClient
  public func last() -> Just<Output> { self }

  /// Keeps the value if it satisfies a predicate.
  ///
  /// - Parameter predicate: A predicate that returns `true` to keep the value.
  /// - Returns: A publisher that publishes the value or finishes without one.
  @_alwaysEmitIntoClient
  public func last(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher { filter(predicate) }

  /// Keeps at most the given number of values.
  ///
  /// - Parameter maxLength: The maximum number of values to keep.
  /// - Returns: A publisher that publishes the value, or finishes without one if `maxLength` is zero.
  /// - Precondition: `maxLength` isn't negative.
  @_alwaysEmitIntoClient
  public func prefix(_ maxLength: Int) -> Optional<Output>.Publisher {
    requireNotNegative(maxLength, in: "prefix(_:)", "a maximum length")
    return output(in: ..<maxLength)
  }

  /// Keeps the value if it satisfies a predicate.
  ///
  /// - Parameter predicate: A predicate that returns `true` to keep the value.
  /// - Returns: A publisher that publishes the value or finishes without one.
  @_alwaysEmitIntoClient
  public func prefix(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher { filter(predicate) }

  /// Keeps the value if the position is zero.
  ///
  /// - Parameter index: The position of the value to keep.
  /// - Returns: A publisher that publishes the value or finishes without one.
  /// - Precondition: `index` isn't negative.
  @_alwaysEmitIntoClient
  public func output(at index: Int) -> Optional<Output>.Publisher {
    requireNotNegative(index, in: "output(at:)", "an index")
    return output(in: index...index)
  }

  /// Keeps the value if the range contains position zero. The range may begin below zero.
  ///
  /// An empty range keeps nothing. In Combine, `output(in: 0..<0)` keeps the value.
  ///
  /// - Parameter range: The positions of the values to keep.
  /// - Returns: A publisher that publishes the value or finishes without one.
  @_alwaysEmitIntoClient
  public func output<R: RangeExpression>(in range: R) -> Optional<Output>.Publisher where R.Bound == Int {
    kept(range.hasFirstPosition)
  }

  /// Drops the value and finishes.
  ///
  /// - Returns: A publisher that finishes without a value.
  @_alwaysEmitIntoClient
  public func ignoreOutput() -> Empty<Output, Never> { Empty() }

  /// Returns this publisher, because one value has no duplicates. The closure never runs.
  ///
  /// - Parameter predicate: A closure that compares two values for equality.
  /// - Returns: This publisher.
  @_alwaysEmitIntoClient
  public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Just<Output> { self }

  /// Publishes the value, unless the closure throws. The closure runs once, with the value as both arguments.
  ///
  /// - Parameter predicate: A closure that compares two values for equality, or throws the error that the
  ///   publisher fails with. Its result is ignored, because one value has no duplicates.
  /// - Returns: A publisher that publishes the value or fails with the error.
  @_alwaysEmitIntoClient
  public func tryRemoveDuplicates(
    by predicate: (Output, Output) throws -> Bool
  ) -> Result<Output, any Error>.Publisher {
    tryMap { value in
      _ = try predicate(value, value)
      return value
    }
  }

  /// A publisher that publishes the value or finishes without one.
  @_alwaysEmitIntoClient
  func kept(_ isKept: Bool) -> Optional<Output>.Publisher { Optional<Output>.Publisher(isKept ? output : nil) }
}

extension Just {
  /// Collects the value into an array.
  ///
  /// - Returns: A publisher that publishes an array with one element.
  @_alwaysEmitIntoClient
  public func collect() -> Just<[Output]> { Just<[Output]>([output]) }

  /// Counts the values.
  ///
  /// - Returns: A publisher that publishes the number one.
  @_alwaysEmitIntoClient
  public func count() -> Just<Int> { Just<Int>(1) }

  /// Combines an initial result and the value with a closure.
  ///
  /// - Parameters:
  ///   - initialResult: The result before the value.
  ///   - nextPartialResult: A closure that combines the initial result and the value.
  /// - Returns: A publisher that publishes the closure's result.
  @_alwaysEmitIntoClient
  public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Result<T, Never>.Publisher {
    scan(initialResult, nextPartialResult)
  }

  /// Combines an initial result and the value with a throwing closure.
  ///
  /// - Parameters:
  ///   - initialResult: The result before the value.
  ///   - nextPartialResult: A closure that combines the initial result and the value, or throws the error that
  ///     the publisher fails with.
  /// - Returns: A publisher that publishes the closure's result or fails with the error.
  @_alwaysEmitIntoClient
  public func tryReduce<T>(
    _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
  ) -> Result<T, any Error>.Publisher {
    tryScan(initialResult, nextPartialResult)
  }

  /// Returns this publisher, whose value is the maximum. The closure never runs.
  ///
  /// - Parameter areInIncreasingOrder: A closure that returns whether its first argument is ordered before its second.
  /// - Returns: This publisher.
  @_alwaysEmitIntoClient
  public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Just<Output> { self }

  /// Returns this publisher, whose value is the minimum. The closure never runs.
  ///
  /// - Parameter areInIncreasingOrder: A closure that returns whether its first argument is ordered before its second.
  /// - Returns: This publisher.
  @_alwaysEmitIntoClient
  public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Just<Output> { self }

  /// Publishes a Boolean that indicates whether the value satisfies a predicate.
  ///
  /// - Parameter predicate: A predicate on the value.
  /// - Returns: A publisher that publishes the predicate's result.
  @_alwaysEmitIntoClient
  public func contains(where predicate: (Output) -> Bool) -> Just<Bool> { map(predicate) }

  /// Publishes a Boolean that indicates whether the value satisfies a throwing predicate.
  ///
  /// - Parameter predicate: A predicate on the value, which may throw the error that the publisher fails with.
  /// - Returns: A publisher that publishes the predicate's result or fails with the error.
  @_alwaysEmitIntoClient
  public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    tryMap(predicate)
  }

  /// Publishes a Boolean that indicates whether the value satisfies a predicate.
  ///
  /// - Parameter predicate: A predicate on the value.
  /// - Returns: A publisher that publishes the predicate's result.
  @_alwaysEmitIntoClient
  public func allSatisfy(_ predicate: (Output) -> Bool) -> Just<Bool> { map(predicate) }

  /// Publishes a Boolean that indicates whether the value satisfies a throwing predicate.
  ///
  /// - Parameter predicate: A predicate on the value, which may throw the error that the publisher fails with.
  /// - Returns: A publisher that publishes the predicate's result or fails with the error.
  @_alwaysEmitIntoClient
  public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    tryMap(predicate)
  }
}

extension Just {
  /// Appends values to this publisher's value.
  ///
  /// - Parameter elements: The values to send after this publisher's value.
  /// - Returns: A publisher that publishes all values.
  /// - Complexity: O(*n*), where *n* is the number of appended values.
  @_alwaysEmitIntoClient
  public func append(_ elements: Output...) -> Publishers.Sequence<[Output], Never> { append(elements) }

  /// Appends the elements of a collection to this publisher's value. The collection is copied when you apply the operator.
  ///
  /// A sequence that isn't a collection may be infinite. It's attached without a copy, whereas Combine copies it.
  ///
  /// - Parameter elements: The elements to send after this publisher's value.
  /// - Returns: A publisher that publishes all values.
  /// - Complexity: O(*n*), where *n* is the number of elements.
  @_alwaysEmitIntoClient
  public func append<C: Collection>(_ elements: C) -> Publishers.Sequence<[Output], Never> where C.Element == Output {
    Publishers.Sequence(sequence: [output] + elements, looksAhead: true)
  }

  /// Prepends values to this publisher's value.
  ///
  /// - Parameter elements: The values to send before this publisher's value.
  /// - Returns: A publisher that publishes all values.
  /// - Complexity: O(*n*), where *n* is the number of prepended values.
  @_alwaysEmitIntoClient
  public func prepend(_ elements: Output...) -> Publishers.Sequence<[Output], Never> { prepend(elements) }

  /// Prepends the elements of a collection to this publisher's value. The collection is copied when you apply the operator.
  ///
  /// A sequence that isn't a collection may be infinite. It's attached without a copy, whereas Combine copies it.
  ///
  /// - Parameter elements: The elements to send before this publisher's value.
  /// - Returns: A publisher that publishes all values.
  /// - Complexity: O(*n*), where *n* is the number of elements.
  @_alwaysEmitIntoClient
  public func prepend<C: Collection>(_ elements: C) -> Publishers.Sequence<[Output], Never> where C.Element == Output {
    Publishers.Sequence(sequence: elements + [output], looksAhead: true)
  }

  /// Returns this publisher, which is never empty.
  ///
  /// - Parameter output: The value to send if there is none.
  /// - Returns: This publisher.
  @_alwaysEmitIntoClient
  public func replaceEmpty(with output: Output) -> Just<Output> { self }

  /// Returns this publisher, which never fails.
  ///
  /// - Parameter output: The value to send in place of a failure.
  /// - Returns: This publisher.
  @_alwaysEmitIntoClient
  public func replaceError(with output: Output) -> Just<Output> { self }

  /// Returns this publisher, which never fails.
  ///
  /// - Parameter retries: The number of times to subscribe again.
  /// - Returns: This publisher.
  @_alwaysEmitIntoClient
  public func retry(_ retries: Int) -> Just<Output> { self }
}

extension Just where Output: Equatable {
  /// Returns this publisher, because one value has no duplicates.
  ///
  /// - Returns: This publisher.
  @_alwaysEmitIntoClient
  public func removeDuplicates() -> Just<Output> { self }

  /// Publishes a Boolean that indicates whether the value equals another.
  ///
  /// - Parameter output: The value to compare with.
  /// - Returns: A publisher that publishes the result of the comparison.
  @_alwaysEmitIntoClient
  public func contains(_ output: Output) -> Just<Bool> { Just<Bool>(self.output == output) }
}

extension Just where Output: Comparable {
  /// Returns this publisher, whose value is the maximum.
  ///
  /// - Returns: This publisher.
  @_alwaysEmitIntoClient
  public func max() -> Just<Output> { self }

  /// Returns this publisher, whose value is the minimum.
  ///
  /// - Returns: This publisher.
  @_alwaysEmitIntoClient
  public func min() -> Just<Output> { self }
}
