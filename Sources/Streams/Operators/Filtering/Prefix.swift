extension Publisher {
  /// Passes on the first so many values and finishes together with the last of them.
  ///
  ///     [1, 2, 3].publisher.prefix(2)   // 1 2
  ///
  /// ![Marble diagram of prefix](diagram-prefix)
  ///
  /// Demand passes through. `prefix(0)` finishes without asking for anything.
  ///
  /// - Precondition: `maxLength` is not negative.
  @inlinable
  public __consuming func prefix(_ maxLength: Int) -> Publishers.Output<Self> {
    requireNotNegative(maxLength, in: "prefix")
    return output(in: ..<maxLength)
  }
}
