public import Streams

extension Publisher {
  /// Creates two publishers: one for the values that satisfy a predicate, and one for the others.
  ///
  ///     let (even, odd) = numbers.share().partition { $0 % 2 == 0 }
  ///
  /// ![The source publishes 1, 2, 3 and 4 and finishes; even receives 2 and 4 and finishes; odd receives 1 and 3 and finishes.](diagram-partition)
  ///
  /// Each of the two publishers subscribes to this publisher and handles demand, completion and cancellation like `filter(_:)`.
  /// If this publisher should do its work only once, use `share()` first.
  ///
  /// - Parameter isIncluded: A closure that returns `true` for values that the first publisher should publish.
  @inlinable @_disfavoredOverload
  public __consuming func partition(
    _ isIncluded: @escaping (Output) -> Bool
  ) -> (matches: Publishers.Filter<Self>, others: Publishers.Filter<Self>) {
    (
      Publishers.Filter(self, isIncluded, as: OperatorName("partition")),
      Publishers.Filter(self, { !isIncluded($0) }, as: OperatorName("partition"))
    )
  }
}
