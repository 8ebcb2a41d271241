internal import Synchronization

/// Settings for the stream warnings that debug builds write to standard error.
///
/// A queue of values that grows without bound eventually uses up a server's memory. So debug builds write a warning when the
/// number of values waiting in an operator or a subject reaches ``waitingLimit``, once for each combination of operator and
/// types:
///
/// ```text
/// warning: 100000 values are waiting in receive(on:) for SinkSubscriber<Int, Never>, and nothing limits their number. …
/// ```
///
/// There are no warnings for operators with their own bound, such as `buffer`. Release builds don't count values.
public enum StreamWarnings {
  /// The number of waiting values at which debug builds warn about an unbounded operator or subject. The default is 100,000.
  ///
  ///     StreamWarnings.waitingLimit = 1_000
  public static var waitingLimit: Int {
    get { limit.load(ordering: .relaxed) }
    set { limit.store(newValue, ordering: .relaxed) }
  }

  private static let limit = Atomic(100_000)
  // `Locked` isn't marked as sendable. Its lock protects the names.
  private nonisolated(unsafe) static let reported = Locked<[String]>([])

  /// Reports, once for each operator and receiver, that the number of waiting values has reached the limit. Called in
  /// assertions.
  fileprivate static func noteWaiting(in place: String, for receiver: String) -> Bool {
    let name = "\(place) \(receiver)"
    let isNew = reported.withLock { names in
      if names.contains(name) { return false }
      names.append(name)
      return true
    }
    if !isNew { return true }
    warn(
      "\(waitingLimit) values are waiting in \(place) for \(receiver), and nothing limits their number. They arrive "
        + "faster than they leave. Send fewer (throttle, collect), or handle them in a loop over "
        + "buffer(size:prefetch:whenFull:).values, which requests one value at a time. If you expect this many values, "
        + "raise StreamWarnings.waitingLimit.")
    return true
  }
}

extension StreamWarnings {
  /// In debug builds, reports that many elements are waiting.
  static func reportWaiting(in operatorName: String, for receiver: String) {
    assert(noteWaiting(in: operatorName, for: receiver))
  }
}
