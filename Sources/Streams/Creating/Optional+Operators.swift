/// Operators on one value or none that make one value or none: nothing is attached in between.
///
/// Their closures run when the operator is applied, as in Combine, and not once for each subscriber; of all the sources
/// only a sequence is lazy. Each sends what the operator of the same name sends on any other publisher, also where there
/// is no value: `count()` sends zero then. Operators that are not here, such as those whose closure may throw, are the
/// ones that every publisher has, and run on delivery.
extension Optional.Publisher {
  /// Turns the value into another.
  @inlinable
  public func map<T>(_ transform: (Wrapped) -> T) -> Optional<T>.Publisher {
    Optional<T>.Publisher(output.map(transform))
  }

  /// Turns the value into another, or into none where the closure returns `nil`.
  @inlinable
  public func compactMap<T>(_ transform: (Wrapped) -> T?) -> Optional<T>.Publisher {
    Optional<T>.Publisher(output.flatMap(transform))
  }

  /// Sends what the closure makes of the initial result and the value.
  @inlinable
  public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Wrapped) -> T) -> Optional<T>.Publisher {
    map { nextPartialResult(initialResult, $0) }
  }
}

extension Optional.Publisher {
  /// Keeps the value if the closure accepts it.
  @inlinable
  public func filter(_ isIncluded: (Wrapped) -> Bool) -> Optional<Wrapped>.Publisher {
    if let output, isIncluded(output) { return self }
    return Optional<Wrapped>.Publisher(nil)
  }

  /// Leaves the value out if the closure accepts it.
  @inlinable
  public func drop(while predicate: (Wrapped) -> Bool) -> Optional<Wrapped>.Publisher { filter { !predicate($0) } }

  /// Leaves out the first so many values.
  ///
  /// - Precondition: `count` is not negative.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Optional<Wrapped>.Publisher {
    requireNotNegative(count, in: "dropFirst")
    return filter { _ in count == 0 }
  }

  /// The publisher itself, which sends at most one value.
  @inlinable
  public func first() -> Optional<Wrapped>.Publisher { self }

  /// Keeps the value if the closure accepts it.
  @inlinable
  public func first(where predicate: (Wrapped) -> Bool) -> Optional<Wrapped>.Publisher { filter(predicate) }

  /// The publisher itself, which sends at most one value.
  @inlinable
  public func last() -> Optional<Wrapped>.Publisher { self }

  /// Keeps the value if the closure accepts it.
  @inlinable
  public func last(where predicate: (Wrapped) -> Bool) -> Optional<Wrapped>.Publisher { filter(predicate) }

  /// Keeps the first so many values.
  ///
  /// - Precondition: `maxLength` is not negative.
  @inlinable
  public func prefix(_ maxLength: Int) -> Optional<Wrapped>.Publisher {
    requireNotNegative(maxLength, in: "prefix")
    return output(in: ..<maxLength)
  }

  /// Keeps the value if the closure accepts it.
  @inlinable
  public func prefix(while predicate: (Wrapped) -> Bool) -> Optional<Wrapped>.Publisher { filter(predicate) }

  /// Keeps the value if the position is zero.
  ///
  /// - Precondition: `index` is not negative.
  @inlinable
  public func output(at index: Int) -> Optional<Wrapped>.Publisher {
    requireNotNegative(index, in: "output", label: "at: ")
    return output(in: index...index)
  }

  /// Keeps the value if zero is among the positions; the range may begin below zero.
  @inlinable
  public func output<R: RangeExpression>(in range: R) -> Optional<Wrapped>.Publisher where R.Bound == Int {
    let isKept = range.hasFirstPosition
    return filter { _ in isKept }
  }

  /// Sends nothing and finishes.
  @inlinable
  public func ignoreOutput() -> Empty<Wrapped, Never> { Empty() }

  /// The publisher itself, because one value has no other before it; the closure never runs.
  @inlinable
  public func removeDuplicates(by predicate: (Wrapped, Wrapped) -> Bool) -> Optional<Wrapped>.Publisher { self }
}

extension Optional.Publisher {
  /// Sends an array of the value, which is empty if there is none.
  @inlinable
  public func collect() -> Optional<[Wrapped]>.Publisher {
    Optional<[Wrapped]>.Publisher(output.map { [$0] } ?? [])
  }

  /// Sends the number of values, one or zero.
  @inlinable
  public func count() -> Optional<Int>.Publisher { Optional<Int>.Publisher(output == nil ? 0 : 1) }

  /// Sends what the closure makes of the initial result and the value, or the initial result if there is no value.
  @inlinable
  public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Wrapped) -> T) -> Optional<T>.Publisher {
    Optional<T>.Publisher(.some(output.map { nextPartialResult(initialResult, $0) } ?? initialResult))
  }

  /// The publisher itself, whose value is the greatest; the closure never runs.
  @inlinable
  public func max(by areInIncreasingOrder: (Wrapped, Wrapped) -> Bool) -> Optional<Wrapped>.Publisher { self }

  /// The publisher itself, whose value is the least; the closure never runs.
  @inlinable
  public func min(by areInIncreasingOrder: (Wrapped, Wrapped) -> Bool) -> Optional<Wrapped>.Publisher { self }

  /// Sends whether there is a value that the closure accepts.
  @inlinable
  public func contains(where predicate: (Wrapped) -> Bool) -> Optional<Bool>.Publisher {
    Optional<Bool>.Publisher(output.map(predicate) ?? false)
  }

  /// Sends whether there is no value that the closure does not accept.
  @inlinable
  public func allSatisfy(_ predicate: (Wrapped) -> Bool) -> Optional<Bool>.Publisher {
    Optional<Bool>.Publisher(output.map(predicate) ?? true)
  }
}

extension Optional.Publisher {
  /// Sends the value, or another if there is none.
  @inlinable
  public func replaceEmpty(with output: Wrapped) -> Just<Wrapped> { Just(self.output ?? output) }

  /// The publisher itself, which never fails.
  @inlinable
  public func replaceError(with output: Wrapped) -> Optional<Wrapped>.Publisher { self }

  /// The publisher itself, which never fails.
  @inlinable
  public func retry(_ retries: Int) -> Optional<Wrapped>.Publisher { self }
}

extension Optional.Publisher where Wrapped: Equatable {
  /// The publisher itself, because one value has no other before it.
  @inlinable
  public func removeDuplicates() -> Optional<Wrapped>.Publisher { self }

  /// Sends whether the value is the one given.
  @inlinable
  public func contains(_ output: Wrapped) -> Optional<Bool>.Publisher { contains { $0 == output } }
}

extension Optional.Publisher where Wrapped: Comparable {
  /// The publisher itself, whose value is the greatest.
  @inlinable
  public func max() -> Optional<Wrapped>.Publisher { self }

  /// The publisher itself, whose value is the least.
  @inlinable
  public func min() -> Optional<Wrapped>.Publisher { self }
}
