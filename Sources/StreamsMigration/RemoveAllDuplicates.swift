public import Streams

extension Publisher {
  /// Drops values that a predicate considers equal to any value published before.
  ///
  ///     ["a", "B", "A", "c"].publisher.removeAllDuplicates { $0.lowercased() == $1.lowercased() }   // a B c
  ///
  /// Every published value is stored until the stream ends. If your values have a hashable key, `distinct(by:remembering:)`
  /// takes constant time for each value, and you can limit how much it stores.
  ///
  /// A dropped value doesn't use up demand: the operator requests another in its place. Completion, failure and cancellation
  /// pass through unchanged, and values are delivered on upstream's thread.
  ///
  /// - Parameter comparator: A predicate that returns `true` for two values that are duplicates. The first one has already been
  ///   published, and the second has just arrived.
  /// - Complexity: O(*n*) for each value, where *n* is the number of values published before it.
  @inlinable @_disfavoredOverload
  public __consuming func removeAllDuplicates(
    by comparator: @escaping (Output, Output) -> Bool
  ) -> RemoveAllDuplicatesPublisher<Self> {
    RemoveAllDuplicatesPublisher(upstream: self, comparator: comparator)
  }
}

extension Publisher where Output: Equatable {
  /// Drops values that equal any value published before, like ``removeAllDuplicates(by:)`` with `==`.
  ///
  /// For hashable values, use `distinct(remembering:)`.
  @inlinable @_disfavoredOverload
  public __consuming func removeAllDuplicates() -> RemoveAllDuplicatesPublisher<Self> {
    removeAllDuplicates(by: ==)
  }
}

/// The publisher that `removeAllDuplicates()` and `removeAllDuplicates(by:)` return.
@frozen
public struct RemoveAllDuplicatesPublisher<Upstream: Publisher>: Publisher {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let comparator: (Upstream.Output, Upstream.Output) -> Bool

  @inlinable
  init(upstream: Upstream, comparator: @escaping (Upstream.Output, Upstream.Output) -> Bool) {
    self.upstream = upstream
    self.comparator = comparator
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(RemoveAllDuplicatesStage(comparator), subscriber))
  }
}

@usableFromInline @frozen
struct RemoveAllDuplicatesStage<Input>: Stage {
  @usableFromInline static var name: String { "removeAllDuplicates" }

  @usableFromInline let comparator: (Input, Input) -> Bool
  @usableFromInline var published: [Input] = []

  @inlinable
  init(_ comparator: @escaping (Input, Input) -> Bool) { self.comparator = comparator }

  @inlinable
  mutating func receive(_ input: Input) throws(Never) -> Verdict<Input> {
    for value in published where comparator(value, input) { return .skip }
    published.append(input)
    return .emit(input)
  }
}
