extension Publisher {
  /// Drops values as long as they satisfy a predicate, then publishes the first that doesn't and all later values.
  ///
  ///     [1, 2, 3, 1].publisher.drop { $0 < 3 }   // 3 1
  ///
  /// ![The source publishes 1, 2, 3 and 1 and finishes; the result publishes 3 and 1 and finishes.](diagram-drop-while)
  ///
  /// Once the predicate has returned `false`, it isn't called again. A dropped value doesn't use up demand: the operator
  /// requests another in its place. Completion and cancellation pass through unchanged.
  ///
  /// - Parameter predicate: A closure that returns whether to drop a value.
  @inlinable
  public __consuming func drop(while predicate: @escaping (Output) -> Bool) -> Publishers.DropWhile<Self> {
    Publishers.DropWhile(upstream: self, predicate: predicate)
  }

  /// Drops values as long as they satisfy a throwing predicate, then publishes the first that doesn't and all later values.
  ///
  /// ![The source publishes 1, 2 and x and is cancelled; the result fails.](diagram-tryDrop)
  ///
  /// It's like ``drop(while:)``, but a thrown error cancels upstream and becomes the failure.
  @inlinable
  public __consuming func tryDrop(while predicate: @escaping (Output) throws -> Bool) -> Publishers.TryDropWhile<Self> {
    Publishers.TryDropWhile(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// The publisher that `drop(while:)` returns.
  @frozen
  public struct DropWhile<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let predicate: (Upstream.Output) -> Bool

    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(DropWhileStage(predicate), subscriber))
    }
  }

  /// The publisher that `tryDrop(while:)` returns.
  @frozen
  public struct TryDropWhile<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = any Error

    public let upstream: Upstream
    public let predicate: (Upstream.Output) throws -> Bool

    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(DropWhileStage(predicate), subscriber))
    }
  }
}

@usableFromInline @frozen
struct DropWhileStage<Input, Thrown: Error>: Stage {
  @usableFromInline static var name: String { Thrown.self == Never.self ? "drop(while:)" : "tryDrop(while:)" }

  @usableFromInline let isUnwanted: (Input) throws(Thrown) -> Bool
  @usableFromInline var isDropping = true

  @inlinable
  init(_ isUnwanted: @escaping (Input) throws(Thrown) -> Bool) { self.isUnwanted = isUnwanted }

  @inlinable
  mutating func receive(_ input: Input) throws(Thrown) -> Verdict<Input> {
    if isDropping, try isUnwanted(input) { return .skip }
    isDropping = false
    return .emit(input)
  }
}
