internal import Foundation
public import GRPCCore
internal import StreamAlgorithms
public import Streams
public import SwiftProtobuf
internal import Synchronization

/// A service whose streams continue after a lost connection.
///
/// ```swift
/// let streams = ResumableStreams(keepingSessionsFor: .seconds(60))
/// streams.add("orders", identity: log.identity) { index in try log.orders(after: index) }
/// let server = GRPCServer(transport: transport, services: [streams])
/// ```
///
/// A client subscribes with ``GRPCCore/GRPCClient/resumableStream(_:of:session:position:acknowledging:retry:scheduler:options:)``,
/// or from another language with the code that `protoc` generates from `streams.proto`.
///
/// **Demand.** A client is never sent more values than it has requested. A session requests values from its source in advance, up
/// to the window, and then waits for acknowledgements.
///
/// **Sessions.** Each client has a session, which keeps the values that it hasn't acknowledged and the completion. When the
/// connection is lost, the session waits for the client. After the interval it's forgotten, and its subscription cancelled. The
/// oldest one without a connection is also forgotten if the client opens more than the limit. If a client returns later, a log is read again. Other streams fail with `dataLoss`. A client that opens a session twice ends the first
/// call with `aborted`.
///
/// **Security.** A session's identifier authenticates nobody. Whoever knows it can take the session. Let interceptors authenticate
/// your clients, and pass `client`, so that each session belongs to one of them.
///
/// **Stop.** A graceful shutdown of the server ends the calls with `unavailable`, so clients look for another server. No value is
/// lost if that one can read the log.
public final class ResumableStreams: RegistrableRPCService, Sendable {
  /// The method that clients call.
  public static let subscribe = MethodDescriptor(
    fullyQualifiedService: "streams.v1.ResumableStreams", method: "Subscribe")

  /// How much is kept for clients.
  public let limits: ResumableStreamLimits

  private let interval: Duration
  private let clock: any Clock<Duration>
  private let client: (@Sendable (ServerContext, Metadata) throws -> String)?
  private let onFinding: (@Sendable (ResumableSessionReport) -> Void)?
  private let state = Mutex(State())

  private struct State {
    var sources: [String: Source] = [:]
    var sessions: [SessionKey: Session] = [:]
    /// The number of sessions that have been opened.
    var opened = 0
  }

  /// A stream that clients can subscribe to.
  private struct Source: Sendable {
    /// The identity of a log, or `nil` if each session has values of its own.
    let identity: String?
    let open: @Sendable (UInt64) throws -> AnySendablePublisher<Data, RPCError>
  }

  private struct SessionKey: Hashable {
    /// The authenticated client, or nothing.
    let client: String
    let stream: String
    let session: String
  }

  private struct Session {
    let session: ResumableSession
    /// To whose limit the session counts.
    let owner: String
    /// The number of sessions that were opened before.
    let number: Int
  }

  /// Creates a service without streams.
  ///
  /// - Parameters:
  ///   - limits: How much is kept for clients.
  ///   - interval: How long a session without a connection is kept.
  ///   - clock: The clock that measures the interval.
  ///   - client: A closure that returns the client of a call, such as the subject of its certificate or token, or throws an
  ///     `RPCError`. A session then belongs to the client that has opened it. Without the closure, sessions belong to nobody, and
  ///     the clients at an address share its limit.
  ///   - onFinding: A closure that's called with a session that has waited for acknowledgements for 10 to 20 s, once until it goes on.
  ///     Write its ``ResumableSessionReport/finding`` to your log. It's called in a task of the session's call, and should return soon.
  public init(
    limits: ResumableStreamLimits = ResumableStreamLimits(), keepingSessionsFor interval: Duration = .seconds(60),
    clock: any Clock<Duration> = ContinuousClock(),
    client: (@Sendable (_ context: ServerContext, _ metadata: Metadata) throws -> String)? = nil,
    onFinding: (@Sendable (_ session: ResumableSessionReport) -> Void)? = nil
  ) {
    self.limits = limits
    self.interval = interval
    self.clock = clock
    self.client = client
    self.onFinding = onFinding
  }

  // MARK: Streams

  /// Adds a stream that can be read from an index, such as a table of a database.
  ///
  /// The first value after the index has the next index, and so on without gaps. Values survive a restart of the server, and a
  /// session that has expired.
  ///
  /// - Parameters:
  ///   - name: The name for clients. If it's already taken, the program stops with a message.
  ///   - identity: A text that tells this log from one that was there before. Change it whenever indexes get other values. A client
  ///     that continues another log fails with `dataLoss`.
  ///   - serializer: The serializer of the values.
  ///   - read: A closure that returns the values after an index, from the past and the future. It's called for each session. If the
  ///     values are gone, it throws an `RPCError` with the code `dataLoss`.
  public func add<P: Publisher & SendableMetatype>(
    _ name: String, identity: String, serializer: some MessageSerializer<P.Output>,
    _ read: @escaping @Sendable (_ index: UInt64) throws -> P
  ) where P.Output: Sendable {
    add(name, Source(identity: identity) { try encode(read($0), serializer) })
  }

  /// Adds a stream of messages that can be read from an index, such as a table of a database.
  ///
  /// - Parameters:
  ///   - name: The name for clients. If it's already taken, the program stops with a message.
  ///   - identity: A text that tells this log from one that was there before.
  ///   - read: A closure that returns the values after an index. See ``add(_:identity:serializer:_:)``.
  public func add<P: Publisher & SendableMetatype>(
    _ name: String, identity: String, _ read: @escaping @Sendable (_ index: UInt64) throws -> P
  ) where P.Output: SwiftProtobuf.Message {
    add(name, identity: identity, serializer: ProtobufCoder<P.Output>(), read)
  }

  /// Adds a stream that exists only now, such as a subject.
  ///
  /// Each session subscribes once, and has its own indexes. A client that returns after its session has expired, or after a restart
  /// of the server, fails with `dataLoss`. The session doesn't request more values than its window has room for. Put a buffer
  /// behind a source that doesn't wait for demand.
  ///
  /// - Parameters:
  ///   - name: The name for clients. If it's already taken, the program stops with a message.
  ///   - serializer: The serializer of the values.
  ///   - makePublisher: A closure that returns the publisher. It's called for each session.
  public func add<P: Publisher & SendableMetatype>(
    _ name: String, serializer: some MessageSerializer<P.Output>, _ makePublisher: @escaping @Sendable () throws -> P
  ) where P.Output: Sendable {
    add(
      name,
      Source(identity: nil) { index in
        if index > 0 { throw RPCError(code: .dataLoss, message: "The values after \(index) aren't kept any more.") }
        return try encode(makePublisher(), serializer)
      })
  }

  /// Adds a stream of messages that exists only now, such as a subject.
  ///
  /// - Parameters:
  ///   - name: The name for clients. If it's already taken, the program stops with a message.
  ///   - makePublisher: A closure that returns the publisher. See ``add(_:serializer:_:)``.
  public func add<P: Publisher & SendableMetatype>(_ name: String, _ makePublisher: @escaping @Sendable () throws -> P)
  where P.Output: SwiftProtobuf.Message {
    add(name, serializer: ProtobufCoder<P.Output>(), makePublisher)
  }

  private func add(_ name: String, _ source: Source) {
    let known = state.withLock { $0.sources.updateValue(source, forKey: name) }
    precondition(known == nil, "ResumableStreams has a stream named \"\(name)\" already.")
  }

  /// The sessions that are kept at this moment, in no order.
  ///
  /// Look at ``ResumableSessionReport/finding`` to see whether a client has forgotten to acknowledge.
  ///
  /// - Complexity: O(*n*) for *n* sessions.
  public var sessions: [ResumableSessionReport] {
    state.withLock { $0.sessions }.map { key, value in report(on: value.session, key) }
  }

  private func report(on session: ResumableSession, _ key: SessionKey) -> ResumableSessionReport {
    var report = session.report
    (report.stream, report.session) = (key.stream, key.session)
    return report
  }

  /// Calls the closure for findings as long as the task runs.
  ///
  /// A session that works may also wait for an acknowledgement that's under way, but isn't the same after an interval.
  private func watch(_ session: ResumableSession, _ key: SessionKey) async throws -> Bool {
    guard let onFinding else { return false }
    var (last, isKnown) = (ResumableSessionReport?.none, false)
    while true {
      try await clock.sleep(for: .seconds(10))
      let report = report(on: session, key)
      let isStuck = report.isStalled && report == last
      if isStuck, !isKnown { onFinding(report) }
      (last, isKnown) = (report, isStuck)
    }
  }

  // MARK: Calls

  public func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
    router.registerHandler(
      forMethod: Self.subscribe, deserializer: ProtobufCoder<SubscriberFrame>(),
      serializer: ProtobufCoder<PublisherFrame>()
    ) { request, context in
      StreamingServerResponse { writer in
        try await endingWithCall { try await self.serve(request, context, writer) }
        return [:]
      }
    }
  }

  private func serve(
    _ request: StreamingServerRequest<SubscriberFrame>, _ context: ServerContext, _ writer: RPCWriter<PublisherFrame>
  ) async throws {
    // Unchecked: this function uses the iterator first, and then the child task.
    nonisolated(unsafe) var frames = request.messages.makeAsyncIterator()
    guard case .subscribe(let subscribe)? = try await frames.next()?.frame else {
      throw RPCError(code: .invalidArgument, message: "The first frame of a call is `subscribe`.")
    }
    let identity = try client?(context, request.metadata)
    let key = SessionKey(client: identity ?? "", stream: subscribe.stream, session: subscribe.session)
    let (session, connection) = try attach(subscribe, key, owner: identity ?? context.remotePeer.withoutPort)
    defer { session.detach(connection) { expiry(of: session, connection, key) } }

    var opened = PublisherFrame()
    opened.source = session.source
    (opened.window, opened.windowBytes) = (UInt64(limits.window), UInt64(limits.bytes))
    try await writer.write(opened)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        while let frame = try await frames.next() {
          guard case .request(let request)? = frame.frame else {
            throw RPCError(code: .invalidArgument, message: "A frame behind the first one is a `request`.")
          }
          session.grant(request.count, acknowledged: request.acknowledged, to: connection)
        }
        // The client requests nothing more, but may still get what it has requested.
        return false
      }
      group.addTask {
        while let frames = try await session.next(connection) { try await writer.write(contentsOf: frames) }
        return true
      }
      group.addTask { try await self.watch(session, key) }
      defer { group.cancelAll() }
      while try await group.next() == false {}
    }
    // The client may not have received the completion, so the session is kept.
  }

  /// Attaches a connection to the session of a client. Opens a session if there's none that has the values.
  private func attach(
    _ subscribe: SubscriberFrame.Subscribe, _ key: SessionKey, owner: String
  ) throws -> (ResumableSession, connection: Int) {
    let (source, known) = state.withLock { ($0.sources[key.stream], $0.sessions[key]?.session) }
    guard let source else { throw RPCError(code: .notFound, message: "There's no stream \"\(key.stream)\".") }
    if let known, let connection = known.attach(after: subscribe.after, of: subscribe.source) {
      return (known, connection)
    }
    if subscribe.after > 0, let identity = source.identity, !subscribe.source.isEmpty, subscribe.source != identity {
      throw RPCError(
        code: .dataLoss,
        message:
          "The index \(subscribe.after) belongs to the source \"\(subscribe.source)\", but this is \"\(identity)\".")
    }
    let publisher = try source.open(subscribe.after)
    let session = ResumableSession(source: source.identity ?? .randomIdentity, after: subscribe.after, limits: limits)
    let connection = session.attach(after: subscribe.after, of: "")
    makeRoom(for: owner, except: key)
    let (replaced, isFull) = state.withLock { state -> (Session?, Bool) in
      let others = state.sessions.lazy.filter { $0.key != key }
      if others.count >= limits.sessions || others.count(where: { $0.value.owner == owner }) >= limits.sessionsPerClient
      {
        return (nil, true)
      }
      state.opened += 1
      let new = Session(session: session, owner: owner, number: state.opened)
      return (state.sessions.updateValue(new, forKey: key), false)
    }
    if isFull { throw RPCError(code: .resourceExhausted, message: "There are too many sessions.") }
    replaced?.session.end()
    publisher.subscribe(session)
    return (session, connection ?? 0)
  }

  /// Forgets the oldest session of a client that has no connection, if the client has as many sessions as it may have. A client
  /// that starts again and again leaves such sessions behind.
  private func makeRoom(for owner: String, except key: SessionKey) {
    let others = state.withLock { state in state.sessions.filter { $0.key != key && $0.value.owner == owner } }
    guard others.count >= limits.sessionsPerClient else { return }
    let oldest = others.sorted { $0.value.number < $1.value.number }.first { $0.value.session.endUnlessConnected() }
    if let oldest { forget(oldest.value.session, oldest.key) }
  }

  private func forget(_ session: ResumableSession, _ key: SessionKey) {
    let forgotten = state.withLock { state in
      state.sessions[key]?.session === session ? state.sessions.removeValue(forKey: key) : nil
    }
    _ = forgotten
  }

  private func expiry(of session: ResumableSession, _ connection: Int, _ key: SessionKey) -> Task<Void, Never> {
    Task { [clock, interval] in
      do { try await clock.sleep(for: interval) } catch { return }
      if session.expire(connection) { forget(session, key) }
    }
  }
}

private func encode<P: Publisher & SendableMetatype>(
  _ publisher: sending P, _ serializer: some MessageSerializer<P.Output>
) -> AnySendablePublisher<Data, RPCError> {
  // Unchecked: a session subscribes once, and nobody else has the publisher.
  nonisolated(unsafe) let publisher = publisher
  return AnySendablePublisher {
    publisher
      .mapError { RPCError(ofPublisher: $0) }
      .tryMap { (try serializer.serialize($0) as PayloadBytes).data }
      .mapError { RPCError(ofCall: $0) }
  }
}

extension String {
  /// The host of a peer such as `ipv4:127.0.0.1:31415`.
  fileprivate var withoutPort: String { lastIndex(of: ":").map { String(self[..<$0]) } ?? self }

  /// A text that's different each time.
  static var randomIdentity: String { String(UInt64.random(in: .min ... .max), radix: 36) }
}
