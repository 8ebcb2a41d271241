extension Publisher {
  /// Passes on the value at a position, and finishes with it; finishes without one when there is none.
  ///
  /// ![Marble diagram of output(at:)](diagram-output-at)
  ///
  /// - Precondition: `index` is not negative.
  @inlinable
  public __consuming func output(at index: Int) -> Publishers.Output<Self> {
    requireNotNegative(index, in: "output", label: "at: ")
    return output(in: index...index)
  }

  /// Passes on the values at some positions, and finishes together with the last of them.
  ///
  ///     [1, 2, 3, 4].publisher.output(in: 1...2)   // 2 3
  ///
  /// ![Marble diagram of output(in:)](diagram-output-in)
  ///
  /// The values before them give their demand back. An empty range finishes without asking for anything.
  ///
  /// - Precondition: the range does not begin below zero.
  @inlinable
  public __consuming func output<R: RangeExpression>(in range: R) -> Publishers.Output<Self> where R.Bound == Int {
    Publishers.Output(upstream: self, range: range.positions)
  }
}

extension Publishers {
  /// The publisher of ``Publisher/output(in:)`` and ``Publisher/prefix(_:)``.
  @frozen
  public struct Output<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// The positions that are passed on.
    public let range: Range<Int>

    /// Makes the publisher.
    @inlinable
    public init(upstream: Upstream, range: Range<Int>) {
      if range.lowerBound < 0 { stopAtNegativePosition(in: range) }
      self.upstream = upstream
      self.range = range
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      if range.isEmpty {
        subscriber.receiveOnly(.finished)
      } else {
        upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(OutputStage(range), subscriber))
      }
    }
  }
}

extension Publishers.Output: Equatable where Upstream: Equatable {}

@usableFromInline @frozen
struct OutputStage<Input>: Stage {
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
    return position == range.upperBound - 1 ? .emitLast(input) : .emit(input)
  }
}

extension RangeExpression where Bound == Int {
  /// The positions in a stream that this stands for.
  @inlinable
  var positions: Range<Int> {
    let range = relative(to: Positions())
    // A range without a beginning has the first number there is, and means the first position.
    var lowerBound = range.lowerBound == .min ? 0 : range.lowerBound
    if lowerBound < 0 || range.upperBound < 0 { stopAtNegativePosition(in: self) }
    // No stream comes to the last number there is; but a range of nothing else is not an empty one, which would finish.
    if lowerBound == .max, contains(lowerBound) { lowerBound -= 1 }
    return lowerBound..<range.upperBound
  }

  /// Whether the first position is among those that this stands for, which may begin before it.
  @inlinable
  var hasFirstPosition: Bool { relative(to: Positions()).contains(0) }
}

/// All positions that a range can be relative to.
///
/// Neither a negative number nor the last one there is stops the program here, as they would in `0..<Int.max`, where
/// release builds do not say why.
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
  stopProgram("output(in: \(range)): positions are counted from zero. Leave out the negative ones.")
}

extension Publishers.Output: Sendable where Upstream: Sendable {}
