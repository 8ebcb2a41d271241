extension Optional {
  /// A publisher that sends the optional's value, if there's one, and then finishes.
  @inlinable
  public var publisher: Publisher { Publisher(self) }

  /// A publisher that sends an optional's value, if there's one, and then finishes.
  ///
  /// ![The result publishes 1 and finishes.](diagram-optional)
  ///
  /// ![The result finishes.](diagram-optional-nil)
  ///
  /// The value waits for demand. Without a value, the publisher finishes immediately. Operators that this type declares itself
  /// publish the same values as those in ``/Streams/Publisher``, even without a value. For example, `count()` then publishes
  /// zero. As with ``Just``, these operators run their closures when you apply them.
  @frozen
  public struct Publisher: Streams.Publisher {
    public typealias Output = Wrapped
    public typealias Failure = Never

    public let output: Wrapped?

    /// Creates a publisher that sends at most one value.
    ///
    /// - Parameter output: The value to send, or `nil` to finish without a value.
    @inlinable
    public init(_ output: Wrapped?) { self.output = output }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      if let output {
        SingleValueSource.send(output, to: subscriber)
      } else {
        subscriber.receiveOnly(.finished)
      }
    }
  }
}

extension Optional.Publisher: Equatable where Wrapped: Equatable {}
extension Optional.Publisher: Sendable where Wrapped: Sendable {}
