extension Publisher {
  /// Runs an asynchronous closure for each value, one after the other for values with the same key and a limited number side
  /// by side, and publishes the results in the order of the values.
  ///
  /// ```swift
  /// orders.map(maxTasks: 16, by: \.customer) { order in try await book(order) }.sink { socket.acknowledge($0) }
  /// ```
  ///
  /// ![The source publishes a, A and b at 100, 300 and 500 ms and finishes at 700 ms; the result publishes a1, A1 and b1 at 600, 800 and 800 ms and finishes.](diagram-map-maxTasks-by)
  ///
  /// The key of a value is determined when it arrives. Its task starts when the task of the value before it with the same key
  /// has ended, so tasks of one key never overlap and keep the order of the values; those of other keys run
  /// meanwhile. A result waits for those of all earlier values, so that an acknowledgement never overtakes
  /// another; `flatMap(maxTasks:by:on:_:)` publishes the results as they arrive.
  ///
  /// At most `maxTasks` values are ahead of what has been delivered: running, waiting for their turn, or with a result that
  /// waits. Many values with one key can occupy all places, so that others wait as well. Keys are kept while values have them,
  /// and of the others as many again, at least 16. What is requested from upstream, failures, and cancellation are as for
  /// `map(maxTasks:on:_:)`; a task whose turn has not come when the stream ends never starts. A subject keeps no value that was
  /// not requested: put `buffer(size:prefetch:whenFull:)` between it and this operator.
  ///
  /// The closure's error type, the executor on which it runs, and the treatment of values that are not `Sendable` are as for
  /// `flatMap(maxTasks:on:_:)`.
  ///
  /// - Parameters:
  ///   - maxTasks: The maximum number of values ahead of what has been delivered, and so of concurrent tasks; `.max` for no
  ///     limit.
  ///   - key: A closure that returns the key of a value.
  ///   - scheduler: The scheduler on which the tasks run, if its `taskExecutor` is not `nil`. A test scheduler runs them on
  ///     its timeline.
  ///   - transform: An asynchronous closure that transforms a value into a result. A result that is not `Sendable` must not be
  ///     shared with other code.
  /// - Returns: A publisher of the results, in the order of the values.
  /// - Precondition: `maxTasks` is positive.
  /// - Complexity: Amortized O(1) for each value.
  public __consuming func map<Key: Hashable, T>(
    maxTasks: Int, by key: @escaping (Output) -> Key, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Failure) -> sending T
  ) -> ExtendedPublishers.TasksByKey<Self, Key, T> {
    ExtendedPublishers.TasksByKey(
      upstream: self, maxTasks: maxTasks, isOrdered: true, key: key, scheduler: scheduler, transform: transform)
  }

  /// Runs an asynchronous closure for each value, one after the other for values with the same key and a limited number side
  /// by side, and publishes the results as they arrive.
  ///
  /// ```swift
  /// readings.flatMap(maxTasks: 16, by: \.sensor) { reading in try await store(reading) }
  /// ```
  ///
  /// ![The source publishes a, A and b at 100, 300 and 500 ms and finishes at 700 ms; the result publishes a1, b1 and A1 at 600, 700 and 800 ms and finishes.](diagram-flatMap-maxTasks-by)
  ///
  /// Tasks take turns as with `map(maxTasks:by:on:_:)`, and the results of one key keep their order; those of different keys
  /// are published as they arrive. What is requested from upstream, failures, and cancellation are as for
  /// `flatMap(maxTasks:on:_:)`, where a value that waits for its turn counts as a task.
  ///
  /// - Parameters:
  ///   - maxTasks: The maximum number of tasks that run or wait for their turn; `.max` for no limit.
  ///   - key: A closure that returns the key of a value.
  ///   - scheduler: The scheduler on which the tasks run, if its `taskExecutor` is not `nil`. A test scheduler runs them on
  ///     its timeline.
  ///   - transform: An asynchronous closure that transforms a value into a result. A result that is not `Sendable` must not be
  ///     shared with other code.
  /// - Returns: A publisher of the results, in the order in which they arrive.
  /// - Precondition: `maxTasks` is positive.
  /// - Complexity: Amortized O(1) for each value.
  public __consuming func flatMap<Key: Hashable, T>(
    maxTasks: Int, by key: @escaping (Output) -> Key, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Failure) -> sending T
  ) -> ExtendedPublishers.TasksByKey<Self, Key, T> {
    ExtendedPublishers.TasksByKey(
      upstream: self, maxTasks: maxTasks, isOrdered: false, key: key, scheduler: scheduler, transform: transform)
  }
}

extension Publisher where Failure == Never {
  /// Runs an asynchronous closure that can throw for each value, one after the other for values with the same key, and
  /// publishes the results in the order of the values, if upstream cannot fail.
  ///
  /// Otherwise it is the same as the overload whose closure throws upstream's failure type.
  ///
  /// - Parameters:
  ///   - maxTasks: The maximum number of values ahead of what has been delivered, and so of concurrent tasks; `.max` for no
  ///     limit.
  ///   - key: A closure that returns the key of a value.
  ///   - scheduler: The scheduler on which the tasks run, if its `taskExecutor` is not `nil`. A test scheduler runs them on
  ///     its timeline.
  ///   - transform: An asynchronous closure that transforms a value into a result. A result that is not `Sendable` must not be
  ///     shared with other code.
  /// - Returns: A publisher of the results, in the order of the values.
  /// - Precondition: `maxTasks` is positive.
  /// - Complexity: Amortized O(1) for each value.
  @_disfavoredOverload
  public __consuming func map<Key: Hashable, T, Problem>(
    maxTasks: Int, by key: @escaping (Output) -> Key, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Problem) -> sending T
  ) -> ExtendedPublishers.TasksByKey<Publishers.SetFailureType<Self, Problem>, Key, T> {
    setFailureType(to: Problem.self).map(maxTasks: maxTasks, by: key, on: scheduler, transform)
  }

  /// Runs an asynchronous closure that can throw for each value, one after the other for values with the same key, and
  /// publishes the results as they arrive, if upstream cannot fail.
  ///
  /// Otherwise it is the same as the overload whose closure throws upstream's failure type.
  ///
  /// - Parameters:
  ///   - maxTasks: The maximum number of tasks that run or wait for their turn; `.max` for no limit.
  ///   - key: A closure that returns the key of a value.
  ///   - scheduler: The scheduler on which the tasks run, if its `taskExecutor` is not `nil`. A test scheduler runs them on
  ///     its timeline.
  ///   - transform: An asynchronous closure that transforms a value into a result. A result that is not `Sendable` must not be
  ///     shared with other code.
  /// - Returns: A publisher of the results, in the order in which they arrive.
  /// - Precondition: `maxTasks` is positive.
  /// - Complexity: Amortized O(1) for each value.
  @_disfavoredOverload
  public __consuming func flatMap<Key: Hashable, T, Problem>(
    maxTasks: Int, by key: @escaping (Output) -> Key, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Problem) -> sending T
  ) -> ExtendedPublishers.TasksByKey<Publishers.SetFailureType<Self, Problem>, Key, T> {
    setFailureType(to: Problem.self).flatMap(maxTasks: maxTasks, by: key, on: scheduler, transform)
  }
}

extension ExtendedPublishers {
  /// The publisher of `map(maxTasks:by:on:_:)` and `flatMap(maxTasks:by:on:_:)`.
  public struct TasksByKey<Upstream: Publisher, Key: Hashable, Output>: Publisher {
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are transformed.
    public let upstream: Upstream

    /// The maximum number of values in progress.
    public let maxTasks: Int

    /// Indicates whether results are published in the order of the values.
    public let isOrdered: Bool

    /// A closure that returns the key of a value.
    public let key: (Upstream.Output) -> Key

    /// The scheduler on which the tasks run, if its `taskExecutor` is not `nil`.
    public let scheduler: (any Scheduler)?

    /// An asynchronous closure that transforms a value into a result.
    public let transform: @isolated(any) @Sendable (Upstream.Output) async throws(Upstream.Failure) -> sending Output

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose values are transformed.
    ///   - maxTasks: The maximum number of values in progress.
    ///   - isOrdered: Indicates whether results are published in the order of the values.
    ///   - key: A closure that returns the key of a value.
    ///   - scheduler: The scheduler on which the tasks run, if its `taskExecutor` is not `nil`.
    ///   - transform: An asynchronous closure that transforms a value into a result.
    public init(
      upstream: Upstream, maxTasks: Int, isOrdered: Bool, key: @escaping (Upstream.Output) -> Key,
      scheduler: (any Scheduler)? = nil,
      transform: @escaping @isolated(any) @Sendable (Upstream.Output) async throws(Upstream.Failure) -> sending Output
    ) {
      require(
        maxTasks > 0,
        or: "\(isOrdered ? "map" : "flatMap")(maxTasks:by:) requires a maximum of at least 1, got \(maxTasks).")
      self.upstream = upstream
      self.maxTasks = maxTasks
      self.isOrdered = isOrdered
      self.key = key
      self.scheduler = scheduler
      self.transform = transform
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let turns = KeyedTurns<Key>()
      let (key, executor, transform) = (key, scheduler?.taskExecutor, transform)
      let operatorName = isOrdered ? "map(maxTasks:by:)" : "flatMap(maxTasks:by:)"
      let task = { (value: Upstream.Output) in
        TaskInTurn(turns: turns, key: key(value), executor: executor, operatorName: operatorName) { end in
          FutureWork(transform, with: value, whenEnded: end)
        }
      }
      if isOrdered {
        upstream.subscribe(subscriber, mappingInOrder: task, maxCount: maxTasks)
      } else {
        upstream.flatMap(maxPublishers: maxTasks == .max ? .unlimited : .max(maxTasks), task)
          .receive(subscriber: subscriber)
      }
    }
  }
}

/// A publisher that takes a turn when it is subscribed to, and starts a task when its turn comes.
private struct TaskInTurn<Key: Hashable, Output, Failure: Error>: Publisher {
  let turns: KeyedTurns<Key>
  let key: Key
  let executor: (any TaskExecutor)?
  let operatorName: String
  /// Makes the work, which calls a closure at its end.
  let makeWork: (@escaping @Sendable () -> Void) -> FutureWork<Output, Failure>

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let turn = turns.take(key)
    let work = makeWork(turn.end)
    let link = TurnLink(turn)
    subscriber.receive(subscription: link)
    turn.begin(
      ContextSnapshot.following {
        Future(work, on: executor, for: operatorName).subscribe(TurnSubscriber(downstream: subscriber, link: link))
        // A task may have ended before it was subscribed to: its result is delivered now, before that of the next.
        turn.end()
      })
  }
}

private struct TurnSubscriber<Downstream: Subscriber>: Subscriber {
  let downstream: Downstream
  let link: UpstreamLink

  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  func receive(subscription: any Subscription) { _ = link.connect(subscription) }

  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    link.isForwarding ? downstream.receive(input) : .none
  }

  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    if link.finish() { downstream.receive(completion: completion) }
  }
}

/// The subscription of a task that may still wait for its turn.
private final class TurnLink: UpstreamLink {
  private let turn: Turn

  init(_ turn: Turn) {
    self.turn = turn
    super.init()
  }

  override func cancel() {
    super.cancel()
    turn.abandon()
  }
}

/// The order in which the tasks of values with the same key take turns.
///
/// The keys are looked up on the value path, which is serial, and so outside the lock: hashing and comparing them is code of
/// the user. A key whose turns are over stays until a later one finds that there are twice as many as there were in use.
private final class KeyedTurns<Key: Hashable> {
  private let lock = TurnLock()
  // Exclusive: accessed only on the value path.
  /// The last turn for each key.
  @exclusivity(unchecked) private var last: [Key: Turn] = [:]
  @exclusivity(unchecked) private var limit = 16

  func take(_ key: Key) -> Turn {
    let turn = Turn(lock)
    let before = last.updateValue(turn, forKey: key)
    lock.follow(turn, before)
    if last.count > limit { sweep() }
    return turn
  }

  /// Removes the keys whose turns are over.
  private func sweep() {
    let isOver = lock.areOver(last.values)
    for (key, isOver) in zip(Array(last.keys), isOver) where isOver { last[key] = nil }
    limit = max(16, last.count * 2)
  }
}

/// The turn of one value. A list leads from each turn to the next with the same key.
// Unchecked: all state is protected by the lock.
private final class Turn: @unchecked Sendable {
  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  @exclusivity(unchecked) fileprivate var next: Turn?
  /// The work that waits for the turn.
  @exclusivity(unchecked) fileprivate var start: (() -> Void)?
  @exclusivity(unchecked) fileprivate var phase = Phase.waiting
  /// The number of ends to wait for: that of the work, and that of the attachment of its subscriber.
  @exclusivity(unchecked) fileprivate var remaining = 2
  /// Indicates whether the work was cancelled before it began.
  @exclusivity(unchecked) fileprivate var isAbandoned = false
  private let lock: TurnLock

  fileprivate enum Phase {
    /// An earlier turn is not over.
    case waiting
    /// The turn has come, and the work has not begun.
    case up
    case running
    /// Neither this turn nor an earlier one lasts, and no later one has been taken.
    case over
  }

  fileprivate init(_ lock: TurnLock) { self.lock = lock }

  /// Starts work when the turn comes, unless that has been abandoned. The work ends with ``end()``.
  func begin(_ start: @escaping () -> Void) { lock.begin(self, start) }

  /// Records that the work has ended, and lets the next begin.
  @Sendable func end() { lock.endPart(of: self) }

  /// Records that the work is not wanted any more; if it has begun, its turn nevertheless lasts until its end.
  func abandon() { lock.abandon(self) }
}

/// The transitions of turns. The state is theirs; that of the lock is not empty, because ThreadSanitizer takes accesses to an
/// empty one for accesses to the object itself.
private final class TurnLock: Locked<UInt8> {
  init() { super.init(0) }

  /// Puts a turn behind the one before it, if that lasts.
  func follow(_ turn: Turn, _ before: Turn?) {
    withLock { _ in
      if let before, before.phase != .over { before.next = turn } else { turn.phase = .up }
    }
  }

  func areOver(_ turns: some Collection<Turn>) -> [Bool] { withLock { _ in turns.map { $0.phase == .over } } }

  func begin(_ turn: Turn, _ start: @escaping () -> Void) {
    let starts = withLock { _ in
      if turn.isAbandoned { return false }
      guard turn.phase == .up else {
        turn.start = start
        return false
      }
      turn.phase = .running
      return true
    }
    if starts { start() }
  }

  func abandon(_ turn: Turn) {
    let (isUp, start) = withLock { _ in
      if turn.phase == .running || turn.isAbandoned { return (false, (() -> Void)?.none) }
      turn.isAbandoned = true
      return (turn.phase == .up, turn.start.take())
    }
    _ = start
    if isUp { end(turn) }
  }

  func endPart(of turn: Turn) {
    let isLast = withLock { _ in
      turn.remaining -= 1
      return turn.remaining == 0
    }
    if isLast { end(turn) }
  }

  private func end(_ turn: Turn) {
    // Released one by one, outside the lock.
    var passed: [Turn] = []
    let start: (() -> Void)? = withLock { _ in
      var current = turn
      while let next = current.next.take() {
        passed.append(current)
        current = next
        if next.isAbandoned { continue }
        next.phase = next.start == nil ? .up : .running
        return next.start.take()
      }
      current.phase = .over
      return nil
    }
    start?()
  }
}
