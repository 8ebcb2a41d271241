public import Streams

extension Publisher {
  /// Runs an asynchronous closure for each value and publishes the results in the order of the values.
  ///
  /// Values with the same key run one after the other. A limited number of values run concurrently.
  ///
  /// ```swift
  /// orders.map(maxTasks: 16, by: \.customer) { order in try await book(order) }.sink { socket.acknowledge($0) }
  /// ```
  ///
  /// ![The source publishes a, A and b at 100, 300 and 500 ms and finishes at 700 ms; the result publishes a1, A1 and b1 at 600, 800 and 800 ms and finishes.](diagram-map-maxTasks-by)
  ///
  /// The operator determines the key of a value when it arrives. The value's task starts when the task of the previous value with
  /// the same key has ended. Tasks of one key therefore never overlap and keep the order of the values, while tasks of other keys
  /// run. A result waits for the results of all earlier values, so that an acknowledgement never overtakes another. To publish
  /// the results as they arrive, use `flatMap(maxTasks:by:on:_:)`.
  ///
  /// At most `maxTasks` values are ahead of the delivered ones: running, waiting for their turn, or with a result that waits.
  /// Many values with one key can occupy all slots, so that others wait as well. The operator keeps keys while values have them,
  /// plus as many unused keys, at least 16. Requests to upstream, failures and cancellation work as in `map(maxTasks:on:_:)`. A
  /// task whose turn hasn't come when the stream ends never starts. A subject keeps no value that wasn't requested, so put
  /// `buffer(size:prefetch:whenFull:)` between it and this operator.
  ///
  /// `flatMap(maxTasks:on:_:)` describes the closure's error type, the executor that runs the closure, and how values that aren't
  /// `Sendable` are treated. They're the same here.
  ///
  /// - Parameters:
  ///   - maxTasks: The maximum number of values ahead of the delivered ones, and therefore of concurrent tasks. Use `.max` for no
  ///     limit.
  ///   - key: A closure that returns the key of a value.
  ///   - scheduler: The scheduler on which the tasks run, if its `taskExecutor` isn't `nil`. A test scheduler runs them on
  ///     its timeline.
  ///   - transform: An asynchronous closure that transforms a value into a result. A result that isn't `Sendable` must not be
  ///     shared with other code.
  /// - Returns: A publisher of the results, in the order of the values.
  /// - Precondition: `maxTasks` is positive.
  /// - Complexity: Amortized O(1) for each value.
  public __consuming func map<Key: Hashable, T>(
    maxTasks: Int, by key: @escaping (Output) -> Key, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Failure) -> sending T
  ) -> TasksByKeyPublisher<Self, Key, T> {
    TasksByKeyPublisher(
      upstream: self, maxTasks: maxTasks, isOrdered: true, key: key, scheduler: scheduler, transform: transform)
  }

  /// Runs an asynchronous closure for each value and publishes the results as they arrive.
  ///
  /// Values with the same key run one after the other. A limited number of values run concurrently.
  ///
  /// ```swift
  /// readings.flatMap(maxTasks: 16, by: \.sensor) { reading in try await store(reading) }
  /// ```
  ///
  /// ![The source publishes a, A and b at 100, 300 and 500 ms and finishes at 700 ms; the result publishes a1, b1 and A1 at 600, 700 and 800 ms and finishes.](diagram-flatMap-maxTasks-by)
  ///
  /// Tasks take turns as in `map(maxTasks:by:on:_:)`. The results of one key keep their order. The results of different keys are
  /// published as they arrive. Requests to upstream, failures and cancellation work as in `flatMap(maxTasks:on:_:)`. A value that
  /// waits for its turn counts as a task.
  ///
  /// - Parameters:
  ///   - maxTasks: The maximum number of tasks that run or wait for their turn. Use `.max` for no limit.
  ///   - key: A closure that returns the key of a value.
  ///   - scheduler: The scheduler on which the tasks run, if its `taskExecutor` isn't `nil`. A test scheduler runs them on
  ///     its timeline.
  ///   - transform: An asynchronous closure that transforms a value into a result. A result that isn't `Sendable` must not be
  ///     shared with other code.
  /// - Returns: A publisher of the results, in the order in which they arrive.
  /// - Precondition: `maxTasks` is positive.
  /// - Complexity: Amortized O(1) for each value.
  public __consuming func flatMap<Key: Hashable, T>(
    maxTasks: Int, by key: @escaping (Output) -> Key, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Failure) -> sending T
  ) -> TasksByKeyPublisher<Self, Key, T> {
    TasksByKeyPublisher(
      upstream: self, maxTasks: maxTasks, isOrdered: false, key: key, scheduler: scheduler, transform: transform)
  }
}

extension Publisher where Failure == Never {
  /// Runs a throwing asynchronous closure for each value and publishes the results in the order of the values.
  ///
  /// It requires an upstream that can't fail. Values with the same key run one after the other.
  ///
  /// Otherwise it behaves like the overload whose closure throws upstream's failure type.
  ///
  /// - Parameters:
  ///   - maxTasks: The maximum number of values ahead of the delivered ones, and therefore of concurrent tasks. Use `.max` for no
  ///     limit.
  ///   - key: A closure that returns the key of a value.
  ///   - scheduler: The scheduler on which the tasks run, if its `taskExecutor` isn't `nil`. A test scheduler runs them on
  ///     its timeline.
  ///   - transform: An asynchronous closure that transforms a value into a result. A result that isn't `Sendable` must not be
  ///     shared with other code.
  /// - Returns: A publisher of the results, in the order of the values.
  /// - Precondition: `maxTasks` is positive.
  /// - Complexity: Amortized O(1) for each value.
  @_disfavoredOverload
  public __consuming func map<Key: Hashable, T, Problem>(
    maxTasks: Int, by key: @escaping (Output) -> Key, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Problem) -> sending T
  ) -> TasksByKeyPublisher<Publishers.SetFailureType<Self, Problem>, Key, T> {
    setFailureType(to: Problem.self).map(maxTasks: maxTasks, by: key, on: scheduler, transform)
  }

  /// Runs a throwing asynchronous closure for each value and publishes the results as they arrive.
  ///
  /// It requires an upstream that can't fail. Values with the same key run one after the other.
  ///
  /// Otherwise it behaves like the overload whose closure throws upstream's failure type.
  ///
  /// - Parameters:
  ///   - maxTasks: The maximum number of tasks that run or wait for their turn. Use `.max` for no limit.
  ///   - key: A closure that returns the key of a value.
  ///   - scheduler: The scheduler on which the tasks run, if its `taskExecutor` isn't `nil`. A test scheduler runs them on
  ///     its timeline.
  ///   - transform: An asynchronous closure that transforms a value into a result. A result that isn't `Sendable` must not be
  ///     shared with other code.
  /// - Returns: A publisher of the results, in the order in which they arrive.
  /// - Precondition: `maxTasks` is positive.
  /// - Complexity: Amortized O(1) for each value.
  @_disfavoredOverload
  public __consuming func flatMap<Key: Hashable, T, Problem>(
    maxTasks: Int, by key: @escaping (Output) -> Key, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Problem) -> sending T
  ) -> TasksByKeyPublisher<Publishers.SetFailureType<Self, Problem>, Key, T> {
    setFailureType(to: Problem.self).flatMap(maxTasks: maxTasks, by: key, on: scheduler, transform)
  }
}

/// The publisher of `map(maxTasks:by:on:_:)` and `flatMap(maxTasks:by:on:_:)`.
public struct TasksByKeyPublisher<Upstream: Publisher, Key: Hashable, Output>: Publisher {
  public typealias Failure = Upstream.Failure

  /// The publisher whose values are transformed.
  public let upstream: Upstream

  /// The maximum number of values in progress.
  public let maxTasks: Int

  /// Indicates whether results are published in the order of the values.
  public let isOrdered: Bool

  /// A closure that returns the key of a value.
  public let key: (Upstream.Output) -> Key

  /// The scheduler on which the tasks run, if its `taskExecutor` isn't `nil`.
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
  ///   - scheduler: The scheduler on which the tasks run, if its `taskExecutor` isn't `nil`.
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

/// A publisher that takes a turn when it's subscribed to and starts a task when its turn comes.
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
    // The subscription of a task that may still wait for its turn.
    let link = AnnotatedLink(whenCancelled: turn.abandon)
    subscriber.receive(subscription: link)
    turn.begin(
      ContextSnapshot.following {
        Future(work, on: executor, for: operatorName).subscribe(TurnSubscriber(downstream: subscriber, link: link))
        // A task may end before it's subscribed to. Its result is then delivered now, before the next task's result.
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

extension TurnSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole {
    .links("tasks in turn", to: Downstream.self)
  }
}

/// The order in which the tasks of values with the same key take turns.
///
/// The keys are looked up on the value path, outside the lock. The value path is serial, and hashing and comparing keys runs the
/// user's code. A key whose turns are over stays until a later one finds twice as many keys as were in use.
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
  /// The number of ends to wait for: the end of the work, and the end of attaching its subscriber.
  @exclusivity(unchecked) fileprivate var remaining = 2
  /// Indicates whether the work was cancelled before it began.
  @exclusivity(unchecked) fileprivate var isAbandoned = false
  private let lock: TurnLock

  fileprivate enum Phase {
    /// An earlier turn isn't over.
    case waiting
    /// The turn has come, but the work hasn't begun.
    case up
    case running
    /// Neither this turn nor an earlier one is still running, and no later one has been taken.
    case over
  }

  fileprivate init(_ lock: TurnLock) { self.lock = lock }

  /// Starts work when the turn comes, unless it has been abandoned. The work ends with ``end()``.
  func begin(_ start: @escaping () -> Void) { lock.begin(self, start) }

  /// Records that the work has ended and lets the next one begin.
  @Sendable func end() { lock.endPart(of: self) }

  /// Records that the work is no longer needed. If it has begun, its turn still lasts until its end.
  func abandon() { lock.abandon(self) }
}

/// The transitions of turns, which own the state. The lock's state isn't empty, because ThreadSanitizer takes accesses to an
/// empty one for accesses to the object itself.
private final class TurnLock {
  private let lock = Locked<UInt8>(0)

  /// Puts a turn after the previous one, if that one is still running.
  func follow(_ turn: Turn, _ before: Turn?) {
    lock.withLock { _ in
      if let before, before.phase != .over { before.next = turn } else { turn.phase = .up }
    }
  }

  func areOver(_ turns: some Collection<Turn>) -> [Bool] { lock.withLock { _ in turns.map { $0.phase == .over } } }

  func begin(_ turn: Turn, _ start: @escaping () -> Void) {
    let starts = lock.withLock { _ in
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
    let (isUp, start) = lock.withLock { _ in
      if turn.phase == .running || turn.isAbandoned { return (false, (() -> Void)?.none) }
      turn.isAbandoned = true
      return (turn.phase == .up, turn.start.take())
    }
    _ = start
    if isUp { end(turn) }
  }

  func endPart(of turn: Turn) {
    let isLast = lock.withLock { _ in
      turn.remaining -= 1
      return turn.remaining == 0
    }
    if isLast { end(turn) }
  }

  private func end(_ turn: Turn) {
    // Released one by one, outside the lock.
    var passed: [Turn] = []
    let start: (() -> Void)? = lock.withLock { _ in
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
