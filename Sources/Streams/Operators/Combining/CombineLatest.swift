extension Publisher {
  /// Combines the latest values from this publisher and another whenever either publishes one.
  ///
  ///     name.combineLatest(password)
  ///
  /// ![numbers publishes 1, 2 and 3 and finishes; letters publishes a and b and finishes; the result publishes 1a, 1b, 2b and 3b and finishes.](diagram-combineLatest)
  ///
  /// Nothing is published until both publishers have published a value. Each downstream request goes to both of them. If a value
  /// arrives while there's no demand, it replaces its publisher's latest value, but no pair is published. The stream finishes
  /// when both publishers have finished, or when one finishes without publishing a value. It fails as soon as either one fails.
  /// When the stream ends, the operator cancels a publisher that's still running. Cancellation cancels both.
  ///
  /// - Parameter other: The publisher that supplies the second element of each pair.
  @inlinable
  public __consuming func combineLatest<P: Publisher>(
    _ other: P
  ) -> Publishers.CombineLatest<Self, P> where P.Failure == Failure {
    Publishers.CombineLatest(self, other)
  }

  /// Combines the latest values like ``combineLatest(_:)``, and transforms each pair with a closure.
  @inlinable
  public __consuming func combineLatest<P: Publisher, T>(
    _ other: P,
    _ transform: @escaping (Output, P.Output) -> T
  ) -> Publishers.Map<Publishers.CombineLatest<Self, P>, T> where P.Failure == Failure {
    combineLatest(other).map { transform($0.0, $0.1) }
  }

  /// Combines the latest values from this publisher and two others into tuples, like ``combineLatest(_:)``.
  @inlinable
  public __consuming func combineLatest<P: Publisher, Q: Publisher>(
    _ publisher1: P, _ publisher2: Q
  ) -> Publishers.CombineLatest3<Self, P, Q> where P.Failure == Failure, Q.Failure == Failure {
    Publishers.CombineLatest3(self, publisher1, publisher2)
  }

  /// Combines the latest values from this publisher and two others with a closure, like ``combineLatest(_:)``.
  @inlinable
  public __consuming func combineLatest<P: Publisher, Q: Publisher, T>(
    _ publisher1: P, _ publisher2: Q,
    _ transform: @escaping (Output, P.Output, Q.Output) -> T
  ) -> Publishers.Map<Publishers.CombineLatest3<Self, P, Q>, T> where P.Failure == Failure, Q.Failure == Failure {
    combineLatest(publisher1, publisher2).map { transform($0.0, $0.1, $0.2) }
  }

  /// Combines the latest values from this publisher and three others into tuples, like ``combineLatest(_:)``.
  @inlinable
  public __consuming func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R
  ) -> Publishers.CombineLatest4<Self, P, Q, R> where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
    Publishers.CombineLatest4(self, publisher1, publisher2, publisher3)
  }

  /// Combines the latest values from this publisher and three others with a closure, like ``combineLatest(_:)``.
  @inlinable
  public __consuming func combineLatest<P: Publisher, Q: Publisher, R: Publisher, T>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R,
    _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
  ) -> Publishers.Map<Publishers.CombineLatest4<Self, P, Q, R>, T>
  where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
    combineLatest(publisher1, publisher2, publisher3).map { transform($0.0, $0.1, $0.2, $0.3) }
  }
}

extension Publishers {
  /// The publisher that `combineLatest(_:)` returns.
  @frozen
  public struct CombineLatest<A: Publisher, B: Publisher>: Publisher
  where B.Failure == A.Failure {
    public typealias Output = (A.Output, B.Output)
    public typealias Failure = A.Failure

    public let a: A
    public let b: B

    @inlinable
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = CombineLatestEngine(
        SubscriberReceiver(subscriber), ElementLayout(Output.self),
        [ElementLayout(A.Output.self), ElementLayout(B.Output.self)]
      ) {
        ElementLayout.write(
          (
            ElementLayout.read(A.Output.self, from: $0[0]),
            ElementLayout.read(B.Output.self, from: $0[1])
          ), to: $1)
      }
      engine.attach(a, slot: 0)
      engine.attach(b, slot: 1)
    }
  }

  /// The publisher that `combineLatest(_:_:)` returns.
  @frozen
  public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where B.Failure == A.Failure, C.Failure == A.Failure {
    public typealias Output = (A.Output, B.Output, C.Output)
    public typealias Failure = A.Failure

    public let a: A
    public let b: B
    public let c: C

    @inlinable
    public init(_ a: A, _ b: B, _ c: C) {
      self.a = a
      self.b = b
      self.c = c
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = CombineLatestEngine(
        SubscriberReceiver(subscriber), ElementLayout(Output.self),
        [ElementLayout(A.Output.self), ElementLayout(B.Output.self), ElementLayout(C.Output.self)]
      ) {
        ElementLayout.write(
          (
            ElementLayout.read(A.Output.self, from: $0[0]),
            ElementLayout.read(B.Output.self, from: $0[1]),
            ElementLayout.read(C.Output.self, from: $0[2])
          ), to: $1)
      }
      engine.attach(a, slot: 0)
      engine.attach(b, slot: 1)
      engine.attach(c, slot: 2)
    }
  }

  /// The publisher that `combineLatest(_:_:_:)` returns.
  @frozen
  public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
  where B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure {
    public typealias Output = (A.Output, B.Output, C.Output, D.Output)
    public typealias Failure = A.Failure

    public let a: A
    public let b: B
    public let c: C
    public let d: D

    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = CombineLatestEngine(
        SubscriberReceiver(subscriber), ElementLayout(Output.self),
        [
          ElementLayout(A.Output.self), ElementLayout(B.Output.self), ElementLayout(C.Output.self),
          ElementLayout(D.Output.self),
        ]
      ) {
        ElementLayout.write(
          (
            ElementLayout.read(A.Output.self, from: $0[0]),
            ElementLayout.read(B.Output.self, from: $0[1]),
            ElementLayout.read(C.Output.self, from: $0[2]),
            ElementLayout.read(D.Output.self, from: $0[3])
          ), to: $1)
      }
      engine.attach(a, slot: 0)
      engine.attach(b, slot: 1)
      engine.attach(c, slot: 2)
      engine.attach(d, slot: 3)
    }
  }
}

extension Publishers.CombineLatest: Equatable where A: Equatable, B: Equatable {}
extension Publishers.CombineLatest3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
extension Publishers.CombineLatest4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}

extension Publishers.CombineLatest: Sendable where A: Sendable, B: Sendable {}
extension Publishers.CombineLatest3: Sendable where A: Sendable, B: Sendable, C: Sendable {}
extension Publishers.CombineLatest4: Sendable where A: Sendable, B: Sendable, C: Sendable, D: Sendable {}
