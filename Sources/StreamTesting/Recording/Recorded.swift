internal import StreamSchedulers
public import Streams

/// Something that happened to a stream, and when.
///
/// It is what a ``Recorder`` writes down, and what a hot or a cold publisher is made of:
///
/// ```swift
/// let letters = scheduler.hot(.next(at: .milliseconds(10), "a"), .completed(at: .milliseconds(20)))
/// ```
///
/// Times are distances: of recordings and hot publishers from the beginning of the scheduler's time, of cold publishers
/// from the subscription. In the time of queues and run loops a literal is a number of seconds.
public struct Recorded<Output, Failure: Error, Time> {
  /// What can happen to a stream.
  public enum Event {
    /// The subscriber received its subscription.
    case subscription

    /// A value came.
    case next(Output)

    /// The stream ended.
    case completion(Subscribers.Completion<Failure>)

    /// The subscriber cancelled.
    case cancellation
  }

  /// When it happened.
  public var time: Time

  /// What happened.
  public var event: Event

  /// Puts a time and an event together.
  public init(time: Time, event: Event) {
    self.time = time
    self.event = event
  }

  /// A value.
  public static func next(at time: Time, _ value: Output) -> Self { Self(time: time, event: .next(value)) }

  /// The end, without an error.
  public static func completed(at time: Time) -> Self { Self(time: time, event: .completion(.finished)) }

  /// The end, with an error.
  public static func failure(at time: Time, _ error: Failure) -> Self {
    Self(time: time, event: .completion(.failure(error)))
  }

  /// The arrival of the subscription.
  public static func subscription(at time: Time) -> Self { Self(time: time, event: .subscription) }

  /// A cancellation by the subscriber.
  public static func cancellation(at time: Time) -> Self { Self(time: time, event: .cancellation) }
}

extension Recorded.Event {
  /// Whether it comes from the publisher: a value or the end.
  var isSignal: Bool {
    switch self {
    case .next, .completion: true
    case .subscription, .cancellation: false
    }
  }
}

/// Errors are equal if their type says so. Those of a type that cannot say, as `any Error` cannot, are equal if they have
/// the same type and the same text.
extension Recorded.Event: Equatable where Output: Equatable {
  /// Whether the same thing happened.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    switch (lhs, rhs) {
    case (.subscription, .subscription), (.cancellation, .cancellation),
      (.completion(.finished), .completion(.finished)):
      true
    case (.next(let one), .next(let other)): one == other
    case (.completion(.failure(let one)), .completion(.failure(let other))): areEqual(one, other)
    default: false
    }
  }
}

extension Recorded: Equatable where Output: Equatable, Time: Equatable {}
extension Recorded.Event: Sendable where Output: Sendable {}
extension Recorded: Sendable where Output: Sendable, Time: Sendable {}

extension Recorded.Event: CustomStringConvertible {
  /// The value; `finished`, `failed` with the error, `subscribed` or `cancelled`.
  public var description: String {
    switch self {
    case .subscription: "subscribed"
    case .next(let value): "\(value)"
    case .completion(.finished): "finished"
    case .completion(.failure(let error)): "failed: \(error)"
    case .cancellation: "cancelled"
    }
  }
}

extension Recorded: CustomStringConvertible
where Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
  /// The time and the event: `300 ms a`.
  public var description: String { "\(DurationText.described(time.nanoseconds)) \(event)" }
}

/// Whether two errors are the same as far as anyone can tell.
func areEqual(_ one: some Error, _ other: some Error) -> Bool {
  func compare<E: Equatable>(_ one: E) -> Bool { (other as? E).map { one == $0 } ?? false }
  if let one = one as Any as? any Equatable { return compare(one) }
  return type(of: one) == type(of: other) && String(reflecting: one) == String(reflecting: other)
}

/// How much was asked for, and when.
public struct RecordedRequest<Time> {
  /// When it was asked for.
  public var time: Time

  /// How much was asked for.
  public var demand: Subscribers.Demand

  /// Puts a time and a demand together.
  public init(time: Time, demand: Subscribers.Demand) {
    self.time = time
    self.demand = demand
  }

  /// A request at a time.
  public static func request(at time: Time, _ demand: Subscribers.Demand) -> Self { Self(time: time, demand: demand) }
}

extension RecordedRequest: Equatable where Time: Equatable {}
extension RecordedRequest: Sendable where Time: Sendable {}

extension RecordedRequest: CustomStringConvertible
where Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
  /// The time and the demand: `300 ms max(1)`.
  public var description: String { "\(DurationText.described(time.nanoseconds)) \(demand)" }
}

extension Array {
  /// The events in the order of their times, those of one time in the order of the list.
  func inOrder<Output, Failure, Time: Comparable>() -> Self where Element == Recorded<Output, Failure, Time> {
    enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
  }
}
