internal import StreamInspection

/// The numbers of all live streams at one moment, summed up by what they have in common.
struct StreamSample {
  /// A number and what it's about.
  struct Measurement: Hashable {
    let label: String
    let dimensions: [String]

    init(_ label: String, _ dimensions: [String]) {
      self.label = label
      self.dimensions = dimensions
    }

    fileprivate init(_ label: String, _ group: PartGroup) {
      self.init(label, [group.checkpoint, group.name, group.place])
    }
  }

  /// What parts of several streams have in common.
  fileprivate struct PartGroup: Hashable {
    let checkpoint: String
    let name: String
    let place: String
  }

  /// A place where values are counted. The numbers of a source grow for as long as it lives.
  struct Source: Hashable {
    let label: String
    /// The stream or the part, and which of the operators before it.
    let owner: UInt64
    let index: Int
  }

  /// A problem that several streams may have.
  struct Problem: Hashable {
    let kind: Inspection.Cause
    let place: String
    let part: String
  }

  /// The names of the dimensions of each metric.
  static let dimensions = [
    "streams_live": ["place"],
    "streams_received": ["place"],
    "streams_parts": ["checkpoint", "operator", "place"],
    "streams_part_received": ["checkpoint", "operator", "place"],
    "streams_part_sent": ["checkpoint", "operator", "place"],
    "streams_part_waiting": ["checkpoint", "operator", "place"],
    "streams_part_most_waiting": ["checkpoint", "operator", "place"],
    "streams_part_demand": ["checkpoint", "operator", "place"],
    "streams_findings": ["kind", "place"],
  ]

  static let unknownPlace = "unknown"

  private(set) var values: [Measurement: Double] = [:]

  /// The numbers of values that have passed.
  private(set) var counts: [Source: (measurement: Measurement, count: UInt64)] = [:]

  /// What is wrong: a text and the number of streams.
  private(set) var problems: [Problem: (text: String, count: Int)] = [:]

  /// Adds the streams that are alive.
  mutating func add(_ streams: LiveStreams) {
    for stream in streams.streams {
      let place = stream.place ?? Self.unknownPlace
      add(1, to: "streams_live", place)
      count(stream.received, of: stream.id, as: Measurement("streams_received", [place]))
    }
  }

  /// Adds the parts of streams and what is wrong with them. A part that several streams share counts once.
  mutating func add(_ trees: [Inspection]) {
    var groups: [UInt64: PartGroup] = [:]
    var parts: [UInt64: (part: Inspection.Part, tree: Int)] = [:]
    for (index, tree) in trees.enumerated() where !tree.parts.isEmpty {
      let place = tree.parts[0].place ?? Self.unknownPlace
      for (part, checkpoint) in zip(tree.parts, Self.checkpoints(of: tree)) {
        let group = PartGroup(checkpoint: checkpoint, name: part.name, place: part.place ?? place)
        // Always the same one of several, so that its gauge doesn't change between two samples.
        if let other = groups[part.id], (other.checkpoint, other.place) <= (group.checkpoint, group.place) { continue }
        groups[part.id] = group
        parts[part.id] = (part, index)
      }
      // Nothing has entered the stream. On a server, it waits for a client, a signal or a shutdown, which may take days.
      let isIdle = !tree.hasValues
      for finding in tree.findings where !(isIdle && finding.kind == .waitsForSource) {
        let part = finding.part.map { tree.parts[$0].name } ?? ""
        add(Problem(kind: finding.kind, place: finding.place ?? place, part: part), finding.text)
      }
    }
    for (id, (part, tree)) in parts {
      guard let group = groups[id] else { continue }
      if part.checkpoint == nil { add(part, group) }
      for (number, upstream) in part.upstreams.enumerated() {
        let source = trees[tree].parts[upstream.part]
        add(upstream, number, from: source.kind == .subject ? groups[source.id] : nil, to: part, group)
      }
    }
  }

  /// Adds findings about streams that can't be read anymore.
  mutating func add(_ findings: [Inspection.Finding]) {
    for finding in findings {
      add(Problem(kind: finding.kind, place: finding.place ?? Self.unknownPlace, part: ""), finding.text)
    }
  }

  private mutating func add(_ problem: Problem, _ text: String) {
    problems[problem, default: (text, 0)].count += 1
    add(1, to: "streams_findings", problem.kind.rawValue, problem.place)
  }

  private mutating func add(_ part: Inspection.Part, _ group: PartGroup) {
    add(1, to: "streams_parts", group)
    add(Double(part.waiting), to: "streams_part_waiting", group)
    // A sink counts the values that it receives, any other part those that it sends.
    if let received = part.kind == .sink ? part.count : part.received {
      count(received, of: part.id, as: Measurement("streams_part_received", group))
    }
    if part.kind != .sink, let sent = part.count {
      count(sent, of: part.id, as: Measurement("streams_part_sent", group))
    }
    if let most = part.mostWaiting {
      let measurement = Measurement("streams_part_most_waiting", group)
      values[measurement] = max(Double(most), values[measurement] ?? 0)
    }
    if case .values(let demand) = part.demand {
      let measurement = Measurement("streams_part_demand", group)
      values[measurement] = min(Double(demand), values[measurement] ?? .infinity)
    }
  }

  /// Adds what is counted of the values that pass from one part to another.
  private mutating func add(
    _ upstream: Inspection.Upstream, _ number: Int, from subject: PartGroup?, to part: Inspection.Part,
    _ group: PartGroup
  ) {
    let checkpoint = part.checkpoint ?? group.checkpoint
    // The part itself has the index 0.
    let first = 1 + number << 16
    for (index, (name, flow)) in zip(upstream.operators, upstream.flows).enumerated() {
      guard let flow else { continue }
      let stage = PartGroup(checkpoint: checkpoint, name: name, place: group.place)
      add(1, to: "streams_parts", stage)
      count(flow.received, of: part.id, at: first + index, as: Measurement("streams_part_received", stage))
      count(flow.sent, of: part.id, at: first + index, as: Measurement("streams_part_sent", stage))
    }
    if let subject, let sent = upstream.count {
      count(sent, of: part.id, at: first + upstream.operators.count, as: Measurement("streams_part_sent", subject))
    }
  }

  private mutating func count(
    _ count: some BinaryInteger, of owner: UInt64, at index: Int = 0, as measurement: Measurement
  ) {
    counts[Source(label: measurement.label, owner: owner, index: index)] = (measurement, UInt64(count))
  }

  private mutating func add(_ value: Double, to label: String, _ group: PartGroup) {
    values[Measurement(label, group), default: 0] += value
  }

  private mutating func add(_ value: Double, to label: String, _ dimensions: String...) {
    values[Measurement(label, dimensions), default: 0] += value
  }

  /// Returns the checkpoint of each part: the nearest one downstream of it, or otherwise the nearest one to the sink.
  private static func checkpoints(of tree: Inspection) -> [String] {
    var checkpoints = [String?](repeating: nil, count: tree.parts.count)
    var isKnown = [Bool](repeating: false, count: tree.parts.count)
    var first: String?
    // Breadth first, so that the nearest one comes first.
    var queue = [0]
    isKnown[0] = true
    var position = 0
    while position < queue.count {
      let part = queue[position]
      position += 1
      first = first ?? tree.parts[part].checkpoint
      for upstream in tree.parts[part].upstreams where !isKnown[upstream.part] {
        isKnown[upstream.part] = true
        checkpoints[upstream.part] = tree.parts[part].checkpoint ?? checkpoints[part]
        queue.append(upstream.part)
      }
    }
    return checkpoints.map { $0 ?? first ?? "" }
  }
}

extension Inspection {
  /// Indicates whether a value has entered the stream, as far as its parts count them.
  fileprivate var hasValues: Bool {
    parts.contains { part in
      part.count ?? 0 > 0 || part.received ?? 0 > 0 || part.waiting > 0
        || part.upstreams.contains { upstream in
          upstream.count ?? 0 > 0 || upstream.flows.contains { $0?.received ?? 0 > 0 }
        }
    }
  }
}
