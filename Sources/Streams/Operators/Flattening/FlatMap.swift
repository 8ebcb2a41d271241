extension Publisher {
  /// Turns every value into a publisher and passes on what those send.
  ///
  ///     ids.flatMap { load($0) }
  ///
  /// ![Marble diagram of flatMap](diagram-flatMap)
  ///
  /// ![Marble diagram of flatMap with one publisher at a time](diagram-flatMap-maxPublishers)
  ///
  /// At most `maxPublishers` are attached at once; upstream is asked for so many values, whatever downstream has asked for,
  /// and for another one when a publisher finishes. One that has finished counts as attached as long as a value of it waits.
  /// Unless downstream asks for everything, each is asked for one value at a time, and those that wait, `maxPublishers` at
  /// most, are delivered in turn. It finishes when upstream and all publishers have, and fails as soon as one does; the others
  /// are cancelled then.
  ///
  /// - Precondition: `maxPublishers` is not `.none`, with which nothing would ever come.
  @inlinable
  public __consuming func flatMap<T, P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where T == P.Output, Failure == P.Failure {
    Publishers.FlatMap(
      upstream: self, maxPublishers: maxPublishers,
      transform: isolation.checking(transform, fileID, filePath, line, column))
  }
}

extension Publisher where Failure == Never {
  /// Turns every value into a publisher that may fail, and passes on what those send.
  @inlinable
  public __consuming func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
    let transform = isolation.checking(transform, fileID, filePath, line, column)
    return setFailureType(to: P.Failure.self).flatMap(maxPublishers: maxPublishers, transform)
  }

  /// Turns every value into a publisher and passes on what those send.
  @inlinable
  public __consuming func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
    Publishers.FlatMap(
      upstream: self, maxPublishers: maxPublishers,
      transform: isolation.checking(transform, fileID, filePath, line, column))
  }
}

extension Publisher {
  /// Turns every value into a publisher that cannot fail, and passes on what those send.
  @inlinable
  public __consuming func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
    let transform = isolation.checking(transform, fileID, filePath, line, column)
    let failureType = Failure.self
    return flatMap(maxPublishers: maxPublishers) { transform($0).setFailureType(to: failureType) }
  }
}

extension Publishers {
  /// The publisher of `flatMap(maxPublishers:_:)`.
  @frozen
  public struct FlatMap<NewPublisher: Publisher, Upstream: Publisher>: Publisher
  where NewPublisher.Failure == Upstream.Failure {
    /// The type of value this publisher publishes.
    public typealias Output = NewPublisher.Output

    /// The type of error this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are turned into publishers.
    public let upstream: Upstream

    /// How many publishers are attached at once.
    public let maxPublishers: Subscribers.Demand

    /// What turns a value into a publisher.
    public let transform: (Upstream.Output) -> NewPublisher

    /// Creates the publisher.
    @inlinable
    public init(
      upstream: Upstream, maxPublishers: Subscribers.Demand, transform: @escaping (Upstream.Output) -> NewPublisher
    ) {
      require(
        maxPublishers != .none,
        or: "flatMap(maxPublishers: .none): without a publisher, nothing can come. Allow at least one with .max(1).")
      self.upstream = upstream
      self.maxPublishers = maxPublishers
      self.transform = transform
    }

    /// Attaches a subscriber to this publisher.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = Engine.flatMap(maxPublishers: maxPublishers)
      let outlet = engine.makeOutlet(for: subscriber)
      if !engine.isOver {
        engine.attach(upstream, FlatMapSubscriber(engine, outlet, maxPublishers: maxPublishers, transform))
      }
    }
  }
}

/// The subscriber of the outer publisher, whose values are or become publishers.
@usableFromInline @frozen
struct FlatMapSubscriber<Input, Inner: Publisher>: Subscriber {
  @usableFromInline typealias Failure = Inner.Failure
  @usableFromInline let engine: Engine
  @usableFromInline let outlet: Outlet<Inner.Output, Inner.Failure>
  @usableFromInline let transform: (Input) -> Inner
  /// What is asked of the outer source in place of one whose inner source has ended.
  @usableFromInline let replacement: Subscribers.Demand

  @inlinable
  init(
    _ engine: Engine, _ outlet: Outlet<Inner.Output, Inner.Failure>, maxPublishers: Subscribers.Demand,
    _ transform: @escaping (Input) -> Inner
  ) {
    replacement = maxPublishers == .unlimited ? .none : .max(1)
    self.engine = engine
    self.outlet = outlet
    self.transform = transform
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { engine.combineIdentifier }

  @inlinable
  func receive(subscription: any Subscription) { engine.connect(subscription, to: FlatMapMachine.outer) }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    let inner = transform(input)
    // A single value need not be subscribed to if it can go straight downstream; the type is known when this is compiled.
    if let single = inner as? Just<Inner.Output>, engine.beginDirect(from: FlatMapMachine.anyInner) {
      _ = outlet.pass(single.output)
      engine.endDirect()
      return replacement
    }
    guard let slot = engine.open() else { return .none }
    engine.attachNew(inner, Child(engine, outlet, slot: slot))
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    outlet.end(FlatMapMachine.outer, with: completion, through: engine)
  }
}

extension Engine {
  @usableFromInline
  static func flatMap(maxPublishers: Subscribers.Demand) -> Engine {
    Engine(FlatMapMachine(maxPublishers: maxPublishers))
  }
}
