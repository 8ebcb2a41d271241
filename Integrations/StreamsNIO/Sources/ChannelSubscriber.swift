public import NIOCore
public import Streams
import Synchronization

/// A subscriber that writes the values of a publisher to a channel, and requests them while the channel is writable.
///
/// ```swift
/// let writer = ChannelSubscriber<ByteBuffer, any Error>(channel)
/// lines.map { ByteBuffer(string: $0) }.subscribe(writer)
/// try await writer.waitUntilFinished()
/// ```
///
/// **Demand.** The subscriber requests up to `window` values in advance, and no more while the channel isn't writable: when the
/// peer doesn't read, and more bytes are waiting than the channel's high water mark. For a peer that stops reading, the channel
/// therefore keeps that many bytes (64 KB by default) and at most `window` values. A publisher that doesn't wait for demand
/// needs a policy in between, such as `buffer(bounded: 64, whenFull: .dropOldest)`.
///
/// **Thread.** Values may arrive on any thread. The channel's event loop writes them in their order, and flushes once for all that
/// have arrived until then.
///
/// **Completion.** When the stream has finished and everything is written, the subscriber closes the channel's output, so that the
/// peer receives the end. A failure of the stream closes the channel. A failed write, such as a value that the pipeline can't
/// encode, closes the channel too and cancels the stream. So does the end of the channel.
///
/// **Cancellation** cancels the stream and closes the channel.
public final class ChannelSubscriber<Message: Sendable, Failure: Error>: Subscriber, Cancellable, @unchecked Sendable {
  // Unchecked: `loopState` is used only on the channel's event loop, and the lock protects the inbox.

  public typealias Input = Message

  /// The channel to which the values are written.
  public let channel: any Channel

  /// A future that succeeds when the stream has finished and everything is written.
  ///
  /// It fails with the stream's failure, the error of a write, or a `ChannelError` if the channel closes before.
  public var finished: EventLoopFuture<Void> { result.futureResult }

  private let result: EventLoopPromise<Void>
  private let window: Int
  private let closeMode: CloseMode?
  private let inbox = Mutex(Inbox())
  private var loopState = LoopState()

  /// The signals that the event loop hasn't handled yet.
  private struct Inbox: Sendable {
    var messages: [Message] = []
    var completion: Subscribers.Completion<Failure>?
    /// Indicates whether the event loop will look into the inbox.
    var isScheduled = false
  }

  private struct LoopState {
    var subscription: (any Subscription)?
    /// The number of values that are requested and haven't been written.
    var requested = 0
    /// The number of values that have been written and not flushed.
    var inFlight = 0
    var completion: Subscribers.Completion<Failure>?
    var hasEnded = false
  }

  /// Creates a subscriber for one stream.
  ///
  /// - Parameters:
  ///   - channel: The channel.
  ///   - window: The number of values to request in advance. A number below one stops the program.
  ///   - closeMode: The part of the channel to close when the stream has finished, or `nil` to leave it open.
  public init(_ channel: any Channel, window: Int = 16, closingWhenFinished closeMode: CloseMode? = .output) {
    precondition(window > 0, "A ChannelSubscriber requests at least one value at a time, got a window of \(window).")
    self.channel = channel
    self.window = window
    self.closeMode = closeMode
    result = channel.eventLoop.makePromise()
  }

  deinit { result.fail(ChannelError.alreadyClosed) }

  /// Waits until the stream has finished and everything is written.
  ///
  /// If the task is cancelled, the subscriber is too: the stream is cancelled and the channel closed. Waiting for ``finished`` would
  /// go on, which keeps a service alive that its group has cancelled.
  ///
  /// - Throws: The error of ``finished``, which is a `CancellationError` after a cancellation.
  public func waitUntilFinished() async throws {
    try await withTaskCancellationHandler {
      try await finished.get()
    } onCancel: {
      cancel()
    }
  }

  // MARK: Any thread

  public func receive(subscription: any Subscription) {
    // Handed over to the event loop, which alone uses it.
    nonisolated(unsafe) let handedOver = subscription
    channel.eventLoop.runNowOrExecute { self.begin(handedOver) }
  }

  public func receive(_ input: Message) -> Subscribers.Demand {
    post { $0.messages.append(input) }
    return .none
  }

  public func receive(completion: Subscribers.Completion<Failure>) { post { $0.completion = completion } }

  public func cancel() { channel.eventLoop.runNowOrExecute { self.end(.failure(CancellationError()), .all) } }

  private func post(_ add: (inout sending Inbox) -> Void) {
    let schedules = inbox.withLock { inbox in
      add(&inbox)
      defer { inbox.isScheduled = true }
      return !inbox.isScheduled
    }
    if schedules { channel.eventLoop.execute(writeInbox) }
  }

  // MARK: The event loop

  private func begin(_ subscription: any Subscription) {
    guard !loopState.hasEnded, loopState.subscription == nil else { return subscription.cancel() }
    loopState.subscription = subscription
    do {
      try channel.pipeline.syncOperations.addHandler(WritabilityHandler { [weak self] in self?.requestIfWritable() })
    } catch {
      return end(.failure(error), nil)
    }
    channel.closeFuture.whenComplete { _ in self.end(.failure(ChannelError.ioOnClosedChannel), nil) }
    requestIfWritable()
  }

  private func requestIfWritable() {
    guard channel.isWritable, loopState.completion == nil else { return }
    let count = window - loopState.requested
    // In batches, because each request passes through the whole stream.
    guard count * 2 >= window, let subscription = loopState.subscription else { return }
    loopState.requested = window
    subscription.request(.max(count))
  }

  private func writeInbox() {
    let (messages, completion) = inbox.withLock { inbox in
      defer { inbox = Inbox() }
      return (inbox.messages, inbox.completion)
    }
    if loopState.hasEnded { return }
    loopState.requested -= messages.count
    loopState.inFlight += messages.count
    for message in messages {
      channel.write(message).whenComplete { result in
        self.loopState.inFlight -= 1
        if case .failure(let error) = result { self.end(.failure(error), .all) } else { self.endIfWritten() }
      }
    }
    if !messages.isEmpty { channel.flush() }
    if let completion {
      loopState.completion = completion
      endIfWritten()
    }
    requestIfWritable()
  }

  private func endIfWritten() {
    guard let completion = loopState.completion, loopState.inFlight == 0 else { return }
    switch completion {
    case .finished: end(.success(()), closeMode)
    case .failure(let error): end(.failure(error), .all)
    }
  }

  private func end(_ outcome: Result<Void, any Error>, _ mode: CloseMode?) {
    if loopState.hasEnded { return }
    loopState.hasEnded = true
    if let subscription = loopState.subscription.take(), loopState.completion == nil { subscription.cancel() }
    if let mode { channel.close(mode: mode, promise: nil) }
    result.completeWith(outcome)
  }
}

/// Reports when a channel becomes writable again.
private final class WritabilityHandler: ChannelInboundHandler {
  typealias InboundIn = Any

  private let whenWritable: () -> Void

  init(whenWritable: @escaping () -> Void) { self.whenWritable = whenWritable }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    context.fireChannelWritabilityChanged()
    if context.channel.isWritable { whenWritable() }
  }
}
