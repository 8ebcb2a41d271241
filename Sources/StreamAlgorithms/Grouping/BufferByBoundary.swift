public import Streams

extension Publisher {
  /// Collects values into arrays, each of which ends when it's full or when another publisher sends a value.
  ///
  ///     edits.buffer(by: savePoints, maxCount: 100)
  ///
  /// ![values publishes a, b, c, d, e, f and g and finishes; boundaries publishes x, x and x and is cancelled; the result publishes ab, cde, f and g and finishes.](diagram-buffer-by)
  ///
  /// Arrays are never empty: a boundary is ignored if no values have arrived since the last array ended. With limited demand,
  /// the operator requests one value and one boundary at a time, starting when the first array is requested. While there's no
  /// demand, it stores that value and that boundary, in addition to up to `maxCount` collected values. The values collected so
  /// far are published when upstream finishes, and dropped when it fails. Once the boundary publisher has finished, an array
  /// ends only when it's full or upstream finishes. If the boundary publisher fails, the stream fails.
  ///
  /// For arrays that end at regular intervals, see `collect(_:options:)`.
  ///
  /// - Parameters:
  ///   - boundary: The publisher whose values end an array.
  ///   - maxCount: The maximum number of values in an array.
  /// - Precondition: `maxCount` is positive.
  @inlinable @_disfavoredOverload
  public __consuming func buffer<P: Publisher>(by boundary: P, maxCount: Int)
    -> BufferByBoundaryPublisher<Self, P>
  where P.Failure == Failure {
    BufferByBoundaryPublisher(upstream: self, boundary: boundary, maxCount: maxCount)
  }

  /// Collects values into arrays, like ``buffer(by:maxCount:)-22e8f``, with a boundary publisher that can't fail.
  ///
  /// - Precondition: `maxCount` is positive.
  @inlinable @_disfavoredOverload
  public __consuming func buffer<P: Publisher>(
    by boundary: P, maxCount: Int
  ) -> BufferByBoundaryPublisher<Self, Publishers.SetFailureType<P, Failure>> where P.Failure == Never {
    buffer(by: boundary.setFailureType(to: Failure.self), maxCount: maxCount)
  }

  /// Collects values into arrays, like ``buffer(by:maxCount:)-22e8f``, where neither publisher can fail.
  ///
  /// - Precondition: `maxCount` is positive.
  @inlinable @_disfavoredOverload
  public __consuming func buffer<P: Publisher>(by boundary: P, maxCount: Int)
    -> BufferByBoundaryPublisher<Self, P>
  where Failure == Never, P.Failure == Never {
    BufferByBoundaryPublisher(upstream: self, boundary: boundary, maxCount: maxCount)
  }
}

/// The publisher that `buffer(by:maxCount:)` returns.
@frozen
public struct BufferByBoundaryPublisher<Upstream: Publisher, Boundary: Publisher>: Publisher
where Boundary.Failure == Upstream.Failure {
  public typealias Output = [Upstream.Output]
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let boundary: Boundary
  @usableFromInline let maxCount: Int

  @inlinable
  init(upstream: Upstream, boundary: Boundary, maxCount: Int) {
    require(
      maxCount > 0, or: "buffer(maxCount:) requires a count of at least 1, got \(maxCount).")
    self.upstream = upstream
    self.boundary = boundary
    self.maxCount = maxCount
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    Delimited(upstream: upstream, boundary: boundary)
      .subscribe(StageSubscriber(BufferStage<Upstream.Output>(maxCount), subscriber))
  }
}

@usableFromInline @frozen
struct BufferStage<Element>: Stage {
  @usableFromInline static var name: String { "buffer(by:maxCount:)" }

  @usableFromInline let maxCount: Int
  @usableFromInline var elements: [Element] = []
  @usableFromInline var keptContext: ContextSnapshot?

  @inlinable
  init(_ maxCount: Int) { self.maxCount = maxCount }

  @inlinable
  mutating func receive(_ input: BoundarySignal<Element>) throws(Never) -> Verdict<[Element]> {
    if case .value(let element) = input {
      elements.append(element)
      if RuntimeFeatures.isAny { keptContext = .captured(like: keptContext) }
      if elements.count < maxCount { return .skip }
    }
    return rest().map { .emit($0) } ?? .skip
  }

  @inlinable
  mutating func rest() -> [Element]? {
    if elements.isEmpty { return nil }
    var taken: [Element] = []
    swap(&taken, &elements)
    return taken
  }

  @inlinable
  static var callsOut: Bool { false }

  @usableFromInline static var collects: Bool { true }

  @inlinable
  var collected: (held: Int, batch: Int)? { (elements.count, maxCount) }
}

extension BufferByBoundaryPublisher: Equatable where Upstream: Equatable, Boundary: Equatable {}
extension BufferByBoundaryPublisher: Sendable where Upstream: Sendable, Boundary: Sendable {}
