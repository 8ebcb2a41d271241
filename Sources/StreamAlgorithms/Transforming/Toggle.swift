public import Streams

extension Publisher where Output == Bool {
  /// Publishes the negation of each value.
  ///
  ///     [true, false].publisher.toggle()   // false true
  ///
  /// ![The source publishes true and false and finishes; the result publishes false and true and finishes.](diagram-toggle)
  ///
  /// Demand, completion, failure and cancellation pass through unchanged.
  @inlinable @_disfavoredOverload
  public __consuming func toggle() -> Publishers.Map<Self, Bool> { Publishers.Map(upstream: self, transform: { !$0 }) }
}
