extension Publisher {
  /// Makes a publisher of a value and passes on what that sends, and drops the values that come until it has finished.
  ///
  ///     saveTaps.flatMapFirst { save(document) }
  ///
  /// ![Marble diagram of flatMapFirst](diagram-flatMapFirst)
  ///
  /// So at most one of the publishers is attached at a time, and the first wins, while with `switchToLatest()` the newest does.
  /// One that has finished counts until its values have been delivered.
  ///
  /// It asks upstream for everything, and for nothing before it is asked itself. It finishes when upstream and the last
  /// publisher have, and fails as soon as one does; the other is cancelled then. Values are delivered where they come. It
  /// keeps what one publisher has sent at a time, as `flatMap(maxPublishers:)` does for one.
  @inlinable @_disfavoredOverload
  public __consuming func flatMapFirst<P: Publisher>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMapFirst<P, Self> where P.Failure == Failure {
    Publishers.FlatMapFirst(
      upstream: self, transform: isolation.checking(transform, fileID, filePath, line, column))
  }
}

extension Publishers {
  /// The publisher of `flatMapFirst(_:)`.
  @frozen
  public struct FlatMapFirst<NewPublisher: Publisher, Upstream: Publisher>: Publisher
  where NewPublisher.Failure == Upstream.Failure {
    /// The kind of values this publisher sends.
    public typealias Output = NewPublisher.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are turned into publishers.
    public let upstream: Upstream

    /// Makes the publisher of a value.
    public let transform: (Upstream.Output) -> NewPublisher

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> NewPublisher) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      // What nobody asks of a share is lost, and nothing is asked of it as long as there is a publisher.
      FlatMap(upstream: Share(upstream: upstream), maxPublishers: .max(1), transform: transform).subscribe(subscriber)
    }
  }
}
