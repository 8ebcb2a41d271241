/// Operators on one value or an error that make one value or an error: nothing is attached in between.
///
/// Their closures run when the operator is applied, as in Combine, and not once for each subscriber; of all the sources
/// only a sequence is lazy. Operators that are not here, such as those that may leave no value, are the ones that every
/// publisher has, and run on delivery.
extension Result.Publisher {
  /// Turns the value into another.
  @inlinable
  public func map<T>(_ transform: (Success) -> T) -> Result<T, Failure>.Publisher {
    Result<T, Failure>.Publisher(result.map(transform))
  }

  /// Turns the value into another, or fails with the error that the closure throws.
  @inlinable
  public func tryMap<T>(_ transform: (Success) throws -> T) -> Result<T, any Error>.Publisher {
    Result<T, any Error>.Publisher(Result<T, any Error> { try transform(result.get()) })
  }

  /// Turns the error into another.
  @inlinable
  public func mapError<E: Error>(_ transform: (Failure) -> E) -> Result<Success, E>.Publisher {
    Result<Success, E>.Publisher(result.mapError(transform))
  }

  /// Sends what the closure makes of the initial result and the value.
  @inlinable
  public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Success) -> T) -> Result<T, Failure>.Publisher {
    map { nextPartialResult(initialResult, $0) }
  }

  /// Sends what the closure makes of the initial result and the value, or fails with the error that it throws.
  @inlinable
  public func tryScan<T>(
    _ initialResult: T, _ nextPartialResult: (T, Success) throws -> T
  ) -> Result<T, any Error>.Publisher {
    tryMap { try nextPartialResult(initialResult, $0) }
  }
}

extension Result.Publisher {
  /// The publisher itself, which sends at most one value.
  @inlinable
  public func first() -> Result<Success, Failure>.Publisher { self }

  /// The publisher itself, which sends at most one value.
  @inlinable
  public func last() -> Result<Success, Failure>.Publisher { self }

  /// The publisher itself, because one value has no other before it; the closure never runs.
  @inlinable
  public func removeDuplicates(by predicate: (Success, Success) -> Bool) -> Result<Success, Failure>.Publisher { self }

  /// Sends the value, because it has no other before it; the closure never runs.
  @inlinable
  public func tryRemoveDuplicates(
    by predicate: (Success, Success) throws -> Bool
  ) -> Result<Success, any Error>.Publisher {
    mapError { $0 }
  }
}

extension Result.Publisher {
  /// Sends an array of the value.
  @inlinable
  public func collect() -> Result<[Success], Failure>.Publisher { map { [$0] } }

  /// Sends one, the number of values, if there is no error.
  @inlinable
  public func count() -> Result<Int, Failure>.Publisher { map { _ in 1 } }

  /// Sends what the closure makes of the initial result and the value.
  @inlinable
  public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Success) -> T) -> Result<T, Failure>.Publisher {
    scan(initialResult, nextPartialResult)
  }

  /// Sends what the closure makes of the initial result and the value, or fails with the error that it throws.
  @inlinable
  public func tryReduce<T>(
    _ initialResult: T, _ nextPartialResult: (T, Success) throws -> T
  ) -> Result<T, any Error>.Publisher {
    tryScan(initialResult, nextPartialResult)
  }

  /// The publisher itself, whose value is the greatest; the closure never runs.
  @inlinable
  public func max(by areInIncreasingOrder: (Success, Success) -> Bool) -> Result<Success, Failure>.Publisher { self }

  /// Sends the value, which is the greatest; the closure never runs.
  @inlinable
  public func tryMax(
    by areInIncreasingOrder: (Success, Success) throws -> Bool
  ) -> Result<Success, any Error>.Publisher {
    mapError { $0 }
  }

  /// The publisher itself, whose value is the least; the closure never runs.
  @inlinable
  public func min(by areInIncreasingOrder: (Success, Success) -> Bool) -> Result<Success, Failure>.Publisher { self }

  /// Sends the value, which is the least; the closure never runs.
  @inlinable
  public func tryMin(
    by areInIncreasingOrder: (Success, Success) throws -> Bool
  ) -> Result<Success, any Error>.Publisher {
    mapError { $0 }
  }

  /// Sends whether the closure accepts the value.
  @inlinable
  public func contains(where predicate: (Success) -> Bool) -> Result<Bool, Failure>.Publisher { map(predicate) }

  /// Sends whether the closure accepts the value, or fails with the error that it throws.
  @inlinable
  public func tryContains(where predicate: (Success) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    tryMap(predicate)
  }

  /// Sends whether the closure accepts the value.
  @inlinable
  public func allSatisfy(_ predicate: (Success) -> Bool) -> Result<Bool, Failure>.Publisher { map(predicate) }

  /// Sends whether the closure accepts the value, or fails with the error that it throws.
  @inlinable
  public func tryAllSatisfy(_ predicate: (Success) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    tryMap(predicate)
  }
}

extension Result.Publisher {
  /// The publisher itself, which does not finish without a value.
  @inlinable
  public func replaceEmpty(with output: Success) -> Result<Success, Failure>.Publisher { self }

  /// Sends the value, or another where there is an error.
  @inlinable
  public func replaceError(with output: Success) -> Result<Success, Never>.Publisher {
    switch result {
    case .success(let value): Result<Success, Never>.Publisher(value)
    case .failure: Result<Success, Never>.Publisher(output)
    }
  }

  /// The publisher itself, which would fail with the same error each time.
  @inlinable
  public func retry(_ retries: Int) -> Result<Success, Failure>.Publisher { self }
}

extension Result.Publisher where Failure == Never {
  /// Gives the publisher a kind of errors, so that it fits beside one that can fail.
  @inlinable
  public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Success, E>.Publisher {
    switch result {
    case .success(let value): Result<Success, E>.Publisher(value)
    }
  }

  /// Sends nothing and finishes.
  ///
  /// On a publisher that can fail this is the operator that every publisher has, which passes the error on, other than in
  /// Combine, where the error is lost.
  @inlinable
  public func ignoreOutput() -> Empty<Success, Never> { Empty() }
}

extension Result.Publisher where Success: Equatable {
  /// The publisher itself, because one value has no other before it.
  @inlinable
  public func removeDuplicates() -> Result<Success, Failure>.Publisher { self }

  /// Sends whether the value is the one given.
  @inlinable
  public func contains(_ output: Success) -> Result<Bool, Failure>.Publisher { contains { $0 == output } }
}

extension Result.Publisher where Success: Comparable {
  /// The publisher itself, whose value is the greatest.
  @inlinable
  public func max() -> Result<Success, Failure>.Publisher { self }

  /// The publisher itself, whose value is the least.
  @inlinable
  public func min() -> Result<Success, Failure>.Publisher { self }
}
