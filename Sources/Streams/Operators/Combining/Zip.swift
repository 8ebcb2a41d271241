extension Publisher {
  /// Puts one value of this publisher and one of another together, in order.
  ///
  ///     numbers.zip(letters)   // (1, "a") (2, "b")
  ///
  /// ![Marble diagram of zip](diagram-zip)
  ///
  /// Values wait until there is one of each. Both publishers are asked for what downstream asks for. It finishes as soon
  /// as one has finished and has no value left, and fails as soon as one does; the other is cancelled then.
  @inlinable
  public __consuming func zip<P: Publisher>(
    _ other: P
  ) -> Publishers.Zip<Self, P> where P.Failure == Failure {
    Publishers.Zip(self, other)
  }

  /// Puts one value of this publisher and one of another together and turns them into one.
  @inlinable
  public __consuming func zip<P: Publisher, T>(
    _ other: P,
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Output, P.Output) -> T
  ) -> Publishers.Map<Publishers.Zip<Self, P>, T> where P.Failure == Failure {
    let transform = isolation.checking(transform, fileID, filePath, line, column)
    return zip(other).map { transform($0.0, $0.1) }
  }

  /// Like ``zip(_:)``, for two others.
  @inlinable
  public __consuming func zip<P: Publisher, Q: Publisher>(
    _ publisher1: P, _ publisher2: Q
  ) -> Publishers.Zip3<Self, P, Q> where P.Failure == Failure, Q.Failure == Failure {
    Publishers.Zip3(self, publisher1, publisher2)
  }

  /// Like `zip(_:_:)`, for two others.
  @inlinable
  public __consuming func zip<P: Publisher, Q: Publisher, T>(
    _ publisher1: P, _ publisher2: Q,
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Output, P.Output, Q.Output) -> T
  ) -> Publishers.Map<Publishers.Zip3<Self, P, Q>, T> where P.Failure == Failure, Q.Failure == Failure {
    let transform = isolation.checking(transform, fileID, filePath, line, column)
    return zip(publisher1, publisher2).map { transform($0.0, $0.1, $0.2) }
  }

  /// Like ``zip(_:)``, for three others.
  @inlinable
  public __consuming func zip<P: Publisher, Q: Publisher, R: Publisher>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R
  ) -> Publishers.Zip4<Self, P, Q, R> where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
    Publishers.Zip4(self, publisher1, publisher2, publisher3)
  }

  /// Like `zip(_:_:)`, for three others.
  @inlinable
  public __consuming func zip<P: Publisher, Q: Publisher, R: Publisher, T>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R,
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
  ) -> Publishers.Map<Publishers.Zip4<Self, P, Q, R>, T>
  where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
    let transform = isolation.checking(transform, fileID, filePath, line, column)
    return zip(publisher1, publisher2, publisher3).map { transform($0.0, $0.1, $0.2, $0.3) }
  }
}

extension Publishers {
  /// The publisher of `zip(_:)`.
  @frozen
  public struct Zip<A: Publisher, B: Publisher>: Publisher
  where B.Failure == A.Failure {
    /// The type of value this publisher publishes.
    public typealias Output = (A.Output, B.Output)

    /// The type of error this publisher may fail with.
    public typealias Failure = A.Failure

    /// A publisher whose values are combined.
    public let a: A

    /// A publisher whose values are combined.
    public let b: B

    /// Creates the publisher.
    @inlinable
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    /// Attaches a subscriber to this publisher.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let (slotA, slotB) = (QueueSlot<A.Output>(), QueueSlot<B.Output>())
      let engine = Engine.zip(count: 2)
      let combining = Combining(subscriber, in: engine) { (slotA.take(), slotB.take()) }
      combining.attach(a, slotA, 0)
      combining.attach(b, slotB, 1)
    }
  }

  /// The publisher of `zip(_:_:)`.
  @frozen
  public struct Zip3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where B.Failure == A.Failure, C.Failure == A.Failure {
    /// The type of value this publisher publishes.
    public typealias Output = (A.Output, B.Output, C.Output)

    /// The type of error this publisher may fail with.
    public typealias Failure = A.Failure

    /// A publisher whose values are combined.
    public let a: A

    /// A publisher whose values are combined.
    public let b: B

    /// A publisher whose values are combined.
    public let c: C

    /// Creates the publisher.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C) {
      self.a = a
      self.b = b
      self.c = c
    }

    /// Attaches a subscriber to this publisher.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let (slotA, slotB, slotC) = (QueueSlot<A.Output>(), QueueSlot<B.Output>(), QueueSlot<C.Output>())
      let engine = Engine.zip(count: 3)
      let combining = Combining(subscriber, in: engine) { (slotA.take(), slotB.take(), slotC.take()) }
      combining.attach(a, slotA, 0)
      combining.attach(b, slotB, 1)
      combining.attach(c, slotC, 2)
    }
  }

  /// The publisher of `zip(_:_:_:)`.
  @frozen
  public struct Zip4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
  where B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure {
    /// The type of value this publisher publishes.
    public typealias Output = (A.Output, B.Output, C.Output, D.Output)

    /// The type of error this publisher may fail with.
    public typealias Failure = A.Failure

    /// A publisher whose values are combined.
    public let a: A

    /// A publisher whose values are combined.
    public let b: B

    /// A publisher whose values are combined.
    public let c: C

    /// A publisher whose values are combined.
    public let d: D

    /// Creates the publisher.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
    }

    /// Attaches a subscriber to this publisher.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let (slotA, slotB) = (QueueSlot<A.Output>(), QueueSlot<B.Output>())
      let (slotC, slotD) = (QueueSlot<C.Output>(), QueueSlot<D.Output>())
      let engine = Engine.zip(count: 4)
      let combining = Combining(subscriber, in: engine) { (slotA.take(), slotB.take(), slotC.take(), slotD.take()) }
      combining.attach(a, slotA, 0)
      combining.attach(b, slotB, 1)
      combining.attach(c, slotC, 2)
      combining.attach(d, slotD, 3)
    }
  }
}

extension Publishers.Zip: Equatable where A: Equatable, B: Equatable {}
extension Publishers.Zip3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
extension Publishers.Zip4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}

extension Engine {
  @usableFromInline
  static func zip(count: Int) -> Engine { Engine(ZipMachine(count: count)) }
}

extension Publishers.Zip: Sendable where A: Sendable, B: Sendable {}
extension Publishers.Zip3: Sendable where A: Sendable, B: Sendable, C: Sendable {}
extension Publishers.Zip4: Sendable where A: Sendable, B: Sendable, C: Sendable, D: Sendable {}
