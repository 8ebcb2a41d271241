/// What a downstream subscriber requests while the demand of an operator is recorded.
package enum DemandScript: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
  case none
  case one
  case twoThenOne = "two-then-one"
  case unlimited
  case returning
  case late

  /// A description of what the subscriber requests.
  package var explanation: String {
    switch self {
    case .none: "nothing is ever requested"
    case .one: "1 is requested when the subscription arrives"
    case .twoThenOne: "2 are requested when the subscription arrives, and 1 more at each “request”"
    case .unlimited: "unlimited demand is requested when the subscription arrives"
    case .returning: "1 is requested when the subscription arrives, and 1 returned for each value"
    case .late: "nothing is requested when the subscription arrives, and 1 at each “request”"
    }
  }

  /// Whether the subscriber requests values after its subscription has arrived.
  package var requestsLater: Bool { self == .twoThenOne || self == .late }
}

/// The demand that reaches the sources of an operator, and what its subscriber receives, step by step.
package struct DemandTranscript: Sendable {
  /// One event from outside, and its effects.
  package struct Step: Sendable {
    package let event: String
    package let effects: String

    package init(event: String, effects: String) {
      self.event = event
      self.effects = effects
    }
  }

  package let name: String
  package let script: DemandScript
  package let steps: [Step]

  package init(_ name: String, _ script: DemandScript, steps: [Step]) {
    self.name = name
    self.script = script
    self.steps = steps
  }
}
