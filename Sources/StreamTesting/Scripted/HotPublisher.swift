public import StreamSchedulers
public import Streams

/// A publisher that sends its events at fixed times, regardless of subscribers.
///
/// Create one with a test scheduler's `hot` methods, which schedule the events, so they come before timers that are scheduled
/// later for the same instant, unless ``StreamSchedulers/TestScheduler/hotEventsComeFirst`` is `false`. A subscriber receives the
/// events that happen while it's subscribed, as from a `PassthroughSubject`: a value that it hasn't requested is dropped.
/// ``subscriptions`` lists the subscriptions.
public final class HotPublisher<
  Output, Failure: Error, Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable
>: Publisher, ScriptedPublisher {
  private let subject = PassthroughSubject<Output, Failure>()
  private let log: SubscriptionLog<Time>
  private let tellBlockingRead: () -> Void

  /// The events, with their times since the scheduler started.
  public let events: [Recorded<Output, Failure, Time>]

  init<Date, Options>(
    _ events: [Recorded<Output, Failure, Time>], on scheduler: TestScheduler<Date, Options>, _ location: CodeLocation
  ) where Date.Stride == Time {
    self.events = events
    log = SubscriptionLog(on: scheduler, location)
    tellBlockingRead = { [weak timeline = scheduler.timeline] in timeline?.tellArmingObserver() }
    for recorded in events.inOrder() {
      if recorded.time < scheduler.elapsed {
        subject.send(recorded.event)
      } else {
        scheduler.schedule(after: scheduler.date(recorded.time)) { [weak scheduler] in
          guard let scheduler, !scheduler.hotEventsComeFirst else { return self.subject.send(recorded.event) }
          // Scheduled again, the event comes after the timers that are due.
          scheduler.schedule { self.subject.send(recorded.event) }
        }
      }
    }
  }

  static func beginning<Date, Options>(on scheduler: TestScheduler<Date, Options>) -> Time where Date.Stride == Time {
    scheduler.elapsed
  }

  /// The subscriptions, in the order in which they began.
  ///
  /// ```swift
  /// #expect(letters.subscriptions == [.cancelled(0, 30)])
  /// ```
  public var subscriptions: [RecordedSubscription<Time>] { log.all }

  /// Attaches a subscriber, which receives events that happen from now on.
  ///
  /// - Parameter subscriber: The subscriber to attach.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    tellBlockingRead()
    log.watch(subject, log.open(subject)).subscribe(subscriber)
  }
}

// Unchecked: mutable state is in the subject and in the log, each protected by its lock.
extension HotPublisher: @unchecked Sendable where Output: Sendable, Time: Sendable {}

extension TestScheduler {
  /// Creates a publisher that sends its events at fixed times, regardless of subscribers.
  ///
  /// ```swift
  /// let letters = scheduler.hot(.next(at: 150, "a"), .next(at: 210, "b"), .completed(at: 300))
  /// ```
  ///
  /// Times count from the beginning of the scheduler's time. Events in the past have already happened: such values
  /// don't reach a subscriber, and such a completion has ended the publisher.
  ///
  /// - Parameters:
  ///   - events: The events.
  public func hot<Output, Failure: Error>(
    _ events: Recorded<Output, Failure, SchedulerTimeType.Stride>...,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> HotPublisher<Output, Failure, SchedulerTimeType.Stride> {
    scripted(events, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Creates a publisher that can't fail, and sends its events at fixed times, regardless of subscribers.
  ///
  /// ```swift
  /// let letters = scheduler.hot(.next(at: 10, "a"), .next(at: 20, "b"), .completed(at: 30))
  /// ```
  ///
  /// - Parameters:
  ///   - events: The events, whose times count from the beginning of the scheduler's time.
  public func hot<Output>(
    _ events: Recorded<Output, Never, SchedulerTimeType.Stride>...,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> HotPublisher<Output, Never, SchedulerTimeType.Stride> {
    scripted(events, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Creates a publisher that sends a list of events at fixed times, regardless of subscribers.
  ///
  /// ```swift
  /// let events: [Recorded<String, Never, DispatchQueue.SchedulerTimeType.Stride>] =
  ///   times.map { .next(at: .milliseconds($0), "a") }
  /// let letters = scheduler.hot(events)
  /// ```
  ///
  /// - Parameters:
  ///   - events: The events, in any order, whose times count from the beginning of the scheduler's time.
  public func hot<Output, Failure: Error>(
    _ events: [Recorded<Output, Failure, SchedulerTimeType.Stride>],
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> HotPublisher<Output, Failure, SchedulerTimeType.Stride> {
    scripted(events, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Creates a publisher that sends the events of a marble diagram, regardless of subscribers.
  ///
  /// ```swift
  /// let letters = scheduler.hot("-a--b|")
  /// let numbers = scheduler.hot("-a--b#", values: ["a": 1, "b": 2], error: SearchError.offline)
  /// ```
  ///
  /// The diagram begins now. If it has a `^`, that's now, and everything before it has happened already.
  ///
  /// - Parameters:
  ///   - marbles: The diagram. Mistakes in it are reported.
  ///   - values: The values that the names stand for. By default, they're the names themselves. A name without a value
  ///     is reported.
  public func hot<Output>(
    _ marbles: Marbles, values: MarbleValues<Output> = MarbleValues<String>.names,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> HotPublisher<Output, Never, SchedulerTimeType.Stride> {
    scripted(marbles, values, nil, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Creates a publisher that sends the events of a marble diagram, regardless of subscribers, and can fail.
  ///
  /// It's like ``hot(_:values:fileID:filePath:line:column:)``, but `#` stands for `error`. `Failure?.none` only states
  /// the type of the failure: a `#` is then reported.
  public func hot<Output, Failure: Error>(
    _ marbles: Marbles, values: MarbleValues<Output> = MarbleValues<String>.names, error: Failure?,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> HotPublisher<Output, Failure, SchedulerTimeType.Stride> {
    scripted(marbles, values, error, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Creates a publisher that sends the events of a marble diagram, regardless of subscribers, with values from a
  /// closure.
  ///
  /// ```swift
  /// let numbers = scheduler.hot("-1--2|") { Int($0) }
  /// ```
  ///
  /// It's like ``hot(_:values:fileID:filePath:line:column:)``. A name for which the closure returns `nil` is reported.
  public func hot<Output>(
    _ marbles: Marbles,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    values: @escaping (String) -> Output?
  ) -> HotPublisher<Output, Never, SchedulerTimeType.Stride> {
    scripted(marbles, .init(values), nil, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Creates a publisher that sends the events of a marble diagram, regardless of subscribers, with values from a
  /// closure, and can fail.
  ///
  /// It's like ``hot(_:fileID:filePath:line:column:values:)``, but `#` stands for `error`.
  public func hot<Output, Failure: Error>(
    _ marbles: Marbles, error: Failure?,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    values: @escaping (String) -> Output?
  ) -> HotPublisher<Output, Failure, SchedulerTimeType.Stride> {
    scripted(
      marbles, .init(values), error, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }
}
