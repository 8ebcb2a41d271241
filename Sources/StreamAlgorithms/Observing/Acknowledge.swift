public import Streams

/// A receiver of acknowledgements for handled values, such as a message broker's client.
///
/// ```swift
/// struct CommittedOffset: AcknowledgementTarget {
///   let consumer: Consumer
///   func acknowledge(_ index: Int) { consumer.commit(upTo: index) }
/// }
/// ```
public protocol AcknowledgementTarget<Index>: Sendable {
  /// The type of the indexes that number the values.
  associatedtype Index: Comparable

  /// Records that everything up to and including an index has been handled.
  ///
  /// The `acknowledge` operators call this method with ascending indexes, one call at a time, on the thread that delivers
  /// values. So the method should return quickly.
  ///
  /// - Parameter index: The index up to which everything has been handled.
  func acknowledge(_ index: Index)
}

extension Publisher {
  /// Acknowledges each index that arrives, and publishes the index.
  ///
  /// An index means that everything up to it has been handled. Put the operator after the work, and let the work return the
  /// index of its value:
  ///
  /// ```swift
  /// func storing(to target: some AcknowledgementTarget<Int>) -> some Publisher<Int, any Error> {
  ///   messages
  ///     .map(maxTasks: 8) { message in
  ///       try await store(message)
  ///       return message.offset
  ///     }
  ///     .acknowledge(to: target)
  /// }
  /// ```
  ///
  /// `map(maxTasks:)` publishes the results in the order of the values, so an index arrives only after all lower ones. After an
  /// operator that publishes results as they're ready, use ``acknowledge(to:after:)``.
  ///
  /// The target receives an index before it's published, but doesn't receive an index that's no higher than an earlier one.
  /// When the work fails, nothing more is acknowledged. Demand, completion and cancellation pass through unchanged, and indexes
  /// are delivered on upstream's thread.
  ///
  /// - Parameter target: The target that receives the indexes.
  /// - Returns: A publisher of the same indexes.
  /// - Complexity: O(1) for each value, plus the work of the target.
  @inlinable @_disfavoredOverload
  public __consuming func acknowledge<Target: AcknowledgementTarget>(
    to target: Target
  ) -> AcknowledgePublisher<Self, Target> where Output == Target.Index {
    AcknowledgePublisher(upstream: self, target: target)
  }

  /// Acknowledges the highest index up to which everything has been handled, and publishes each index.
  ///
  /// Indexes may arrive in any order, as they do after `flatMap(maxTasks:)`. If 2 and 3 arrive before 1, nothing is
  /// acknowledged until 1 arrives. Then 3 is acknowledged:
  ///
  /// ```swift
  /// func storing(to target: some AcknowledgementTarget<Int>) -> some Publisher<Int, any Error> {
  ///   messages
  ///     .flatMap(maxTasks: 8) { message in
  ///       try await store(message)
  ///       return message.number
  ///     }
  ///     .acknowledge(to: target, after: 0)
  /// }
  /// ```
  ///
  /// Each index must arrive, because one that's missing holds up all later ones. Don't drop values between their source and this
  /// operator. If your source's numbers have gaps, number the values with `enumerated()`, and let the target translate the
  /// numbers. An index that arrives again isn't acknowledged again.
  ///
  /// The operator keeps the indexes that are waiting for a lower one, so memory use grows while a slow task holds up an index.
  /// Otherwise, it behaves like ``acknowledge(to:)``.
  ///
  /// - Parameters:
  ///   - target: The target that receives the indexes.
  ///   - index: The index before the first one.
  /// - Returns: A publisher of the same indexes.
  /// - Complexity: O(1) on average for each value, plus the work of the target.
  @inlinable @_disfavoredOverload
  public __consuming func acknowledge<Target: AcknowledgementTarget>(
    to target: Target, after index: Target.Index
  ) -> AcknowledgeCompletedPublisher<Self, Target> where Output == Target.Index, Output: BinaryInteger {
    AcknowledgeCompletedPublisher(upstream: self, target: target, index: index)
  }
}

/// The publisher that `acknowledge(to:)` returns.
@frozen
public struct AcknowledgePublisher<Upstream: Publisher, Target: AcknowledgementTarget>: Publisher
where Upstream.Output == Target.Index {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let target: Target

  @inlinable
  init(upstream: Upstream, target: Target) {
    self.upstream = upstream
    self.target = target
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(AcknowledgeStage(target), subscriber))
  }
}

extension AcknowledgePublisher: Sendable where Upstream: Sendable {}

/// The publisher that `acknowledge(to:after:)` returns.
@frozen
public struct AcknowledgeCompletedPublisher<Upstream: Publisher, Target: AcknowledgementTarget>: Publisher
where Upstream.Output == Target.Index, Target.Index: BinaryInteger {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let target: Target
  @usableFromInline let index: Target.Index

  @inlinable
  init(upstream: Upstream, target: Target, index: Target.Index) {
    self.upstream = upstream
    self.target = target
    self.index = index
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(AcknowledgeCompletedStage(target, index), subscriber))
  }
}

extension AcknowledgeCompletedPublisher: Sendable where Upstream: Sendable, Target.Index: Sendable {}

@usableFromInline @frozen
struct AcknowledgeStage<Target: AcknowledgementTarget>: Stage {
  @usableFromInline static var name: String { "acknowledge(to:)" }

  @usableFromInline let target: Target
  @usableFromInline var last: Target.Index?

  @inlinable
  init(_ target: Target) { self.target = target }

  @inlinable
  mutating func receive(_ input: Target.Index) throws(Never) -> Verdict<Target.Index> {
    if last.map({ input > $0 }) != false {
      last = input
      target.acknowledge(input)
    }
    return .emit(input)
  }
}

@usableFromInline @frozen
struct AcknowledgeCompletedStage<Target: AcknowledgementTarget>: Stage where Target.Index: BinaryInteger {
  @usableFromInline static var name: String { "acknowledge(to:after:)" }

  @usableFromInline let target: Target
  /// The index up to which everything has arrived.
  @usableFromInline var last: Target.Index
  /// The indexes that have arrived before a lower one.
  @usableFromInline var waiting: Set<Target.Index> = []

  @inlinable
  init(_ target: Target, _ index: Target.Index) { (self.target, last) = (target, index) }

  @inlinable
  mutating func receive(_ input: Target.Index) throws(Never) -> Verdict<Target.Index> {
    if input > last + 1 {
      waiting.insert(input)
    } else if input == last + 1 {
      last = input
      while waiting.remove(last + 1) != nil { last += 1 }
      target.acknowledge(last)
    }
    return .emit(input)
  }
}
