import Dispatch
import NIOCore
import NIOEmbedded
import NIOPosix
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import StreamsNIO
import Synchronization
import TestSupport
import Testing

@Suite(.aloneInProcess)
struct ChannelSubscriberTests {
  @Test func `a peer that stops reading bounds what is requested`() async throws {
    let loopback = try await Loopback.connected(clientReads: false)
    let requested = Mutex(0)
    let writer = ChannelSubscriber<ByteBuffer, Never>(loopback.server.channel)
    let payload = ByteBuffer(repeating: 1, count: 1_024)
    (0..<Int.max).publisher.map { _ -> ByteBuffer in
      requested.withLock { $0 += 1 }
      return payload
    }.subscribe(writer)
    try await wait(for: "the server has to wait") { !loopback.server.channel.isWritable }
    // In kilobytes, because each value has one: the buffers of both systems, the high water mark, and the window twice.
    let before = requested.withLock { $0 }
    #expect(before < 512)

    // It goes on as soon as the peer reads.
    loopback.client.setOption(.autoRead, value: true).whenFailure { Issue.record($0) }
    try await wait(for: "a thousand more values are requested") { requested.withLock { $0 } > before + 1_000 }
    writer.cancel()
    try await loopback.client.closeFuture.get()
    await #expect(throws: CancellationError.self) { try await writer.finished.get() }
  }

  @Test func `the end of the channel cancels the stream`() async throws {
    let loopback = try await Loopback.connected()
    let isCancelled = Mutex(false)
    let values = PassthroughSubject<ByteBuffer, Never>()
    let writer = ChannelSubscriber<ByteBuffer, Never>(loopback.server.channel)
    values.handleEvents(receiveCancel: { isCancelled.withLock { $0 = true } }).subscribe(writer)
    // The stream is idle. It's cancelled nevertheless.
    let inbound = loopback.server.record()
    try await loopback.client.close()
    #expect(await inbound.finished())
    try await loopback.server.channel.close()
    await #expect(throws: ChannelError.self) { try await writer.finished.get() }
    #expect(isCancelled.withLock { $0 })
  }

  @Test func `a failure of the stream closes the channel and is the result`() async throws {
    let loopback = try await Loopback.connected()
    let writer = ChannelSubscriber<ByteBuffer, Unreadable>(loopback.server.channel)
    Fail<ByteBuffer, Unreadable>(error: Unreadable()).subscribe(writer)
    await #expect(throws: Unreadable.self) { try await writer.finished.get() }
    try await loopback.client.closeFuture.get()
  }

  @Test func `a value that cannot be written closes the channel and cancels the stream`() async throws {
    let channel = EmbeddedChannel(handler: RejectingHandler())
    let isCancelled = Mutex(false)
    let values = PassthroughSubject<Int, Never>()
    let writer = ChannelSubscriber<Int, Never>(channel)
    values.handleEvents(receiveCancel: { isCancelled.withLock { $0 = true } }).subscribe(writer)
    values.send(1)
    channel.embeddedEventLoop.run()
    #expect(isCancelled.withLock { $0 })
    #expect(throws: Unreadable.self) { try writer.finished.wait() }
    #expect(!channel.isActive)
  }

  @Test func `values from other threads are written in their order and flushed together`() async throws {
    let loopback = try await Loopback.connected(
      clientDecoder: { ByteToMessageHandler(NumberDecoder()) }, clientReads: false)
    let received = try await loopback.client.eventLoop.submit {
      try ChannelPublisher(wrappingChannelSynchronously: loopback.client, of: ByteBuffer.self)
    }.get()
    let writer = ChannelSubscriber<ByteBuffer, Never>(loopback.server.channel)
    (0..<10_000).publisher.receive(on: DispatchQueue.global(), bounded: 32, whenFull: .wait)
      .map { ByteBuffer(integer: UInt64($0)) }.subscribe(writer)
    var expected: UInt64 = 0
    for try await message in received.values {
      #expect(message.getInteger(at: message.readerIndex, as: UInt64.self) == expected)
      expected += 1
    }
    #expect(expected == 10_000)
    try await writer.finished.get()
  }

  @Test func `a subscriber that is released before it has a stream fails its result`() async throws {
    let channel = EmbeddedChannel()
    let result = ChannelSubscriber<Int, Never>(channel).finished
    #expect(throws: ChannelError.self) { try result.wait() }
  }

  @Test func `a channel that is already closed cancels the stream`() async throws {
    let loopback = try await Loopback.connected()
    try await loopback.client.close()
    let writer = ChannelSubscriber<ByteBuffer, Never>(loopback.client)
    let values = PassthroughSubject<ByteBuffer, Never>()
    values.subscribe(writer)
    await #expect(throws: (any Error).self) { try await writer.finished.get() }
  }

  @Test func `it obeys the rules of a subscriber`() {
    var channels: [EmbeddedChannel] = []
    ConformanceChecks.subscriber(
      values: [1, 2, 3], failure: Unreadable(),
      settle: {
        for channel in channels { channel.embeddedEventLoop.run() }
      }
    ) {
      let channel = EmbeddedChannel()
      channels.append(channel)
      return ChannelSubscriber<Int, Unreadable>(channel, closingWhenFinished: .all)
    }
  }
}

/// Fails each write, as an encoder does that can't encode a message.
private final class RejectingHandler: ChannelOutboundHandler {
  typealias OutboundIn = Int

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    promise?.fail(Unreadable())
  }
}
