public import StreamSchedulers
public import Streams

/// A publisher whose events happen at their times, whoever listens.
///
/// A test scheduler makes it with `hot`. Its events are work of the scheduler, armed when it is made. A subscriber gets
/// what happens while it is subscribed, as from a `PassthroughSubject`: a value for which it has not asked is
/// lost to it. ``subscriptions`` tells who subscribed and cancelled, and when.
public final class HotPublisher<
  Output, Failure: Error, Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable
>: Publisher {
  private let subject = PassthroughSubject<Output, Failure>()
  private let log: SubscriptionLog<Time>
  private let tellBlockingRead: () -> Void

  /// What happens, and when, from the beginning of the scheduler's time.
  public let events: [Recorded<Output, Failure, Time>]

  init(
    _ events: [Recorded<Output, Failure, Time>], log: SubscriptionLog<Time>, tellBlockingRead: @escaping () -> Void
  ) {
    self.events = events
    self.log = log
    self.tellBlockingRead = tellBlockingRead
  }

  /// Who has subscribed, in the order in which they did.
  public var subscriptions: [RecordedSubscription<Time>] { log.all }

  /// Attaches a subscriber, which gets what happens from now on.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    tellBlockingRead()
    log.watch(subject, log.open()).subscribe(subscriber)
  }

  func play(_ event: Recorded<Output, Failure, Time>.Event) { subject.send(event) }
}

extension PassthroughSubject {
  /// Sends what a publisher can send; a subscription and a cancellation are not its to send.
  func send<Time>(_ event: Recorded<Output, Failure, Time>.Event) {
    switch event {
    case .next(let value): send(value)
    case .completion(let completion): send(completion: completion)
    case .subscription, .cancellation: break
    }
  }
}

// Unchecked: what changes is in the subject and in the log, each behind its lock.
extension HotPublisher: @unchecked Sendable where Output: Sendable, Time: Sendable {}

extension TestScheduler {
  /// Makes a publisher whose events happen at their times, whoever listens.
  ///
  /// ```swift
  /// let letters = scheduler.hot(.next(at: 150, "a"), .next(at: 210, "b"), .completed(at: 300))
  /// ```
  ///
  /// Times count from the beginning of the scheduler's time. What lies in the past has happened already: nobody gets it.
  public func hot<Output, Failure: Error>(
    _ events: Recorded<Output, Failure, SchedulerTimeType.Stride>...,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> HotPublisher<Output, Failure, SchedulerTimeType.Stride> {
    makeHot(events, SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Makes a publisher that cannot fail, whose events happen at their times, whoever listens.
  public func hot<Output>(
    _ events: Recorded<Output, Never, SchedulerTimeType.Stride>...,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> HotPublisher<Output, Never, SchedulerTimeType.Stride> {
    makeHot(events, SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Makes a publisher whose events happen at the times of a marble diagram, whoever listens.
  ///
  /// ```swift
  /// let letters = scheduler.hot("-a--b|")
  /// let numbers = scheduler.hot("-a--b#", values: ["a": 1, "b": 2], error: Offline())
  /// ```
  ///
  /// The diagram begins now; if it has a `^`, that is now, and what stands before has happened already. Without values,
  /// each marble's name is its value. A name for which there is no value is reported, and so is a `#` without an error.
  public func hot<Output, Failure: Error>(
    _ marbles: Marbles, values: MarbleValues<Output> = MarbleValues<String>.names, error: Failure? = Never?.none,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> HotPublisher<Output, Failure, SchedulerTimeType.Stride> {
    let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    return makeHot(events(of: marbles, from: elapsed, values.value, error, place), place)
  }

  /// Makes a publisher whose events happen at the times of a marble diagram, with values made of the marbles' names.
  ///
  /// ```swift
  /// let numbers = scheduler.hot("-1--2|") { Int($0) }
  /// ```
  public func hot<Output, Failure: Error>(
    _ marbles: Marbles, error: Failure? = Never?.none,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    values: @escaping (String) -> Output?
  ) -> HotPublisher<Output, Failure, SchedulerTimeType.Stride> {
    hot(
      marbles, values: MarbleValues(values), error: error,
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// The events in the diagram of a publisher; if that is bad, no stream of this scheduler is compared any more.
  func events<Output, Failure>(
    of marbles: Marbles, from beginning: SchedulerTimeType.Stride, _ values: (String) -> Output?, _ error: Failure?,
    _ place: SourcePlace
  ) -> [Recorded<Output, Failure, SchedulerTimeType.Stride>] {
    let (events, isSound) = marbles.events(from: beginning, frame: frame, values: values, error: error, place)
    if !isSound { looseEnds.noteBadSource() }
    return events
  }

  private func makeHot<Output, Failure>(
    _ events: [Recorded<Output, Failure, SchedulerTimeType.Stride>], _ place: SourcePlace
  ) -> HotPublisher<Output, Failure, SchedulerTimeType.Stride> {
    let publisher = HotPublisher(
      events, log: SubscriptionLog(now: timeReader(), looseEnds: looseEnds, place: place),
      tellBlockingRead: { [weak timeline] in timeline?.tellArmingObserver() })
    for recorded in events.inOrder() {
      if recorded.time < elapsed {
        publisher.play(recorded.event)
      } else {
        schedule(after: date(recorded.time)) { publisher.play(recorded.event) }
      }
    }
    return publisher
  }
}

/// What the names in a marble diagram stand for: a dictionary literal, or a closure.
public struct MarbleValues<Output>: ExpressibleByDictionaryLiteral {
  let value: (String) -> Output?

  /// Takes a value for each name.
  public init(dictionaryLiteral elements: (String, Output)...) {
    self.init(Dictionary(elements) { _, last in last })
  }

  /// Takes a value for each name.
  public init(_ values: [String: Output]) { value = { values[$0] } }

  /// Takes a closure that makes a value of a name, or nothing if the name stands for none.
  public init(_ value: @escaping (String) -> Output?) { self.value = value }
}

extension MarbleValues<String> {
  /// Every name stands for itself.
  public static var names: Self { Self { $0 } }
}
