public import NIOCore
public import Streams

/// A publisher of the messages that arrive on a channel. It reads from the channel only while messages are requested.
///
/// Create it where you set up the pipeline, so that nothing is read before you subscribe:
///
/// ```swift
/// let server = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 8080) { channel in
///   channel.eventLoop.makeCompletedFuture {
///     try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(LineBasedFrameDecoder()))
///     return try ChannelPublisher(wrappingChannelSynchronously: channel, of: ByteBuffer.self)
///   }
/// }
/// ```
///
/// **Demand.** While nothing is requested, nothing is read: the peer's data waits in the system's buffers, and TCP makes the peer
/// wait. Messages that a read brings beyond the demand are kept, in order. That's at most the messages of one read, and at the end
/// of the input what the system has received until then.
///
/// **Thread.** Messages and the completion arrive on the channel's event loop. Subscribe, request and cancel on any thread.
///
/// **Completion.** The stream finishes when the peer has closed its side or the channel is closed, after the kept messages. If
/// the channel allows remote half closure, it stays open for writing then. An error in the pipeline closes the channel and fails
/// the stream, after the kept messages.
///
/// **Cancellation** closes the channel and drops the kept messages. Each channel has one subscriber. A second one fails with
/// ``ChannelAlreadySubscribed``. Use `share` to send the messages to several.
public struct ChannelPublisher<Message: Sendable>: Publisher, Sendable {
  public typealias Output = Message
  public typealias Failure = any Error

  /// The channel whose messages are published.
  public let channel: any Channel

  private let handler: NIOLoopBound<InboundDemandHandler<Message>>

  /// Creates the publisher, and adds a handler at the end of the pipeline that takes all messages.
  ///
  /// Call it on the channel's event loop, such as in an initializer of the channel. Elsewhere, the program stops.
  ///
  /// - Parameters:
  ///   - channel: The channel.
  ///   - messageType: The type of the messages that the last handler before this one passes on. A message of another type stops
  ///     the program.
  /// - Throws: A `ChannelError` if the channel is closed.
  public init(wrappingChannelSynchronously channel: any Channel, of messageType: Message.Type = Message.self) throws {
    self.channel = channel
    let handler = InboundDemandHandler<Message>()
    try channel.pipeline.syncOperations.addHandler(handler)
    self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Message, S.Failure == any Error {
    let subscription = ChannelSubscription(channel, handler, subscriber)
    subscriber.receive(subscription: subscription)
    // On another thread, this follows the requests that the subscriber has made meanwhile.
    subscription.begin()
  }
}

/// The error of a second subscriber of a channel.
public struct ChannelAlreadySubscribed: Error, CustomStringConvertible {
  /// The message.
  public var description: String {
    "A ChannelPublisher has one subscriber, which determines how much is read, and this is the second. Subscribe to a shared "
      + "publisher instead, such as `publisher.share(bounded: 64, whenFull: .cancel)`."
  }
}

/// The connection between a channel and a subscriber of its messages.
final class ChannelSubscription<Message: Sendable>: Subscription, @unchecked Sendable, CustomStringConvertible {
  // Unchecked: the variables are used only on the channel's event loop.

  private let channel: any Channel
  private let handler: NIOLoopBound<InboundDemandHandler<Message>>
  /// The number of messages that have been requested and haven't been delivered.
  private(set) var demand = Subscribers.Demand.none
  /// The subscriber, until the end.
  private var receiver: Receiver?

  private struct Receiver {
    let value: (Message) -> Subscribers.Demand
    let completion: (Subscribers.Completion<any Error>) -> Void
  }

  init<S: Subscriber>(_ channel: any Channel, _ handler: NIOLoopBound<InboundDemandHandler<Message>>, _ subscriber: S)
  where S.Input == Message, S.Failure == any Error {
    self.channel = channel
    self.handler = handler
    receiver = Receiver(value: subscriber.receive(_:), completion: subscriber.receive(completion:))
  }

  var description: String { "ChannelPublisher" }

  func begin() { onEventLoop { $0.attach(self) } }

  func request(_ demand: Subscribers.Demand) {
    onEventLoop { handler in
      self.demand += demand
      handler.pump(for: self)
    }
  }

  func cancel() {
    onEventLoop { handler in
      self.receiver = nil
      handler.pump(for: self)
    }
  }

  private func onEventLoop(_ action: @escaping @Sendable (InboundDemandHandler<Message>) -> Void) {
    channel.eventLoop.runNowOrExecute { [handler] in action(handler.value) }
  }

  // MARK: On the event loop

  var isCancelled: Bool { receiver == nil }

  func deliver(_ message: Message) {
    demand -= 1
    if let receiver { demand += receiver.value(message) }
  }

  func end(_ completion: Subscribers.Completion<any Error>) { receiver.take()?.completion(completion) }
}
