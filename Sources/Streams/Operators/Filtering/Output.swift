extension Publisher {
  /// Publishes the value at a given position and then finishes.
  ///
  ///     ["a", "b", "c"].publisher.output(at: 1)   // b
  ///
  /// ![The source publishes a and b and is cancelled; the result publishes b and finishes.](diagram-output-at)
  ///
  /// If upstream finishes before the position, this publisher finishes without a value. Otherwise, it's like ``output(in:)`` with
  /// a range of one position.
  ///
  /// - Parameter index: The position of the value. A negative one stops the program with a message.
  @inlinable
  public __consuming func output(at index: Int) -> Publishers.Output<Self> {
    requireNotNegative(index, in: "output(at:)", "an index")
    return Publishers.Output(self, (index...index).positions, as: OperatorName("output(at:)"))
  }

  /// Publishes the values at a range of positions and then finishes.
  ///
  ///     [1, 2, 3, 4].publisher.output(in: 1...2)   // 2 3
  ///
  /// ![The source publishes 1, 2 and 3 and is cancelled; the result publishes 2 and 3 and finishes.](diagram-output-in)
  ///
  /// Positions start at zero. Values before the range don't use up demand. The operator cancels upstream as soon as it has
  /// delivered the last value in the range. If the range is empty, the publisher finishes without subscribing to upstream.
  /// Failure and cancellation pass through unchanged.
  ///
  /// - Parameter range: The positions of the values to publish. A negative one stops the program with a message.
  @inlinable
  public __consuming func output<R: RangeExpression>(in range: R) -> Publishers.Output<Self> where R.Bound == Int {
    Publishers.Output(upstream: self, range: range.positions)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/output(in:)``, `output(at:)` and ``Publisher/prefix(_:)`` return.
  @frozen
  public struct Output<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let range: Range<Int>

    @usableFromInline let name: OperatorName?

    @inlinable
    public init(upstream: Upstream, range: Range<Int>) {
      self.init(upstream, range, as: nil)
    }

    @inlinable
    package init(_ upstream: Upstream, _ range: Range<Int>, as name: OperatorName?) {
      if range.lowerBound < 0 { stopAtNegativePosition(in: range) }
      self.upstream = upstream
      self.range = range
      self.name = name
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      if range.isEmpty {
        subscriber.receiveOnly(.finished)
      } else {
        upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(OutputStage(range), subscriber, as: name))
      }
    }
  }
}

extension Publishers.Output: Equatable where Upstream: Equatable {
  /// Indicates whether two publishers have equal upstream publishers and equal ranges.
  @inlinable
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.upstream == rhs.upstream && lhs.range == rhs.range }
}

@usableFromInline @frozen
struct OutputStage<Input>: Stage {
  @usableFromInline static var name: String { "output(in:)" }

  @usableFromInline let range: Range<Int>
  @usableFromInline var position = 0

  @inlinable
  static var callsOut: Bool { false }

  @inlinable
  init(_ range: Range<Int>) { self.range = range }

  @inlinable
  mutating func receive(_ input: Input) throws(Never) -> Verdict<Input> {
    defer { position &+= 1 }
    if position < range.lowerBound { return .skip }
    return .emit(input, isLast: position == range.upperBound - 1)
  }
}

extension RangeExpression where Bound == Int {
  /// The stream positions that the range covers.
  @inlinable
  var positions: Range<Int> {
    let range = relative(to: Positions())
    // Without a lower bound, a range begins with the least integer, which stands for the first position.
    var lowerBound = range.lowerBound == .min ? 0 : range.lowerBound
    if lowerBound < 0 || range.upperBound < 0 { stopAtNegativePosition(in: self) }
    // No stream reaches the largest integer. But a range that contains nothing else must not become empty, because that would
    // finish the stream immediately.
    if lowerBound == .max, contains(lowerBound) { lowerBound -= 1 }
    return lowerBound..<range.upperBound
  }

  /// Indicates whether the range contains the first position. The range may begin with a negative position.
  @inlinable
  var hasFirstPosition: Bool { relative(to: Positions()).contains(0) }
}

/// All positions that a range expression can be relative to.
///
/// A negative position or the largest integer doesn't stop the program here. With `0..<Int.max`, it would, and release builds
/// wouldn't say why.
@usableFromInline @frozen
struct Positions: Collection {
  @inlinable
  init() {}

  @inlinable
  var startIndex: Int { .min }

  @inlinable
  var endIndex: Int { .max }

  @inlinable
  func index(after position: Int) -> Int { position == .max ? .max : position + 1 }

  @inlinable
  subscript(position: Int) -> Int { position }
}

@usableFromInline @inline(never)
func stopAtNegativePosition(in range: some RangeExpression<Int>) -> Never {
  stopProgram("output(in:) requires positions of at least 0, got \(range).")
}

extension Publishers.Output: Sendable where Upstream: Sendable {}
