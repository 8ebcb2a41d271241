import Dispatch
public import Instrumentation
public import Logging
import ServiceContextModule
import Synchronization
public import Tracing

/// A tracer that writes each span to the log when it ends.
///
/// Log lines that are written within a span have its trace in their metadata, if the logger has ``metadataProvider``. Traces continue
/// those of clients, by the header `traceparent` of the W3C's Trace Context.
public struct LogTracer: Tracer {
  private let logger: Logger

  /// Creates a tracer.
  ///
  /// - Parameter logger: The logger to which spans are written, at the level `info`.
  public init(logger: Logger) { self.logger = logger }

  /// Adds the trace of the current span to the metadata of log lines.
  public static let metadataProvider = Logger.MetadataProvider {
    guard let identifier = ServiceContext.current?.spanIdentifier else { return [:] }
    return ["trace": "\(identifier.trace)"]
  }

  public func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> LogSpan {
    var context = context()
    let parent = context.spanIdentifier
    context.spanIdentifier = SpanIdentifier(
      trace: parent?.trace ?? SpanIdentifier.random(length: 32), span: SpanIdentifier.random(length: 16))
    return LogSpan(
      operationName, context, parent: parent?.span, began: instant().nanosecondsSinceEpoch, logger: logger)
  }

  public func forceFlush() {}

  public func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {
    let parts = extractor.extract(key: "traceparent", from: carrier)?.split(separator: "-") ?? []
    guard parts.count == 4, parts[1].count == 32, parts[2].count == 16 else { return }
    context.spanIdentifier = SpanIdentifier(trace: String(parts[1]), span: String(parts[2]))
  }

  public func inject<Carrier, Inject: Injector>(
    _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {
    guard let identifier = context.spanIdentifier else { return }
    injector.inject("00-\(identifier.trace)-\(identifier.span)-01", forKey: "traceparent", into: &carrier)
  }
}

/// A span of a ``LogTracer``.
public final class LogSpan: Span {
  public let context: ServiceContext

  private let logger: Logger
  private let parent: String?
  private let began: UInt64
  private let state: Mutex<State>

  private struct State {
    var operationName: String
    var attributes = SpanAttributes()
    var status: SpanStatus?
    var errors: [String] = []
    var hasEnded = false
  }

  init(_ operationName: String, _ context: ServiceContext, parent: String?, began: UInt64, logger: Logger) {
    (self.context, self.parent, self.began, self.logger) = (context, parent, began, logger)
    state = Mutex(State(operationName: operationName))
  }

  public var operationName: String {
    get { state.withLock { $0.operationName } }
    set { state.withLock { $0.operationName = newValue } }
  }

  public var attributes: SpanAttributes {
    get { state.withLock { $0.attributes } }
    set { state.withLock { $0.attributes = newValue } }
  }

  public var isRecording: Bool { state.withLock { !$0.hasEnded } }

  public func setStatus(_ status: SpanStatus) { state.withLock { $0.status = status } }

  public func addEvent(_ event: SpanEvent) {}

  public func addLink(_ link: SpanLink) {}

  public func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) {
    state.withLock { $0.errors.append("\(error)") }
  }

  public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    let state = state.withLock { state -> State? in
      defer { state.hasEnded = true }
      return state.hasEnded ? nil : state
    }
    guard let state else { return }
    var metadata: Logger.Metadata = [
      "trace": "\(context.spanIdentifier?.trace ?? "")", "span": "\(context.spanIdentifier?.span ?? "")",
      "milliseconds": "\(Double((instant().nanosecondsSinceEpoch &- began) / 10_000) / 100)",
    ]
    if let parent { metadata["parent"] = "\(parent)" }
    state.attributes.forEach { metadata[$0] = "\($1.text)" }
    if !state.errors.isEmpty { metadata["errors"] = "\(state.errors.joined(separator: ", "))" }
    logger.info("\(state.operationName)", metadata: metadata)
  }
}

/// The numbers of a trace and of a span in it.
private struct SpanIdentifier: Sendable {
  let trace: String
  let span: String

  static func random(length: Int) -> String {
    String((0..<length).map { _ in "0123456789abcdef".randomElement()! })
  }
}

extension ServiceContext {
  fileprivate var spanIdentifier: SpanIdentifier? {
    get { self[SpanIdentifierKey.self] }
    set { self[SpanIdentifierKey.self] = newValue }
  }
}

private enum SpanIdentifierKey: ServiceContextKey {
  typealias Value = SpanIdentifier
}

extension SpanAttribute {
  fileprivate var text: String {
    switch self {
    case .int32(let value): "\(value)"
    case .int64(let value): "\(value)"
    case .double(let value): "\(value)"
    case .bool(let value): "\(value)"
    case .string(let value): value
    case .stringConvertible(let value): "\(value)"
    default: "\(self)"
    }
  }
}
