/// Operators on a single value that make a single value, or none, or an error: nothing is attached in between.
///
/// Their closures run when the operator is applied, as in Combine, and not once for each subscriber; of all the sources
/// only a sequence is lazy. Operators that are not here are the ones that every publisher has, and run on delivery.
extension Just {
  /// Turns the value into another.
  @inlinable
  public func map<T>(_ transform: (Output) -> T) -> Just<T> { Just<T>(transform(output)) }

  /// Turns the value into another, or fails with the error that the closure throws.
  @inlinable
  public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
    Result<T, any Error>.Publisher(Result { try transform(output) })
  }

  /// Turns the value into another, or into none where the closure returns `nil`.
  @inlinable
  public func compactMap<T>(_ transform: (Output) -> T?) -> Optional<T>.Publisher {
    Optional<T>.Publisher(transform(output))
  }

  /// Gives the publisher a kind of errors; the closure never runs.
  @inlinable
  public func mapError<E: Error>(_ transform: (Never) -> E) -> Result<Output, E>.Publisher {
    Result<Output, E>.Publisher(output)
  }

  /// Gives the publisher a kind of errors, so that it fits beside one that can fail.
  @inlinable
  public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Output, E>.Publisher {
    Result<Output, E>.Publisher(output)
  }

  /// Sends what the closure makes of the initial result and the value.
  @inlinable
  public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Result<T, Never>.Publisher {
    Result<T, Never>.Publisher(nextPartialResult(initialResult, output))
  }

  /// Sends what the closure makes of the initial result and the value, or fails with the error that it throws.
  @inlinable
  public func tryScan<T>(
    _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
  ) -> Result<T, any Error>.Publisher {
    tryMap { try nextPartialResult(initialResult, $0) }
  }
}

extension Just {
  /// Keeps the value if the closure accepts it.
  @inlinable
  public func filter(_ isIncluded: (Output) -> Bool) -> Optional<Output>.Publisher { kept(isIncluded(output)) }

  /// Leaves the value out if the closure accepts it.
  @inlinable
  public func drop(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher { kept(!predicate(output)) }

  /// Leaves out the first so many values.
  ///
  /// - Precondition: `count` is not negative.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Optional<Output>.Publisher {
    requireNotNegative(count, in: "dropFirst")
    return kept(count == 0)
  }

  /// The publisher itself, which sends one value.
  @inlinable
  public func first() -> Just<Output> { self }

  /// Keeps the value if the closure accepts it.
  @inlinable
  public func first(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher { filter(predicate) }

  /// The publisher itself, which sends one value.
  @inlinable
  public func last() -> Just<Output> { self }

  /// Keeps the value if the closure accepts it.
  @inlinable
  public func last(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher { filter(predicate) }

  /// Keeps the first so many values.
  ///
  /// - Precondition: `maxLength` is not negative.
  @inlinable
  public func prefix(_ maxLength: Int) -> Optional<Output>.Publisher {
    requireNotNegative(maxLength, in: "prefix")
    return output(in: ..<maxLength)
  }

  /// Keeps the value if the closure accepts it.
  @inlinable
  public func prefix(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher { filter(predicate) }

  /// Keeps the value if the position is zero.
  ///
  /// - Precondition: `index` is not negative.
  @inlinable
  public func output(at index: Int) -> Optional<Output>.Publisher {
    requireNotNegative(index, in: "output", label: "at: ")
    return output(in: index...index)
  }

  /// Keeps the value if zero is among the positions; the range may begin below zero.
  ///
  /// An empty range keeps nothing, other than in Combine, where `output(in: 0..<0)` keeps the value.
  @inlinable
  public func output<R: RangeExpression>(in range: R) -> Optional<Output>.Publisher where R.Bound == Int {
    kept(range.hasFirstPosition)
  }

  /// Sends nothing and finishes.
  @inlinable
  public func ignoreOutput() -> Empty<Output, Never> { Empty() }

  /// The publisher itself, because one value has no other before it; the closure never runs.
  @inlinable
  public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Just<Output> { self }

  /// Sends the value, because it has no other before it; the closure never runs.
  @inlinable
  public func tryRemoveDuplicates(
    by predicate: (Output, Output) throws -> Bool
  ) -> Result<Output, any Error>.Publisher {
    setFailureType(to: (any Error).self)
  }

  /// The value or none.
  @inlinable
  func kept(_ isKept: Bool) -> Optional<Output>.Publisher { Optional<Output>.Publisher(isKept ? output : nil) }
}

extension Just {
  /// Sends an array of the value.
  @inlinable
  public func collect() -> Just<[Output]> { Just<[Output]>([output]) }

  /// Sends one, the number of values.
  @inlinable
  public func count() -> Just<Int> { Just<Int>(1) }

  /// Sends what the closure makes of the initial result and the value.
  @inlinable
  public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Result<T, Never>.Publisher {
    scan(initialResult, nextPartialResult)
  }

  /// Sends what the closure makes of the initial result and the value, or fails with the error that it throws.
  @inlinable
  public func tryReduce<T>(
    _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
  ) -> Result<T, any Error>.Publisher {
    tryScan(initialResult, nextPartialResult)
  }

  /// The publisher itself, whose value is the greatest; the closure never runs.
  @inlinable
  public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Just<Output> { self }

  /// The publisher itself, whose value is the least; the closure never runs.
  @inlinable
  public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Just<Output> { self }

  /// Sends whether the closure accepts the value.
  @inlinable
  public func contains(where predicate: (Output) -> Bool) -> Just<Bool> { map(predicate) }

  /// Sends whether the closure accepts the value, or fails with the error that it throws.
  @inlinable
  public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    tryMap(predicate)
  }

  /// Sends whether the closure accepts the value.
  @inlinable
  public func allSatisfy(_ predicate: (Output) -> Bool) -> Just<Bool> { map(predicate) }

  /// Sends whether the closure accepts the value, or fails with the error that it throws.
  @inlinable
  public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    tryMap(predicate)
  }
}

extension Just {
  /// Sends the value and then some others.
  @inlinable
  public func append(_ elements: Output...) -> Publishers.Sequence<[Output], Never> { append(elements) }

  /// Sends the value and then the elements of a collection, which is run through when the operator is applied.
  ///
  /// Any other sequence may have no end, and is attached as it is, other than in Combine.
  @inlinable
  public func append<C: Collection>(_ elements: C) -> Publishers.Sequence<[Output], Never> where C.Element == Output {
    Publishers.Sequence(sequence: [output] + elements, looksAhead: true)
  }

  /// Sends some values and then this one.
  @inlinable
  public func prepend(_ elements: Output...) -> Publishers.Sequence<[Output], Never> { prepend(elements) }

  /// Sends the elements of a collection, which is run through when the operator is applied, and then the value.
  ///
  /// Any other sequence may have no end, and is attached as it is, other than in Combine.
  @inlinable
  public func prepend<C: Collection>(_ elements: C) -> Publishers.Sequence<[Output], Never> where C.Element == Output {
    Publishers.Sequence(sequence: elements + [output], looksAhead: true)
  }

  /// The publisher itself, which is never empty.
  @inlinable
  public func replaceEmpty(with output: Output) -> Just<Output> { self }

  /// The publisher itself, which never fails.
  @inlinable
  public func replaceError(with output: Output) -> Just<Output> { self }

  /// The publisher itself, which never fails.
  @inlinable
  public func retry(_ retries: Int) -> Just<Output> { self }
}

extension Just where Output: Equatable {
  /// The publisher itself, because one value has no other before it.
  @inlinable
  public func removeDuplicates() -> Just<Output> { self }

  /// Sends whether the value is the one given.
  @inlinable
  public func contains(_ output: Output) -> Just<Bool> { Just<Bool>(self.output == output) }
}

extension Just where Output: Comparable {
  /// The publisher itself, whose value is the greatest.
  @inlinable
  public func max() -> Just<Output> { self }

  /// The publisher itself, whose value is the least.
  @inlinable
  public func min() -> Just<Output> { self }
}
