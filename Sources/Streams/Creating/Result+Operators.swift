/// Operators on one value or an error that also result in one value or an error.
///
/// They compute the result directly and don't attach an operator. All others, such as operators that can drop the value, are the
/// general ones from `Publisher`, which run on delivery.
extension Result.Publisher {
  /// Transforms the value with a closure.
  @_alwaysEmitIntoClient
  public func map<T>(_ transform: (Success) -> T) -> Result<T, Failure>.Publisher {
    Result<T, Failure>.Publisher(result.map(transform))
  }

  /// Transforms the value with a throwing closure.
  @_alwaysEmitIntoClient
  public func tryMap<T>(_ transform: (Success) throws -> T) -> Result<T, any Error>.Publisher {
    Result<T, any Error>.Publisher(Result<T, any Error> { try transform(result.get()) })
  }

  /// Transforms the error with a closure.
  @_alwaysEmitIntoClient
  public func mapError<E: Error>(_ transform: (Failure) -> E) -> Result<Success, E>.Publisher {
    Result<Success, E>.Publisher(result.mapError(transform))
  }

  /// Combines an initial result with the value.
  @_alwaysEmitIntoClient
  public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Success) -> T) -> Result<T, Failure>.Publisher {
    map { nextPartialResult(initialResult, $0) }
  }

  /// Combines an initial result with the value using a throwing closure.
  @_alwaysEmitIntoClient
  public func tryScan<T>(
    _ initialResult: T, _ nextPartialResult: (T, Success) throws -> T
  ) -> Result<T, any Error>.Publisher {
    tryMap { try nextPartialResult(initialResult, $0) }
  }
}

extension Result.Publisher {
  /// Returns this publisher, which sends at most one value.
  @_alwaysEmitIntoClient
  public func first() -> Result<Success, Failure>.Publisher { self }

  /// Returns this publisher, which sends at most one value.
  @_alwaysEmitIntoClient
  public func last() -> Result<Success, Failure>.Publisher { self }

  /// Returns this publisher, because a single value can't be a duplicate. The closure never runs.
  @_alwaysEmitIntoClient
  public func removeDuplicates(by predicate: (Success, Success) -> Bool) -> Result<Success, Failure>.Publisher { self }

  /// Publishes the value, unless the closure throws.
  ///
  /// The closure runs once, with the value as both arguments, unless there's an error. The closure's result is ignored.
  @_alwaysEmitIntoClient
  public func tryRemoveDuplicates(
    by predicate: (Success, Success) throws -> Bool
  ) -> Result<Success, any Error>.Publisher {
    compared(by: predicate)
  }
}

extension Result.Publisher {
  /// Collects the value into an array.
  @_alwaysEmitIntoClient
  public func collect() -> Result<[Success], Failure>.Publisher { map { [$0] } }

  /// Publishes the number of values.
  @_alwaysEmitIntoClient
  public func count() -> Result<Int, Failure>.Publisher { map { _ in 1 } }

  /// Combines an initial result with the value.
  @_alwaysEmitIntoClient
  public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Success) -> T) -> Result<T, Failure>.Publisher {
    scan(initialResult, nextPartialResult)
  }

  /// Combines an initial result with the value using a throwing closure.
  @_alwaysEmitIntoClient
  public func tryReduce<T>(
    _ initialResult: T, _ nextPartialResult: (T, Success) throws -> T
  ) -> Result<T, any Error>.Publisher {
    tryScan(initialResult, nextPartialResult)
  }

  /// Returns this publisher, whose value is the maximum. The closure never runs.
  @_alwaysEmitIntoClient
  public func max(by areInIncreasingOrder: (Success, Success) -> Bool) -> Result<Success, Failure>.Publisher { self }

  /// Publishes the value, unless the closure throws.
  ///
  /// The closure runs once, with the value as both arguments, unless there's an error. The closure's result is ignored.
  @_alwaysEmitIntoClient
  public func tryMax(
    by areInIncreasingOrder: (Success, Success) throws -> Bool
  ) -> Result<Success, any Error>.Publisher {
    compared(by: areInIncreasingOrder)
  }

  /// Returns this publisher, whose value is the minimum. The closure never runs.
  @_alwaysEmitIntoClient
  public func min(by areInIncreasingOrder: (Success, Success) -> Bool) -> Result<Success, Failure>.Publisher { self }

  /// Publishes the value, unless the closure throws.
  ///
  /// The closure runs once, with the value as both arguments, unless there's an error. The closure's result is ignored.
  @_alwaysEmitIntoClient
  public func tryMin(
    by areInIncreasingOrder: (Success, Success) throws -> Bool
  ) -> Result<Success, any Error>.Publisher {
    compared(by: areInIncreasingOrder)
  }

  /// Publishes whether the value satisfies a predicate.
  @_alwaysEmitIntoClient
  public func contains(where predicate: (Success) -> Bool) -> Result<Bool, Failure>.Publisher { map(predicate) }

  /// Publishes whether the value satisfies a throwing predicate.
  @_alwaysEmitIntoClient
  public func tryContains(where predicate: (Success) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    tryMap(predicate)
  }

  /// Publishes whether the value satisfies a predicate.
  @_alwaysEmitIntoClient
  public func allSatisfy(_ predicate: (Success) -> Bool) -> Result<Bool, Failure>.Publisher { map(predicate) }

  /// Publishes whether the value satisfies a throwing predicate.
  @_alwaysEmitIntoClient
  public func tryAllSatisfy(_ predicate: (Success) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    tryMap(predicate)
  }
}

extension Result.Publisher {
  /// Publishes the value, or fails with the error thrown when the value is compared with itself.
  @_alwaysEmitIntoClient
  func compared(by compare: (Success, Success) throws -> Bool) -> Result<Success, any Error>.Publisher {
    tryMap { value in
      _ = try compare(value, value)
      return value
    }
  }
}

extension Result.Publisher {
  /// Returns this publisher, which doesn't finish without a value.
  @_alwaysEmitIntoClient
  public func replaceEmpty(with output: Success) -> Result<Success, Failure>.Publisher { self }

  /// Replaces a failure with a value.
  @_alwaysEmitIntoClient
  public func replaceError(with output: Success) -> Result<Success, Never>.Publisher {
    switch result {
    case .success(let value): Result<Success, Never>.Publisher(value)
    case .failure: Result<Success, Never>.Publisher(output)
    }
  }

  /// Returns this publisher, which would fail with the same error at each attempt.
  @_alwaysEmitIntoClient
  public func retry(_ retries: Int) -> Result<Success, Failure>.Publisher { self }
}

extension Result.Publisher where Failure == Never {
  /// Changes the failure type to match a publisher that can fail.
  @_alwaysEmitIntoClient
  public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Success, E>.Publisher {
    switch result {
    case .success(let value): Result<Success, E>.Publisher(value)
    }
  }

  /// Drops the value and finishes.
  ///
  /// If the publisher can fail, the general `ignoreOutput()` from `Publisher` applies. It forwards the error, whereas Combine
  /// drops it.
  @_alwaysEmitIntoClient
  public func ignoreOutput() -> Empty<Success, Never> { Empty() }
}

extension Result.Publisher where Success: Equatable {
  /// Returns this publisher, because a single value can't be a duplicate.
  @_alwaysEmitIntoClient
  public func removeDuplicates() -> Result<Success, Failure>.Publisher { self }

  /// Publishes whether the value equals a given one.
  @_alwaysEmitIntoClient
  public func contains(_ output: Success) -> Result<Bool, Failure>.Publisher { contains { $0 == output } }
}

extension Result.Publisher where Success: Comparable {
  /// Returns this publisher, whose value is the maximum.
  @_alwaysEmitIntoClient
  public func max() -> Result<Success, Failure>.Publisher { self }

  /// Returns this publisher, whose value is the minimum.
  @_alwaysEmitIntoClient
  public func min() -> Result<Success, Failure>.Publisher { self }
}
