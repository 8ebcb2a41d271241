internal import StreamSchedulers
internal import Streams

/// The reasons why a stream has sent less than expected, for the message of a failed expectation.
struct ReasonsForMissingValues {
  /// The publisher's type, whose name contains the types of the sources unless they're erased.
  let kind: Any.Type
  /// Returns the number of pending actions, the time at which the next one is due, and the current time, in nanoseconds.
  let pending: () -> (count: Int, next: Int, now: Int)?

  /// Returns sentences with possible reasons why nothing has arrived.
  func explanations(hasSubscription: Bool, hasRequested: Bool) -> [String] {
    if !hasSubscription { return ["The publisher has not sent a subscription."] }
    var lines: [String] = []
    if !hasRequested { lines.append("No value has been requested.") }
    if let source = silentSource { lines.append(source) }
    if let (count, next, now) = pending() {
      let (due, time) = (DurationText.described(next), DurationText.described(now))
      lines.append(
        count == 1
          ? "1 action is pending, due at \(due), but the time is \(time). Did you advance it?"
          : "\(count) actions are pending, the first due at \(due), but the time is \(time). Did you advance it?")
    }
    return lines
  }

  /// A sentence about an operator that ends the stream where the stream was probably meant to continue.
  var reasonForEnd: String? {
    let name = "\(kind)"
    // In the name of a type, an operator comes before its upstream.
    let replacing = ["Catch<", "ReplaceError<", "IgnoreFailure<"]
    guard let upstream = replacing.compactMap({ name.firstRange(of: $0)?.upperBound }).min(),
      ["FlatMap<", "SwitchToLatest<"].contains(where: name[upstream...].contains)
    else { return nil }
    return "Replacing a failure ends the stream. To continue the stream, replace the failure in the publishers that "
      + "flatMap or switchToLatest subscribes to."
  }

  /// A sentence about a source that doesn't send anything by itself.
  private var silentSource: String? {
    let name = "\(kind)"
    func contains(_ type: String) -> Bool { name.contains("\(type)<") }
    if !contains("Autoconnect"), !contains("Share") {
      for (type, source) in [
        ("MakeConnectable", "makeConnectable()"), ("Multicast", "multicast"), ("TimerPublisher", "a timer"),
      ] where contains(type) {
        return "The stream comes from \(source), which sends nothing until you call connect() or use autoconnect()."
      }
    }
    if contains("Future") {
      return
        "The stream comes from a Future, which sends nothing until its promise is called, or from a task, which sends "
        + "nothing until it ends."
    }
    if contains("PassthroughSubject") {
      return "The stream comes from a PassthroughSubject, which drops values that are sent before a subscription. "
        + "A CurrentValueSubject or a ReplaySubject keeps values for later subscribers."
    }
    return nil
  }
}
