extension Publisher {
  /// Creates two publishers: one of the values that satisfy a predicate, and one of the others.
  ///
  ///     let (even, odd) = numbers.share().partition { $0 % 2 == 0 }
  ///
  /// ![The source publishes 1, 2, 3 and 4 and finishes; even receives 2 and 4 and finishes; odd receives 1 and 3 and finishes.](diagram-partition)
  ///
  /// Each of the two subscribes to this publisher. If its work must be done only once, use `share()`. Otherwise they are two
  /// filters: a dropped value returns its demand to upstream, and completion and cancellation pass through unchanged.
  ///
  /// - Parameter isIncluded: A predicate that assigns values to the first publisher.
  /// - Returns: A publisher of the values that satisfy the predicate, and a publisher of the others.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func partition(
    _ isIncluded: @escaping (Output) -> Bool
  ) -> (matches: Publishers.Filter<Self>, others: Publishers.Filter<Self>) {
    (
      Publishers.Filter(upstream: self, isIncluded: isIncluded),
      Publishers.Filter(upstream: self, isIncluded: { !isIncluded($0) })
    )
  }
}

extension Publisher where Output == Bool {
  /// Publishes the negation of each value.
  ///
  ///     [true, false].publisher.toggle()   // false true
  ///
  /// ![The source publishes true and false and finishes; the result publishes false and true and finishes.](diagram-toggle)
  ///
  /// Demand, completion, failure and cancellation pass through unchanged.
  ///
  /// - Returns: A publisher of the negated values.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func toggle() -> Publishers.Map<Self, Bool> { Publishers.Map(upstream: self, transform: { !$0 }) }
}

extension Publisher where Output == Never {
  /// Changes the output type of a publisher that sends no values.
  ///
  ///     saved.ignoreOutput().setOutputType(to: Page.self).append(pages)
  ///
  /// ![The source finishes; the result finishes.](diagram-setOutputType)
  ///
  /// Demand, completion, failure and cancellation pass through unchanged.
  ///
  /// - Parameter outputType: The output type of the returned publisher.
  /// - Returns: A publisher with the given output type.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func setOutputType<NewOutput>(to outputType: NewOutput.Type) -> Publishers.Map<Self, NewOutput> {
    Publishers.Map(upstream: self, transform: { (_: Never) -> NewOutput in })
  }
}
