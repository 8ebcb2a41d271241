import NIOCore
import Streams

/// The last handler of a pipeline. It keeps messages until they're requested, and holds back reads until more are requested.
final class InboundDemandHandler<Message: Sendable>: ChannelDuplexHandler {
  typealias InboundIn = Message
  typealias OutboundIn = Never

  private var context: ChannelHandlerContext?
  private var subscription: ChannelSubscription<Message>?
  /// The messages that haven't been requested yet, and the completion that follows them.
  private var messages = CircularBuffer<Message>()
  private var completion: Subscribers.Completion<any Error>?
  private var isReading = false
  private var isPumping = false
  private var hasEnded = false

  // MARK: The subscriber

  func attach(_ new: ChannelSubscription<Message>) {
    if subscription != nil || hasEnded { return new.end(.failure(ChannelAlreadySubscribed())) }
    subscription = new
    pump(for: new)
  }

  /// Delivers as many messages as are requested, then the completion or a request to read.
  ///
  /// A call during another one returns immediately, and the other one continues with what has changed. So the stack doesn't grow
  /// with the number of messages.
  func pump(for caller: ChannelSubscription<Message>? = nil) {
    guard let subscription, caller == nil || caller === subscription, !isPumping else { return }
    isPumping = true
    defer { isPumping = false }
    while true {
      if subscription.isCancelled { return end(closingChannel: true) }
      if subscription.demand > .none, let message = messages.popFirst() {
        subscription.deliver(message)
      } else if messages.isEmpty, let completion {
        var isFailure = false
        if case .failure = completion { isFailure = true }
        end(closingChannel: isFailure)
        return subscription.end(completion)
      } else if subscription.demand > .none, !isReading, let context, context.channel.isActive {
        // A socket forgets a read that comes before it's active, and doesn't read on its own afterwards.
        // Some channels read synchronously.
        isReading = true
        context.read()
        if messages.isEmpty, completion == nil { return }
      } else {
        return
      }
    }
  }

  private func end(closingChannel: Bool) {
    hasEnded = true
    subscription = nil
    messages.removeAll()
    // There's no context after the channel has been closed.
    if closingChannel { context?.close(promise: nil) }
  }

  private func complete(_ completion: Subscribers.Completion<any Error>) {
    if self.completion == nil { self.completion = completion }
    pump()
  }

  // MARK: The channel

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    complete(.finished)
    self.context = nil
  }

  func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    pump()
  }

  func read(context: ChannelHandlerContext) {
    // See `pump`, which reads as soon as the channel is active.
    guard context.channel.isActive else { return }
    // After the end, reading on notices that the peer closes the channel.
    guard hasEnded || subscription.map({ $0.demand > .none && messages.isEmpty }) == true else { return }
    isReading = true
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // Nobody wants what arrives after the end.
    if hasEnded { return }
    messages.append(unwrapInboundIn(data))
    pump()
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    isReading = false
    context.fireChannelReadComplete()
    pump()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .inputClosed? = event as? ChannelEvent { complete(.finished) }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    complete(.failure(error))
    context.fireErrorCaught(error)
  }

  func channelInactive(context: ChannelHandlerContext) {
    complete(.finished)
    context.fireChannelInactive()
  }
}
