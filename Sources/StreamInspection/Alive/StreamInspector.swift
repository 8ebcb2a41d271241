internal import Dispatch
internal import Streams
internal import Synchronization

/// Observes the streams of the process while they live: where they were made, for how long they have lived, and what they
/// have received.
///
/// ```swift
/// StreamInspector.start()
/// …
/// print(StreamInspector.streams)   // which streams are alive, by the line that made them
/// print(StreamInspector.report)    // … with the tree of each, and what is wrong with it
/// ```
///
/// It costs about 15 instructions for each value that a sink receives, 20 for each that a subject sends to one of its
/// subscribers, three thousand for each sink and each subject, and 64 bytes for each sink and 56 for each subscriber of a
/// subject while they live. Without it, a stream can describe itself
/// (`print(cancellable)`), but knows neither its place nor numbers. Streams that were subscribed before are not known.
public enum StreamInspector {
  // `Locked` is not marked as sendable: its lock protects the state.
  private nonisolated(unsafe) static let process = Locked(Process())

  private struct Process {
    var ticker: (any DispatchSourceTimer)?
    var signal: AnyCancellable?
    var began: DispatchTime?
  }

  /// Indicates whether streams are being observed.
  public static var isOn: Bool { process.withLock { $0.ticker != nil } }

  /// Begins to observe the streams that are subscribed from now on.
  public static func start() {
    StreamObserver.install(Registry.shared.observer)
    let ticker = DispatchSource.makeTimerSource(queue: queue)
    let began = process.withLock { process -> DispatchTime? in
      if process.ticker != nil { return nil }
      process.ticker = ticker
      process.began = process.began ?? .now()
      return process.began
    }
    ticker.setEventHandler { tick(since: began ?? .now()) }
    ticker.schedule(deadline: .now(), repeating: .milliseconds(10), leeway: .milliseconds(5))
    ticker.activate()
    if began == nil { return ticker.cancel() }
    StreamObserver.observes(true)
  }

  /// Ends to observe streams. Those that are known stay known until they end.
  public static func stop() {
    StreamObserver.observes(false)
    let ticker = process.withLock { $0.ticker.take() }
    ticker?.cancel()
    Registry.shared.forget()
  }

  private static let queue = DispatchQueue(label: "streams.inspector")

  private static func tick(since began: DispatchTime) {
    let elapsed = (DispatchTime.now().uptimeNanoseconds - began.uptimeNanoseconds) / 1_000_000
    StreamObserver.time.store(UInt32(truncatingIfNeeded: elapsed), ordering: .relaxed)
  }

  /// The streams that are alive.
  ///
  /// - Complexity: O(*n*), where *n* is the number of streams, and some milliseconds for each place that is looked up for
  ///   the first time.
  public static var streams: LiveStreams { LiveStreams() }

  /// The tree of each stream that is alive.
  public static var inspections: [Inspection] {
    var inspections: [Inspection] = []
    Registry.shared.forEach { inspections.append(Inspection(StreamReader($0, limit: 10_000), Inspection.Thresholds())) }
    return inspections
  }

  /// A text of everything that is known: what is likely to be wrong, the streams by place, and the tree of each.
  public static var report: String {
    let findings = findings
    var text = findings.isEmpty ? "" : findings.map(\.text).joined(separator: "\n") + "\n\n"
    text += streams.description
    for inspection in inspections { text += "\n\n\(inspection)\n\(inspection.diagnosis)" }
    return text
  }

  /// What is likely to be wrong with streams that have ended, which nobody can ask any more.
  public static var findings: [Inspection.Finding] {
    Registry.shared.endedSinks.compactMap { ended in
      guard ended.count == 0, ended.time &- ended.made.time < 20 else { return nil }
      let place = CallSites.shared.place(of: ended.made.place)?.description
      return Inspection.Finding(
        kind: .ended,
        text: "\(place ?? "A sink"): this stream ended as soon as it was made, and received nothing. "
          + "If the cancellable that sink returned was dropped, store it, for as long as values are wanted; "
          + "otherwise its publisher had ended before.",
        part: nil, place: place)
    }
  }
}
