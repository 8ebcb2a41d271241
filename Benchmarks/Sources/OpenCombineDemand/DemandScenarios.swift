import Workloads

#if OPENCOMBINE
  import OpenCombine
#else
  import Streams
#endif

/// One operator between sources and a subscriber, and the events that happen to it.
struct DemandScenario {
  let name: String
  /// The events after the subscription, separated by spaces; `?` is where a script requests more.
  let events: String
  let scripts: [DemandScript]
  /// Creates the operator and subscribes to it.
  let body: (Probe) -> Void
}

/// All scenarios. This file and its neighbors are compiled for each implementation.
struct DemandScenarios {
  /// Three values, a request, two values, the end, and a request after it.
  static let events = "1 2 3 ? 4 5 | ?"

  private var scenarios: [DemandScenario] = []

  init() {
    addTransforming()
    addFiltering()
    addReducing()
    addCombining()
    addFlattening()
    addRecovering()
    addSharing()
    addTiming()
    addObserving()
    addSubscribers()
    addCreating()
  }

  /// Adds a scenario.
  ///
  /// - Parameter scripts: The scripts of the subscriber; only one if the scenario has no subscriber of its own.
  mutating func add(
    _ name: String, _ events: String = Self.events, scripts: [DemandScript] = DemandScript.allCases,
    _ body: @escaping (Probe) -> Void
  ) {
    scenarios.append(DemandScenario(name: name, events: events, scripts: scripts, body: body))
  }

  func transcripts() -> [DemandTranscript] {
    scenarios.flatMap { scenario in scenario.scripts.map { Probe($0).perform(scenario) } }
  }
}
