internal import StreamSchedulers
public import Streams

/// A subscription to a hot or a cold publisher: from when until when, and what was asked for.
public struct RecordedSubscription<Time> {
  /// How a subscription ended.
  public enum End: Hashable, Sendable {
    /// The publisher has ended.
    case completed

    /// The subscriber has cancelled.
    case cancelled
  }

  /// When it was made.
  public var subscribed: Time

  /// When it ended, if it has.
  public var ended: Time?

  /// How it ended, if it has.
  public var end: End?

  /// What was asked for, and when.
  public var requests: [RecordedRequest<Time>] = []

  /// How many events of a cold publisher have happened for it.
  var playedCount = 0

  /// A subscription that was ended by the publisher.
  public static func completed(_ subscribed: Time, _ ended: Time) -> Self {
    Self(subscribed: subscribed, ended: ended, end: .completed)
  }

  /// A subscription that was ended by the subscriber.
  public static func cancelled(_ subscribed: Time, _ ended: Time) -> Self {
    Self(subscribed: subscribed, ended: ended, end: .cancelled)
  }

  /// A subscription that has not ended.
  public static func live(_ subscribed: Time) -> Self { Self(subscribed: subscribed) }
}

/// Subscriptions are equal if they were made and ended at the same times, in the same way; what was asked for is not
/// compared.
extension RecordedSubscription: Equatable where Time: Equatable {
  /// Whether both were made and ended alike.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.subscribed == rhs.subscribed && lhs.ended == rhs.ended && lhs.end == rhs.end
  }
}

extension RecordedSubscription: Sendable where Time: Sendable {}

extension RecordedSubscription: CustomStringConvertible
where Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
  /// From when until when, and how it ended: `200 s to 300 s, completed`.
  public var description: String {
    let start = DurationText.described(subscribed.nanoseconds)
    guard let ended, let end else { return "from \(start)" }
    return "\(start) to \(DurationText.described(ended.nanoseconds)), \(end)"
  }
}

/// Who has subscribed to one publisher, and when.
final class SubscriptionLog<Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable>: LooseEnd,
  @unchecked Sendable
{
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects the list. The clock reads the time
  // behind the lock of the timeline.
  private let entries = Locked<[RecordedSubscription<Time>]>([])
  private let now: () -> Time
  private let place: SourcePlace
  private let looseEnds: LooseEnds

  init(now: @escaping () -> Time, looseEnds: LooseEnds, place: SourcePlace) {
    self.now = now
    self.place = place
    self.looseEnds = looseEnds
    looseEnds.add(self)
  }

  deinit { looseEnds.leave(remains) }

  var all: [RecordedSubscription<Time>] { entries.withLock { $0 } }

  var remains: [String] {
    all.filter { $0.end == nil }.map {
      "a subscription to the publisher made at \(place.description) is still there, since "
        + DurationText.described($0.subscribed.nanoseconds)
    }
  }

  /// Writes down a new subscription, and returns its number.
  func open() -> Int {
    let time = now()
    return entries.withLock { entries in
      entries.append(.live(time))
      return entries.count - 1
    }
  }

  func hasPlayed(to index: Int) { entries.withLock { $0[index].playedCount += 1 } }

  /// Writes down what becomes of a subscription.
  func watch<P: Publisher>(_ publisher: P, _ index: Int) -> some Publisher<P.Output, P.Failure> {
    publisher.handleEvents(
      receiveCompletion: { _ in self.end(index, .completed) },
      receiveCancel: { self.end(index, .cancelled) },
      receiveRequest: { demand in
        let request = RecordedRequest(time: self.now(), demand: demand)
        self.entries.withLock { $0[index].requests.append(request) }
      })
  }

  private func end(_ index: Int, _ end: RecordedSubscription<Time>.End) {
    let time = now()
    entries.withLock { entries in
      guard entries[index].end == nil else { return }
      entries[index].ended = time
      entries[index].end = end
    }
  }
}
