extension Publisher {
  /// Publishes the values of this publisher and, after it has finished, the values of another.
  ///
  ///     [1, 2].publisher.append([3, 4].publisher)   // 1 2 3 4
  ///
  /// ![first publishes 1 and 2 and finishes; second, subscribed to at 500 ms, publishes 3 and 4 and finishes; the result publishes 1, 2, 3 and 4 and finishes.](diagram-append)
  ///
  /// When this publisher has finished, the operator subscribes to the other one and requests the demand that is still
  /// outstanding. A failure ends the stream. Cancellation cancels the publisher that is running.
  ///
  /// - Parameter publisher: The publisher that follows this one.
  /// - Returns: A publisher of the values of both.
  /// - Complexity: O(1) for each value.
  @inlinable
  public __consuming func append<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, P>
  where P.Output == Output, P.Failure == Failure {
    Publishers.Concatenate(prefix: self, suffix: publisher)
  }

  /// Publishes the values of this publisher and, after it has finished, the elements of a sequence.
  ///
  /// Handles demand, completion and cancellation like the overload with a publisher.
  ///
  /// - Parameter elements: The sequence whose elements follow.
  /// - Returns: A publisher of the values of this publisher and the elements.
  /// - Complexity: O(1) for each value.
  @inlinable
  public __consuming func append<S: Sequence>(
    _ elements: S
  ) -> Publishers.Concatenate<Self, Publishers.Sequence<S, Failure>> where S.Element == Output {
    append(Publishers.Sequence(sequence: elements))
  }

  /// Publishes the values of this publisher and, after it has finished, the given ones.
  ///
  /// Handles demand, completion and cancellation like the overload with a publisher.
  ///
  /// - Parameter elements: The values that follow.
  /// - Returns: A publisher of the values of this publisher and the given ones.
  /// - Complexity: O(1) for each value.
  @inlinable
  public __consuming func append(_ elements: Output...)
    -> Publishers.Concatenate<Self, Publishers.Sequence<[Output], Failure>>
  {
    append(elements)
  }

  /// Publishes the values of another publisher and, after it has finished, the values of this one.
  ///
  ///     [3, 4].publisher.prepend([1, 2].publisher)   // 1 2 3 4
  ///
  /// ![second publishes 1 and 2 and finishes; first, subscribed to at 500 ms, publishes 3 and 4 and finishes; the result publishes 1, 2, 3 and 4 and finishes.](diagram-prepend)
  ///
  /// When the other publisher has finished, the operator subscribes to this one and requests the demand that is still
  /// outstanding. A failure ends the stream. Cancellation cancels the publisher that is running.
  ///
  /// - Parameter publisher: The publisher that precedes this one.
  /// - Returns: A publisher of the values of both.
  /// - Complexity: O(1) for each value.
  @inlinable
  public __consuming func prepend<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<P, Self>
  where P.Output == Output, P.Failure == Failure {
    Publishers.Concatenate(prefix: publisher, suffix: self)
  }

  /// Publishes the elements of a sequence and then the values of this publisher.
  ///
  /// Handles demand, completion and cancellation like the overload with a publisher.
  ///
  /// - Parameter elements: The sequence whose elements are published first.
  /// - Returns: A publisher of the elements and the values of this publisher.
  /// - Complexity: O(1) for each value.
  @inlinable
  public __consuming func prepend<S: Sequence>(
    _ elements: S
  ) -> Publishers.Concatenate<Publishers.Sequence<S, Failure>, Self> where S.Element == Output {
    prepend(Publishers.Sequence(sequence: elements))
  }

  /// Publishes the given values, then the values of this publisher.
  ///
  /// Handles demand, completion and cancellation like the overload with a publisher. If the values are arrays, `prepend([])`
  /// means a sequence without elements and publishes nothing. Write `prepend([[]])` instead.
  ///
  /// - Parameter elements: The values that are published first.
  /// - Returns: A publisher of the given values and the values of this publisher.
  /// - Complexity: O(1) for each value.
  @inlinable
  public __consuming func prepend(_ elements: Output...)
    -> Publishers.Concatenate<Publishers.Sequence<[Output], Failure>, Self>
  {
    prepend(elements)
  }
}

extension Publishers {
  /// The publisher of `append(_:)` and `prepend(_:)`.
  @frozen
  public struct Concatenate<Prefix: Publisher, Suffix: Publisher>: Publisher
  where Suffix.Output == Prefix.Output, Suffix.Failure == Prefix.Failure {
    public typealias Output = Prefix.Output
    public typealias Failure = Prefix.Failure

    /// The publisher whose values are published first.
    public let prefix: Prefix

    /// The publisher that follows.
    public let suffix: Suffix

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - prefix: The publisher whose values are published first.
    ///   - suffix: The publisher that follows.
    @inlinable
    public init(prefix: Prefix, suffix: Suffix) {
      self.prefix = prefix
      self.suffix = suffix
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let suffix = suffix
      Following.begin(subscriber, .succession(followsFailure: false, successors: 1), with: prefix) {
        following, completion in
        switch completion {
        case .finished: following.end(0, failed: false, store: {})
        case .failure(let error): following.fail(0, with: error)
        }
      } attachNext: { following, slot in
        following.attachLast(suffix, to: slot)
      }
    }
  }
}

extension Publishers.Concatenate: Equatable where Prefix: Equatable, Suffix: Equatable {}

extension Publishers.Concatenate: Sendable where Prefix: Sendable, Suffix: Sendable {}
