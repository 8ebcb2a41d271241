extension Publisher {
  /// Makes two publishers: one of the values that a closure accepts, and one of the others.
  ///
  ///     let (even, odd) = numbers.share().partition { $0 % 2 == 0 }
  ///
  /// ![Marble diagram of partition](diagram-partition)
  ///
  /// Both attach to this publisher, so it is attached to twice; share one whose work is to be done once. Otherwise they are
  /// two filters: a value that is held back gives its demand back, and all else passes through.
  @inlinable @_disfavoredOverload
  public __consuming func partition(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ isIncluded: @escaping (Output) -> Bool
  ) -> (matches: Publishers.Filter<Self>, others: Publishers.Filter<Self>) {
    let isIncluded = isolation.checking(isIncluded, fileID, filePath, line, column)
    return (
      Publishers.Filter(upstream: self, isIncluded: isIncluded),
      Publishers.Filter(upstream: self, isIncluded: { !isIncluded($0) })
    )
  }
}

extension Publisher where Output == Bool {
  /// Publishes the opposite of each value.
  ///
  ///     [true, false].publisher.toggle()   // false true
  ///
  /// ![Marble diagram of toggle](diagram-toggle)
  ///
  /// Demand, completion, failure and cancellation pass through, as with `map(_:)`.
  @inlinable @_disfavoredOverload
  public __consuming func toggle() -> Publishers.Map<Self, Bool> { Publishers.Map(upstream: self, transform: { !$0 }) }
}

extension Publisher where Output == Never {
  /// Gives a publisher that sends no values another kind of values.
  ///
  ///     saved.ignoreOutput().setOutputType(to: Page.self).append(pages)
  ///
  /// ![Marble diagram of setOutputType](diagram-setOutputType)
  ///
  /// Completion, failure and cancellation pass through.
  @inlinable @_disfavoredOverload
  public __consuming func setOutputType<NewOutput>(to outputType: NewOutput.Type) -> Publishers.Map<Self, NewOutput> {
    Publishers.Map(upstream: self, transform: { (_: Never) -> NewOutput in })
  }
}
