import NIOCore
import NIOEmbedded
import NIOPosix
import StreamAlgorithms
import StreamTesting
import Streams
import StreamsNIO
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite(.aloneInProcess)
struct ChannelPublisherTests {
  @Test func `all messages arrive in order over a socket`() async throws {
    // A million with STREAMS_MESSAGES=1000000, as `.ci/run` does.
    let count = ProcessEnvironment.messages
    // They keep an event loop busy, which other tests would wait for.
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loopback = try await Loopback.connected(serverDecoder: { ByteToMessageHandler(NumberDecoder()) }, on: group)
    let writer = ChannelSubscriber<ByteBuffer, Never>(loopback.client, window: 256)
    (0..<count).publisher.map { ByteBuffer(integer: UInt64($0)) }.subscribe(writer)
    var expected: UInt64 = 0
    for try await message in loopback.server.values(bounded: 256, whenFull: .wait) {
      #expect(message.getInteger(at: message.readerIndex, as: UInt64.self) == expected)
      expected += 1
    }
    #expect(expected == UInt64(count))
    try await writer.waitUntilFinished()
    try await loopback.server.channel.close()
    try await group.shutdownGracefully()
  }

  @Test func `what is requested before the channel is active arrives`() async throws {
    let group = MultiThreadedEventLoopGroup.singleton
    let received = Mutex("")
    let subscription = Mutex<AnyCancellable?>(nil)
    let listener = try await ServerBootstrap(group: group)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let publisher = try ChannelPublisher(wrappingChannelSynchronously: channel, of: ByteBuffer.self)
          #expect(!channel.isActive)
          let sink = publisher.sink(
            receiveCompletion: { _ in },
            receiveValue: { message in
              received.withLock { $0 += String(buffer: message) }
            })
          subscription.withLock { $0 = sink }
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let address = try #require(listener.localAddress)
    let client = try await ClientBootstrap(group: group).connectTimeout(.minutes(10)).connect(to: address).get()
    try await client.writeAndFlush(ByteBuffer(string: "early"))
    try await wait(for: "the message arrives") { received.withLock { $0 == "early" } }
    subscription.withLock { $0.take() }?.cancel()
    try await client.closeFuture.get()
    try await listener.close()
  }

  @Test func `without demand nothing is read, and the peer waits`() async throws {
    let loopback = try await Loopback.connected()
    let written = Mutex(0)
    let writer = ChannelSubscriber<ByteBuffer, Never>(loopback.client)
    let payload = ByteBuffer(repeating: 1, count: 1_024)
    (0..<Int.max).publisher.map { _ -> ByteBuffer in
      written.withLock { $0 += 1 }
      return payload
    }.subscribe(writer)
    let recorder = loopback.server.record(demand: .none)

    try await wait(for: "the client has to wait") { !loopback.client.isWritable }
    // What both systems and the client keep, in kilobytes: the system doubles the sizes of its buffers.
    let kilobytes = written.withLock { $0 }
    #expect(kilobytes < 512)
    #expect(recorder.values.isEmpty)

    // Not more, since TCP lets a sender with a full window wait for a timer: a thousand reads took ten seconds beside busy loops.
    recorder.request(.max(100))
    #expect(await recorder.next(100).count == 100)
    try await wait(for: "the client has to wait") { !loopback.client.isWritable }
    #expect(recorder.values.count == 100)
    recorder.cancel()
    try await loopback.client.closeFuture.get()
    try await loopback.server.channel.closeFuture.get()
  }

  @Test func `a peer that closes its side finishes the stream, and receives the answer`() async throws {
    let loopback = try await Loopback.connected(clientReads: false, clientStaysOpen: true)
    let answer = try await loopback.client.eventLoop.submit {
      try ChannelPublisher(wrappingChannelSynchronously: loopback.client, of: ByteBuffer.self)
    }.get().record()
    ["ping ", "pong"].publisher.map { ByteBuffer(string: $0) }
      .subscribe(ChannelSubscriber<ByteBuffer, Never>(loopback.client))
    let echo = ChannelSubscriber<ByteBuffer, any Error>(loopback.server.channel)
    loopback.server.collect().map { parts in
      ByteBuffer(string: parts.map { String(buffer: $0) }.joined())
    }.subscribe(echo)

    #expect(await answer.finished())
    let text = answer.values.map { String(buffer: $0) }.joined()
    #expect(text == "ping pong")
    try await echo.waitUntilFinished()
    // Both sides are closed.
    try await loopback.server.channel.closeFuture.get()
  }

  @Test func `the messages of one read arrive as an array, also those at the end`() throws {
    let channel = EmbeddedChannel(handlers: [ByteToMessageHandler(NumberDecoder()), ReadBatchHandler<ByteBuffer>()])
    let publisher = try ChannelPublisher(wrappingChannelSynchronously: channel, of: [ByteBuffer].self)
    let recorder = publisher.record()
    for range in [0..<3, 3..<4] as [Range<UInt64>] {
      var bytes = ByteBuffer()
      for number in range { bytes.writeInteger(number) }
      try channel.writeInbound(bytes)
    }
    let unreadable = ByteBuffer(integer: UInt64.max)
    #expect(throws: Unreadable.self) { try channel.writeInbound(unreadable) }
    #expect(recorder.values.map(\.count) == [3, 1])
    #expect(recorder.completion != nil)
  }

  @Test func `an error of the pipeline fails the stream after the earlier messages, and closes the channel`()
    async throws
  {
    let loopback = try await Loopback.connected(serverDecoder: { ByteToMessageHandler(NumberDecoder()) })
    let recorder = loopback.server.record(demand: .max(1))
    var bytes = ByteBuffer()
    bytes.writeMultipleIntegers(1 as UInt64, 2 as UInt64, UInt64.max)
    try await loopback.client.writeAndFlush(bytes)
    #expect(await recorder.next() != nil)
    #expect(recorder.completion == nil)
    recorder.request(.unlimited)
    try await wait(for: "the stream ends") { recorder.completion != nil }
    #expect(recorder.values.count == 2)
    guard case .failure(is Unreadable)? = recorder.completion else {
      Issue.record("The stream ended with \(String(describing: recorder.completion)).")
      return
    }
    try await loopback.server.channel.closeFuture.get()
  }

  @Test func `a connection that is reset ends the stream`() async throws {
    let loopback = try await Loopback.connected()
    let recorder = loopback.server.record()
    let client = loopback.client
    let socket = try #require(client as? any SocketOptionProvider)
    try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
    try await client.close()
    try await wait(for: "the stream ends") { recorder.completion != nil }
    try await loopback.server.channel.closeFuture.get()
  }

  @Test func `a second subscriber fails, and the first one goes on`() async throws {
    let loopback = try await Loopback.connected()
    let first = loopback.server.record()
    let second = loopback.server.record()
    try await wait(for: "the second stream ends") { second.completion != nil }
    guard case .failure(is ChannelAlreadySubscribed)? = second.completion else {
      Issue.record("The second stream ended with \(String(describing: second.completion)).")
      return
    }
    second.cancel()
    try await loopback.client.writeAndFlush(ByteBuffer(string: "still here"))
    let message = try #require(await first.next())
    #expect(String(buffer: message) == "still here")
    first.cancel()
  }

  @Test func `it obeys the rules of a publisher`() throws {
    var channels: [EmbeddedChannel] = []
    let make = { () -> ChannelPublisher<Int> in
      let channel = EmbeddedChannel()
      channels.append(channel)
      let publisher = try! ChannelPublisher(wrappingChannelSynchronously: channel, of: Int.self)
      channel.pipeline.connect(to: try! SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
      return publisher
    }
    var fed: Set<ObjectIdentifier> = []
    ConformanceChecks.publisher(
      sends: 20,
      settle: {
        for channel in channels where channel.isActive && fed.insert(ObjectIdentifier(channel)).inserted {
          for value in 1...20 { _ = try? channel.writeInbound(value) }
          channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        for channel in channels { channel.embeddedEventLoop.run() }
      }
    ) {
      make()
    }
  }

  @Test func `many kept messages are delivered without deep recursion`() throws {
    let channel = EmbeddedChannel()
    let publisher = try ChannelPublisher(wrappingChannelSynchronously: channel, of: Int.self)
    for value in 0..<100_000 { try channel.writeInbound(value) }
    var sum = 0
    let subscriber = OneByOne { sum += $0 }
    publisher.subscribe(subscriber)
    #expect(sum == 4_999_950_000)
  }
}

/// Requests the next value within the delivery of one.
private final class OneByOne: Subscriber {
  private let receive: (Int) -> Void
  private var subscription: (any Subscription)?

  init(_ receive: @escaping (Int) -> Void) { self.receive = receive }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.request(.max(1))
  }

  func receive(_ input: Int) -> Subscribers.Demand {
    receive(input)
    subscription?.request(.max(1))
    return .none
  }

  func receive(completion: Subscribers.Completion<any Error>) {}
}
