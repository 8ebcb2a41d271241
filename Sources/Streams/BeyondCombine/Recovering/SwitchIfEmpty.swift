extension Publisher {
  /// Continues with another publisher if this one finishes without a value.
  ///
  ///     cached(id).switchIfEmpty(to: loaded(id))
  ///
  /// ![source finishes; other, subscribed to at 200 ms, publishes a and b and finishes; the result publishes a and b and finishes.](diagram-switchIfEmpty)
  ///
  /// When this publisher finishes without a value, the operator subscribes to the other one and requests the remaining demand
  /// from it. A failure ends the stream. To replace an empty stream with one value, use `replaceEmpty(with:)`.
  ///
  /// Nothing is buffered. Cancellation cancels whichever publisher is running.
  ///
  /// - Parameter other: The publisher that continues the stream.
  /// - Returns: A publisher that publishes the values from the first publisher that has any.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func switchIfEmpty<P: Publisher>(
    to other: P
  ) -> ExtendedPublishers.SwitchIfEmpty<Self, P> where P.Output == Output, P.Failure == Failure {
    ExtendedPublishers.SwitchIfEmpty(upstream: self, other: other)
  }
}

extension ExtendedPublishers {
  /// The publisher that ``Publisher/switchIfEmpty(to:)`` returns.
  @frozen
  public struct SwitchIfEmpty<Upstream: Publisher, Other: Publisher>: Publisher
  where Other.Output == Upstream.Output, Other.Failure == Upstream.Failure {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The upstream publisher.
    public let upstream: Upstream

    /// The publisher that continues the stream if upstream has no value.
    public let other: Other

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The upstream publisher.
    ///   - other: The publisher that continues the stream if upstream has no value.
    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let (other, attempt) = (other, EmptyAttempt())
      let first = Publishers.Map(upstream: upstream, transform: { attempt.note($0) })
      let engine = OldEngine.succession(followsFailure: false, successors: 1)
      Following.begin(
        subscriber, engine, with: first,
        { following, completion in
          if attempt.hasValue { following.engine.endSuccession() }
          following.endAttempt(0, completion)
        }
      ) { following, slot in
        following.attach(other, to: slot) { $0.endAttempt(slot, $1) }
      }
    }
  }
}

/// Whether the first publisher has sent a value.
@usableFromInline @_fixed_layout
final class EmptyAttempt {
  // Exclusive: written and read on the value path of the first publisher only.
  @usableFromInline @exclusivity(unchecked) var hasValue = false

  @inlinable
  init() {}

  /// Records that there is a value, and returns it.
  @inlinable @inline(__always)
  func note<Value>(_ value: Value) -> Value {
    hasValue = true
    return value
  }
}

extension ExtendedPublishers.SwitchIfEmpty: Equatable where Upstream: Equatable, Other: Equatable {}
extension ExtendedPublishers.SwitchIfEmpty: Sendable where Upstream: Sendable, Other: Sendable {}
