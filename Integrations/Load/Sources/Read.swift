import ArgumentParser
import NIOCore
import NIOPosix

/// Connects the clients to a server, and counts what they receive.
///
/// It writes these lines:
///
/// 1. the number of clients, once all have received the head of the response
/// 2. with `--acknowledges`, the number of messages that all reading clients have received, whenever it grows
/// 3. -1, the number of messages that the reading clients have received, the nanoseconds that took, and the latencies at the 50th
///    and at the 99th percentile in microseconds
/// 4. -2, the number of stalled clients that were disconnected, and the number of messages that they have received
///
/// Before the last one, it waits for a line. Then, the stalled clients read again.
struct Read: AsyncParsableCommand {
  static let configuration = CommandConfiguration(shouldDisplay: false)

  @Argument var port: Int
  @Flag(help: "Writes how many messages all clients have received.") var acknowledges = false
  @OptionGroup var options: Options

  func run() async throws {
    try raiseFileLimit(for: options.clients)
    // One thread, so that the clients leave a processor to the server.
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let eventLoop = group.next()
    let (options, acknowledges) = (options, acknowledges)
    let tally = try await eventLoop.submit {
      NIOLoopBound(Tally(options, acknowledges: acknowledges, on: eventLoop), eventLoop: eventLoop)
    }.get()
    let bootstrap = ClientBootstrap(group: group).channelOption(.socketOption(.so_rcvbuf), value: socketBufferSize)
    var stalled: [any Channel] = []
    for number in 0..<options.clients {
      let isStalled = number < options.stalled
      let channel =
        try await bootstrap
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(Client(tally.value, stallsAfterHead: isStalled))
          }
        }
        .connect(host: "127.0.0.1", port: port).get()
      if isStalled { stalled.append(channel) }
    }
    try await eventLoop.flatSubmit { tally.value.hasHeads.futureResult }.get()
    report(options.clients)

    try await eventLoop.flatSubmit { tally.value.waitUntilDone() }.get()
    let result = try await eventLoop.submit { tally.value.result }.get()
    report(-1, result.received, result.nanoseconds, result.median, result.percentile99)

    _ = readLine()
    for channel in stalled { try? await channel.setOption(.autoRead, value: true).get() }
    let (disconnected, received) = try await eventLoop.flatSubmit { tally.value.waitForStalled() }.get()
    report(-2, disconnected, received)
    try await group.shutdownGracefully()
  }
}

/// What the clients have received. It belongs to their event loop.
private final class Tally {
  struct Result {
    var received: Int
    var nanoseconds: Int
    var median: Int
    var percentile99: Int
  }

  /// The time without any message after which no more are expected.
  private static let patience = TimeAmount.seconds(5)

  let hasHeads: EventLoopPromise<Void>
  private let options: Options
  private let acknowledges: Bool
  private let eventLoop: any EventLoop
  private let readers: Int
  private var heads = 0
  private var received = 0
  private var receivedByStalled = 0
  private var disconnected = 0
  /// How many clients have received each message.
  private var receipts: [Int]
  private var microseconds: [UInt32] = []
  private var firstSent: UInt64 = .max
  private var lastReceived = Message.now

  init(_ options: Options, acknowledges: Bool, on eventLoop: any EventLoop) {
    self.options = options
    self.acknowledges = acknowledges
    self.eventLoop = eventLoop
    hasHeads = eventLoop.makePromise()
    readers = options.clients - options.stalled
    receipts = Array(repeating: 0, count: options.messages)
    microseconds.reserveCapacity(readers * options.messages)
  }

  func addHead() {
    heads += 1
    if heads == options.clients { hasHeads.succeed() }
  }

  /// Counts a message, the so many-th of its client.
  func add(_ index: Int, sentAt time: UInt64, now: UInt64) {
    received += 1
    firstSent = min(firstSent, time)
    lastReceived = now
    microseconds.append(UInt32(clamping: (now - min(now, time)) / 1_000))
    receipts[index] += 1
    if acknowledges, receipts[index] == readers { report(index + 1) }
  }

  func addToStalled() {
    receivedByStalled += 1
    lastReceived = Message.now
  }

  func addDisconnected() { disconnected += 1 }

  func waitUntilDone() -> EventLoopFuture<Void> {
    wait(Self.patience) { self.received == self.readers * self.options.messages }
  }

  func waitForStalled() -> EventLoopFuture<(disconnected: Int, received: Int)> {
    wait(.seconds(1)) { self.disconnected == self.options.stalled }
      .assumeIsolated().map { (self.disconnected, self.receivedByStalled) }.nonisolated()
  }

  /// Waits until a condition holds or no more messages arrive.
  private func wait(_ patience: TimeAmount, _ isDone: @escaping () -> Bool) -> EventLoopFuture<Void> {
    let promise = eventLoop.makePromise(of: Void.self)
    let start = Message.now
    func check() {
      if isDone() || Message.now - max(lastReceived, start) > patience.nanoseconds { return promise.succeed() }
      eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(20)) { check() }
    }
    check()
    return promise.futureResult
  }

  var result: Result {
    microseconds.sort()
    func percentile(_ part: Double) -> Int {
      microseconds.isEmpty ? 0 : Int(microseconds[Int(Double(microseconds.count - 1) * part)])
    }
    return Result(
      received: received, nanoseconds: received == 0 ? 0 : Int(lastReceived - firstSent), median: percentile(0.5),
      percentile99: percentile(0.99))
  }
}

private final class Client: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let tally: Tally
  private let stallsAfterHead: Bool
  private var reader = Message.Reader()
  private var received = 0

  init(_ tally: Tally, stallsAfterHead: Bool) {
    self.tally = tally
    self.stallsAfterHead = stallsAfterHead
  }

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(
      wrapOutboundOut(ByteBuffer(string: "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let hadHead = reader.hasHead
    let now = Message.now
    unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
      reader.read(bytes) { time in
        if stallsAfterHead { tally.addToStalled() } else { tally.add(received, sentAt: time, now: now) }
        received += 1
      }
    }
    guard !hadHead, reader.hasHead else { return }
    tally.addHead()
    if stallsAfterHead { try? context.channel.syncOptions?.setOption(.autoRead, value: false) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    if stallsAfterHead { tally.addDisconnected() }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
