/// Subscriptions whose memory is counted.
package enum SubscriptionShape: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
  case chain
  case merge
  case debounce
  case receiveOn = "receive-on"

  /// A description of the publisher and its operators.
  package var explanation: String {
    switch self {
    case .chain: "subject, map, filter, sink"
    case .merge: "two subjects, merge, sink"
    case .debounce: "subject, debounce, sink"
    case .receiveOn: "subject, receive(on:), sink"
    }
  }
}

/// The memory of subscriptions, in the form in which it is written to a file.
package struct MemoryResults: Codable, Sendable {
  package struct Figure: Codable, Sendable {
    package var bytes: Double
    package var allocations: Double

    package init(bytes: Double, allocations: Double) {
      self.bytes = bytes
      self.allocations = allocations
    }
  }

  package var configuration: String
  package var figures: [SubscriptionShape: [ImplementationName: Figure]] = [:]
  /// What inspection takes. The bytes are those that are requested from the allocator.
  package var inspection: [InspectionMemory: Figure] = [:]

  package init(configuration: String) { self.configuration = configuration }
}
