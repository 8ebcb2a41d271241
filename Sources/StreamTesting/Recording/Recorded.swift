internal import StreamSchedulers
public import Streams

/// An event of a stream, with its time.
///
/// It's an entry of a ``Recorder``, or an event of a hot or a cold publisher:
///
/// ```swift
/// let letters = scheduler.hot(.next(at: .milliseconds(10), "a"), .completed(at: .milliseconds(20)))
/// ```
///
/// Times are intervals. In recordings and hot publishers, they count from the beginning of the scheduler's time, and in
/// cold publishers from the subscription. For queues and run loops, a literal is a number of seconds.
public struct Recorded<Output, Failure: Error, Time> {
  /// An event of a stream.
  public enum Event {
    /// The subscriber received its subscription.
    case subscription

    /// The subscriber received a value.
    case next(Output)

    /// The stream finished or failed.
    case completion(Subscribers.Completion<Failure>)

    /// The subscriber cancelled.
    case cancellation
  }

  /// The time of the event.
  public var time: Time

  /// The event.
  public var event: Event

  /// Creates an entry from a time and an event.
  ///
  /// - Parameters:
  ///   - time: The time of the event.
  ///   - event: The event.
  package init(time: Time, event: Event) {
    self.time = time
    self.event = event
  }

  /// Creates an entry for a value.
  ///
  /// - Parameters:
  ///   - time: The time of the value.
  ///   - value: The value.
  public static func next(at time: Time, _ value: Output) -> Self { Self(time: time, event: .next(value)) }

  /// Creates an entry for the end of a stream that finishes.
  ///
  /// - Parameter time: The time of the completion.
  public static func completed(at time: Time) -> Self { Self(time: time, event: .completion(.finished)) }

  /// Creates an entry for the end of a stream that fails.
  ///
  /// - Parameters:
  ///   - time: The time of the failure.
  ///   - error: The failure.
  public static func failure(at time: Time, _ error: Failure) -> Self {
    Self(time: time, event: .completion(.failure(error)))
  }

  /// Creates an entry for the arrival of the subscription.
  ///
  /// - Parameter time: The time of the subscription.
  public static func subscription(at time: Time) -> Self { Self(time: time, event: .subscription) }

  /// Creates an entry for a cancellation by the subscriber.
  ///
  /// - Parameter time: The time of the cancellation.
  public static func cancellation(at time: Time) -> Self { Self(time: time, event: .cancellation) }
}

extension Recorded {
  /// The event's value, if it has one.
  ///
  /// ```swift
  /// let typed = typing.events.compactMap(\.value)
  /// ```
  public var value: Output? { if case .next(let value) = event { value } else { nil } }
}

extension Recorded.Event {
  /// Indicates whether the publisher sent the event: a value or the completion.
  var isSignal: Bool {
    switch self {
    case .next, .completion: true
    case .subscription, .cancellation: false
    }
  }
}

/// Errors whose type is `Equatable` are compared with `==`, even if the failure type is `any Error`. Other errors are
/// equal if they have the same type and the same text.
extension Recorded.Event: Equatable where Output: Equatable {
  /// Returns whether two events are the same.
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
  /// The value's text, `finished`, `failed` with the error, `subscribed` or `cancelled`.
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

/// Returns whether two errors are equal: by `==` if the type of the first is `Equatable`, otherwise by type and text.
func areEqual(_ one: some Error, _ other: some Error) -> Bool {
  func compare<E: Equatable>(_ one: E) -> Bool { (other as? E).map { one == $0 } ?? false }
  if let one = one as Any as? any Equatable { return compare(one) }
  return type(of: one) == type(of: other) && String(reflecting: one) == String(reflecting: other)
}

/// A subscriber's request, with its time.
public struct RecordedRequest<Time> {
  /// The time of the request.
  public var time: Time

  /// The requested demand.
  public var demand: Subscribers.Demand

  /// Creates a request from a time and a demand.
  ///
  /// - Parameters:
  ///   - time: The time of the request.
  ///   - demand: The requested demand.
  package init(time: Time, demand: Subscribers.Demand) {
    self.time = time
    self.demand = demand
  }

  /// Creates a request at a given time.
  ///
  /// - Parameters:
  ///   - time: The time of the request.
  ///   - demand: The requested demand.
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
  /// Returns the events in the order of their times. Events with the same time keep their order.
  func inOrder<Output, Failure, Time: Comparable>() -> Self where Element == Recorded<Output, Failure, Time> {
    enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
  }
}
