import Dispatch
import GRPCCore
import GRPCInProcessTransport
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import StreamsGRPC
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
@MainActor struct ResumableStreamTests {
  private typealias Client = GRPCClient<InProcessTransport.Client>
  private typealias Deliveries = StepSubscriber<StreamDelivery<[UInt8]>, RPCError>

  /// Runs a closure in virtual time, with a server and clients in this process.
  private func inVirtualTime(
    limits: ResumableStreamLimits = ResumableStreamLimits(),
    client: (@Sendable (ServerContext, Metadata) throws -> String)? = nil,
    onFinding: (@Sendable (ResumableSessionReport) -> Void)? = nil,
    lives: @escaping @Sendable () -> Int? = { nil },
    _ body: (ResumableStreams, Client, TestSchedulerOf<DispatchQueue>) -> Void
  ) {
    let scheduler = DispatchQueue.test
    scheduler.withVirtualWorld {
      let streams = ResumableStreams(
        limits: limits, keepingSessionsFor: .seconds(30), clock: scheduler.clock, client: client, onFinding: onFinding)
      let transport = InProcessTransport()
      let server = GRPCServer(transport: transport.server, services: [streams])
      let serving = Task { try await server.serve() }
      let client = GRPCClient(transport: transport.client, interceptors: [LostConnections(lives: lives)])
      let connecting = Task { try await client.runConnections() }
      body(streams, client, scheduler)
      client.beginGracefulShutdown()
      server.beginGracefulShutdown()
      scheduler.advance(by: .seconds(100))
      serving.cancel()
      connecting.cancel()
      scheduler.advance(by: .seconds(1))
    }
  }

  private func subscribe(
    _ client: Client, to stream: String = "values", session: String = "session", position: StreamPosition? = nil,
    acknowledging: StreamAcknowledgement = .whenDelivered, every batch: Int? = nil,
    on scheduler: TestSchedulerOf<DispatchQueue>
  ) -> Deliveries {
    let subscriber = Deliveries(every: batch)
    client.resumableStream(
      stream, deserializer: BytesCoder(), session: session, position: position, acknowledging: acknowledging,
      retry: .delay(.seconds(1), maxRetries: .max), scheduler: scheduler
    ).subscribe(subscriber)
    scheduler.advance()
    return subscriber
  }

  private nonisolated static func log(_ count: Int) -> @Sendable (UInt64) -> AnyPublisher<[UInt8], Never> {
    { index in (Int(index)..<count).publisher.map { [UInt8(truncatingIfNeeded: $0 + 1)] }.eraseToAnyPublisher() }
  }

  @Test func `the server sends as many values as are requested`() {
    inVirtualTime { streams, client, scheduler in
      streams.add("values", identity: "log", serializer: BytesCoder(), Self.log(100))
      let subscriber = subscribe(client, on: scheduler)
      scheduler.advance(by: .seconds(1))
      #expect(subscriber.count == 0)
      for count in [3, 10, 11] {
        subscriber.request(count - subscriber.count)
        scheduler.advance(by: .seconds(1))
        #expect(subscriber.values.map(\.index) == Array(1...UInt64(count)))
      }
      subscriber.cancel()
    }
  }

  @Test func `a session that another client takes ends with aborted, and isn't tried again`() {
    inVirtualTime { streams, client, scheduler in
      streams.add("values", identity: "log", serializer: BytesCoder(), Self.log(100))
      let first = subscribe(client, on: scheduler)
      first.request(5)
      scheduler.advance()
      let position = StreamPosition(after: 5, of: "log")
      let second = subscribe(client, position: position, on: scheduler)
      second.request(5)
      scheduler.advance(by: .seconds(100))
      #expect(first.failure?.code == .aborted)
      #expect(second.values.map(\.index) == Array(6...10))
      #expect(second.completion == nil)
      second.cancel()
    }
  }

  @Test func `a session that a connection has taken again doesn't expire`() {
    inVirtualTime { streams, client, scheduler in
      streams.add("values", serializer: BytesCoder()) { (1...5).publisher.map { [UInt8($0)] } }
      // The server's end of a call that's lost in this process would go on. So this one finishes, which lets the session expire too.
      let first = subscribe(client, acknowledging: .explicit, every: 5, on: scheduler)
      #expect(first.completion != nil)
      #expect(streams.sessions.map(\.isConnected) == [false])
      scheduler.advance(by: .seconds(10))
      let second = subscribe(client, position: StreamPosition(after: 2), acknowledging: .explicit, on: scheduler)
      second.request(1)
      // The session would have expired 30 s after the end of the first call.
      scheduler.advance(by: .seconds(100))
      #expect(second.completion == nil)
      second.request(2)
      scheduler.advance()
      #expect(second.values.map(\.index) == [3, 4, 5])
      #expect(second.failure == nil)
      #expect(second.completion != nil)
    }
  }

  @Test func `a connection doesn't inherit the demand of the one before`() {
    inVirtualTime { streams, client, scheduler in
      streams.add("values", serializer: BytesCoder()) { PassthroughSubject<[UInt8], Never>() }
      let first = subscribe(client, on: scheduler)
      first.request(10)
      scheduler.advance()
      #expect(streams.sessions.map(\.requested) == [10])
      let second = subscribe(client, on: scheduler)
      second.request(1)
      scheduler.advance()
      #expect(streams.sessions.map(\.requested) == [1])
      second.cancel()
    }
  }

  @Test func `a subscription continues behind what was delivered, even if less is acknowledged`() {
    inVirtualTime { streams, client, scheduler in
      streams.add("values", identity: "log", serializer: BytesCoder(), Self.log(100))
      let position = StreamPosition()
      let first = subscribe(client, position: position, acknowledging: .explicit, on: scheduler)
      first.request(3)
      scheduler.advance()
      position.acknowledge(1)
      let second = subscribe(client, position: position, acknowledging: .explicit, on: scheduler)
      second.request(1)
      scheduler.advance()
      #expect(second.values.map(\.index) == [4])
      second.cancel()
    }
  }

  @Test func `an index of another source fails with dataLoss`() {
    inVirtualTime { streams, client, scheduler in
      streams.add("values", identity: "second", serializer: BytesCoder(), Self.log(100))
      let position = StreamPosition(after: 7, of: "first")
      let subscriber = subscribe(client, position: position, every: 10, on: scheduler)
      #expect(subscriber.failure?.code == .dataLoss)

      let right = subscribe(
        client, session: "other", position: StreamPosition(after: 98, of: "second"), every: 10, on: scheduler)
      #expect(right.values.map(\.index) == [99, 100])
      #expect(right.completion != nil)

      let unchecked = subscribe(client, session: "third", position: StreamPosition(after: 99), every: 10, on: scheduler)
      #expect(unchecked.values.map(\.index) == [100])
    }
  }

  @Test func `a position learns the source`() {
    inVirtualTime { streams, client, scheduler in
      streams.add("values", identity: "log", serializer: BytesCoder(), Self.log(3))
      let position = StreamPosition()
      _ = subscribe(client, position: position, every: 10, on: scheduler)
      #expect(position.source == "log")
      #expect(position.received == 3)
      #expect(position.acknowledged == 3)
    }
  }

  @Test func `a client that doesn't acknowledge fills the window, and the report finds it`() {
    let found = Mutex<[String?]>([])
    let onFinding = { @Sendable (report: ResumableSessionReport) in found.withLock { $0.append(report.finding) } }
    inVirtualTime(limits: ResumableStreamLimits(window: 16), onFinding: onFinding) { streams, client, scheduler in
      streams.add("values", identity: "log", serializer: BytesCoder(), Self.log(100))
      let position = StreamPosition()
      let subscriber = subscribe(client, position: position, acknowledging: .explicit, on: scheduler)
      subscriber.request(15)
      scheduler.advance()
      #expect(streams.sessions.first?.finding == nil)
      subscriber.request(5)
      scheduler.advance(by: .seconds(10))
      #expect(subscriber.count == 16)
      let finding = streams.sessions.first?.finding
      #expect(finding?.contains("has sent 16 values") == true)
      #expect(found.withLock { $0 } == [])
      // Once, however long it takes.
      scheduler.advance(by: .seconds(100))
      #expect(found.withLock { $0 } == [finding])
      position.acknowledge(4)
      scheduler.advance()
      #expect(subscriber.count == 20)
      #expect(streams.sessions.first?.finding == nil)
      #expect(streams.sessions.first?.retained == 16)
      scheduler.advance(by: .seconds(100))
      #expect(found.withLock { $0.count } == 1)
      subscriber.cancel()
    }
  }

  @Test func `sessions are limited for each client`() {
    let limits = ResumableStreamLimits(sessionsPerClient: 2, sessions: 3)
    inVirtualTime(limits: limits, client: { _, metadata in "client" }) { streams, client, scheduler in
      streams.add("values", identity: "log", serializer: BytesCoder(), Self.log(100))
      let subscribers = (0..<3).map { number in
        let subscriber = subscribe(client, session: "\(number)", on: scheduler)
        subscriber.request(1)
        scheduler.advance()
        return subscriber
      }
      #expect(subscribers.map(\.count) == [1, 1, 0])
      #expect(subscribers[2].failure?.code == .resourceExhausted)
      // The same session again is no other one.
      let again = subscribe(client, session: "1", position: StreamPosition(after: 1), every: 1, on: scheduler)
      #expect(again.count > 0)
      for subscriber in subscribers + [again] { subscriber.cancel() }
    }
  }

  @Test func `a client that starts again and again takes the place of its oldest session without a connection`() {
    let limits = ResumableStreamLimits(sessionsPerClient: 2)
    inVirtualTime(limits: limits, client: { _, _ in "client" }) { streams, client, scheduler in
      streams.add("values", identity: "log", serializer: BytesCoder(), Self.log(100))
      streams.add("short", identity: "short", serializer: BytesCoder(), Self.log(3))
      let connected = subscribe(client, session: "connected", on: scheduler)
      connected.request(1)
      scheduler.advance()
      for number in 0..<5 {
        // The session is kept after the end, because the client may not have received it.
        let subscriber = subscribe(client, to: "short", session: "\(number)", every: 1, on: scheduler)
        scheduler.advance(by: .milliseconds(1))
        #expect(subscriber.count == 3 && subscriber.failure == nil)
      }
      #expect(Set(streams.sessions.map(\.session)) == ["connected", "4"])
      #expect(connected.failure == nil)
      connected.cancel()
    }
  }

  @Test func `a session belongs to the client that has opened it`() {
    let name = Mutex("first")
    inVirtualTime(client: { _, _ in name.withLock { $0 } }) { streams, client, scheduler in
      streams.add("values", identity: "log", serializer: BytesCoder(), Self.log(100))
      let first = subscribe(client, on: scheduler)
      first.request(1)
      scheduler.advance()
      name.withLock { $0 = "second" }
      let second = subscribe(client, on: scheduler)
      second.request(1)
      scheduler.advance(by: .seconds(1))
      #expect(first.completion == nil)
      #expect(second.values.map(\.index) == [1])
      #expect(streams.sessions.count == 2)
      first.cancel()
      second.cancel()
    }
  }

  @Test func `a client that isn't authenticated fails, and learns nothing about streams`() {
    inVirtualTime(client: { _, _ in throw RPCError(code: .unauthenticated, message: "Who are you?") }) {
      streams, client, scheduler in
      streams.add("values", identity: "log", serializer: BytesCoder(), Self.log(100))
      #expect(subscribe(client, every: 1, on: scheduler).failure?.code == .unauthenticated)
      #expect(subscribe(client, to: "other", every: 1, on: scheduler).failure?.code == .unauthenticated)
    }
  }

  @Test func `an unknown stream fails with notFound`() {
    inVirtualTime { _, client, scheduler in
      #expect(subscribe(client, every: 1, on: scheduler).failure?.code == .notFound)
    }
  }

  @Test func `a log that no longer has the values fails with dataLoss`() {
    inVirtualTime { streams, client, scheduler in
      streams.add("values", identity: "log", serializer: BytesCoder()) { index -> AnyPublisher<[UInt8], Never> in
        if index < 50 { throw RPCError(code: .dataLoss, message: "gone") }
        return Self.log(100)(index)
      }
      #expect(subscribe(client, every: 10, on: scheduler).failure?.code == .dataLoss)
      let later = subscribe(client, position: StreamPosition(after: 98), every: 10, on: scheduler)
      #expect(later.values.map(\.index) == [99, 100])
    }
  }

  @Test func `a value that can't be deserialized ends the stream`() {
    struct Refusing: MessageDeserializer {
      func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> Int { throw ConditionNotMet() }
    }
    inVirtualTime { streams, client, scheduler in
      streams.add("values", identity: "log", serializer: BytesCoder(), Self.log(100))
      let subscriber = StepSubscriber<StreamDelivery<Int>, RPCError>(every: 1)
      client.resumableStream("values", deserializer: Refusing(), scheduler: scheduler).subscribe(subscriber)
      scheduler.advance(by: .seconds(100))
      #expect(subscriber.failure?.code == .invalidArgument)
    }
  }

  @Test func `a name is taken once`() async {
    await #expect(processExitsWith: .failure) {
      let streams = ResumableStreams()
      streams.add("values", serializer: BytesCoder()) { Empty<[UInt8], Never>() }
      streams.add("values", serializer: BytesCoder()) { Empty<[UInt8], Never>() }
    }
  }

  @Test func `limits are at least one`() async {
    await #expect(processExitsWith: .failure) { _ = ResumableStreamLimits(window: 0) }
  }
}
