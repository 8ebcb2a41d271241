/// A subject that several threads send to, without its type.
package struct ContendedSubject: @unchecked Sendable {
  // Unchecked: `send` is a subject's, which may be called from any thread; `subscribe` is called by one.
  package let send: (Int) -> Void
  /// Attaches a sink, and returns what keeps it attached.
  package let subscribe: (@escaping (Int) -> Void) -> Any

  package init(send: @escaping (Int) -> Void, subscribe: @escaping (@escaping (Int) -> Void) -> Any) {
    self.send = send
    self.subscribe = subscribe
  }
}

/// What is sent to.
package enum ContendedShape: String, CaseIterable, Sendable {
  case subject
  case currentValue = "current-value"
}
