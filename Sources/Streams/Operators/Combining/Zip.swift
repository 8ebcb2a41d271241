extension Publisher {
  /// Pairs values from this publisher with values from another, in order.
  ///
  ///     numbers.zip(letters)   // (1, "a") (2, "b")
  ///
  /// ![numbers publishes 1 and 2 and is cancelled; letters publishes a and b and finishes; the result publishes 1a and 2b and finishes.](diagram-zip)
  ///
  /// Each value waits until the other publisher has published its counterpart. Each downstream request goes to both
  /// publishers. The stream finishes as soon as one publisher has finished and its values have all been paired. It
  /// fails as soon as one publisher fails. In both cases, the operator cancels the other publisher. Cancellation
  /// cancels both.
  ///
  /// - Parameter other: The publisher that supplies the second element of each pair.
  /// - Complexity: Amortized O(1) for each value. Memory use is O(*n*), where *n* is the number of waiting values.
  @inlinable
  public __consuming func zip<P: Publisher>(
    _ other: P
  ) -> Publishers.Zip<Self, P> where P.Failure == Failure {
    Publishers.Zip(self, other)
  }

  /// Pairs values like ``zip(_:)``, and transforms each pair with a closure.
  @inlinable
  public __consuming func zip<P: Publisher, T>(
    _ other: P,
    _ transform: @escaping (Output, P.Output) -> T
  ) -> Publishers.Map<Publishers.Zip<Self, P>, T> where P.Failure == Failure {
    zip(other).map { transform($0.0, $0.1) }
  }

  /// Groups values from this publisher and two others into tuples, like ``zip(_:)``.
  @inlinable
  public __consuming func zip<P: Publisher, Q: Publisher>(
    _ publisher1: P, _ publisher2: Q
  ) -> Publishers.Zip3<Self, P, Q> where P.Failure == Failure, Q.Failure == Failure {
    Publishers.Zip3(self, publisher1, publisher2)
  }

  /// Groups values from this publisher and two others with a closure, like ``zip(_:)``.
  @inlinable
  public __consuming func zip<P: Publisher, Q: Publisher, T>(
    _ publisher1: P, _ publisher2: Q,
    _ transform: @escaping (Output, P.Output, Q.Output) -> T
  ) -> Publishers.Map<Publishers.Zip3<Self, P, Q>, T> where P.Failure == Failure, Q.Failure == Failure {
    zip(publisher1, publisher2).map { transform($0.0, $0.1, $0.2) }
  }

  /// Groups values from this publisher and three others into tuples, like ``zip(_:)``.
  @inlinable
  public __consuming func zip<P: Publisher, Q: Publisher, R: Publisher>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R
  ) -> Publishers.Zip4<Self, P, Q, R> where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
    Publishers.Zip4(self, publisher1, publisher2, publisher3)
  }

  /// Groups values from this publisher and three others with a closure, like ``zip(_:)``.
  @inlinable
  public __consuming func zip<P: Publisher, Q: Publisher, R: Publisher, T>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R,
    _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
  ) -> Publishers.Map<Publishers.Zip4<Self, P, Q, R>, T>
  where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
    zip(publisher1, publisher2, publisher3).map { transform($0.0, $0.1, $0.2, $0.3) }
  }
}

extension Publishers {
  /// The publisher that `zip(_:)` returns.
  @frozen
  public struct Zip<A: Publisher, B: Publisher>: Publisher
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
      let engine = ZipEngine(
        SubscriberReceiver(subscriber), ElementLayout(Output.self),
        [ElementLayout(A.Output.self), ElementLayout(B.Output.self)]
      ) {
        ElementLayout.write(
          (
            ElementLayout.take(A.Output.self, from: $0[0]),
            ElementLayout.take(B.Output.self, from: $0[1])
          ), to: $1)
      }
      engine.attach(a, slot: 0)
      engine.attach(b, slot: 1)
    }
  }

  /// The publisher that `zip(_:_:)` returns.
  @frozen
  public struct Zip3<A: Publisher, B: Publisher, C: Publisher>: Publisher
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
      let engine = ZipEngine(
        SubscriberReceiver(subscriber), ElementLayout(Output.self),
        [ElementLayout(A.Output.self), ElementLayout(B.Output.self), ElementLayout(C.Output.self)]
      ) {
        ElementLayout.write(
          (
            ElementLayout.take(A.Output.self, from: $0[0]),
            ElementLayout.take(B.Output.self, from: $0[1]),
            ElementLayout.take(C.Output.self, from: $0[2])
          ), to: $1)
      }
      engine.attach(a, slot: 0)
      engine.attach(b, slot: 1)
      engine.attach(c, slot: 2)
    }
  }

  /// The publisher that `zip(_:_:_:)` returns.
  @frozen
  public struct Zip4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
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
      let engine = ZipEngine(
        SubscriberReceiver(subscriber), ElementLayout(Output.self),
        [
          ElementLayout(A.Output.self), ElementLayout(B.Output.self), ElementLayout(C.Output.self),
          ElementLayout(D.Output.self),
        ]
      ) {
        ElementLayout.write(
          (
            ElementLayout.take(A.Output.self, from: $0[0]),
            ElementLayout.take(B.Output.self, from: $0[1]),
            ElementLayout.take(C.Output.self, from: $0[2]),
            ElementLayout.take(D.Output.self, from: $0[3])
          ), to: $1)
      }
      engine.attach(a, slot: 0)
      engine.attach(b, slot: 1)
      engine.attach(c, slot: 2)
      engine.attach(d, slot: 3)
    }
  }
}

extension Publishers.Zip: Equatable where A: Equatable, B: Equatable {}
extension Publishers.Zip3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
extension Publishers.Zip4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}

extension Publishers.Zip: Sendable where A: Sendable, B: Sendable {}
extension Publishers.Zip3: Sendable where A: Sendable, B: Sendable, C: Sendable {}
extension Publishers.Zip4: Sendable where A: Sendable, B: Sendable, C: Sendable, D: Sendable {}
