internal import StreamInspection

/// Tells a stream from all others that live or lived.
struct StreamKey: Hashable, Sendable {
  let id: UInt64
  /// In milliseconds since streams are observed.
  let began: Int

  init(_ stream: LiveStreams.Stream) {
    (id, began) = (stream.id, stream.began.milliseconds)
  }

  init?(text: String) {
    let numbers = text.dropFirst().split(separator: "-")
    guard text.first == "s", numbers.count == 2, let id = UInt64(numbers[0], radix: 16), let began = Int(numbers[1])
    else {
      return nil
    }
    (self.id, self.began) = (id, began)
  }

  /// In a row's key, because a script has no integers of 64 bits.
  var text: String { "s\(String(id, radix: 16))-\(began)" }
}

/// The live streams of a moment, by place.
final class Snapshot: Sendable {
  /// The streams that began at one place.
  struct Place: Sendable {
    let name: String
    var streams: [LiveStreams.Stream] = []
    var received: UInt64 = 0
    /// The values in the last second, or since the snapshot before.
    var rate: Double?
    var oldest = Int.max
    var newest = 0
    var last: Int?
  }

  /// In milliseconds since streams are observed.
  let time: Int
  let count: Int
  let places: [String: Place]
  let received: [StreamKey: UInt64]
  private let previous: (time: Int, received: [StreamKey: UInt64])?
  /// How long it took to read and group the streams.
  let duration: Duration

  /// Reads the streams that live now.
  init(after earlier: Snapshot?) {
    let began = ContinuousClock.now
    let live = StreamInspector.streams
    let time = live.time.milliseconds
    let previous = earlier.flatMap { $0.time < time ? ($0.time, $0.received) : $0.previous }
    var places: [String: Place] = [:]
    var received: [StreamKey: UInt64] = [:]
    received.reserveCapacity(live.streams.count)
    var grown: [String: UInt64] = [:]
    for stream in live.streams {
      // A stream that a library made for you may have no place of its own, but a checkpoint.
      let name =
        stream.checkpoint.map { name in
          [name, stream.place].compactMap { $0 == "checkpoint \(name)" ? nil : $0 }.joined(separator: " · ")
        } ?? stream.place ?? Self.unknownPlace
      let key = StreamKey(stream)
      received[key] = stream.received
      places[name, default: Place(name: name)].add(stream, at: time)
      if let previous { grown[name, default: 0] += stream.received &- (previous.1[key] ?? 0) }
    }
    if let previous, time > previous.0 {
      for (name, count) in grown { places[name]?.rate = Double(count) * 1_000 / Double(time - previous.0) }
    }
    (self.time, self.places, self.received, self.previous) = (time, places, received, previous)
    count = live.streams.count
    duration = .now - began
  }

  static let unknownPlace = "an unknown place"

  /// The values of a stream in a second.
  func rate(of stream: LiveStreams.Stream) -> Double? {
    guard let previous, time > previous.time else { return nil }
    return Double(stream.received &- (previous.received[StreamKey(stream)] ?? 0)) * 1_000 / Double(time - previous.time)
  }
}

extension Snapshot.Place {
  fileprivate mutating func add(_ stream: LiveStreams.Stream, at time: Int) {
    streams.append(stream)
    received += stream.received
    oldest = min(oldest, stream.began.milliseconds)
    newest = max(newest, stream.began.milliseconds)
    if let ago = stream.sinceLastValue { last = max(last ?? 0, time - ago.milliseconds) }
  }
}

/// What has changed at a place since a mark.
struct Change: Encodable, Equatable, Sendable {
  var began = 0
  var ended = 0
  /// The number of values that the streams have received that are alive.
  var received: UInt64 = 0

  var isNone: Bool { began == 0 && ended == 0 && received == 0 }

  static func += (change: inout Change, other: Change) {
    change.began += other.began
    change.ended += other.ended
    change.received += other.received
  }
}

/// A moment with which later ones are compared.
final class Mark: Sendable {
  let id: Int
  let time: Int
  let received: [StreamKey: UInt64]
  let counts: [String: Int]

  init(id: Int, _ snapshot: Snapshot) {
    (self.id, time, received) = (id, snapshot.time, snapshot.received)
    counts = snapshot.places.mapValues(\.streams.count)
  }

  /// The places at which something has changed.
  func changes(in snapshot: Snapshot) -> [String: Change] {
    var changes: [String: Change] = [:]
    for (name, place) in snapshot.places {
      var change = Change()
      for stream in place.streams {
        if let before = received[StreamKey(stream)] {
          change.received += stream.received &- before
        } else {
          change.began += 1
          change.received += stream.received
        }
      }
      change.ended = (counts[name] ?? 0) - (place.streams.count - change.began)
      if !change.isNone { changes[name] = change }
    }
    for (name, count) in counts where snapshot.places[name] == nil { changes[name] = Change(ended: count) }
    return changes
  }
}

extension Double {
  /// Seconds in milliseconds.
  var milliseconds: Int { Int((self * 1_000).rounded()) }
}

extension Duration {
  var inMilliseconds: Double { ((self / .milliseconds(1)) * 100).rounded() / 100 }
}
