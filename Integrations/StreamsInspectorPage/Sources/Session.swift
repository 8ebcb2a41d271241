internal import StreamInspection
internal import StreamsHummingbird
internal import Synchronization

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A page that is connected.
final class Session: Sendable {
  /// A number that other pages can't guess.
  let id: String
  /// Sends a value when something may have changed. Several changes that nobody has looked at count as one.
  let wakeUps: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let state = Mutex(PageView())

  // Unchecked: only the queue of the inspector uses it.
  private nonisolated(unsafe) var rendering = Rendering()

  init() {
    var random = SystemRandomNumberGenerator()
    id = (0..<2).map { _ in String(random.next(), radix: 36) }.joined()
    (wakeUps, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The first event.
  var greeting: ServerSentEvent {
    ServerSentEvent(data: "{\"session\":\"\(id)\"}", event: "session", retry: .seconds(1))
  }

  var view: PageView { state.withLock { $0 } }

  func show(_ view: PageView) {
    state.withLock { state in
      // Requests of one page can overtake each other.
      if view.version > state.version { state = view }
    }
    wake()
  }

  func wake() { continuation.yield() }

  func end() { continuation.finish() }

  /// Calls a closure when nobody waits for events any more.
  func onEnd(_ action: @escaping @Sendable (String) -> Void) {
    continuation.onTermination = { [id] _ in action(id) }
  }

  /// Returns the events for what has changed. Called on the queue of the inspector.
  func render(
    _ snapshot: Snapshot, _ view: PageView, since mark: Mark?, _ findings: [LiveFinding]
  ) -> [ServerSentEvent] {
    rendering.events(snapshot, view, since: mark, findings)
  }
}

/// A row of the list: a place, or one of its streams.
struct Row: Encodable, Equatable, Sendable {
  let key: String
  /// The place's name, and how many streams it has.
  var place: String?
  var count: Int?
  var isExpanded: Bool?
  /// The key of the stream: that of the row, or the only one of a place.
  var stream: String?
  var received: UInt64 = 0
  var rate: Double?
  var began: Int?
  var last: Int?
  var change: Change?
  var isNew: Bool?
  /// The checkpoint upstream of the one that names the place, such as the name of a client.
  var name: String?
  /// What the stream does and waits for.
  var text: String?
  var waiting: Int?
  /// Whether the text is a finding, or how many findings the place has.
  var findings: Int?
}

/// What has been sent to a page, and what is sent next.
private struct Rendering {
  private var version = -1
  private var rows: [Int: Row] = [:]
  private var encoder = JSONEncoder()
  private var readTrees = 0
  private var readingTime = Duration.zero

  private static let rowLimit = 200
  private static let screenLimit = 60
  private static let partLimit = 500
  private static let sampleLimit = 50
  /// The time for which trees are read in a row.
  private static let budget = Duration.milliseconds(50)

  // MARK: Events

  private struct Summary: Encodable {
    let version: Int
    let time: Int
    let isObserving: Bool
    let streams: Int
    let places: Int
    let rate: Double?
    let waitingForMark: Bool
    let mark: MarkSummary?
    let findings: [LiveFinding]
    let snapshotTime: Double
    let renderTime: Double
    let trees: Int
    let treeTime: Double
  }

  private struct MarkSummary: Encodable {
    let id: Int
    let time: Int
    let change: Change
  }

  private struct Rows: Encodable {
    let version: Int
    let total: Int
    let selectedIndex: Int?
    let isNew: Bool
    let rows: [Int: Row]
  }

  private struct Tree: Encodable {
    let key: String
    let time: Int
    let hasEnded: Bool
    var place: String?
    var began: Int?
    var received: UInt64?
    var rate: Double?
    var last: Int?
    /// What the stream does and waits for, if nothing is found.
    var text: String?
    var inspection: Inspection?
  }

  private struct PlaceDetail: Encodable {
    struct Cause: Encodable {
      let text: String
      let isFinding: Bool
      let stream: String
      var count = 1
    }
    let key: String
    let time: Int
    let place: String
    var count = 0
    var read = 0
    var received: UInt64 = 0
    var rate: Double?
    var oldest: Int?
    var newest: Int?
    var last: Int?
    var change: Change?
    var causes: [Cause] = []
  }

  mutating func events(
    _ snapshot: Snapshot, _ view: PageView, since mark: Mark?, _ findings: [LiveFinding]
  ) -> [ServerSentEvent] {
    let began = ContinuousClock.now
    (readTrees, readingTime) = (0, .zero)
    let changes = mark?.changes(in: snapshot)
    let list = StreamList(snapshot, view, changes)
    var events: [ServerSentEvent] = []
    if let open = view.open {
      events += event("tree", open.hasPrefix("s") ? tree(open, snapshot) : nil)
      events += event("place", open.hasPrefix("p") ? place(open, snapshot, changes) : nil)
    }
    let found = Dictionary(findings.map { ($0.place ?? "", 1) }, uniquingKeysWith: +)
    events += event("rows", newRows(of: list, snapshot, view, mark, found))
    let change = changes.map { $0.values.reduce(into: Change()) { $0 += $1 } }
    let rates = snapshot.places.values.compactMap(\.rate)
    let summary = Summary(
      version: view.version, time: snapshot.time, isObserving: StreamInspector.isOn, streams: snapshot.count,
      places: snapshot.places.count, rate: rates.isEmpty ? nil : rates.reduce(0, +),
      waitingForMark: view.mark != nil && mark == nil,
      mark: mark.map { MarkSummary(id: $0.id, time: $0.time, change: change ?? Change()) }, findings: findings,
      snapshotTime: snapshot.duration.inMilliseconds, renderTime: (.now - began).inMilliseconds, trees: readTrees,
      treeTime: readingTime.inMilliseconds)
    return event("summary", summary) + events
  }

  private func event(_ name: String, _ value: (some Encodable)?) -> [ServerSentEvent] {
    guard let value, let data = try? encoder.encode(value) else { return [] }
    return [ServerSentEvent(data: String(decoding: data, as: UTF8.self), event: name)]
  }

  // MARK: Rows

  private mutating func newRows(
    of list: StreamList, _ snapshot: Snapshot, _ view: PageView, _ mark: Mark?, _ found: [String: Int]
  ) -> Rows {
    let isNew = view.version != version
    version = view.version
    let screen = view.screen.clamped(to: Self.screenLimit)
    var newRows: [Int: Row] = [:]
    for (index, entry) in list.entries(in: view.rows.clamped(to: Self.rowLimit)) {
      var row = Row(entry, snapshot, since: mark)
      if let place = row.place { row.findings = found[place] }
      if screen.contains(index), let stream = entry.stream ?? entry.onlyStream, let inspection = read(stream) {
        row.text = inspection.text(at: row.rate)
        row.name = inspection.parts.lazy.compactMap(\.checkpoint).first { $0 != stream.checkpoint }
        let waiting = inspection.parts.reduce(0) { $0 + $1.waiting }
        row.waiting = waiting > 0 ? waiting : nil
        if !inspection.findings.isEmpty { row.findings = max(1, row.findings ?? 0) }
      }
      newRows[index] = row
    }
    let changed = isNew ? newRows : newRows.filter { rows[$0.key] != $0.value }
    rows = newRows
    return Rows(
      version: version, total: list.count, selectedIndex: view.selected.flatMap { list.index(of: $0) }, isNew: isNew,
      rows: changed)
  }

  /// Reads a tree, unless reading the others has taken too long.
  private mutating func read(_ stream: LiveStreams.Stream) -> Inspection? {
    if readingTime > Self.budget { return nil }
    let began = ContinuousClock.now
    let inspection = StreamInspector.inspection(of: stream, limit: Self.partLimit)
    readingTime += .now - began
    readTrees += 1
    return inspection
  }

  // MARK: What is open

  private mutating func tree(_ key: String, _ snapshot: Snapshot) -> Tree {
    let wanted = StreamKey(text: key)
    for place in snapshot.places.values {
      for stream in place.streams where stream.id == wanted?.id {
        guard StreamKey(stream) == wanted, let inspection = read(stream) else { continue }
        return Tree(
          key: key, time: snapshot.time, hasEnded: false, place: place.name, began: stream.began.milliseconds,
          received: stream.received, rate: snapshot.rate(of: stream),
          last: stream.sinceLastValue.map { snapshot.time - $0.milliseconds },
          text: inspection.text(at: snapshot.rate(of: stream)), inspection: inspection)
      }
    }
    return Tree(key: key, time: snapshot.time, hasEnded: true)
  }

  /// What the streams of a place do: as many of them are read as there's time for.
  private mutating func place(_ key: String, _ snapshot: Snapshot, _ changes: [String: Change]?) -> PlaceDetail {
    let name = String(key.dropFirst())
    var detail = PlaceDetail(key: key, time: snapshot.time, place: name)
    detail.change = changes.map { $0[name] ?? Change() }
    guard let place = snapshot.places[name] else { return detail }
    (detail.count, detail.received, detail.rate) = (place.streams.count, place.received, place.rate)
    (detail.oldest, detail.newest, detail.last) = (place.oldest, place.newest, place.last)
    let step = max(1, place.streams.count / Self.sampleLimit)
    var positions: [String: Int] = [:]
    for index in stride(from: 0, to: place.streams.count, by: step).prefix(Self.sampleLimit) {
      let stream = place.streams[index]
      guard let inspection = read(stream) else { continue }
      detail.read += 1
      let text = inspection.text(at: snapshot.rate(of: stream))
      // Sentences that differ in numbers are the same.
      var kind = ""
      for character in text where !character.isNumber || kind.last != "0" {
        kind.append(character.isNumber ? "0" : character)
      }
      if let position = positions[kind] {
        detail.causes[position].count += 1
      } else {
        positions[kind] = detail.causes.count
        detail.causes.append(
          PlaceDetail.Cause(
            text: text, isFinding: !inspection.findings.isEmpty, stream: StreamKey(stream).text))
      }
    }
    detail.causes.sort { ($0.isFinding ? 1 : 0, $0.count) > ($1.isFinding ? 1 : 0, $1.count) }
    return detail
  }
}

extension Inspection {
  /// What the stream does.
  ///
  /// What one waits for between two values changes whenever somebody looks, so it says nothing of a stream that receives some.
  fileprivate func text(at rate: Double?) -> String {
    if findings.isEmpty, let rate, rate > 0 { "Receives values." } else { diagnosis }
  }
}

extension Row {
  fileprivate init(_ entry: StreamList.Entry, _ snapshot: Snapshot, since mark: Mark?) {
    if let stream = entry.stream {
      self.init(key: StreamKey(stream).text)
      self.stream = key
      received = stream.received
      rate = snapshot.rate(of: stream)
      began = stream.began.milliseconds
      last = stream.sinceLastValue.map { snapshot.time - $0.milliseconds }
      if let mark {
        let before = mark.received[StreamKey(stream)]
        isNew = before == nil ? true : nil
        change = Change(received: stream.received &- (before ?? 0))
      }
    } else {
      self.init(key: "p" + entry.place.name)
      let place = entry.place
      (self.place, count, received, rate, last) = (
        place.name, place.streams.count, place.received, place.rate, place.last
      )
      began = place.streams.isEmpty ? nil : place.oldest
      stream = entry.onlyStream.map { StreamKey($0).text }
      if stream == nil, count != 0 { isExpanded = entry.isExpanded }
      change = mark == nil ? nil : entry.change ?? Change()
    }
  }
}
