extension Publisher {
  /// Passes on every value, and another in place of each `nil`.
  ///
  ///     [1, nil].publisher.replaceNil(with: 0)   // 1 0
  ///
  /// ![Marble diagram of replaceNil](diagram-replaceNil)
  ///
  /// Demand, cancellation and completion pass through.
  @inlinable
  public __consuming func replaceNil<T>(with output: T) -> Publishers.Map<Self, T> where Output == T? {
    Publishers.Map(upstream: self) { $0 ?? output }
  }
}
