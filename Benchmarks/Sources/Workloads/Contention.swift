/// A stream that several threads send to, without its type.
package struct Contended: @unchecked Sendable {
  // Unchecked: `send` may be called from any thread; `subscribe` and `run` are called by one.
  /// Sends a number, from any thread.
  package let send: (Int) -> Void
  /// Attaches sinks, for each of which a receiver is made, and returns what keeps them attached.
  package let subscribe: (_ makeReceiver: () -> (Int) -> Void) -> Any
  /// Does what has been scheduled, where that has to be done by somebody.
  package let run: (() -> Void)?

  package init(
    send: @escaping (Int) -> Void, subscribe: @escaping (_ makeReceiver: () -> (Int) -> Void) -> Any,
    run: (() -> Void)? = nil
  ) {
    self.send = send
    self.subscribe = subscribe
    self.run = run
  }
}

/// What is sent to.
package enum ContendedShape: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
  case subject
  case subject10 = "subject-10"
  case currentValue = "current-value"
  case merge
  case share10 = "share-10"
  case testScheduler = "test-scheduler"

  /// What it is made of.
  package var explanation: String {
    switch self {
    case .subject: "a subject with one sink"
    case .subject10: "a subject with ten sinks"
    case .currentValue: "a subject that keeps its value, with one sink"
    case .merge: "two subjects merged, with one sink; each thread sends to both in turn"
    case .share10: "a subject shared by ten sinks"
    case .testScheduler: "actions scheduled in virtual time, which another thread moves on"
    }
  }
}
