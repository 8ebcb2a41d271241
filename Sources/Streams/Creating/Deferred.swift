/// A publisher that is made anew for every subscriber.
///
///     Deferred { Just(Date()) }
///
/// ![Marble diagram of Deferred](diagram-deferred)
@frozen
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
  /// The kind of values this publisher sends.
  public typealias Output = DeferredPublisher.Output

  /// The kind of errors this publisher may fail with.
  public typealias Failure = DeferredPublisher.Failure

  /// What makes the publisher.
  public let createPublisher: () -> DeferredPublisher

  /// Makes a publisher that calls the closure for every subscriber.
  @inlinable
  public init(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    createPublisher: @escaping () -> DeferredPublisher
  ) {
    self.createPublisher = isolation.checking(createPublisher, fileID, filePath, line, column, "Deferred")
  }

  /// Attaches a subscriber.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    createPublisher().subscribe(subscriber)
  }
}
