import Dispatch
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import ServiceContextModule
import StreamAlgorithms
import StreamInspection
import StreamsObservability
import Synchronization
import TestSupport
import Testing

/// A logger whose lines have the trace of the current context.
func makeLogger() -> (logger: Logger, log: InMemoryLogHandler) {
  var log = InMemoryLogHandler()
  log.logLevel = .trace
  log.metadataProvider = Logger.MetadataProvider {
    ServiceContext.current?.inMemorySpanContext.map { ["trace": "\($0.traceID)"] } ?? [:]
  }
  let handler = log
  var logger = Logger(label: "test") { _ in handler }
  logger.logLevel = .trace
  return (logger, log)
}

/// Counts lines by their level, message, place and kind, because there are many.
struct CountingLogHandler: LogHandler {
  private let counts = Counts()
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?
  var logLevel = Logger.Level.trace

  private final class Counts: Sendable {
    let state = Mutex<[String: Int]>([:])
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  private static func key(_ level: Logger.Level, _ text: String, _ place: String) -> String {
    "\(level) \(text) \(place)"
  }

  func log(event: LogEvent) {
    let metadata = event.metadata ?? [:]
    // A finding is identified by its kind, because its text has numbers.
    let text = metadata["kind"].map { "\($0)" } ?? "\(event.message)"
    let key = Self.key(event.level, text, metadata["place"].map { "\($0)" } ?? "")
    counts.state.withLock { $0[key, default: 0] += 1 }
  }

  func count(_ level: Logger.Level, _ text: String, place: String) -> Int {
    counts.state.withLock { $0[Self.key(level, text, place)] ?? 0 }
  }
}

/// Waits at each line until it's let through.
struct BlockingLogHandler: LogHandler {
  let gate: DispatchSemaphore
  let lines = Counter()
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?
  var logLevel = Logger.Level.trace

  init(gate: DispatchSemaphore) { self.gate = gate }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    lines.increment()
    gate.wait()
  }
}
