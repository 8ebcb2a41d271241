extension Result {
  /// A publisher that sends the result's value and finishes, or fails with its error.
  @inlinable
  public var publisher: Publisher { Publisher(self) }

  /// A publisher that sends a result's value and finishes, or fails with its error.
  ///
  /// ![The result publishes 1 and finishes.](diagram-result)
  ///
  /// The value waits for demand, but a failure doesn't. As with ``Just``, operators that this type declares itself run their
  /// closures when you apply them. Otherwise, they work like those in ``/Streams/Publisher``.
  @frozen
  public struct Publisher: Streams.Publisher {
    public typealias Output = Success

    public let result: Result<Success, Failure>

    /// Creates a publisher that delivers a result.
    ///
    /// - Parameter result: The result to deliver.
    @inlinable
    public init(_ result: Result<Success, Failure>) { self.result = result }

    /// Creates a publisher that sends a value.
    ///
    /// - Parameter output: The value to send.
    @inlinable
    public init(_ output: Success) { self.init(.success(output)) }

    /// Creates a publisher that fails.
    ///
    /// - Parameter failure: The error that the publisher fails with.
    @inlinable
    public init(_ failure: Failure) { self.init(.failure(failure)) }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      switch result {
      case .success(let output): SingleValueSource.send(output, to: subscriber)
      case .failure(let error):
        subscriber.receiveOnly(.failure(error))
      }
    }
  }
}

extension Result.Publisher: Equatable where Success: Equatable, Failure: Equatable {}
extension Result.Publisher: Sendable where Success: Sendable, Failure: Sendable {}
