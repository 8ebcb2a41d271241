extension Publisher {
  /// Replaces `nil` with a given value.
  ///
  ///     [1, nil].publisher.replaceNil(with: 0)   // 1 0
  ///
  /// ![The source publishes 1 and nil and finishes; the result publishes 1 and 0 and finishes.](diagram-replaceNil)
  ///
  /// Demand, completion and cancellation pass through unchanged.
  ///
  /// - Parameter output: The value to publish in place of `nil`.
  @inlinable
  public __consuming func replaceNil<T>(with output: T) -> Publishers.Map<Self, T> where Output == T? {
    Publishers.Map(upstream: self) { $0 ?? output }
  }
}
