/// Operators on at most one value that also result in at most one value.
///
/// They compute the result directly and don't attach an operator. All others, such as operators whose closure can throw, are the
/// general ones from `Publisher`, which run on delivery.
extension Optional.Publisher {
  /// Transforms the value with a closure.
  @_alwaysEmitIntoClient
  public func map<T>(_ transform: (Wrapped) -> T) -> Optional<T>.Publisher {
    Optional<T>.Publisher(output.map(transform))
  }

  /// Transforms the value with a closure and drops it if the closure returns `nil`.
  @_alwaysEmitIntoClient
  public func compactMap<T>(_ transform: (Wrapped) -> T?) -> Optional<T>.Publisher {
    Optional<T>.Publisher(output.flatMap(transform))
  }

  /// Combines an initial result with the value. If there's no value, the publisher just finishes.
  @_alwaysEmitIntoClient
  public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Wrapped) -> T) -> Optional<T>.Publisher {
    map { nextPartialResult(initialResult, $0) }
  }
}

extension Optional.Publisher {
  /// Keeps the value if it satisfies a predicate.
  @_alwaysEmitIntoClient
  public func filter(_ isIncluded: (Wrapped) -> Bool) -> Optional<Wrapped>.Publisher {
    if let output, isIncluded(output) { return self }
    return Optional<Wrapped>.Publisher(nil)
  }

  /// Drops the value if it satisfies a predicate.
  @_alwaysEmitIntoClient
  public func drop(while predicate: (Wrapped) -> Bool) -> Optional<Wrapped>.Publisher { filter { !predicate($0) } }

  /// Drops the given number of values.
  ///
  /// - Precondition: `count` isn't negative.
  @_alwaysEmitIntoClient
  public func dropFirst(_ count: Int = 1) -> Optional<Wrapped>.Publisher {
    requireNotNegative(count, in: "dropFirst(_:)", "a count")
    return filter { _ in count == 0 }
  }

  /// Returns this publisher, which sends at most one value.
  @_alwaysEmitIntoClient
  public func first() -> Optional<Wrapped>.Publisher { self }

  /// Keeps the value if it satisfies a predicate.
  @_alwaysEmitIntoClient
  public func first(where predicate: (Wrapped) -> Bool) -> Optional<Wrapped>.Publisher { filter(predicate) }

  /// Returns this publisher, which sends at most one value.
  @_alwaysEmitIntoClient
  public func last() -> Optional<Wrapped>.Publisher { self }

  /// Keeps the value if it satisfies a predicate.
  @_alwaysEmitIntoClient
  public func last(where predicate: (Wrapped) -> Bool) -> Optional<Wrapped>.Publisher { filter(predicate) }

  /// Keeps at most the given number of values.
  ///
  /// - Precondition: `maxLength` isn't negative.
  @_alwaysEmitIntoClient
  public func prefix(_ maxLength: Int) -> Optional<Wrapped>.Publisher {
    requireNotNegative(maxLength, in: "prefix(_:)", "a maximum length")
    return output(in: ..<maxLength)
  }

  /// Keeps the value if it satisfies a predicate.
  @_alwaysEmitIntoClient
  public func prefix(while predicate: (Wrapped) -> Bool) -> Optional<Wrapped>.Publisher { filter(predicate) }

  /// Keeps the value if the position is zero.
  ///
  /// - Precondition: `index` isn't negative.
  @_alwaysEmitIntoClient
  public func output(at index: Int) -> Optional<Wrapped>.Publisher {
    requireNotNegative(index, in: "output(at:)", "an index")
    return output(in: index...index)
  }

  /// Keeps the value if the range contains position zero. The range may begin below zero.
  @_alwaysEmitIntoClient
  public func output<R: RangeExpression>(in range: R) -> Optional<Wrapped>.Publisher where R.Bound == Int {
    let isKept = range.hasFirstPosition
    return filter { _ in isKept }
  }

  /// Drops the value and finishes.
  @_alwaysEmitIntoClient
  public func ignoreOutput() -> Empty<Wrapped, Never> { Empty() }

  /// Returns this publisher, because a single value can't be a duplicate. The closure never runs.
  @_alwaysEmitIntoClient
  public func removeDuplicates(by predicate: (Wrapped, Wrapped) -> Bool) -> Optional<Wrapped>.Publisher { self }
}

extension Optional.Publisher {
  /// Collects the value into an array, which is empty if there's no value.
  @_alwaysEmitIntoClient
  public func collect() -> Optional<[Wrapped]>.Publisher {
    Optional<[Wrapped]>.Publisher(output.map { [$0] } ?? [])
  }

  /// Publishes one if there's a value, and otherwise zero.
  @_alwaysEmitIntoClient
  public func count() -> Optional<Int>.Publisher { Optional<Int>.Publisher(output == nil ? 0 : 1) }

  /// Combines an initial result with the value. If there's no value, the initial result is published.
  @_alwaysEmitIntoClient
  public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Wrapped) -> T) -> Optional<T>.Publisher {
    Optional<T>.Publisher(.some(output.map { nextPartialResult(initialResult, $0) } ?? initialResult))
  }

  /// Returns this publisher, whose value is the maximum. The closure never runs.
  @_alwaysEmitIntoClient
  public func max(by areInIncreasingOrder: (Wrapped, Wrapped) -> Bool) -> Optional<Wrapped>.Publisher { self }

  /// Returns this publisher, whose value is the minimum. The closure never runs.
  @_alwaysEmitIntoClient
  public func min(by areInIncreasingOrder: (Wrapped, Wrapped) -> Bool) -> Optional<Wrapped>.Publisher { self }

  /// Publishes whether there's a value that satisfies a predicate.
  @_alwaysEmitIntoClient
  public func contains(where predicate: (Wrapped) -> Bool) -> Optional<Bool>.Publisher {
    Optional<Bool>.Publisher(output.map(predicate) ?? false)
  }

  /// Publishes whether every value satisfies a predicate. If there's no value, publishes `true`.
  @_alwaysEmitIntoClient
  public func allSatisfy(_ predicate: (Wrapped) -> Bool) -> Optional<Bool>.Publisher {
    Optional<Bool>.Publisher(output.map(predicate) ?? true)
  }
}

extension Optional.Publisher {
  /// Replaces a missing value with a given one.
  @_alwaysEmitIntoClient
  public func replaceEmpty(with output: Wrapped) -> Just<Wrapped> { Just(self.output ?? output) }

  /// Returns this publisher, which never fails.
  @_alwaysEmitIntoClient
  public func replaceError(with output: Wrapped) -> Optional<Wrapped>.Publisher { self }

  /// Returns this publisher, which never fails.
  @_alwaysEmitIntoClient
  public func retry(_ retries: Int) -> Optional<Wrapped>.Publisher { self }
}

extension Optional.Publisher where Wrapped: Equatable {
  /// Returns this publisher, because a single value can't be a duplicate.
  @_alwaysEmitIntoClient
  public func removeDuplicates() -> Optional<Wrapped>.Publisher { self }

  /// Publishes whether there's a value that equals a given one.
  @_alwaysEmitIntoClient
  public func contains(_ output: Wrapped) -> Optional<Bool>.Publisher { contains { $0 == output } }
}

extension Optional.Publisher where Wrapped: Comparable {
  /// Returns this publisher, whose value is the maximum.
  @_alwaysEmitIntoClient
  public func max() -> Optional<Wrapped>.Publisher { self }

  /// Returns this publisher, whose value is the minimum.
  @_alwaysEmitIntoClient
  public func min() -> Optional<Wrapped>.Publisher { self }
}
