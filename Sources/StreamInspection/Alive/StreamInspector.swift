internal import Dispatch
public import Streams
internal import Synchronization

/// Observes the live streams of the process: where they were created, how old they are, and how many values they've
/// received.
///
/// ```swift
/// StreamInspector.start()
/// …
/// print(StreamInspector.streams)   // which streams are alive, by the line that made them
/// print(StreamInspector.dump())    // … with the tree of each, and what is wrong with it
/// ```
///
/// Observing takes about 15 instructions for each value that a sink receives, 50 for each value that a subject sends to
/// one of its subscribers, and 3,000 for each sink and each subject. It needs 72 bytes for each live sink, and 56 for
/// each live subscriber of a subject. On Linux with Swift 6.3 or later, if the environment variable `STREAMS_INSPECT`
/// is set, the program starts observing before `main`, and writes a ``dump(as:)`` to standard error when it receives
/// the signal `SIGUSR1`, as JSON if the variable's value is `json`. Without observation, a stream can describe itself
/// (`print(cancellable)`), but doesn't know its line or its counts. Streams that began before observation aren't known.
public enum StreamInspector {
  // `Locked` isn't marked as sendable: its lock protects the state.
  private nonisolated(unsafe) static let process = Locked(Process())

  private struct Process {
    /// The clock, and the timer that calls listeners, while streams are observed.
    var timers: [any DispatchSourceTimer] = []
    var signal: AnyCancellable?
    var began: DispatchTime?
    /// The listener that `start` added.
    var listener: Listener?
    /// The listeners that `follow` added.
    var listeners: [Listener] = []

    var allListeners: [Listener] { listeners + (listener.map { [$0] } ?? []) }
  }

  private static let queue = DispatchQueue(label: "streams.inspector")
  /// A separate queue for the clock, because looking up places for listeners can occupy the other queue for a second.
  private static let clockQueue = DispatchQueue(label: "streams.inspector.clock")

  /// Indicates whether streams are being observed.
  ///
  /// ```swift
  /// if !StreamInspector.isOn { StreamInspector.start() }
  /// ```
  public static var isOn: Bool { process.withLock { !$0.timers.isEmpty } }

  /// Starts observing the streams that begin from now on.
  ///
  /// ```swift
  /// StreamInspector.start(lints: .init()) { event in
  ///   logger.info("\(event)")   // swift-log
  /// }
  /// ```
  ///
  /// Starting again before ``stop()`` has no effect.
  ///
  /// - Parameters:
  ///   - lints: The thresholds for findings in live streams: a growing queue, values that nobody requests, or a long
  ///     delivery. By default, the inspector doesn't look for findings. Otherwise, it reads up to 200 streams ten times
  ///     a second.
  ///   - onEvent: A closure that receives an event when a stream begins or ends, for each finding, and when events were
  ///     lost. It runs on the inspector's queue, usually within a hundredth of a second. It must not create
  ///     a subscription for each event.
  public static func start(
    lints: Inspection.Thresholds? = nil, onEvent: (@Sendable (InspectionEvent) -> Void)? = nil
  ) {
    let ticker = DispatchSource.makeTimerSource(queue: queue)
    let clock = DispatchSource.makeTimerSource(queue: clockQueue)
    let timers = [clock, ticker]
    let listener = onEvent.map { Listener(lints, $0) }
    let began = process.withLock { process -> DispatchTime? in
      if !process.timers.isEmpty { return nil }
      process.timers = timers
      process.began = process.began ?? .now()
      process.listener = listener
      return process.began
    }
    guard let began else {
      for timer in timers {
        timer.activate()
        timer.cancel()
      }
      return
    }
    process.withLock { Registry.shared.keepsEvents(!$0.allListeners.isEmpty) }
    observe()
    var round = 0
    ticker.setEventHandler {
      round += 1
      notifyListeners(at: Double(time) / 1_000, looksForFindings: round % 10 == 0)
    }
    clock.setEventHandler { tick(since: began) }
    for timer in timers {
      timer.schedule(deadline: .now(), repeating: .milliseconds(10), leeway: .milliseconds(5))
      timer.activate()
    }
  }

  /// A closure that receives events, and its thresholds.
  private final class Listener: @unchecked Sendable {
    // Unchecked: only the queue uses `watch`.
    var watch: LintWatch?
    let onEvent: @Sendable (InspectionEvent) -> Void
    let isCancelled = Atomic<Bool>(false)

    init(_ lints: Inspection.Thresholds?, _ onEvent: @escaping @Sendable (InspectionEvent) -> Void) {
      watch = lints.map { LintWatch($0) }
      self.onEvent = onEvent
    }

    func receive(_ event: InspectionEvent) { if !isCancelled.load(ordering: .acquiring) { onEvent(event) } }
  }

  /// Calls a closure with each event, like ``start(lints:onEvent:)``, for as long as you keep the result.
  ///
  /// ```swift
  /// let following = StreamInspector.follow(lints: .init()) { event in print(event) }
  /// ```
  ///
  /// Each closure has its own thresholds, and is called whenever streams are observed, even if observation starts after
  /// this call, or again after ``stop()``.
  ///
  /// - Parameters:
  ///   - lints: The thresholds for findings, as in ``start(lints:onEvent:)``. The inspector reads the streams only once for all
  ///     closures.
  ///   - onEvent: A closure that receives each event on the inspector's queue. It must not create a subscription for each event.
  /// - Returns: A cancellable. Once you cancel or release it, no new call to the closure begins.
  public static func follow(
    lints: Inspection.Thresholds? = nil, _ onEvent: @escaping @Sendable (InspectionEvent) -> Void
  ) -> AnyCancellable {
    let listener = Listener(lints, onEvent)
    process.withLock { process in
      process.listeners.append(listener)
      if !process.timers.isEmpty { Registry.shared.keepsEvents(true) }
    }
    return AnyCancellable {
      listener.isCancelled.store(true, ordering: .releasing)
      // A closure may be released with the listener, which must not happen under the lock.
      process.withLock { process in process.listeners.removeAll { $0 === listener } }
    }
  }

  private static func notifyListeners(at time: Double, looksForFindings: Bool) {
    let listeners = process.withLock { $0.allListeners }
    let events = Registry.shared.takeEvents()
    process.withLock { Registry.shared.keepsEvents(!$0.allListeners.isEmpty) }
    for event in events { listeners.forEach { $0.receive(event) } }
    guard looksForFindings, listeners.contains(where: { $0.watch != nil }) else { return }
    let inspections = Self.inspections(limit: 200) { _ in true }
    for listener in listeners {
      let findings = listener.watch?.findings(in: inspections, at: time) ?? []
      findings.forEach { listener.receive(InspectionEvent($0)) }
    }
  }

  /// Starts observing streams, without a clock.
  package static func observe() {
    StreamObserver.install(Registry.shared.observer)
    StreamObserver.observes(true)
    NamedTask.areNamed = true
  }

  /// The number of parts of each live stream.
  package static var roots: [Int] {
    var roots: [Int] = []
    Registry.shared.forEach { root in
      roots.append(StreamReader(root, limit: 10_000).nodes.count)
      return true
    }
    return roots
  }

  /// Stops observing. Known streams stay known until they end.
  public static func stop() {
    StreamObserver.observes(false)
    let (timers, _) = process.withLock { process in
      defer { process.timers = [] }
      return (process.timers, process.listener.take())
    }
    for timer in timers { timer.cancel() }
    Registry.shared.keepsEvents(false)
    Registry.shared.forget()
  }

  /// The time in milliseconds since observation began, up to date if the inspector has a clock.
  static var time: UInt32 {
    if let began = process.withLock({ $0.timers.isEmpty ? nil : $0.began }) { tick(since: began) }
    return StreamObserver.time.load(ordering: .relaxed)
  }

  private static func tick(since began: DispatchTime) {
    let elapsed = UInt32(
      truncatingIfNeeded: (DispatchTime.now().uptimeNanoseconds - began.uptimeNanoseconds) / 1_000_000)
    let time = StreamObserver.time.load(ordering: .relaxed)
    // Another thread may have stored a later time, which may have wrapped around.
    if Int32(bitPattern: elapsed &- time) > 0 {
      _ = StreamObserver.time.compareExchange(expected: time, desired: elapsed, ordering: .relaxed)
    }
  }

  // MARK: What is alive

  /// The live streams.
  ///
  /// ```swift
  /// for stream in StreamInspector.streams.streams where stream.age > 60 { print(stream.place ?? "?", stream.received) }
  /// ```
  ///
  /// - Complexity: O(*n*), where *n* is the number of streams, and a few milliseconds to look up each new place.
  public static var streams: LiveStreams { LiveStreams() }

  /// An inspection of each live stream.
  ///
  /// ```swift
  /// for inspection in StreamInspector.inspections { print(inspection.diagnosis) }
  /// ```
  ///
  /// - Complexity: O(*n*), where *n* is the number of parts of all streams.
  public static var inspections: [Inspection] { inspections(thresholds: Inspection.Thresholds()) }

  /// Returns an inspection of each live stream, with your own thresholds for findings.
  ///
  /// ```swift
  /// var thresholds = Inspection.Thresholds()
  /// thresholds.silence = .seconds(5)
  /// let findings = StreamInspector.inspections(thresholds: thresholds).flatMap(\.findings)
  /// ```
  ///
  /// - Parameter thresholds: The limits beyond which a problem is reported as a finding.
  /// - Returns: The inspections.
  /// - Complexity: O(*n*), where *n* is the number of parts of all streams.
  public static func inspections(thresholds: Inspection.Thresholds) -> [Inspection] {
    inspections(thresholds) { _ in true }
  }

  /// Returns an inspection of one of the ``streams``, without reading the others.
  ///
  /// ```swift
  /// let oldest = StreamInspector.streams.streams.max { $0.age < $1.age }
  /// print(oldest.flatMap { StreamInspector.inspection(of: $0) } ?? "It has ended.")
  /// ```
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - limit: The number of parts after which reading stops. See ``Inspection/isTruncated``.
  /// - Returns: The inspection, or `nil` if the stream has ended. The first part has the stream's `id`.
  /// - Complexity: O(*n* + *k*), where *n* is the number of live streams, and *k* is the number of this stream's parts. A live
  ///   stream takes about a nanosecond, and a part about 60,000 instructions.
  public static func inspection(of stream: LiveStreams.Stream, limit: Int = 10_000) -> Inspection? {
    let time = UInt32(truncatingIfNeeded: Int((stream.began * 1_000).rounded()))
    return Registry.shared.root(stream.id, madeAt: time).map { root in
      Inspection(StreamReader(root, limit: limit), Inspection.Thresholds())
    }
  }

  private static func inspections(
    _ thresholds: Inspection.Thresholds = Inspection.Thresholds(), limit: Int = .max,
    where isWanted: (StreamReader) -> Bool
  ) -> [Inspection] {
    var inspections: [Inspection] = []
    Registry.shared.forEach { root in
      let reader = StreamReader(root, limit: 10_000)
      if isWanted(reader) { inspections.append(Inspection(reader, thresholds)) }
      return inspections.count < limit
    }
    return inspections
  }

  /// Returns an inspection of each live stream that receives values from one of several subjects.
  ///
  /// - Parameter subjects: The subjects.
  /// - Returns: Inspections of the streams that began while streams were being observed.
  /// - Complexity: O(*n* · *k*), where *n* is the number of parts of all live streams, and *k* is the number of subjects.
  package static func inspections(from subjects: [AnyObject]) -> [Inspection] {
    if subjects.isEmpty { return [] }
    return inspections { reader in
      reader.nodes.contains { node in subjects.contains { $0 === node.facts.owner } }
    }
  }

  /// Problems in streams that you can't inspect: recently ended streams that were cancelled immediately, and senders
  /// that wait because a ``/StreamAlgorithms/BoundedSubject`` has never had a subscriber.
  ///
  /// ```swift
  /// for finding in StreamInspector.findings { print(finding.text) }
  /// ```
  public static var findings: [Inspection.Finding] { findingsOfEndedStreams + findingsOfSenders }

  private static var findingsOfSenders: [Inspection.Finding] {
    let now = time
    return Registry.shared.unheardSenders.compactMap { subject, unheard in
      let count = unheard.senders.map { Facts(of: $0).waiting } ?? 0
      if count == 0 { return nil }
      let place = Registry.shared.place(ofSource: subject)?.description
      return Inspection.Finding(
        kind: .waitsForSource,
        text:
          "\(counted(count, "sender", "waiting")) for the first subscriber of the BoundedSubject"
          + "\(place.map { " that was created at \($0)" } ?? ""), the first for "
          + "\(Duration.seconds(Double(now &- unheard.since) / 1_000).text). Subscribe to it, or check that the stream that "
          + "should do so has started.",
        part: nil, place: place)
    }
  }

  private static var findingsOfEndedStreams: [Inspection.Finding] {
    Registry.shared.endedSinks.compactMap { ended in
      // A loop has no cancellable that could have been dropped.
      guard ended.count == 0, ended.isCancelled, !ended.isLoop, ended.isImmediate else { return nil }
      let (made, ender) = (CallSites.shared.place(of: ended.made.place), CallSites.shared.place(of: ended.site))
      let (place, call) = (made?.description, ender == made ? nil : ender.map { " at \($0)" })
      let storage = made.flatMap { SourceChain.storage(at: $0) }
      let advice =
        storage.map {
          "If \($0.owner), whose property \($0.property) holds its cancellable, was released there, keep that object."
        }
        ?? "If you dropped the cancellable that sink returned, store it for as long as you want values."
      return Inspection.Finding(
        kind: .ended,
        text:
          "\(place ?? "A sink"): this stream was cancelled\(call ?? "") as soon as it was created, and received nothing. \(advice)",
        part: nil, place: place)
    }
  }

  // MARK: Dumps

  /// The output format of a dump.
  public enum DumpFormat: Sendable {
    /// Human-readable text: ``StreamInspector/findings``, the streams by place, their trees with diagnoses, and how the last
    /// streams ended.
    case text
    /// JSON with the members `streams` (``LiveStreams``) and `inspections`.
    case json
  }

  /// Returns a report on all live streams.
  ///
  /// ```swift
  /// print(StreamInspector.dump(as: .json))
  /// ```
  ///
  /// - Parameter format: The output format.
  /// - Returns: The report.
  public static func dump(as format: DumpFormat = .text) -> String {
    if case .json = format {
      return JSON.object([
        ("streams", streams.jsonValue), ("inspections", .array(inspections.map(\.jsonValue))),
      ]).text
    }
    let findings = findings.map(\.text)
    let ended = Registry.shared.endedSinks.suffix(maxEnded).map { EndedStream($0).description }
    let ends = ended.isEmpty ? [] : ["\nEnded recently:"] + ended
    let lost = Registry.shared.lostValues.prefix(maxEnded).map { subject, values in
      let place = Registry.shared.place(ofSource: subject).map { " at \($0)" } ?? ""
      return "\nThe subject\(place) was sent \(values) before it had a subscriber."
    }
    let trees = inspections.map { "\n\($0)\n\($0.diagnosis)" }
    return (findings + [streams.description] + trees + ends + lost.sorted()).joined(separator: "\n")
  }

  /// The maximum number of ended streams, and of subjects without subscribers, in a dump. The lines of each have to be looked up.
  private static let maxEnded = 16

  /// Writes a dump to standard error each time the process receives the signal `SIGUSR1` (`kill -USR1` with the process
  /// ID), which would otherwise end the process.
  ///
  /// ```swift
  /// StreamInspector.start()
  /// StreamInspector.dumpOnSignal()   // then: kill -USR1 4711
  /// ```
  ///
  /// - Parameter format: The output format.
  public static func dumpOnSignal(as format: DumpFormat = .text) {
    let signal = DumpSignal.onReceipt { StandardError.write(dump(as: format) + "\n") }
    let earlier = process.withLock { process in
      defer { process.signal = signal }
      return process.signal
    }
    earlier?.cancel()
  }
}
