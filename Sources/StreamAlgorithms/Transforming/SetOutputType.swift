public import Streams

extension Publisher where Output == Never {
  /// Changes the output type of a publisher that doesn't send values.
  ///
  ///     saved.ignoreOutput().setOutputType(to: Int.self).append(numbers)
  ///
  /// ![The source finishes; the result finishes.](diagram-setOutputType)
  ///
  /// Demand, completion, failure and cancellation pass through unchanged.
  ///
  /// - Parameter outputType: The output type of the returned publisher.
  @inlinable @_disfavoredOverload
  public __consuming func setOutputType<NewOutput>(to outputType: NewOutput.Type) -> Publishers.Map<Self, NewOutput> {
    Publishers.Map(upstream: self, transform: { (_: Never) -> NewOutput in })
  }
}
