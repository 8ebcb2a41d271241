extension Publisher {
  /// Runs an asynchronous closure with every value, several at a time, and sends the results in the order of the values.
  ///
  /// ```swift
  /// pages = (1...100).publisher.map(maxTasks: 4) { try await load(page: $0) }
  /// ```
  ///
  /// ![Marble diagram of map with tasks](diagram-map-maxTasks)
  ///
  /// Each value starts a task. At most `maxTasks` values are ahead of what has been sent: they are running, or their results
  /// wait for those before; so a slow task holds those behind it up. `.max` is for no bound. It asks upstream for as many values
  /// as downstream has asked for, and for `maxTasks` at most, and for another one when a result has been sent.
  ///
  /// An end has its place in the order, too. When a closure throws, upstream and the tasks behind are cancelled at once, and the
  /// error is sent after the results that belong before it; so is a failure of upstream. When the stream is cancelled, so are
  /// all tasks. What a cancelled task returns or throws is dropped. It finishes when upstream and all tasks have.
  ///
  /// Which closure goes with which failure of upstream, where the closure runs and what becomes of values that are not
  /// `Sendable` are as in `flatMap(maxTasks:on:_:)`, which sends the results as they come. A result that had to wait is
  /// sent where the one before it ended. Costs what that costs.
  ///
  /// - Parameters:
  ///   - maxTasks: How many tasks run at once.
  ///   - scheduler: Where the tasks run, if its `taskExecutor` is not nil. A test scheduler runs them on its timeline.
  ///   - transform: What makes a result of a value. One that is not `Sendable` must be the closure's own to give away.
  /// - Precondition: `maxTasks` is positive.
  public func map<T>(
    maxTasks: Int, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Failure) -> sending T
  ) -> Publishers.MapTasks<Self, T> {
    Publishers.MapTasks(upstream: self, maxTasks: maxTasks, scheduler: scheduler, transform: transform)
  }
}

extension Publisher where Failure == Never {
  /// Runs an asynchronous closure that may throw with every value, several at a time, and sends the results in the order of the
  /// values.
  ///
  /// Of all else, see the method for a closure that throws what upstream fails with.
  @_disfavoredOverload
  public func map<T, Problem>(
    maxTasks: Int, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Problem) -> sending T
  ) -> Publishers.MapTasks<Publishers.SetFailureType<Self, Problem>, T> {
    setFailureType(to: Problem.self).map(maxTasks: maxTasks, on: scheduler, transform)
  }
}

extension Publishers {
  /// The publisher of `map(maxTasks:on:_:)`.
  public struct MapTasks<Upstream: Publisher, Output>: Publisher {
    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values the closure is called with.
    public let upstream: Upstream

    /// How many tasks run at once.
    public let maxTasks: Int

    /// Where the tasks run, if its `taskExecutor` is not nil.
    public let scheduler: (any Scheduler)?

    /// What makes a result of a value.
    public let transform: @isolated(any) @Sendable (Upstream.Output) async throws(Upstream.Failure) -> sending Output

    /// Makes the publisher.
    public init(
      upstream: Upstream, maxTasks: Int, scheduler: (any Scheduler)? = nil,
      transform: @escaping @isolated(any) @Sendable (Upstream.Output) async throws(Upstream.Failure) -> sending Output
    ) {
      require(maxTasks > 0, or: "map(maxTasks: \(maxTasks)): without a task, nothing can come. Allow at least one.")
      self.upstream = upstream
      self.maxTasks = maxTasks
      self.scheduler = scheduler
      self.transform = transform
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = Engine(LineMachine(length: maxTasks))
      let outlet = engine.makeOutlet(for: subscriber)
      if !engine.isOver {
        let line = Line<Output>()
        engine.guarded { outlet.keep(line) }
        let scheduler = scheduler
        let transform = transform
        engine.attach(
          upstream,
          MapTasksSubscriber(engine, outlet, line) { deferredTask(on: scheduler, transform, with: $0) })
      }
    }
  }
}

/// Where results wait for those before.
private final class Line<Element>: AnySlot {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var results: [Int: Element] = [:]
  @exclusivity(unchecked) private var first = 0

  func store(_ result: Element, at place: Int) { results[place] = result }

  /// Takes the result out that is next, if it has come.
  func takeFirst() -> Element? {
    guard let result = results.removeValue(forKey: first) else { return nil }
    first += 1
    return result
  }

  override func discard(_ engine: Engine) {
    var gone: [Int: Element] = [:]
    engine.guarded { swap(&gone, &results) }
  }
}

/// The subscriber of the outer source.
private struct MapTasksSubscriber<Input, Inner: Publisher>: Subscriber {
  typealias Failure = Inner.Failure
  let engine: Engine
  let outlet: Outlet<Inner.Output, Inner.Failure>
  let line: Line<Inner.Output>
  let transform: (Input) -> Inner

  init(
    _ engine: Engine, _ outlet: Outlet<Inner.Output, Inner.Failure>, _ line: Line<Inner.Output>,
    _ transform: @escaping (Input) -> Inner
  ) {
    self.engine = engine
    self.outlet = outlet
    self.line = line
    self.transform = transform
  }

  var combineIdentifier: CombineIdentifier { engine.combineIdentifier }

  func receive(subscription: any Subscription) { engine.connect(subscription, to: LineMachine.outer) }

  func receive(_ input: Input) -> Subscribers.Demand {
    guard let slot = engine.open() else { return .none }
    engine.attachNew(transform(input), LineChild(engine: engine, outlet: outlet, line: line, slot: slot))
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    outlet.end(LineMachine.outer, with: completion, through: engine)
  }
}

/// The subscriber of one task.
private struct LineChild<Input, Failure: Error>: Subscriber {
  let engine: Engine
  let outlet: Outlet<Input, Failure>
  let line: Line<Input>
  let slot: Int

  var combineIdentifier: CombineIdentifier { engine.combineIdentifier }

  func receive(subscription: any Subscription) { engine.connect(subscription, to: slot) }

  func receive(_ input: Input) -> Subscribers.Demand {
    engine.receive(
      from: slot, store: { line.store(input, at: slot) },
      combine: {
        while let result = line.takeFirst() { outlet.queue.append(result) }
      })
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    outlet.end(slot, with: completion, through: engine)
  }
}
