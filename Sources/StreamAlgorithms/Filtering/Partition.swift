public import Streams

extension Publisher {
  /// Creates two publishers: one for the values that satisfy a predicate, and one for the others.
  ///
  ///     let (even, odd) = numbers.share().partition { $0 % 2 == 0 }
  ///
  /// ![The source publishes 1, 2, 3 and 4 and finishes; even receives 2 and 4 and finishes; odd receives 1 and 3 and finishes.](diagram-partition)
  ///
  /// Each of the two subscribes to this publisher. If this publisher should do its work only once, use `share()` first. Both
  /// results behave like `filter(_:)`: a dropped value doesn't use up demand, and completion and cancellation pass through
  /// unchanged.
  ///
  /// - Parameter isIncluded: A closure that returns `true` for values that the first publisher should publish.
  /// - Returns: A publisher that publishes the values that satisfy the predicate, and one that publishes the others.
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
  /// - Returns: A publisher that publishes the negated values.
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
