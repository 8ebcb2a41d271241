public import Streams

extension Publisher {
  /// Publishes each value together with the previous one.
  ///
  ///     [1, 2, 3].publisher.pairwise()   // (1, 2) (2, 3)
  ///
  /// ![The source publishes 1, 2 and 3 and finishes; the result publishes (1, 2) and (2, 3) and finishes.](diagram-pairwise)
  ///
  /// For each pair that downstream requests, the operator requests one value from upstream, or two for the first pair. If fewer
  /// than two values arrive, nothing is published. Completion, failure and cancellation pass through unchanged, and pairs are
  /// delivered on upstream's thread. One value is buffered.
  @inlinable @_disfavoredOverload
  public __consuming func pairwise() -> PairwisePublisher<Self> {
    PairwisePublisher(upstream: self)
  }

  /// Publishes a sliding window: for each value, an array of the given size that ends with that value.
  ///
  ///     [1, 2, 3, 4].publisher.nwise(3)   // [1, 2, 3] [2, 3, 4]
  ///
  /// ![The source publishes 1, 2, 3 and 4 and finishes; the result publishes [1, 2, 3] and [2, 3, 4] and finishes.](diagram-nwise)
  ///
  /// The first `size - 1` values don't produce arrays or use up demand: the operator requests others in their place. If
  /// no more values arrive, nothing is published. Completion, failure and cancellation pass through unchanged, and
  /// arrays are delivered on upstream's thread. The operator retains the last array it published.
  ///
  /// - Parameter size: The number of values in each array.
  /// - Precondition: `size` is positive.
  /// - Complexity: O(*n*) for each value, where *n* is `size`.
  @inlinable @_disfavoredOverload
  public __consuming func nwise(_ size: Int) -> NwisePublisher<Self> {
    NwisePublisher(upstream: self, size: size)
  }
}

/// The publisher that ``Streams/Publisher/pairwise()`` returns.
@frozen
public struct PairwisePublisher<Upstream: Publisher>: Publisher {
  public typealias Output = (Upstream.Output, Upstream.Output)
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream

  @inlinable
  init(upstream: Upstream) { self.upstream = upstream }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(PairwiseStage<Upstream.Output>(), subscriber))
  }
}

/// The publisher that ``Streams/Publisher/nwise(_:)`` returns.
@frozen
public struct NwisePublisher<Upstream: Publisher>: Publisher {
  public typealias Output = [Upstream.Output]
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let size: Int

  @inlinable
  init(upstream: Upstream, size: Int) {
    require(size > 0, or: "nwise(_:) requires a size of at least 1, got \(size).")
    self.upstream = upstream
    self.size = size
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(NwiseStage<Upstream.Output>(size), subscriber))
  }
}

extension PairwisePublisher: Equatable where Upstream: Equatable {}
extension NwisePublisher: Equatable where Upstream: Equatable {}

@usableFromInline @frozen
struct PairwiseStage<Input>: Stage {
  @usableFromInline static var name: String { "pairwise" }

  @usableFromInline var last: Input?

  @inlinable
  init() {}

  @usableFromInline static var collects: Bool { true }

  @inlinable
  var collected: (held: Int, batch: Int)? { (last == nil ? 0 : 1, 2) }

  @inlinable
  static var callsOut: Bool { false }

  @inlinable
  mutating func receive(_ input: Input) throws(Never) -> Verdict<(Input, Input)> {
    // The displaced value moves into the pair, so no value is deinitialized here.
    var previous: Input? = input
    swap(&previous, &last)
    guard let previous else { return .skip }
    return .emit((previous, input))
  }
}

@usableFromInline @frozen
struct NwiseStage<Input>: Stage {
  @usableFromInline static var name: String { "nwise" }

  @usableFromInline let size: Int
  @usableFromInline var window: [Input] = []

  @inlinable
  init(_ size: Int) { self.size = size }

  @usableFromInline static var collects: Bool { true }

  @inlinable
  var collected: (held: Int, batch: Int)? { (window.count, size) }

  @inlinable
  mutating func receive(_ input: Input) throws(Never) -> Verdict<[Input]> {
    if window.count < size {
      window.append(input)
    } else {
      // Creates a new array. Changing the previous one would also copy it, because downstream may retain it.
      var next: [Input] = []
      next.reserveCapacity(size)
      next.append(contentsOf: window.dropFirst())
      next.append(input)
      window = next
    }
    return window.count == size ? .emit(window) : .skip
  }
}

extension PairwisePublisher: Sendable where Upstream: Sendable {}
extension NwisePublisher: Sendable where Upstream: Sendable {}
