internal import Streams
internal import Synchronization

/// A snapshot of the live streams.
///
/// ```swift
/// let before = StreamInspector.streams
/// …
/// print(StreamInspector.streams.difference(from: before))
/// // 42 more of SearchModel.swift:31 than 60 s ago
/// ```
///
/// A snapshot contains only sinks and loops over `values` that began while streams were being observed.
public struct LiveStreams: Sendable, Codable, Equatable {
  /// A live stream.
  public struct Stream: Sendable, Codable, Equatable {
    /// A number that's unique among live streams.
    public let id: UInt64
    /// The place that created the sink or the loop, if it's known. If a library subscribes out of your code's sight,
    /// this is the checkpoint directly before the sink, such as `checkpoint orders`.
    public let place: String?
    /// The name of the checkpoint directly before the sink or the loop, if any.
    public let checkpoint: String?
    /// The time at which the stream began, in seconds since inspection started. Together with ``id``, it distinguishes
    /// the stream from all others, including ended ones.
    public let began: Double
    /// The age of the stream in seconds.
    public let age: Double
    /// The number of values that the stream has received.
    public let received: UInt64
    /// The time since the last value in seconds, if there was one.
    public let sinceLastValue: Double?

    /// The average number of values per second.
    public var rate: Double { age > 0 ? Double(received) / age : 0 }
  }

  /// The streams.
  public let streams: [Stream]

  /// The time at which the streams were read, in seconds since inspection started.
  public let time: Double

  init() {
    let now = StreamInspector.time
    var streams: [Stream] = []
    // Most streams come from a few places.
    var places: [CallSiteID: String?] = [:]
    Registry.shared.forEach { root in
      guard let counter = root.facts.counter, let made = Registry.shared.made(counter.entry) else { return true }
      let count = counter.count
      let known = places[made.place] ?? CallSites.shared.place(of: made.place)?.description
      places[made.place] = .some(known)
      let place = known ?? root.facts.placeByCheckpoint
      streams.append(
        Stream(
          id: root.id, place: place, checkpoint: root.checkpoint, began: Double(made.time) / 1_000,
          age: Double(now &- made.time) / 1_000,
          received: count, sinceLastValue: count == 0 ? nil : Double(now &- counter.last) / 1_000))
      return true
    }
    self.streams = streams
    time = Double(now) / 1_000
  }

  private var countsByPlace: [String: Int] {
    streams.reduce(into: [:]) { $0[$1.place ?? "an unknown place", default: 0] += 1 }
  }

  /// Returns how the number of streams at each place has changed since an earlier snapshot.
  ///
  /// ```swift
  /// let before = StreamInspector.streams
  /// model.clear()
  /// print(StreamInspector.streams.difference(from: before))
  /// ```
  ///
  /// - Parameter earlier: The earlier snapshot.
  /// - Returns: The places where the number has changed, the greatest change first.
  public func difference(from earlier: LiveStreams) -> Difference {
    let (before, now) = (earlier.countsByPlace, countsByPlace)
    let changes = Set(before.keys).union(now.keys).map { place in
      Difference.Change(place: place, count: (now[place] ?? 0) - (before[place] ?? 0))
    }
    return Difference(
      changes: changes.filter { $0.count != 0 }.sorted { (abs($0.count), $1.place) > (abs($1.count), $0.place) },
      interval: time - earlier.time)
  }

  /// The changes between two snapshots.
  public struct Difference: Sendable, Equatable, CustomStringConvertible {
    /// A place in the source code, and the change in the number of its streams.
    public struct Change: Sendable, Equatable {
      /// The place.
      public let place: String
      /// The number of new streams minus the number of ended ones.
      public let count: Int
    }

    /// The places where the number has changed.
    public let changes: [Change]

    /// The time between the two snapshots, in seconds.
    public let interval: Double

    /// A line of text for each change.
    public var description: String {
      if changes.isEmpty { return "as many streams as \(Duration.seconds(interval).text) ago" }
      return changes.map { change in
        "\(abs(change.count)) \(change.count > 0 ? "more" : "fewer") from \(change.place) than "
          + "\(Duration.seconds(interval).text) ago"
      }.joined(separator: "\n")
    }
  }
}

extension LiveStreams: CustomStringConvertible {
  /// The number of live streams, and a line for each place with its number of streams, the age of the oldest one, and
  /// the number of values received.
  public var description: String {
    var lines = ["\(streams.count) live \(streams.count == 1 ? "stream" : "streams")"]
    let groups = Dictionary(grouping: streams) { $0.place ?? "an unknown place" }
    for (place, group) in groups.sorted(by: { ($1.value.count, $0.key) < ($0.value.count, $1.key) }) {
      let received = group.reduce(0) { $0 + $1.received }
      let rate = group.reduce(0) { $0 + $1.rate }
      let oldest = group.map(\.age).max() ?? 0
      lines.append(
        "\(group.count) × \(place)   \(group.count == 1 ? "made" : "the oldest made") "
          + "\(Duration.seconds(oldest).text) ago, received "
          + "\(received), \((rate * 10).rounded() / 10) a second")
    }
    return lines.joined(separator: "\n")
  }
}
