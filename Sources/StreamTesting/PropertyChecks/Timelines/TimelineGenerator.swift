public import Dispatch
public import StreamSchedulers
internal import Streams

/// A generator of one argument for a check: a stream of random events at random times, a demand, a moment, delays, or a
/// value.
///
/// `checkTimelines` draws an argument from each of its generators for each run, and shrinks the arguments when a run
/// fails:
///
/// ```swift
/// checkTimelines(of: .letters, .numbers(1...3)) { scheduler, letters, numbers in
///   scheduler.expect(letters.pair(with: numbers), behavesLike: letters.zip(numbers).map { "\($0)\($1)" })
/// }
/// ```
///
/// Generators of streams are ``letters``, ``numbers(_:)``, ``values(_:)``, ``values(of:)`` and ``values(made:)``. Their
/// streams are hot, can't fail, and finish or go on forever. ``failing(_:with:)`` and ``cold(_:)`` change that. Other
/// arguments are ``demand``, ``moment``, ``delays`` and ``value(of:)``.
public struct TimelineGenerator<Argument> {
  var name: String
  var shape: TimelineShape

  let make: (DrawnTimeline, TestSchedulerOf<DispatchQueue>, CodeLocation) -> Argument

  /// The picture of a drawn timeline, labeled with a name.
  let picture: (DrawnTimeline, String) -> ArgumentPicture

  /// The Swift expression that creates the argument without a generator.
  let code: (DrawnTimeline) -> String

  /// The number of subscriptions to the argument that haven't ended, if it's a stream.
  var liveCount: (Argument) -> Int = { _ in 0 }

  /// Returns the generator with another name, which appears in the reports of failures.
  ///
  /// ```swift
  /// checkTimelines(of: .letters.named("typing")) { scheduler, typing in … }
  /// ```
  ///
  /// - Parameter name: The name.
  public func named(_ name: String) -> Self {
    var copy = self
    copy.name = name
    return copy
  }

  /// Returns the generator with a range for its number of events, not counting the completion.
  ///
  /// ```swift
  /// checkTimelines(of: .letters.count(1...5)) { scheduler, letters in … }
  /// ```
  ///
  /// By default, timelines are empty or short at first, and have up to twelve events later.
  ///
  /// - Parameter count: The range, which has no effect on a ``moment`` or a value. A negative bound counts as zero.
  public func count(_ count: ClosedRange<Int>) -> Self {
    guard shape.kind == .source || shape.kind == .delays || shape.kind == .demand else { return self }
    var copy = self
    copy.shape.eventCounts = max(0, count.lowerBound)...max(0, count.upperBound)
    return copy
  }

  /// Returns the generator with a limit on the times of its events.
  ///
  /// ```swift
  /// checkTimelines(of: .letters.within(.seconds(2)), .delays.within(.seconds(1))) { scheduler, letters, delays in … }
  /// ```
  ///
  /// Events, requests of a ``demand``, and a ``moment`` aren't later than `duration`, and ``delays`` aren't longer. The
  /// default limit is ten times the longest interval for which the code under test waits, or ten thousand frames if the
  /// code doesn't wait.
  ///
  /// - Parameter duration: The latest time of an event, measured from the beginning, or the length of the longest delay. It
  ///   has no effect on a single value. A negative one counts as zero.
  public func within(_ duration: DispatchQueue.SchedulerTimeType.Stride) -> Self {
    guard shape.kind != .value else { return self }
    var copy = self
    copy.shape.longest = max(0, duration.nanoseconds)
    return copy
  }

  /// Returns the generator with streams that never, sometimes, or always end.
  ///
  /// ```swift
  /// checkTimelines(of: .letters.ending(.always)) { scheduler, letters in … }
  /// ```
  ///
  /// - Parameter end: Whether the streams end. It has no effect on arguments that aren't streams.
  public func ending(_ end: TimelineEnd) -> Self {
    guard shape.kind == .source else { return self }
    var copy = self
    copy.shape.mayNotEnd = end != .always
    copy.shape.mayFinish = end != .never
    if end == .never { copy.shape.failureCount = 0 }
    return copy
  }
}

/// The choice of whether a generator's streams end.
public enum TimelineEnd: Hashable, Sendable {
  /// Streams go on forever.
  case never

  /// Streams end in some of the runs.
  case sometimes

  /// Streams end in each run.
  case always
}

enum ArgumentPicture {
  /// A stream, or something else with times.
  case row(TimelineText.Row)

  /// Something without times.
  case text(String)
}

/// Durations for work that takes time, drawn for each run of a check.
///
/// ```swift
/// checkTimelines(of: .letters, .delays) { scheduler, typing, delays in
///   let model = SearchModel(typing: typing, scheduler: scheduler) { query in
///     Just(["answer to \(query)"]).delay(for: delays.next(), scheduler: scheduler).eraseToAnyPublisher()
///   }
///   …
/// }
/// ```
public final class TimelineDelays: Sendable {
  private let all: [DispatchQueue.SchedulerTimeType.Stride]
  private let position = Position()

  /// The position in the list. Unchecked: the lock protects the number.
  private final class Position: @unchecked Sendable {
    let next = Locked(0)
  }

  /// Creates delays from a list of durations.
  ///
  /// - Parameter all: The durations, in the order in which they're returned.
  public init(_ all: [DispatchQueue.SchedulerTimeType.Stride]) { self.all = all }

  /// Returns the next duration, or zero if none is left.
  public func next() -> DispatchQueue.SchedulerTimeType.Stride {
    let index = position.next.withLock { next in
      defer { next += 1 }
      return next
    }
    return index < all.count ? all[index] : .zero
  }
}
