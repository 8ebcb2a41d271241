/// Workloads that show what the inspection of streams costs: the work is measured with inspected streams and with others,
/// and the difference is the cost. Only Streams runs these.
package enum InspectionWorkload: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
  case sink = "inspected-sink"
  case subscriber = "inspected-subscriber"
  case subject = "inspected-subject"
  case operators = "inspected-operators"
  case merge = "inspected-merge"

  /// A description of the work and of one element of it.
  package var explanation: String {
    switch self {
    case .sink: "a sequence to a sink, which counts; per value"
    case .subscriber: "a subject to a subscriber that is no sink; the subject counts; per value sent"
    case .subject: "a subject to a sink; both count; per value sent"
    case .operators: "a subject through map and filter to a sink; subject, filter and sink count; per value sent"
    case .merge: "two subjects merged, which send in turn, to a sink; one of them counts, and the sink; per value"
    }
  }
}

/// Workloads in which many live streams are read, or one that is large. Only Streams runs these.
package enum ReadingWorkload: String, CaseIterable, Sendable {
  case madeSinks = "made-sinks"
  case madeStreams = "made-streams"
  case mapAlone = "map-alone"
  case mapStreams = "map-streams"
  case mapInspections = "map-inspections"
  case debounceAlone = "debounce-alone"
  case debounceStreams = "debounce-streams"
  case debounceInspections = "debounce-inspections"
  case oneDebounce = "one-debounce"
  case oneZip = "one-zip"
  case oneFlatMap = "one-flat-map"
  case oneEmptiedFlatMap = "one-emptied-flat-map"
}

/// The memory of inspected streams and of what is read of them.
package enum InspectionMemory: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
  case sink
  case chain
  case merge
  case mapStreams = "map-streams"
  case mapInspections = "map-inspections"
  case debounceInspections = "debounce-inspections"

  /// A description of what takes the memory.
  package var explanation: String {
    switch self {
    case .sink: "more for a sink while streams are inspected"
    case .chain: "… for a subject, map, filter and a sink"
    case .merge: "… for two subjects, merge and a sink"
    case .mapStreams: "StreamInspector.streams: a stream"
    case .mapInspections: "StreamInspector.inspections: subject, map, sink"
    case .debounceInspections: "StreamInspector.inspections: subject, debounce, sink"
    }
  }
}
