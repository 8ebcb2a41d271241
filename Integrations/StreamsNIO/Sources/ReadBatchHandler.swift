public import NIOCore

/// A handler that passes the messages of one read on as an array.
///
/// Put it after a decoder, and before a ``ChannelPublisher`` of arrays:
///
/// ```swift
/// try channel.pipeline.syncOperations.addHandlers(
///   ByteToMessageHandler(LineBasedFrameDecoder()), ReadBatchHandler<ByteBuffer>())
/// return try ChannelPublisher(wrappingChannelSynchronously: channel, of: [ByteBuffer].self)
/// ```
///
/// While your code handles an array, nothing is read. The next one has the messages that have arrived meanwhile. So the arrays grow
/// with the load, up to what one read brings, and an idle connection's message doesn't wait for others. That suits code for which
/// a hundred messages cost little more than one, such as a transaction of a database.
public final class ReadBatchHandler<Message: Sendable>: ChannelInboundHandler {
  public typealias InboundIn = Message
  public typealias InboundOut = [Message]

  private var batch: [Message] = []

  /// Creates a handler for one channel.
  public init() {}

  public func channelRead(context: ChannelHandlerContext, data: NIOAny) { batch.append(unwrapInboundIn(data)) }

  public func channelReadComplete(context: ChannelHandlerContext) {
    passOn(context)
    context.fireChannelReadComplete()
  }

  // A decoder may pass messages on at the end of the input or when it's removed, without a read.

  public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    passOn(context)
    context.fireUserInboundEventTriggered(event)
  }

  public func errorCaught(context: ChannelHandlerContext, error: any Error) {
    passOn(context)
    context.fireErrorCaught(error)
  }

  public func channelInactive(context: ChannelHandlerContext) {
    passOn(context)
    context.fireChannelInactive()
  }

  public func handlerRemoved(context: ChannelHandlerContext) { passOn(context) }

  private func passOn(_ context: ChannelHandlerContext) {
    if batch.isEmpty { return }
    let full = batch
    batch = []
    context.fireChannelRead(wrapInboundOut(full))
  }
}
