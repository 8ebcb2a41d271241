internal import StreamInspection

/// The list of a page: places in an order, and below those that are expanded their streams, the oldest first.
struct StreamList {
  struct Entry {
    let place: Snapshot.Place
    let change: Change?
    let isExpanded: Bool
    var stream: LiveStreams.Stream?

    /// The stream of a place that has no other one, which needs no row of its own.
    var onlyStream: LiveStreams.Stream? { place.streams.count == 1 ? place.streams[0] : nil }
  }

  private let places: [Entry]
  /// The index of each place's row.
  private let starts: [Int]
  /// The number of rows.
  let count: Int

  private static let expandedLimit = 50

  init(_ snapshot: Snapshot, _ view: PageView, _ changes: [String: Change]?) {
    var shown = Array(snapshot.places.values)
    // Places whose last stream has ended.
    for name in changes.map({ Array($0.keys) }) ?? [] where snapshot.places[name] == nil {
      shown.append(Snapshot.Place(name: name))
    }
    let filter = view.filter.prefix(200).lowercased()
    if !filter.isEmpty { shown.removeAll { !$0.name.lowercased().contains(filter) } }
    if view.isChangedOnly, let changes { shown.removeAll { changes[$0.name] == nil } }
    let expanded = Set(view.expanded.prefix(Self.expandedLimit))
    var places = shown.map { place in
      Entry(
        place: place, change: changes?[place.name],
        isExpanded: place.streams.count > 1 && expanded.contains(place.name))
    }
    places.sort { view.order.places($0, before: $1) }
    var starts: [Int] = []
    var count = 0
    for index in places.indices {
      starts.append(count)
      count += 1
      guard places[index].isExpanded else { continue }
      count += places[index].place.streams.count
    }
    (self.places, self.starts, self.count) = (places, starts, count)
  }

  /// The rows of a window, with their indices.
  func entries(in window: Range<Int>) -> [(Int, Entry)] {
    let window = window.clamped(to: 0..<count)
    guard var position = starts.lastIndex(where: { $0 <= window.lowerBound }) else { return [] }
    var entries: [(Int, Entry)] = []
    var streams: [LiveStreams.Stream]?
    for index in window {
      if position + 1 < places.count, index >= starts[position + 1] {
        position += 1
        streams = nil
      }
      var entry = places[position]
      let offset = index - starts[position] - 1
      if offset >= 0 {
        let sorted = streams ?? Self.sorted(entry.place.streams)
        streams = sorted
        entry.stream = sorted[offset]
      }
      entries.append((index, entry))
    }
    return entries
  }

  /// The index of the row with a key.
  func index(of key: String) -> Int? {
    guard let stream = StreamKey(text: key) else {
      return places.firstIndex { "p" + $0.place.name == key }.map { starts[$0] }
    }
    for (position, entry) in places.enumerated() where entry.isExpanded {
      guard entry.place.streams.contains(where: { $0.id == stream.id && StreamKey($0) == stream }) else { continue }
      let offset = Self.sorted(entry.place.streams).firstIndex { StreamKey($0) == stream }
      return offset.map { starts[position] + 1 + $0 }
    }
    return nil
  }

  private static func sorted(_ streams: [LiveStreams.Stream]) -> [LiveStreams.Stream] {
    streams.sorted { ($0.began, $0.id) < ($1.began, $1.id) }
  }
}

extension PageView.Order {
  fileprivate func places(_ entry: StreamList.Entry, before other: StreamList.Entry) -> Bool {
    let (one, two) = (entry.place, other.place)
    switch self {
    case .count where one.streams.count != two.streams.count: return one.streams.count > two.streams.count
    case .rate where one.rate != two.rate: return one.rate ?? 0 > two.rate ?? 0
    case .received where one.received != two.received: return one.received > two.received
    case .newest where one.newest != two.newest: return one.newest > two.newest
    case .change where entry.changeSize != other.changeSize: return entry.changeSize > other.changeSize
    default: return one.name < two.name
    }
  }
}

extension StreamList.Entry {
  /// How much has changed: streams first, then values.
  fileprivate var changeSize: (Int, UInt64) {
    change.map { ($0.began + $0.ended, $0.received) } ?? (0, 0)
  }
}
