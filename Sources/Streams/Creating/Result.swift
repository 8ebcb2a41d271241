extension Result {
  /// A publisher that sends the value and finishes, or fails with the error.
  @inlinable
  public var publisher: Publisher { Publisher(self) }

  /// A publisher that sends one value and finishes, or fails.
  ///
  /// ![Marble diagram of a result's publisher](diagram-result)
  ///
  /// The value waits until it is asked for; a failure is sent at once.
  @frozen
  public struct Publisher: Streams.Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Success

    /// What is sent.
    public let result: Result<Success, Failure>

    /// Makes a publisher of a result.
    @inlinable
    public init(_ result: Result<Success, Failure>) { self.result = result }

    /// Makes a publisher of a value.
    @inlinable
    public init(_ output: Success) { self.init(.success(output)) }

    /// Makes a publisher that fails.
    @inlinable
    public init(_ failure: Failure) { self.init(.failure(failure)) }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      switch result {
      case .success(let output): OneShot.send(output, to: subscriber)
      case .failure(let error):
        subscriber.receiveOnly(.failure(error))
      }
    }
  }
}

extension Result.Publisher: Equatable where Success: Equatable, Failure: Equatable {}
extension Result.Publisher: Sendable where Success: Sendable, Failure: Sendable {}
