internal import StreamSchedulers
public import Streams

/// A subscription to a hot or a cold publisher, with its start, its end and its requests.
///
/// ```swift
/// let search = answers.sink { show($0) }
/// scheduler.advance(by: .milliseconds(20))
/// search.cancel()
/// #expect(answers.subscriptions == [.cancelled(.zero, .milliseconds(20))])
/// ```
public struct RecordedSubscription<Time> {
  /// The way in which a subscription ended.
  public enum End: Hashable, Sendable {
    /// The publisher finished or failed.
    case completed

    /// The subscriber cancelled.
    case cancelled
  }

  /// The time of the subscription.
  public var subscribed: Time

  /// The time at which the subscription ended, if it has.
  public var ended: Time?

  /// The way in which the subscription ended, if it has.
  public var end: End?

  /// The subscriber's requests, with their times.
  public var requests: [RecordedRequest<Time>] = []

  /// The number of a cold publisher's events that have been played to the subscriber.
  var playedCount = 0

  /// Creates the record of a subscription that the publisher ended.
  ///
  /// - Parameters:
  ///   - subscribed: The time at which the subscription began.
  ///   - ended: The time at which the subscription ended.
  public static func completed(_ subscribed: Time, _ ended: Time) -> Self {
    Self(subscribed: subscribed, ended: ended, end: .completed)
  }

  /// Creates the record of a subscription that the subscriber cancelled.
  ///
  /// - Parameters:
  ///   - subscribed: The time at which the subscription began.
  ///   - ended: The time at which the subscription ended.
  public static func cancelled(_ subscribed: Time, _ ended: Time) -> Self {
    Self(subscribed: subscribed, ended: ended, end: .cancelled)
  }

  /// Creates the record of a subscription that hasn't ended.
  ///
  /// - Parameter subscribed: The time at which the subscription began.
  public static func live(_ subscribed: Time) -> Self { Self(subscribed: subscribed) }
}

/// Subscriptions are equal if they began and ended at the same times, in the same way. Their requests aren't compared.
extension RecordedSubscription: Equatable where Time: Equatable {
  /// Returns whether two subscriptions began and ended at the same times, in the same way.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.subscribed == rhs.subscribed && lhs.ended == rhs.ended && lhs.end == rhs.end
  }
}

extension RecordedSubscription: Sendable where Time: Sendable {}

extension RecordedSubscription: CustomStringConvertible
where Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
  /// A text such as `200 s to 300 s, completed`, or `from 200 s` for a subscription that hasn't ended.
  public var description: String {
    let start = DurationText.described(subscribed.nanoseconds)
    guard let ended, let end else { return "from \(start)" }
    return "\(start) to \(DurationText.described(ended.nanoseconds)), \(end)"
  }
}

final class SubscriptionLog<Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable>: LooseEnd,
  @unchecked Sendable
{
  // `Sendable` is unchecked because `Locked` doesn't declare it: the lock protects the list. The clock reads the time
  // under the timeline's lock.
  private let entries = Locked<[Entry]>([])
  private let now: () -> Time
  private let location: CodeLocation
  private let looseEnds: LooseEnds

  private struct Entry {
    var subscription: RecordedSubscription<Time>
    weak var subject: AnyObject?
  }

  init<Date, Options>(on scheduler: TestScheduler<Date, Options>, _ location: CodeLocation) where Date.Stride == Time {
    now = scheduler.timeReader()
    looseEnds = scheduler.looseEnds
    self.location = location
    looseEnds.add(self)
  }

  deinit { looseEnds.leave(remains(withTrees: false)) }

  var all: [RecordedSubscription<Time>] { entries.withLock { $0.map(\.subscription) } }

  func remains(withTrees: Bool) -> [String] {
    all.filter { $0.end == nil }.map {
      "a subscription to the publisher created at \(location.description) is still active, since "
        + DurationText.described($0.subscribed.nanoseconds)
    }
  }

  var activeSubjects: [AnyObject] {
    entries.withLock { $0 }.compactMap { $0.subscription.end == nil ? $0.subject : nil }
  }

  /// Logs a new subscription to a subject, and returns the entry's index.
  func open(_ subject: AnyObject) -> Int {
    let time = now()
    return entries.withLock { entries in
      entries.append(Entry(subscription: .live(time), subject: subject))
      return entries.count - 1
    }
  }

  func hasPlayed(to index: Int) { entries.withLock { $0[index].subscription.playedCount += 1 } }

  /// Returns a publisher that logs the end and the requests of a subscription.
  func watch<P: Publisher>(_ publisher: P, _ index: Int) -> some Publisher<P.Output, P.Failure> {
    publisher.handleEvents(
      receiveCompletion: { _ in self.end(index, .completed) },
      receiveCancel: { self.end(index, .cancelled) },
      receiveRequest: { demand in
        let request = RecordedRequest(time: self.now(), demand: demand)
        self.entries.withLock { $0[index].subscription.requests.append(request) }
      })
  }

  private func end(_ index: Int, _ end: RecordedSubscription<Time>.End) {
    let time = now()
    entries.withLock { entries in
      guard entries[index].subscription.end == nil else { return }
      entries[index].subscription.ended = time
      entries[index].subscription.end = end
    }
  }
}
