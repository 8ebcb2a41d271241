extension Publisher {
  /// Publishes each value together with the one before it.
  ///
  ///     [1, 2, 3].publisher.pairwise()   // (1, 2) (2, 3)
  ///
  /// ![Marble diagram of pairwise](diagram-pairwise)
  ///
  /// The first value makes no pair, and gives its demand back; so each pair that is asked for takes one value of upstream,
  /// and the first pair two. Upstream that sends fewer than two values makes no pair. Completion, failure and cancellation
  /// pass through, and pairs are delivered where the values come. It keeps one value.
  @inlinable @_disfavoredOverload
  public __consuming func pairwise() -> Publishers.Pairwise<Self> { Publishers.Pairwise(upstream: self) }

  /// Publishes the newest values, so many at a time: with each value the array that ends with it.
  ///
  ///     [1, 2, 3, 4].publisher.nwise(3)   // [1, 2, 3] [2, 3, 4]
  ///
  /// ![Marble diagram of nwise](diagram-nwise)
  ///
  /// The first `size - 1` values make no array, and give their demand back; if no more of them come, nothing is sent.
  /// Completion, failure and cancellation pass through, and arrays are delivered where the values come. It keeps `size`
  /// values, in the array that was sent last. Each array costs a copy of `size - 1` values.
  ///
  /// - Precondition: `size` is positive.
  @inlinable @_disfavoredOverload
  public __consuming func nwise(_ size: Int) -> Publishers.Nwise<Self> { Publishers.Nwise(upstream: self, size: size) }
}

extension Publishers {
  /// The publisher of ``Publisher/pairwise()``.
  @frozen
  public struct Pairwise<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = (Upstream.Output, Upstream.Output)

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream) { self.upstream = upstream }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(PairwiseStage<Upstream.Output>(), subscriber))
    }
  }

  /// The publisher of ``Publisher/nwise(_:)``.
  @frozen
  public struct Nwise<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = [Upstream.Output]

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// How many values an array holds.
    public let size: Int

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, size: Int) {
      require(size > 0, or: "nwise(\(size)): an array must have room for a value. Use a positive number.")
      self.upstream = upstream
      self.size = size
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(NwiseStage<Upstream.Output>(size), subscriber))
    }
  }
}

extension Publishers.Pairwise: Equatable where Upstream: Equatable {}
extension Publishers.Nwise: Equatable where Upstream: Equatable {}

@usableFromInline @frozen
struct PairwiseStage<Input>: Stage {
  @usableFromInline var last: Input?

  @inlinable
  init() {}

  @inlinable
  static var callsOut: Bool { false }

  @inlinable
  mutating func receive(_ input: Input) throws(Never) -> Verdict<(Input, Input)> {
    // The value that is displaced goes on in the pair: nothing dies here.
    var previous: Input? = input
    swap(&previous, &last)
    guard let previous else { return .skip }
    return .emit((previous, input))
  }
}

@usableFromInline @frozen
struct NwiseStage<Input>: Stage {
  @usableFromInline let size: Int
  @usableFromInline var window: [Input] = []

  @inlinable
  init(_ size: Int) { self.size = size }

  @inlinable
  mutating func receive(_ input: Input) throws(Never) -> Verdict<[Input]> {
    if window.count < size {
      window.append(input)
    } else {
      // A new array, which is kept as it is sent: to change the one before would copy it, too, as downstream may have it.
      var next: [Input] = []
      next.reserveCapacity(size)
      next.append(contentsOf: window.dropFirst())
      next.append(input)
      window = next
    }
    return window.count == size ? .emit(window) : .skip
  }
}

extension Publishers.Pairwise: Sendable where Upstream: Sendable {}
extension Publishers.Nwise: Sendable where Upstream: Sendable {}
