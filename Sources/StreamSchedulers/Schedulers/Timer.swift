public import Streams

extension Scheduler {
  /// Returns a publisher that, while connected, sends the scheduler's time after each interval.
  ///
  /// ```swift
  /// let cancellable = scheduler.timerPublisher(every: .seconds(1)).autoconnect().sink { print($0) }
  /// ```
  ///
  /// ![The result publishes 300 ms, 600 ms and 900 ms at 300, 600 and 900 ms and is cancelled at 1.1 s.](diagram-timerPublisher)
  ///
  /// For demand, cancellation and connections, see ``TimerPublisher``. An interval of zero or less is reported, and the
  /// timer doesn't tick.
  ///
  /// - Parameters:
  ///   - interval: The time between ticks.
  ///   - tolerance: The time by which a tick may be late, or `nil` for the scheduler's `minimumTolerance`.
  ///   - options: The scheduler's options.
  /// - Returns: A connectable publisher that publishes the time of each tick.
  /// - Complexity: One repeating action on the scheduler, for any number of subscribers. Each tick takes O(*n*), where *n* is the
  ///   number of subscribers.
  @_disfavoredOverload
  public func timerPublisher(
    every interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride? = nil,
    options: SchedulerOptions? = nil, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> TimerPublisher<Self> {
    TimerPublisher(
      every: interval, tolerance: tolerance, scheduler: self, options: options, fileID: fileID, filePath: filePath,
      line: line, column: column)
  }

  /// Returns a publisher that, while connected, sends the scheduler's time after each interval, given as a duration.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public func timerPublisher(
    every interval: Duration, tolerance: SchedulerTimeType.Stride? = nil, options: SchedulerOptions? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    // Never passed. For `.seconds(0.5)`, the compiler prefers the function with fewer parameters.
    _ nothing: Never...
  ) -> TimerPublisher<Self> {
    timerPublisher(
      every: .nanoseconds(interval.clampedNanoseconds), tolerance: tolerance, options: options, fileID: fileID,
      filePath: filePath,
      line: line, column: column)
  }
}

/// A publisher that, while connected, sends its scheduler's time after each interval.
///
/// ```swift
/// let timer = TimerPublisher(every: .seconds(1), scheduler: DispatchQueue.main)
/// timer.sink { _ in print("tick") }.store(in: &cancellables)
/// timer.sink { _ in print("tock") }.store(in: &cancellables)
/// timer.connect().store(in: &cancellables)
/// ```
///
/// - Ticks: the first tick comes one interval after you call ``connect()``. A tick's value is the scheduler's `now` at that
///   moment. On a live scheduler, that's slightly later than the date at which the tick was due. The publisher never finishes.
/// - Demand: each subscriber has its own. A subscriber that hasn't requested a tick misses it.
/// - Cancellation: when the last subscriber has cancelled, the timer pauses, leaving nothing on the scheduler. If a new
///   subscriber arrives while the timer is still connected, the next tick comes one interval later.
/// - Connections: several connections share one timer, which stops when all of them are cancelled. You can then connect the
///   timer again. Releasing a connection doesn't cancel it.
/// - Cost: one repeating action on the scheduler, for any number of subscribers.
public final class TimerPublisher<S: Scheduler>: ConnectablePublisher {
  /// The scheduler's time at a tick.
  public typealias Output = S.SchedulerTimeType

  /// A timer never fails.
  public typealias Failure = Never

  /// The time between ticks.
  public let interval: S.SchedulerTimeType.Stride

  /// The time by which a tick may be late, or `nil` for the smallest tolerance that the scheduler uses.
  public let tolerance: S.SchedulerTimeType.Stride?

  /// The scheduler that supplies the time and delivers the ticks.
  public let scheduler: S

  /// The scheduler options for the ticks.
  public let options: S.SchedulerOptions?

  private let ticker: Ticker<S>

  /// Creates a timer that doesn't tick until you call ``connect()``.
  ///
  /// - Parameters:
  ///   - interval: The time between ticks. Zero or less is reported, and the timer doesn't tick.
  ///   - tolerance: The time by which a tick may be late, or `nil` for the scheduler's `minimumTolerance`.
  ///   - scheduler: The scheduler that supplies the time and delivers the ticks.
  ///   - options: The scheduler's options.
  public init(
    every interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
    options: S.SchedulerOptions? = nil, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    self.interval = interval
    self.tolerance = tolerance
    self.scheduler = scheduler
    self.options = options
    ticker = Ticker(
      every: interval, tolerance: tolerance, scheduler: scheduler, options: options,
      at: CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    if !(interval > .zero) {
      reportIssue(
        "A timer requires an interval longer than zero, got \(DurationText.described(interval.nanoseconds)). It will not tick.",
        fileID: fileID, filePath: filePath, line: line, column: column)
    }
  }

  public func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Never {
    ticker.enter()
    ticker.subject.subscribe(
      ExternalSourceSubscriber("Timer", subscriber, facts: { [ticker] in ticker.inspect($0) }, end: ticker.leave))
    ticker.start(forSubscribers: true)
  }

  /// Starts the timer, unless it's already running.
  ///
  /// - Returns: A connection that stops the timer when you call `cancel()`. Releasing the connection doesn't stop the timer.
  public func connect() -> any Cancellable {
    ticker.connect()
    return TimerConnection(ticker)
  }
}

// Unchecked because of the ticker, whose lock protects its state.
extension TimerPublisher: @unchecked Sendable
where
  S: Sendable, S.SchedulerTimeType: Sendable, S.SchedulerTimeType.Stride: Sendable, S.SchedulerOptions: Sendable
{}

/// A protocol that gives `Publishers` a member named `Timer`.
///
/// Because a protocol extension declares the member, a program's own `Publishers.Timer` takes precedence. So does Foundation's
/// `Timer` where an extension of `Publishers` names a type.
public protocol _TimerNaming {}

extension Publishers: _TimerNaming {}

extension _TimerNaming {
  /// The timer publisher, under its name in CombineSchedulers.
  ///
  /// ```swift
  /// Publishers.Timer(every: .seconds(1), scheduler: DispatchQueue.main)
  ///   .autoconnect()
  ///   .sink { print($0) }
  ///   .store(in: &cancellables)
  /// ```
  ///
  /// See ``TimerPublisher``.
  ///
  /// In your own extension of `Publishers`, `Timer(…)` creates an instance of this type. `Timer.publish(every:on:in:)` and
  /// `Timer` as the name of a type remain Foundation's. Write `Foundation.Timer` for its other members.
  public typealias Timer = TimerPublisher
}

/// The repeating action of a timer. It runs while there's a connection, except after the last subscriber has left.
///
/// The publisher, the connections and the subscribers retain the ticker. The action refers to it weakly, so the timer
/// stops when nothing else retains the ticker.
private final class Ticker<S: Scheduler> {
  private struct State {
    var connectionCount = 0
    var subscriberCount = 0
    var isRunning = false
    /// The number of the current action, which distinguishes it from a stopped one.
    var number = 0
    var action: (any Cancellable)?

    mutating func stop() -> (any Cancellable)? {
      isRunning = false
      return action.take()
    }
  }

  let subject = PassthroughSubject<S.SchedulerTimeType, Never>()
  private let state = Locked(State())
  private let interval: S.SchedulerTimeType.Stride
  private let tolerance: S.SchedulerTimeType.Stride?
  private let scheduler: S
  private let options: S.SchedulerOptions?
  private let location: CodeLocation
  private let watch: ConnectionWatch?

  init(
    every interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride?, scheduler: S,
    options: S.SchedulerOptions?, at location: CodeLocation
  ) {
    self.location = location
    self.interval = interval
    self.tolerance = tolerance
    self.scheduler = scheduler
    self.options = options
    watch = .made(
      for: "The timer that was created at \(location.description)", cure: "Call autoconnect() on it, or connect().")
  }

  deinit {
    state.withLock { $0.stop() }?.cancel()
  }

  func enter() {
    state.withLock { $0.subscriberCount += 1 }
    watch?.noteSubscriber()
  }

  func leave() {
    let action = state.withLock { state in
      state.subscriberCount -= 1
      return state.subscriberCount == 0 ? state.stop() : nil
    }
    action?.cancel()
  }

  func connect() {
    state.withLock { $0.connectionCount += 1 }
    watch?.noteConnection()
    start(forSubscribers: false)
  }

  func disconnect() {
    let action = state.withLock { state in
      state.connectionCount -= 1
      return state.connectionCount == 0 ? state.stop() : nil
    }
    action?.cancel()
  }

  /// Starts the action if there's a connection and the action isn't running. If `forSubscribers` is `true`, there must also be
  /// a subscriber.
  func start(forSubscribers: Bool) {
    guard interval > .zero else { return }
    let number: Int? = state.withLock { state in
      let isWanted = !forSubscribers || state.subscriberCount > 0
      guard state.connectionCount > 0, isWanted, !state.isRunning else { return nil }
      state.isRunning = true
      state.number += 1
      return state.number
    }
    guard let number else { return }
    let tick = ContextSnapshot.following { [weak self] in self?.tick(number) }
    let action = ArmingObservation.naming(location) {
      scheduler.schedule(
        after: scheduler.now.advanced(by: interval), interval: interval,
        tolerance: tolerance ?? scheduler.minimumTolerance, options: options, tick)
    }
    // The first tick may have run, and may have stopped the action, before the scheduler returned.
    let isStopped = state.withLock { state in
      guard state.isRunning, state.number == number else { return true }
      state.action = action
      return false
    }
    if isStopped { action.cancel() }
  }

  func inspect(_ tell: StreamFact.Tell) {
    let (isConnected, isRunning) = state.withLock { ($0.connectionCount > 0, $0.isRunning) }
    tell(isConnected ? .open : .closed, 0, nil)
    tell(.location, 0, StreamFact.Box(location.description))
    if isRunning { tell(.timer, 0, nil) }
    tell(.place, 0, StreamFact.Box(scheduler))
  }

  private func tick(_ number: Int) {
    guard state.withLock({ $0.isRunning && $0.number == number }) else { return }
    subject.send(scheduler.now)
  }
}

/// A connection that keeps the timer running until the connection is cancelled, even if it's released first.
private final class TimerConnection<S: Scheduler>: Cancellable {
  private let ticker: Locked<Ticker<S>?>

  init(_ ticker: Ticker<S>) { self.ticker = Locked(ticker) }

  func cancel() { ticker.withLock { $0.take() }?.disconnect() }
}
