// Arities. Parameter packs wouldn't shorten this file or the ones for zip and combineLatest. A merge's sources share the
// requirement `repeat (each Source).Output == Output`. This is a same-element requirement, which Swift 6.3 rejects ("not yet
// supported", no matter how you write it). The common `Failure` in zip and combineLatest is another such requirement. Even with
// packs, Combine's named types, their properties, initializers and `merge(with:)` would remain. Packs would replace only the
// bodies of `receive(subscriber:)`, which make up 3 % of the lines.

extension Publisher {
  /// Merges values from this publisher with values from another, in the order in which they arrive.
  ///
  ///     first.merge(with: second)
  ///
  /// ![first publishes a and b and finishes; second publishes x, y and z and finishes; the result publishes a, x, y, b and z and finishes.](diagram-merge)
  ///
  /// The stream finishes when both publishers have finished. It fails as soon as one fails, which cancels the other. If demand is
  /// unlimited, it goes to both. With limited demand, the operator requests one value at a time from each publisher, even if
  /// downstream has requested fewer. At most one value from each publisher is waiting at any time, and waiting values are
  /// delivered in turn. Cancellation cancels both.
  ///
  /// - Parameter other: The publisher to merge with.
  @inlinable
  public __consuming func merge<P: Publisher>(with other: P) -> Publishers.Merge<Self, P>
  where P.Output == Output, P.Failure == Failure { Publishers.Merge(self, other) }

  /// Merges this publisher with two others, like ``merge(with:)->Publishers.Merge<Self,P>``.
  @inlinable
  public __consuming func merge<B: Publisher, C: Publisher>(
    with b: B, _ c: C
  ) -> Publishers.Merge3<Self, B, C> { Publishers.Merge3(self, b, c) }

  /// Merges this publisher with three others, like ``merge(with:)->Publishers.Merge<Self,P>``.
  @inlinable
  public __consuming func merge<B: Publisher, C: Publisher, D: Publisher>(
    with b: B, _ c: C, _ d: D
  ) -> Publishers.Merge4<Self, B, C, D> { Publishers.Merge4(self, b, c, d) }

  /// Merges this publisher with four others, like ``merge(with:)->Publishers.Merge<Self,P>``.
  @inlinable
  public __consuming func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher>(
    with b: B, _ c: C, _ d: D, _ e: E
  ) -> Publishers.Merge5<Self, B, C, D, E> { Publishers.Merge5(self, b, c, d, e) }

  /// Merges this publisher with five others, like ``merge(with:)->Publishers.Merge<Self,P>``.
  @inlinable
  public __consuming func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher>(
    with b: B, _ c: C, _ d: D, _ e: E, _ f: F
  ) -> Publishers.Merge6<Self, B, C, D, E, F> { Publishers.Merge6(self, b, c, d, e, f) }

  /// Merges this publisher with six others, like ``merge(with:)->Publishers.Merge<Self,P>``.
  @inlinable
  public __consuming func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher>(
    with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
  ) -> Publishers.Merge7<Self, B, C, D, E, F, G> { Publishers.Merge7(self, b, c, d, e, f, g) }

  /// Merges this publisher with seven others, like ``merge(with:)->Publishers.Merge<Self,P>``.
  @inlinable
  public __consuming func merge<
    B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher, H: Publisher
  >(
    with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
  ) -> Publishers.Merge8<Self, B, C, D, E, F, G, H> { Publishers.Merge8(self, b, c, d, e, f, g, h) }

  /// Merges this publisher with another of the same type. You can merge more such publishers into the result.
  ///
  /// It's otherwise like ``merge(with:)->Publishers.Merge<Self,P>``.
  @inlinable
  public __consuming func merge(with other: Self) -> Publishers.MergeMany<Self> { Publishers.MergeMany([self, other]) }
}

extension Publishers {
  /// A publisher that merges two publishers.
  @frozen
  public struct Merge<A: Publisher, B: Publisher>: Publisher
  where
    B.Output == A.Output, B.Failure == A.Failure
  {
    public typealias Output = A.Output
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
      let engine = MergeEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), count: 2)
      engine.attach(a, slot: 1)
      engine.attach(b, slot: 2)
    }

    /// Merges these publishers with another.
    @inlinable
    public func merge<C: Publisher>(with c: C) -> Merge3<A, B, C> { Merge3(a, b, c) }

    /// Merges these publishers with two others.
    @inlinable
    public func merge<C: Publisher, D: Publisher>(with c: C, _ d: D) -> Merge4<A, B, C, D> { Merge4(a, b, c, d) }

    /// Merges these publishers with three others.
    @inlinable
    public func merge<C: Publisher, D: Publisher, E: Publisher>(
      with c: C, _ d: D, _ e: E
    ) -> Merge5<A, B, C, D, E> { Merge5(a, b, c, d, e) }

    /// Merges these publishers with four others.
    @inlinable
    public func merge<C: Publisher, D: Publisher, E: Publisher, F: Publisher>(
      with c: C, _ d: D, _ e: E, _ f: F
    ) -> Merge6<A, B, C, D, E, F> { Merge6(a, b, c, d, e, f) }

    /// Merges these publishers with five others.
    @inlinable
    public func merge<C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher>(
      with c: C, _ d: D, _ e: E, _ f: F, _ g: G
    ) -> Merge7<A, B, C, D, E, F, G> { Merge7(a, b, c, d, e, f, g) }

    /// Merges these publishers with six others.
    @inlinable
    public func merge<C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher, H: Publisher>(
      with c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
    ) -> Merge8<A, B, C, D, E, F, G, H> { Merge8(a, b, c, d, e, f, g, h) }
  }

  /// A publisher that merges three publishers.
  @frozen
  public struct Merge3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where
    B.Output == A.Output, B.Failure == A.Failure,
    C.Output == A.Output, C.Failure == A.Failure
  {
    public typealias Output = A.Output
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
      let engine = MergeEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), count: 3)
      engine.attach(a, slot: 1)
      engine.attach(b, slot: 2)
      engine.attach(c, slot: 3)
    }

    /// Merges these publishers with another.
    @inlinable
    public func merge<D: Publisher>(with d: D) -> Merge4<A, B, C, D> { Merge4(a, b, c, d) }

    /// Merges these publishers with two others.
    @inlinable
    public func merge<D: Publisher, E: Publisher>(with d: D, _ e: E) -> Merge5<A, B, C, D, E> { Merge5(a, b, c, d, e) }

    /// Merges these publishers with three others.
    @inlinable
    public func merge<D: Publisher, E: Publisher, F: Publisher>(
      with d: D, _ e: E, _ f: F
    ) -> Merge6<A, B, C, D, E, F> { Merge6(a, b, c, d, e, f) }

    /// Merges these publishers with four others.
    @inlinable
    public func merge<D: Publisher, E: Publisher, F: Publisher, G: Publisher>(
      with d: D, _ e: E, _ f: F, _ g: G
    ) -> Merge7<A, B, C, D, E, F, G> { Merge7(a, b, c, d, e, f, g) }

    /// Merges these publishers with five others.
    @inlinable
    public func merge<D: Publisher, E: Publisher, F: Publisher, G: Publisher, H: Publisher>(
      with d: D, _ e: E, _ f: F, _ g: G, _ h: H
    ) -> Merge8<A, B, C, D, E, F, G, H> { Merge8(a, b, c, d, e, f, g, h) }
  }

  /// A publisher that merges four publishers.
  @frozen
  public struct Merge4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
  where
    B.Output == A.Output, B.Failure == A.Failure,
    C.Output == A.Output, C.Failure == A.Failure,
    D.Output == A.Output, D.Failure == A.Failure
  {
    public typealias Output = A.Output
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
      let engine = MergeEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), count: 4)
      engine.attach(a, slot: 1)
      engine.attach(b, slot: 2)
      engine.attach(c, slot: 3)
      engine.attach(d, slot: 4)
    }

    /// Merges these publishers with another.
    @inlinable
    public func merge<E: Publisher>(with e: E) -> Merge5<A, B, C, D, E> { Merge5(a, b, c, d, e) }

    /// Merges these publishers with two others.
    @inlinable
    public func merge<E: Publisher, F: Publisher>(
      with e: E, _ f: F
    ) -> Merge6<A, B, C, D, E, F> { Merge6(a, b, c, d, e, f) }

    /// Merges these publishers with three others.
    @inlinable
    public func merge<E: Publisher, F: Publisher, G: Publisher>(
      with e: E, _ f: F, _ g: G
    ) -> Merge7<A, B, C, D, E, F, G> { Merge7(a, b, c, d, e, f, g) }

    /// Merges these publishers with four others.
    @inlinable
    public func merge<E: Publisher, F: Publisher, G: Publisher, H: Publisher>(
      with e: E, _ f: F, _ g: G, _ h: H
    ) -> Merge8<A, B, C, D, E, F, G, H> { Merge8(a, b, c, d, e, f, g, h) }
  }

  /// A publisher that merges five publishers.
  @frozen
  public struct Merge5<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher>: Publisher
  where
    B.Output == A.Output, B.Failure == A.Failure,
    C.Output == A.Output, C.Failure == A.Failure,
    D.Output == A.Output, D.Failure == A.Failure,
    E.Output == A.Output, E.Failure == A.Failure
  {
    public typealias Output = A.Output
    public typealias Failure = A.Failure

    public let a: A
    public let b: B
    public let c: C
    public let d: D
    public let e: E

    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
      self.e = e
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = MergeEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), count: 5)
      engine.attach(a, slot: 1)
      engine.attach(b, slot: 2)
      engine.attach(c, slot: 3)
      engine.attach(d, slot: 4)
      engine.attach(e, slot: 5)
    }

    /// Merges these publishers with another.
    @inlinable
    public func merge<F: Publisher>(with f: F) -> Merge6<A, B, C, D, E, F> { Merge6(a, b, c, d, e, f) }

    /// Merges these publishers with two others.
    @inlinable
    public func merge<F: Publisher, G: Publisher>(
      with f: F, _ g: G
    ) -> Merge7<A, B, C, D, E, F, G> { Merge7(a, b, c, d, e, f, g) }

    /// Merges these publishers with three others.
    @inlinable
    public func merge<F: Publisher, G: Publisher, H: Publisher>(
      with f: F, _ g: G, _ h: H
    ) -> Merge8<A, B, C, D, E, F, G, H> { Merge8(a, b, c, d, e, f, g, h) }
  }

  /// A publisher that merges six publishers.
  @frozen
  public struct Merge6<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher>: Publisher
  where
    B.Output == A.Output, B.Failure == A.Failure,
    C.Output == A.Output, C.Failure == A.Failure,
    D.Output == A.Output, D.Failure == A.Failure,
    E.Output == A.Output, E.Failure == A.Failure,
    F.Output == A.Output, F.Failure == A.Failure
  {
    public typealias Output = A.Output
    public typealias Failure = A.Failure

    public let a: A
    public let b: B
    public let c: C
    public let d: D
    public let e: E
    public let f: F

    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
      self.e = e
      self.f = f
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = MergeEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), count: 6)
      engine.attach(a, slot: 1)
      engine.attach(b, slot: 2)
      engine.attach(c, slot: 3)
      engine.attach(d, slot: 4)
      engine.attach(e, slot: 5)
      engine.attach(f, slot: 6)
    }

    /// Merges these publishers with another.
    @inlinable
    public func merge<G: Publisher>(with g: G) -> Merge7<A, B, C, D, E, F, G> { Merge7(a, b, c, d, e, f, g) }

    /// Merges these publishers with two others.
    @inlinable
    public func merge<G: Publisher, H: Publisher>(
      with g: G, _ h: H
    ) -> Merge8<A, B, C, D, E, F, G, H> { Merge8(a, b, c, d, e, f, g, h) }
  }

  /// A publisher that merges seven publishers.
  @frozen
  public struct Merge7<
    A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher
  >: Publisher
  where
    B.Output == A.Output, B.Failure == A.Failure,
    C.Output == A.Output, C.Failure == A.Failure,
    D.Output == A.Output, D.Failure == A.Failure,
    E.Output == A.Output, E.Failure == A.Failure,
    F.Output == A.Output, F.Failure == A.Failure,
    G.Output == A.Output, G.Failure == A.Failure
  {
    public typealias Output = A.Output
    public typealias Failure = A.Failure

    public let a: A
    public let b: B
    public let c: C
    public let d: D
    public let e: E
    public let f: F
    public let g: G

    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
      self.e = e
      self.f = f
      self.g = g
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = MergeEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), count: 7)
      engine.attach(a, slot: 1)
      engine.attach(b, slot: 2)
      engine.attach(c, slot: 3)
      engine.attach(d, slot: 4)
      engine.attach(e, slot: 5)
      engine.attach(f, slot: 6)
      engine.attach(g, slot: 7)
    }

    /// Merges these publishers with another.
    @inlinable
    public func merge<H: Publisher>(with h: H) -> Merge8<A, B, C, D, E, F, G, H> { Merge8(a, b, c, d, e, f, g, h) }
  }

  /// A publisher that merges eight publishers.
  @frozen
  public struct Merge8<
    A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher, H: Publisher
  >: Publisher
  where
    B.Output == A.Output, B.Failure == A.Failure,
    C.Output == A.Output, C.Failure == A.Failure,
    D.Output == A.Output, D.Failure == A.Failure,
    E.Output == A.Output, E.Failure == A.Failure,
    F.Output == A.Output, F.Failure == A.Failure,
    G.Output == A.Output, G.Failure == A.Failure,
    H.Output == A.Output, H.Failure == A.Failure
  {
    public typealias Output = A.Output
    public typealias Failure = A.Failure

    public let a: A
    public let b: B
    public let c: C
    public let d: D
    public let e: E
    public let f: F
    public let g: G
    public let h: H

    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
      self.e = e
      self.f = f
      self.g = g
      self.h = h
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = MergeEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), count: 8)
      engine.attach(a, slot: 1)
      engine.attach(b, slot: 2)
      engine.attach(c, slot: 3)
      engine.attach(d, slot: 4)
      engine.attach(e, slot: 5)
      engine.attach(f, slot: 6)
      engine.attach(g, slot: 7)
      engine.attach(h, slot: 8)
    }
  }

  /// A publisher that merges any number of publishers of the same type.
  ///
  ///     let all = Publishers.MergeMany([first, second, updates])
  @frozen
  public struct MergeMany<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The merged publishers.
    public let publishers: [Upstream]

    /// Merges the given publishers.
    ///
    /// - Parameter upstream: The publishers to merge. If there are none, the stream finishes immediately.
    @inlinable
    public init(_ upstream: Upstream...) { publishers = upstream }

    /// Merges the publishers in a sequence.
    ///
    /// - Parameter upstream: The publishers to merge. If there are none, the stream finishes immediately.
    @inlinable
    public init<S: Swift.Sequence>(_ upstream: S) where S.Element == Upstream { publishers = Array(upstream) }

    /// Merges these publishers with another.
    ///
    /// - Complexity: O(*n*), where *n* is the number of publishers.
    @inlinable
    public func merge(with other: Upstream) -> MergeMany<Upstream> { MergeMany(publishers + [other]) }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      if publishers.isEmpty {
        return subscriber.receiveOnly(.finished)
      }
      let engine = MergeEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), count: publishers.count)
      for (slot, publisher) in publishers.enumerated() { engine.attach(publisher, slot: slot + 1) }
    }
  }
}

extension Publishers.Merge: Equatable where A: Equatable, B: Equatable {}
extension Publishers.Merge3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
extension Publishers.Merge4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
extension Publishers.Merge5: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable {}
extension Publishers.Merge6: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable {}
extension Publishers.Merge7: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable, G: Equatable {}
extension Publishers.Merge8: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable, G: Equatable, H: Equatable {}
extension Publishers.MergeMany: Equatable where Upstream: Equatable {}

extension Publishers.Merge: Sendable where A: Sendable, B: Sendable {}
extension Publishers.Merge3: Sendable where A: Sendable, B: Sendable, C: Sendable {}
extension Publishers.Merge4: Sendable where A: Sendable, B: Sendable, C: Sendable, D: Sendable {}
extension Publishers.Merge5: Sendable where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable {}
extension Publishers.Merge6: Sendable
where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable {}
extension Publishers.Merge7: Sendable
where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable {}
extension Publishers.Merge8: Sendable
where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable {}
extension Publishers.MergeMany: Sendable where Upstream: Sendable {}
