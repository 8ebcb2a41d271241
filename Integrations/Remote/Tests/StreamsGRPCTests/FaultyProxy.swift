import NIOCore
import NIOPosix
import Synchronization

/// A proxy between a client and a server on the loopback interface, which cuts, delays and freezes connections.
final class FaultyProxy: Sendable {
  let port: Int
  private let listener: any Channel
  private let state: SharedState

  fileprivate final class SharedState: Sendable {
    let value = Mutex(State())
  }

  fileprivate struct State {
    var channels: [ObjectIdentifier: any Channel] = [:]
    var isFrozen = false
    var refuses = false
    var delay = TimeAmount.zero
    var accepted = 0
  }

  /// Creates a proxy.
  ///
  /// - Parameter target: The port of the server.
  init(to target: Int) async throws {
    let state = SharedState()
    self.state = state
    listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { inbound in
        let refuses = state.value.withLock { state in
          if !state.refuses { state.accepted += 1 }
          return state.refuses
        }
        if refuses { return inbound.close() }
        return ClientBootstrap(group: inbound.eventLoop)
          .channelOption(.allowRemoteHalfClosure, value: true)
          .channelOption(.autoRead, value: false)
          .connect(host: "127.0.0.1", port: target)
          .flatMapThrowing { outbound in
            try inbound.pipeline.syncOperations.addHandler(Forwarder(to: outbound, state))
            try outbound.pipeline.syncOperations.addHandler(Forwarder(to: inbound, state))
            for channel in [inbound, outbound] {
              state.value.withLock { $0.channels[ObjectIdentifier(channel)] = channel }
              channel.closeFuture.whenComplete { _ in
                state.value.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
              }
            }
          }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = listener.localAddress?.port ?? 0
  }

  /// The number of connections that were accepted so far.
  var accepted: Int { state.value.withLock { $0.accepted } }

  /// Closes all connections at once.
  func cut() {
    for channel in state.value.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
  }

  /// Passes nothing on, and closes nothing. New connections are accepted.
  func freeze() { state.value.withLock { $0.isFrozen = true } }

  /// Passes everything on that has waited.
  func thaw() {
    for channel in state.value.withLock({ state in
      state.isFrozen = false
      return Array(state.channels.values)
    }) { channel.read() }
  }

  /// Passes everything on after an interval.
  func delay(_ interval: TimeAmount) { state.value.withLock { $0.delay = interval } }

  /// Closes new connections.
  func refuse(_ refuses: Bool) { state.value.withLock { $0.refuses = refuses } }

  func stop() async throws {
    try await listener.close()
    cut()
  }
}

/// Passes what a channel receives on to another one, and reads on afterwards.
private final class Forwarder: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let target: any Channel
  private let state: FaultyProxy.SharedState

  init(to target: any Channel, _ state: FaultyProxy.SharedState) { (self.target, self.state) = (target, state) }

  // A socket forgets a read that comes before it's active.
  func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { read(context) } }

  func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    read(context)
  }

  private func read(_ context: ChannelHandlerContext) { if !state.value.withLock({ $0.isFrozen }) { context.read() } }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let buffer = unwrapInboundIn(data)
    let (target, state, channel) = (target, state, context.channel)
    let delay = state.value.withLock { $0.delay }
    let forward = { @Sendable in
      target.writeAndFlush(buffer).whenSuccess {
        if !state.value.withLock({ $0.isFrozen }) { channel.read() }
      }
    }
    if delay == .zero { forward() } else { context.eventLoop.scheduleTask(in: delay, forward) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .inputClosed? = event as? ChannelEvent { target.close(mode: .output, promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    target.close(promise: nil)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
