public import StreamSchedulers
public import Streams

/// A publisher that replays its events for each subscriber, from the time of the subscription.
///
/// Create one with a test scheduler's `cold` methods. The scheduler schedules the events for each subscriber, and
/// removes them when the subscriber cancels. Values are buffered until the subscriber requests them, and the completion
/// follows the last value. ``subscriptions`` lists the subscriptions, with their times.
public final class ColdPublisher<
  Output, Failure: Error, Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable
>: Publisher, ScriptedPublisher {
  private let log: SubscriptionLog<Time>
  private let arm: (Time, @escaping () -> Void) -> AnyCancellable

  /// The events, with their times since the subscription.
  public let events: [Recorded<Output, Failure, Time>]

  init<Date, Options>(
    _ events: [Recorded<Output, Failure, Time>], on scheduler: TestScheduler<Date, Options>, _ location: CodeLocation
  ) where Date.Stride == Time {
    self.events = events
    log = SubscriptionLog(on: scheduler, location)
    arm = { time, action in
      AnyCancellable(
        scheduler.scheduleOnce(after: scheduler.now.advanced(by: time), tolerance: .zero, options: nil, action))
    }
  }

  static func beginning<Date, Options>(on scheduler: TestScheduler<Date, Options>) -> Time where Date.Stride == Time {
    .zero
  }

  /// The subscriptions, in the order in which they began.
  ///
  /// ```swift
  /// #expect(answers.subscriptions == [.completed(.milliseconds(2), .milliseconds(7))])
  /// ```
  public var subscriptions: [RecordedSubscription<Time>] { log.all }

  /// Attaches a subscriber, for which the events begin now.
  ///
  /// - Parameter subscriber: The subscriber to attach.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let subject = PassthroughSubject<Output, Failure>()
    let alarms = Alarms()
    let index = log.open(subject)
    log.watch(
      subject.buffer(size: .max, prefetch: .byRequest, whenFull: .dropNewest)
        .handleEvents(
          receiveSubscription: { _ in self.play(to: subject, index, alarms) }, receiveCancel: alarms.cancel), index
    ).subscribe(subscriber)
  }

  private func play(to subject: PassthroughSubject<Output, Failure>, _ index: Int, _ alarms: Alarms) {
    for recorded in events.inOrder() {
      alarms.add(
        arm(recorded.time) { [log] in
          log.hasPlayed(to: index)
          subject.send(recorded.event)
        })
    }
  }
}

// Unchecked: mutable state is in the log, protected by its lock.
extension ColdPublisher: @unchecked Sendable where Output: Sendable, Time: Sendable {}

/// The work that's scheduled for one subscriber.
private final class Alarms {
  private let alarms = Locked<[AnyCancellable]>([])

  func add(_ alarm: AnyCancellable) { alarms.withLock { $0.append(alarm) } }

  func cancel() {
    let all = alarms.withLock { alarms in
      defer { alarms = [] }
      return alarms
    }
    for alarm in all { alarm.cancel() }
  }
}

extension TestScheduler {
  /// Creates a publisher that replays its events for each subscriber.
  ///
  /// ```swift
  /// let answer = scheduler.cold(.next(at: .milliseconds(500), "A"), .completed(at: .milliseconds(500)))
  /// ```
  ///
  /// Times count from the subscription.
  ///
  /// - Parameters:
  ///   - events: The events.
  public func cold<Output, Failure: Error>(
    _ events: Recorded<Output, Failure, SchedulerTimeType.Stride>...,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> ColdPublisher<Output, Failure, SchedulerTimeType.Stride> {
    scripted(events, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Creates a publisher that can't fail, and replays its events for each subscriber.
  ///
  /// ```swift
  /// let answer = scheduler.cold(.next(at: 10, "a"), .completed(at: 10))
  /// ```
  ///
  /// - Parameter events: The events, whose times count from the subscription.
  public func cold<Output>(
    _ events: Recorded<Output, Never, SchedulerTimeType.Stride>...,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> ColdPublisher<Output, Never, SchedulerTimeType.Stride> {
    scripted(events, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Creates a publisher that replays a list of events for each subscriber.
  ///
  /// ```swift
  /// let events: [Recorded<String, Never, DispatchQueue.SchedulerTimeType.Stride>] =
  ///   times.map { .next(at: .milliseconds($0), "a") }
  /// let letters = scheduler.cold(events)
  /// ```
  ///
  /// - Parameters:
  ///   - events: The events, in any order, whose times count from each subscription.
  public func cold<Output, Failure: Error>(
    _ events: [Recorded<Output, Failure, SchedulerTimeType.Stride>],
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> ColdPublisher<Output, Failure, SchedulerTimeType.Stride> {
    scripted(events, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Creates a publisher that replays a marble diagram for each subscriber.
  ///
  /// ```swift
  /// let answer = scheduler.cold("-----(a|)")
  /// let numbers = scheduler.cold("-a--b#", values: ["a": 1, "b": 2], error: SearchError.offline)
  /// ```
  ///
  /// The diagram begins with the subscription.
  ///
  /// - Parameters:
  ///   - marbles: The diagram. Mistakes in it are reported.
  ///   - values: The values that the names stand for. By default, they're the names themselves. A name without a value
  ///     is reported.
  public func cold<Output>(
    _ marbles: Marbles, values: MarbleValues<Output> = MarbleValues<String>.names,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> ColdPublisher<Output, Never, SchedulerTimeType.Stride> {
    scripted(marbles, values, nil, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Creates a publisher that replays a marble diagram for each subscriber, and can fail.
  ///
  /// It's like ``cold(_:values:fileID:filePath:line:column:)``, but `#` stands for `error`. `Failure?.none` only states
  /// the type of the failure: a `#` is then reported.
  public func cold<Output, Failure: Error>(
    _ marbles: Marbles, values: MarbleValues<Output> = MarbleValues<String>.names, error: Failure?,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> ColdPublisher<Output, Failure, SchedulerTimeType.Stride> {
    scripted(marbles, values, error, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Creates a publisher that replays a marble diagram for each subscriber, with values from a closure.
  ///
  /// ```swift
  /// let numbers = scheduler.cold("-1--2|") { Int($0) }
  /// ```
  ///
  /// It's like ``cold(_:values:fileID:filePath:line:column:)``. A name for which the closure returns `nil` is reported.
  public func cold<Output>(
    _ marbles: Marbles,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    values: @escaping (String) -> Output?
  ) -> ColdPublisher<Output, Never, SchedulerTimeType.Stride> {
    scripted(marbles, .init(values), nil, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Creates a publisher that replays a marble diagram for each subscriber, with values from a closure, and can fail.
  ///
  /// It's like ``cold(_:fileID:filePath:line:column:values:)``, but `#` stands for `error`.
  public func cold<Output, Failure: Error>(
    _ marbles: Marbles, error: Failure?,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    values: @escaping (String) -> Output?
  ) -> ColdPublisher<Output, Failure, SchedulerTimeType.Stride> {
    scripted(
      marbles, .init(values), error, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }
}
