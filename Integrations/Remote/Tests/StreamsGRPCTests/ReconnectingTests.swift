import Dispatch
import Foundation
import GRPCCore
import NIOCore
import StreamAlgorithms
import StreamSchedulers
import Streams
import StreamsGRPC
import Synchronization
import Testing

/// Connections of sockets that a proxy cuts, delays, freezes and refuses.
@Suite(.timeLimit(.minutes(30)), .serialized)
struct ReconnectingTests {
  // STREAMS_MESSAGES=200000 STREAMS_CUTS=1000 sends more, and cuts as often.
  private static let count = setting("STREAMS_MESSAGES") ?? 20_000
  private static let cuts = setting("STREAMS_CUTS") ?? 100

  private static func streams(_ count: Int = count, size: Int = 8, window: Int = 256) -> ResumableStreams {
    let streams = ResumableStreams(
      limits: ResumableStreamLimits(window: window, bytes: 1 << 30, sessionsPerClient: 10_000, sessions: 10_000))
    streams.add("values", identity: "log", serializer: BytesCoder()) { index in
      (Int(index)..<count).publisher.map { payload($0 + 1, size) }
    }
    streams.add("live", serializer: BytesCoder()) { (0..<count).publisher.map { payload($0 + 1, size) } }
    return streams
  }

  private static func payload(_ number: Int, _ size: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: size)
    withUnsafeBytes(of: UInt64(number).littleEndian) { for (index, byte) in $0.enumerated() { bytes[index] = byte } }
    return bytes
  }

  private static func number(_ bytes: [UInt8]) -> UInt64 {
    bytes.prefix(8).enumerated().reduce(0) { $0 | UInt64($1.element) << (8 * $1.offset) }
  }

  /// Checks that indexes and values follow each other.
  private final class Sequencer: Sendable {
    let state = Mutex((last: UInt64(0), wrong: 0, time: ContinuousClock.now, pause: Duration.zero))

    func receive(_ delivery: StreamDelivery<[UInt8]>) {
      state.withLock { state in
        if delivery.index != state.last + 1 || number(delivery.value) != delivery.index { state.wrong += 1 }
        state.last = delivery.index
        let now = ContinuousClock.now
        (state.pause, state.time) = (max(state.pause, now - state.time), now)
      }
    }

    var last: UInt64 { state.withLock { $0.last } }
    var wrong: Int { state.withLock { $0.wrong } }
    var pause: Duration { state.withLock { $0.pause } }
  }

  private static let policy = StreamRetryPolicy.exponentialBackoff(
    first: .milliseconds(20), longest: .milliseconds(500), maxRetries: .max, jitter: .full, resetsAfterValue: true)

  /// Receives a stream through a proxy, while a closure disturbs it.
  private func receive(
    _ stream: String, _ count: Int = count, keepAlive: Duration? = nil,
    while disturb: @escaping @Sendable (FaultyProxy, Sequencer) async throws -> Void
  ) async throws -> Sequencer {
    let server = try await SocketServer([Self.streams(count)])
    let proxy = try await FaultyProxy(to: server.port)
    let sequencer = Sequencer()
    try await withSocketClient(port: proxy.port, keepAlive: keepAlive) { client in
      let subscriber = StepSubscriber<StreamDelivery<[UInt8]>, RPCError>(every: 64, sequencer.receive)
      client.resumableStream(stream, deserializer: BytesCoder(), retry: Self.policy, scheduler: DispatchQueue.global())
        .subscribe(subscriber)
      let disturbing = Task { try await disturb(proxy, sequencer) }
      try await wait(for: "the stream ends", within: .seconds(120 + Self.cuts)) { subscriber.completion != nil }
      disturbing.cancel()
      #expect(subscriber.failure == nil)
    }
    #expect(sequencer.last == UInt64(count))
    #expect(sequencer.wrong == 0)
    try await proxy.stop()
    try await server.stop()
    return sequencer
  }

  @Test(arguments: ["values", "live"])
  func `a stream whose connection is cut again and again is complete and in order`(stream: String) async throws {
    let cuts = Counter()
    let sequencer = try await receive(stream) { proxy, sequencer in
      var next: UInt64 = 1
      while cuts.value < Self.cuts {
        if sequencer.last >= next {
          let left = Self.count - Self.count / 10 - Int(sequencer.last)
          next = sequencer.last + .random(in: 1...UInt64(max(1, 2 * left / (Self.cuts - cuts.value))))
          proxy.delay(.milliseconds(.random(in: 0...2)))
          proxy.cut()
          cuts.increment()
        }
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    print("\(Self.count) values of \(stream), cut \(cuts.value) times, longest pause \(sequencer.pause)")
    #expect(cuts.value > Self.cuts / 2)
  }

  @Test func `a stream survives refused connections`() async throws {
    let sequencer = try await receive("live", 2_000) { proxy, sequencer in
      try await wait(for: "values") { sequencer.last > 500 }
      proxy.refuse(true)
      proxy.cut()
      try await Task.sleep(for: .seconds(5))
      proxy.refuse(false)
    }
    print("refused for five seconds: longest pause \(sequencer.pause)")
  }

  @Test func `a stream continues after its connection was frozen`() async throws {
    let sequencer = try await receive("live", 100_000, keepAlive: .seconds(1)) { proxy, sequencer in
      try await wait(for: "values") { sequencer.last > 500 }
      proxy.freeze()
      try await Task.sleep(for: .seconds(5))
      // What has waited arrives late, from connections that the client has given up.
      proxy.thaw()
    }
    print("frozen for five seconds: longest pause \(sequencer.pause)")
  }

  @Test func `a client whose peer is frozen stops`() async throws {
    let server = try await SocketServer([Self.streams(1_000_000)])
    let proxy = try await FaultyProxy(to: server.port)
    var stop = ContinuousClock.now
    try await withSocketClient(port: proxy.port, keepAlive: .seconds(1)) { client in
      let sequencer = Sequencer()
      let subscriber = StepSubscriber<StreamDelivery<[UInt8]>, RPCError>(every: 64, sequencer.receive)
      client.resumableStream(
        "values", deserializer: BytesCoder(), retry: Self.policy, scheduler: DispatchQueue.global()
      )
      .subscribe(subscriber)
      try await wait(for: "values") { sequencer.last > 500 }
      proxy.freeze()
      // Keep-alive has noticed, and the next call waits for a connection that's accepted and never answered. An interceptor would see
      // the call only with a connection.
      let accepted = proxy.accepted
      try await wait(for: "a new connection") { proxy.accepted > accepted }
      subscriber.cancel()
      stop = .now
    }
    let interval = ContinuousClock.now - stop
    print("a client whose peer is frozen stops after \(interval)")
    #expect(interval < .seconds(20))
    try await proxy.stop()
    try await server.stop()
  }

  @Test func `a session is kept for its interval, then a log is read again and other streams fail with dataLoss`()
    async throws
  {
    let clock = TestClock()
    let streams = ResumableStreams(keepingSessionsFor: .seconds(30), clock: clock)
    streams.add("values", identity: "log", serializer: BytesCoder()) { index in
      (Int(index)..<100).publisher.map { Self.payload($0 + 1, 8) }
    }
    streams.add("live", serializer: BytesCoder()) { (0..<100).publisher.map { Self.payload($0 + 1, 8) } }
    let server = try await SocketServer([streams])
    try await withSocketClient(port: server.port) { client in
      for stream in ["values", "live"] {
        let position = StreamPosition()
        func receive(_ count: Int) async throws -> [UInt64] {
          let subscriber = StepSubscriber<StreamDelivery<[UInt8]>, RPCError>(every: count)
          client.resumableStream(
            stream, deserializer: BytesCoder(), session: stream, position: position, retry: .immediate(maxRetries: 0),
            scheduler: DispatchQueue.global()
          ).prefix(count).subscribe(subscriber)
          try await wait(for: "the stream ends") { subscriber.completion != nil }
          if let failure = subscriber.failure { throw failure }
          return subscriber.values.map(\.index)
        }
        #expect(try await receive(3) == [1, 2, 3])
        try await wait(for: "the session is free") { streams.sessions.allSatisfy { !$0.isConnected } }
        await clock.advance(by: .seconds(29))
        #expect(streams.sessions.count == 1)
        #expect(try await receive(3) == [4, 5, 6])
        try await wait(for: "the session is free") { streams.sessions.allSatisfy { !$0.isConnected } }
        // Its interval begins with the last connection.
        await clock.advance(by: .seconds(29))
        #expect(streams.sessions.count == 1)
        await clock.advance(by: .seconds(2))
        try await wait(for: "the session has expired") { streams.sessions.isEmpty }
        if stream == "live" {
          await #expect { try await receive(3) } throws: { ($0 as? RPCError)?.code == .dataLoss }
        } else {
          #expect(try await receive(3) == [7, 8, 9])
          try await wait(for: "the session is free") { streams.sessions.allSatisfy { !$0.isConnected } }
          await clock.advance(by: .seconds(31))
          try await wait(for: "the session has expired") { streams.sessions.isEmpty }
        }
      }
    }
    try await server.stop()
  }

  @Test func `a stalled stream doesn't hold up another one of its connection`() async throws {
    let server = try await SocketServer([Self.streams(20_000, size: 1_024)])
    try await withSocketClient(port: server.port) { client in
      let stalled = StepSubscriber<StreamDelivery<[UInt8]>, RPCError>()
      client.resumableStream("values", deserializer: BytesCoder(), scheduler: DispatchQueue.global()).subscribe(stalled)
      stalled.request(1)
      try await wait(for: "a value") { stalled.count == 1 }
      let running = StepSubscriber<StreamDelivery<[UInt8]>, RPCError>(every: 256)
      client.resumableStream("values", deserializer: BytesCoder(), scheduler: DispatchQueue.global()).subscribe(running)
      try await wait(for: "the stream ends") { running.completion != nil }
      #expect(running.count == 20_000)
      #expect(stalled.count == 1)
      stalled.cancel()
    }
    try await server.stop()
  }

  @Test func `no more values are made than requested and retained, whatever the reader does`() async throws {
    let made = Counter()
    let streams = ResumableStreams(limits: ResumableStreamLimits(window: 16))
    streams.add("values", identity: "log", serializer: BytesCoder()) { index in
      (Int(index)..<100_000).publisher.map { number in
        made.increment()
        return Self.payload(number + 1, 65_536)
      }
    }
    let server = try await SocketServer([streams])
    try await withSocketClient(port: server.port, interceptors: []) { client in
      let subscriber = StepSubscriber<StreamDelivery<[UInt8]>, RPCError>()
      client.resumableStream("values", deserializer: BytesCoder(), scheduler: DispatchQueue.global()).subscribe(
        subscriber)
      for count in 1...20 {
        subscriber.request(1)
        try await wait(for: "a value") { subscriber.count == count }
      }
      try await wait(for: "the window is full") { streams.sessions.first.map { $0.requested == 0 } == true }
      #expect(subscriber.count == 20)
      #expect(made.value <= 20 + 16)
      subscriber.cancel()
    }
    try await server.stop()
  }

  @Test func `a stop of the server ends a resumable stream with unavailable, and another server continues it`()
    async throws
  {
    let first = try await SocketServer([Self.streams()])
    let proxy = try await FaultyProxy(to: first.port)
    let sequencer = Sequencer()
    try await withSocketClient(port: proxy.port) { client in
      let subscriber = StepSubscriber<StreamDelivery<[UInt8]>, RPCError>(every: 64, sequencer.receive)
      client.resumableStream(
        "values", deserializer: BytesCoder(), retry: Self.policy, scheduler: DispatchQueue.global()
      )
      .subscribe(subscriber)
      try await wait(for: "values") { sequencer.last > 1_000 }
      let start = ContinuousClock.now
      try await first.stop()
      #expect(ContinuousClock.now - start < .seconds(20))
      let second = try await SocketServer([Self.streams()], port: first.port)
      try await wait(for: "the stream ends") { subscriber.completion != nil }
      #expect(subscriber.failure == nil)
      #expect(sequencer.last == UInt64(Self.count))
      #expect(sequencer.wrong == 0)
      try await second.stop()
    }
    try await proxy.stop()
  }
}
