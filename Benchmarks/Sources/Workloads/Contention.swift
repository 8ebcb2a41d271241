/// A stream that several threads send to, with its type erased.
package struct Contended: @unchecked Sendable {
  // Unchecked: `send` may be called from any thread; `subscribe` and `run` are called by one.
  /// Sends a number, from any thread.
  package let send: (Int) -> Void
  /// Attaches sinks, creates a receiver for each, and returns an object that keeps them attached.
  package let subscribe: (_ makeReceiver: () -> (Int) -> Void) -> Any
  /// Runs the scheduled work, if the stream's scheduler does not do so itself.
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

/// The streams that threads send to.
package enum ContendedShape: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
  case subject
  case subject10 = "subject-10"
  case currentValue = "current-value"
  case merge
  case share10 = "share-10"
  case testScheduler = "test-scheduler"

  /// A description of the stream.
  package var explanation: String {
    switch self {
    case .subject: "a subject with one sink"
    case .subject10: "a subject with ten sinks"
    case .currentValue: "a subject that stores its value, with one sink"
    case .merge: "two merged subjects with one sink, where each thread sends to both in turn"
    case .share10: "a subject shared by ten sinks"
    case .testScheduler: "actions scheduled in virtual time, which another thread advances"
    }
  }
}
