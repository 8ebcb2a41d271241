extension Publisher {
  /// Passes on what this publisher or another sends, whichever signals something first, and cancels the other one.
  ///
  ///     mirrors[0].load(page).race(with: mirrors[1].load(page))
  ///
  /// ![Marble diagram of race(with:)](diagram-race)
  ///
  /// A completion counts as well, also a failure. Until one has won, requests go to both. The other is subscribed to
  /// only if this publisher has not won while it was being subscribed to.
  @inlinable @_disfavoredOverload
  public __consuming func race<P: Publisher>(with other: P) -> Publishers.Race<Self, P>
  where P.Output == Output, P.Failure == Failure { Publishers.Race(self, other) }
}

extension Collection where Element: Publisher {
  /// Passes on what one of the publishers sends: the one that signals something first. The others are cancelled.
  ///
  /// Without a publisher it finishes at once. ``Publisher/race(with:)`` says the rest.
  @inlinable @_disfavoredOverload
  public func race() -> Publishers.RaceMany<Element> { Publishers.RaceMany(self) }
}

extension Publishers {
  /// The publisher of ``Publisher/race(with:)``.
  @frozen
  public struct Race<A: Publisher, B: Publisher>: Publisher where B.Output == A.Output, B.Failure == A.Failure {
    /// The kind of values this publisher sends.
    public typealias Output = A.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = A.Failure

    /// A publisher that may win.
    public let a: A

    /// A publisher that may win.
    public let b: B

    /// Creates the publisher.
    @inlinable
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let racing = Racing(subscriber)
      racing.attach(a)
      racing.attach(b)
    }
  }

  /// The publisher of `race()` of a collection.
  @frozen
  public struct RaceMany<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publishers of which one wins.
    public let publishers: [Upstream]

    /// Lets publishers race.
    @inlinable
    public init<S: Swift.Sequence>(_ publishers: S) where S.Element == Upstream { self.publishers = Array(publishers) }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      if publishers.isEmpty { return subscriber.receiveOnly(.finished) }
      let racing = Racing(subscriber)
      for publisher in publishers { racing.attach(publisher) }
    }
  }
}

extension Publishers.Race: Equatable where A: Equatable, B: Equatable {}
extension Publishers.RaceMany: Equatable where Upstream: Equatable {}

/// What a race of two and one of many share.
@usableFromInline @frozen
struct Racing<Output, Failure: Error> {
  @usableFromInline let engine: Engine
  @usableFromInline let outlet: Outlet<Output, Failure>

  @inlinable @inline(__always)
  init<Downstream: Subscriber>(_ downstream: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    engine = Engine.race()
    outlet = engine.makeOutlet(for: downstream)
  }

  @inlinable @inline(__always)
  func attach<Source: Publisher>(_ source: Source)
  where Source.Output == Output, Source.Failure == Failure {
    if let slot = engine.open() { engine.attach(source, Child(engine, outlet, slot: slot)) }
  }
}

extension Engine {
  @usableFromInline
  static func race() -> Engine { Engine(RaceMachine()) }
}

extension Publishers.Race: Sendable where A: Sendable, B: Sendable {}
extension Publishers.RaceMany: Sendable where Upstream: Sendable {}
