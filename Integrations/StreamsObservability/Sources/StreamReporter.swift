internal import Dispatch
public import Logging
public import Metrics
public import ServiceLifecycle
public import StreamInspection
internal import Synchronization

/// Reports the live streams of the process as metrics, and what is wrong with them as log lines.
///
/// ```swift
/// let reporter = StreamReporter(logger: logger)
/// reporter.startInspecting()   // at the beginning of main
/// …
/// try await ServiceGroup(services: [reporter, server], gracefulShutdownSignals: [.sigterm], logger: logger).run()
/// ```
///
/// The reporter reads the streams from the `StreamInspector` at each interval. It sets these gauges:
///
/// | gauge | dimensions | value |
/// | --- | --- | --- |
/// | `streams_live` | `place` | the number of streams that are alive |
/// | `streams_parts` | `checkpoint`, `operator`, `place` | the number of parts, such as operators and subjects |
/// | `streams_part_waiting` | as above | the number of values that are waiting in them |
/// | `streams_part_most_waiting` | as above | the most that ever waited in one of them, at most twice too high |
/// | `streams_part_demand` | as above | the smallest number of values requested from one of them, unless it's unlimited |
/// | `streams_findings` | `kind`, `place` | the number of findings |
///
/// These are counters, which only grow:
///
/// | counter | dimensions | value |
/// | --- | --- | --- |
/// | `streams_received` | `place` | the number of values that streams have received |
/// | `streams_part_received` | `checkpoint`, `operator`, `place` | the number of values that the parts have received |
/// | `streams_part_sent` | as above | the number of values that they have sent, for a subject to all of its subscribers |
///
/// A counter misses what a stream receives between the last report and its end, and so all of a stream that lives between two reports.
///
/// A place is the file and line where the stream's sink or the subject was made. An operator has the place of its sink. Its
/// checkpoint is the nearest one between the operator and the sink, or otherwise the one that is nearest to the sink. Streams
/// and parts that have all dimensions in common are summed up, so the number of gauges depends on your code, not on how many
/// streams are alive. A part that several streams share, such as a subject, counts once. The sums fall when streams end.
///
/// Not every part counts its values: those that may drop values do, and sinks and subjects. The others have no gauge for them.
///
/// A gauge that no stream belongs to anymore is set to zero, then destroyed at the next report.
///
/// Reading the list of streams is cheap. Reading the parts of a stream takes about sixty thousand instructions for each part.
/// If more streams are alive than ``maximumTrees``, parts aren't read. Their gauges are then destroyed, findings aren't
/// updated, and a notice is logged once. `streams_live` and `streams_received` always cover all streams.
public actor StreamReporter: Service {
  /// Looking up the lines of code takes seconds the first time, so a thread of its own does it, not one of the concurrency pool.
  private static let executor = ReportingExecutor()
  public nonisolated var unownedExecutor: UnownedSerialExecutor { Self.executor.asUnownedSerialExecutor() }

  /// The time between two reports of ``run()``.
  public nonisolated let interval: Duration

  /// The maximum number of live streams whose parts are read.
  public nonisolated let maximumTrees: Int

  /// From when on something that lasts is a finding.
  public nonisolated let thresholds: Inspection.Thresholds

  private nonisolated let logger: Logger
  private let factory: (any MetricsFactory)?
  private nonisolated let reported = Mutex<Set<StreamSample.Problem>>([])
  /// Whether ``run()`` makes a report.
  private nonisolated let isReporting = Mutex(false)

  private var gauges: [StreamSample.Measurement: Gauge] = [:]
  private var counters: [StreamSample.Measurement: Counter] = [:]
  /// The numbers in the last report that read the source.
  private var counted: [StreamSample.Source: UInt64] = [:]
  /// The gauges that were set to zero by the last report.
  private var gone: Set<StreamSample.Measurement> = []
  private var problems: Set<StreamSample.Problem> = []
  private var hasWarned = false
  private var isTruncated = false

  /// Creates a reporter.
  ///
  /// - Parameters:
  ///   - interval: The time between two reports.
  ///   - maximumTrees: The maximum number of live streams whose parts are read.
  ///   - thresholds: From when on something that lasts is a finding, such as silence.
  ///   - logger: The logger to write to.
  ///   - metricsFactory: The factory that makes the gauges. If it's `nil`, the factory of the `MetricsSystem` does.
  public init(
    interval: Duration = .seconds(10), maximumTrees: Int = 1_000, thresholds: Inspection.Thresholds = .init(),
    logger: Logger, metricsFactory: (any MetricsFactory)? = nil
  ) {
    self.interval = interval
    self.maximumTrees = maximumTrees
    self.thresholds = thresholds
    self.logger = logger
    factory = metricsFactory
  }

  /// Begins to observe the streams that are subscribed from now on, and logs their events.
  ///
  /// Call it at the beginning of `main`, because streams that began before aren't known. A finding that develops over time is
  /// logged as a warning: a queue that grows, values that nothing requests, a delivery that doesn't return. The same finding
  /// about the same line of code is logged once between two reports. That a stream began or ended is logged at the level
  /// `trace`. The reporter's ``thresholds`` decide.
  ///
  /// If streams are already being observed, this has no effect, and no events are logged. ``report()`` works nevertheless.
  ///
  /// - Parameter lints: Whether findings that develop over time are looked for, for which up to 200 streams are read ten times a
  ///   second.
  public nonisolated func startInspecting(lints: Bool = true) {
    StreamInspector.start(lints: lints ? thresholds : nil) { [weak self] in self?.log($0) }
  }

  /// Reports at each interval until the service is shut down.
  ///
  /// It returns after a last report when a graceful shutdown is triggered. It doesn't wait for a report that is being made then, which
  /// may take seconds if it's the first one.
  ///
  /// - Throws: A `CancellationError` if the task is cancelled.
  public nonisolated func run() async throws {
    do {
      try await cancelWhenGracefulShutdown {
        while true {
          await self.reportUnlessCancelled()
          try await Task.sleep(for: self.interval)
        }
      }
    } catch is CancellationError where !Task.isCancelled {
      if !isReporting.withLock({ $0 }) { await reportUnlessCancelled() }
    }
  }

  /// Returns when a report has been made, or earlier if the task is cancelled.
  private nonisolated func reportUnlessCancelled() async {
    let (end, ending) = AsyncStream.makeStream(of: Never.self)
    isReporting.withLock { $0 = true }
    Task {
      await report()
      isReporting.withLock { $0 = false }
      ending.finish()
    }
    for await _ in end {}
  }

  /// Reads the live streams, sets the gauges and logs what is wrong.
  ///
  /// A stream that waits and that no value has entered is idle, which is no finding here: on a server, many wait for a client or for
  /// a shutdown. A stream that waits although a value has entered it is one, such as a `zip` of which one source sends.
  ///
  /// A finding is logged as a warning when it appears, with the metadata `place`, `kind` and `streams`, the number of streams
  /// that have it. It's logged again only after a report without it.
  ///
  /// - Complexity: O(*n*), where *n* is the number of streams, and of their parts if there are at most ``maximumTrees``
  ///   streams.
  public func report() {
    reported.withLock { $0 = [] }
    if !StreamInspector.isOn, !hasWarned {
      hasWarned = true
      logger.warning(
        "Streams aren't reported because they aren't observed. Call startInspecting() at the beginning of main.")
    }
    let streams = StreamInspector.streams
    var sample = StreamSample()
    sample.add(streams)
    let isComplete = streams.streams.count <= maximumTrees
    if isComplete {
      sample.add(StreamInspector.inspections(thresholds: thresholds))
      sample.add(StreamInspector.findings)
      log(sample.problems)
    } else if !isTruncated {
      logger.notice(
        "The parts of streams aren't reported because too many streams are alive.",
        metadata: ["streams": "\(streams.streams.count)", "maximum": "\(maximumTrees)"])
    }
    isTruncated = !isComplete
    record(sample.values, isComplete: isComplete)
    count(sample.counts, isComplete: isComplete)
  }

  private func count(
    _ counts: [StreamSample.Source: (measurement: StreamSample.Measurement, count: UInt64)], isComplete: Bool
  ) {
    var growth: [StreamSample.Measurement: UInt64] = [:]
    for (source, (measurement, count)) in counts {
      let before = counted[source] ?? 0
      // A new stream may have the number of one that has ended.
      growth[measurement, default: 0] += count >= before ? count - before : count
    }
    let unread = isComplete ? [:] : counted.filter { counts[$0.key] == nil && $0.key.isAboutParts }
    counted = counts.mapValues(\.count).merging(unread) { new, _ in new }
    for (measurement, count) in growth { counter(for: measurement).increment(by: count) }
  }

  private func counter(for measurement: StreamSample.Measurement) -> Counter {
    if let counter = counters[measurement] { return counter }
    let counter = Counter(
      label: measurement.label, dimensions: measurement.namedDimensions, factory: factory ?? MetricsSystem.factory)
    counters[measurement] = counter
    return counter
  }

  private func record(_ values: [StreamSample.Measurement: Double], isComplete: Bool) {
    for (measurement, value) in values { gauge(for: measurement).record(value) }
    var nowGone: Set<StreamSample.Measurement> = []
    for (measurement, gauge) in gauges where values[measurement] == nil {
      let isUnknown = !isComplete && measurement.isAboutParts
      if isUnknown || gone.contains(measurement) {
        gauge.destroy()
        gauges[measurement] = nil
      } else {
        gauge.record(0)
        nowGone.insert(measurement)
      }
    }
    gone = nowGone
  }

  private func gauge(for measurement: StreamSample.Measurement) -> Gauge {
    if let gauge = gauges[measurement] { return gauge }
    let gauge = Gauge(
      label: measurement.label, dimensions: measurement.namedDimensions, factory: factory ?? MetricsSystem.factory)
    gauges[measurement] = gauge
    return gauge
  }

  private func log(_ found: [StreamSample.Problem: (text: String, count: Int)]) {
    let new = found.filter { !problems.contains($0.key) }
    for (problem, (text, count)) in new.sorted(by: { ($0.key.place, $0.value.text) < ($1.key.place, $1.value.text) }) {
      logger.warning("\(text)", metadata: problem.metadata(["streams": "\(count)"]))
    }
    problems = Set(found.keys)
  }

  private nonisolated func log(_ event: InspectionEvent) {
    switch event.kind {
    case .began: logger.trace("A stream began.", metadata: ["place": "\(event.place ?? StreamSample.unknownPlace)"])
    case .ended(let received, let lifetime):
      logger.trace(
        "A stream ended.",
        metadata: [
          "place": "\(event.place ?? StreamSample.unknownPlace)", "received": "\(received)", "seconds": "\(lifetime)",
        ])
    case .found(let finding):
      let problem = StreamSample.Problem(
        kind: finding.kind, place: finding.place ?? StreamSample.unknownPlace, part: "")
      guard reported.withLock({ $0.insert(problem).inserted }) else { return }
      logger.warning("\(finding.text)", metadata: problem.metadata())
    case .lost(let count): logger.debug("Events of streams were lost.", metadata: ["lost": "\(count)"])
    }
  }
}

extension StreamSample.Measurement {
  fileprivate var namedDimensions: [(String, String)] {
    Array(zip(StreamSample.dimensions[label] ?? [], dimensions))
  }

  /// Indicates whether the number is known only if parts are read.
  fileprivate var isAboutParts: Bool { label != "streams_live" }
}

extension StreamSample.Source {
  fileprivate var isAboutParts: Bool { label != "streams_received" }
}

extension StreamSample.Problem {
  fileprivate func metadata(_ more: Logger.Metadata = [:]) -> Logger.Metadata {
    more.merging(["kind": "\(kind.rawValue)", "place": "\(place)"]) { $1 }
  }
}

/// Runs the reporters' jobs on a queue, whose threads may be kept.
private final class ReportingExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "streams.reporter", qos: .utility)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
