import ArgumentParser
import Dispatch
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import StreamsHummingbird
import Synchronization

/// Runs a server of one variant.
///
/// It writes its port, then reads lines with the number of messages that may have been sent in all.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(shouldDisplay: false)

  @Argument var broadcast: Broadcast
  @Flag(help: "Sends messages at the rate, not as fast as they're allowed.") var isPaced = false
  @OptionGroup var options: Options

  func run() async throws {
    try raiseFileLimit(for: options.clients)
    let sender = broadcast.start()
    let subscribed = DispatchSemaphore(value: 0)
    let router = Router(context: ChannelContext.self)
    router.get("events") { request, context in
      sender.respond(request, context) { subscribed.signal() }
    }
    var logger = Logger(label: "load")
    logger.logLevel = .error
    let application = Application(
      router: router,
      server: HTTPServerBuilder { SmallBufferChannel(http: HTTP1Channel(responder: $0)) },
      configuration: .init(address: .hostname("127.0.0.1", port: 0), backlog: 4_096),
      onServerRunning: { report($0.localAddress?.port ?? 0) }, logger: logger)
    // A thread of its own, so that the sender competes with the server for the processors but not for the threads of the tasks.
    let thread = Thread { [options, isPaced] in
      for _ in 0..<options.clients { subscribed.wait() }
      Self.send(to: sender, isPaced ? options.rate : nil, size: options.size)
    }
    thread.start()
    try await application.run()
  }

  private static func send(to sender: Sender, _ rate: Int?, size: Int) {
    var sent: UInt64 = 0
    var start: UInt64?
    while let allowed = readLine().flatMap(UInt64.init) {
      while sent < allowed {
        var time = Message.now
        if let rate {
          // The time at which the message is due. If the server is late, that counts as latency.
          let due = (start ?? time) + sent * 1_000_000_000 / UInt64(rate)
          start = start ?? time
          if due > time { Thread.sleep(forTimeInterval: Double(due - time) / 1e9) }
          time = due
        }
        sender.send(Message.event(sentAt: time, size: size))
        sent += 1
      }
    }
  }
}

/// An HTTP channel with a small send buffer, so that messages for a client that doesn't read wait in the program.
private struct SmallBufferChannel: ServerChildChannel {
  let http: HTTP1Channel

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    channel.setOption(.socketOption(.so_sndbuf), value: socketBufferSize).flatMap {
      http.setup(channel: channel, logger: logger)
    }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await http.handle(value: value, logger: logger)
  }
}

/// The size that is requested for the buffers of the sockets, which Linux doubles.
let socketBufferSize: ChannelOptions.Types.SocketOption.Value = 16_384
