extension Publisher {
  /// Publishes at most the first `maxLength` values and then finishes.
  ///
  ///     [1, 2, 3].publisher.prefix(2)   // 1 2
  ///
  /// ![The source publishes 1 and 2 and is cancelled; the result publishes 1 and 2 and finishes.](diagram-prefix)
  ///
  /// Demand passes through unchanged. The operator cancels upstream after it delivers the last value and before it sends the
  /// completion. With `prefix(0)`, the publisher finishes without subscribing to upstream. Failure and cancellation pass through
  /// unchanged.
  ///
  /// - Parameter maxLength: The maximum number of values to publish. A negative number stops the program with a message.
  @inlinable
  public __consuming func prefix(_ maxLength: Int) -> Publishers.Output<Self> {
    requireNotNegative(maxLength, in: "prefix(_:)", "a maximum length")
    return Publishers.Output(self, (..<maxLength).positions, as: OperatorName("prefix"))
  }
}
