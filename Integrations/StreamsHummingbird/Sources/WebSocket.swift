internal import AsyncAlgorithms
internal import NIOCore
internal import NIOWebSocket
public import StreamAlgorithms
public import Streams
internal import Synchronization

/// A connection with a web socket's client, for the time of your handler.
///
/// ```swift
/// router.ws("echo") { webSocket, context in
///   try await webSocket.send(webSocket.messages, whenFull: .wait)
/// }
/// ```
///
/// When your handler returns, the socket is closed with the code for a normal closure, or with "going away" if the server is
/// shutting down. If it throws a ``WebSocketClosed``, its code is sent. Any other error becomes an "unexpected server error".
///
/// Pings are answered and fragments joined. You may use a web socket from several tasks.
public struct WebSocket: Sendable {
  let channel: any Channel
  let outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>
  let ending = WebSocketEnding()
  let pace: WritingPace
  let inbox = AsyncThrowingChannel<WebSocketMessage, any Error>()
  /// The method and the route, under which the inspector and reports list what is sent.
  let route: String

  init(_ route: String, channel: any Channel, outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>) {
    self.route = route
    self.channel = channel
    self.outbound = outbound
    pace = WritingPace(of: channel)
  }

  /// The messages from the client.
  ///
  /// The publisher takes a message only when there's demand for it. As long as there's none, no more than a few are read, then
  /// TCP makes the client wait. While a message waits, pings and the client's closing, which come after it, aren't noticed. If
  /// you expect no messages, request and ignore them.
  ///
  /// It finishes when the client closes the socket or leaves, and when the server shuts down. It fails with a
  /// ``WebSocketClosed`` if the client breaks the protocol or sends a message that's too large.
  ///
  /// Subscribe once, because each message goes to a single subscriber. To send them to several, use `share()`.
  public var messages: AnySendablePublisher<WebSocketMessage, any Error> { AnySendablePublisher(inbox.publisher) }

  /// Sends a message when the client has room for it.
  ///
  /// - Parameter message: The message to send.
  /// - Throws: A ``WebSocketClosed`` if the socket has ended, or a `CancellationError` if the task is cancelled meanwhile.
  public func send(_ message: WebSocketMessage) async throws {
    let frame =
      switch message {
      case .text(let text): WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text))
      case .binary(let bytes): WebSocketFrame(fin: true, opcode: .binary, data: bytes)
      }
    if let closure = ending.closure { throw closure }
    do {
      try await outbound.write(frame)
      try await pace.keep(afterWriting: frame.length)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw ending.closure ?? WebSocketClosed(code: nil, reason: "\(error)")
    }
  }

  /// Sends the messages of a publisher until it completes, the client leaves or the server shuts down.
  ///
  /// ```swift
  /// try await webSocket.send(prices.map { .text("\($0)") })
  /// ```
  ///
  /// It requests everything, and messages are written as the client reads them. If it leaves more unread than `unread` allows, or
  /// for longer, its connection is cut: by default 1 MB, or 5 seconds without taking a message. To keep only the latest messages, or
  /// to make the publisher as slow as its client, use ``send(_:bounded:whenFull:)``.
  ///
  /// When the client closes the socket or leaves, the subscription is cancelled, even if nothing is ever sent. If the server
  /// shuts down, it's cancelled too, and the waiting messages are written. When your task is cancelled, the subscription is
  /// cancelled and the waiting messages are dropped.
  ///
  /// - Parameters:
  ///   - messages: The messages to send.
  ///   - limit: What the client may leave unread.
  /// - Throws: The publisher's failure after the messages before it, a ``WebSocketClosed`` if the socket has ended, or a
  ///   `CancellationError` if the task has been cancelled.
  nonisolated(nonsending)
    public func send<Messages: Publisher & SendableMetatype>(
      _ messages: Messages, unread limit: UnreadLimit = UnreadLimit()
    ) async throws where Messages.Output == WebSocketMessage
  {
    try await send(messages, waiting: WaitingValues(limit, of: channel) { $0.size })
  }

  /// Sends the messages of a publisher, of which only some may wait, until it completes, the client leaves or the server shuts
  /// down.
  ///
  /// ```swift
  /// try await webSocket.send(positions.map { .text("\($0)") }, bounded: 1, whenFull: .dropOldest)
  /// ```
  ///
  /// While the client doesn't read, up to `bound` messages wait, then `whenFull` decides what happens to the next one. `.wait`
  /// requests no more than fit, so use it with publishers that wait for demand. `.cancel` cuts the connection, and so it can cut a
  /// client that reads: messages that are sent at the same moment all count. One further message can be on its way to the
  /// connection, which keeps what NIO's and the system's buffers hold.
  ///
  /// Everything else is as in ``send(_:unread:)``.
  ///
  /// - Parameters:
  ///   - messages: The messages to send.
  ///   - bound: The maximum number of messages that wait. A number below one stops the program with a message.
  ///   - whenFull: The strategy for a message for which there's no room.
  /// - Throws: The publisher's failure after the messages before it, a ``WebSocketClosed`` if the socket has ended, or a
  ///   `CancellationError` if the task has been cancelled.
  nonisolated(nonsending)
    public func send<Messages: Publisher & SendableMetatype>(
      _ messages: Messages, bounded bound: Int = 64, whenFull: OverflowStrategy<Messages.Failure>
    ) async throws where Messages.Output == WebSocketMessage
  {
    try await send(messages, waiting: WaitingValues(bounded: bound, whenFull: whenFull))
  }

  /// Sends the messages of a publisher, and handles each message from the client meanwhile.
  ///
  /// ```swift
  /// router.ws("rooms/{room}") { webSocket, context in
  ///   let room = try rooms.room(context.requestContext.parameters.require("room"))
  ///   try await webSocket.send(room.messages) { message in await room.post(message) }
  /// }
  /// ```
  ///
  /// The next message from the client is read when the closure has returned, so TCP makes a fast client wait. The task of the closure is
  /// cancelled when sending ends.
  ///
  /// Everything else is as in ``send(_:unread:)``.
  ///
  /// - Parameters:
  ///   - messages: The messages to send.
  ///   - limit: What the client may leave unread.
  ///   - handle: A closure that handles a message. If it throws an error, the exchange ends with it.
  /// - Throws: The publisher's failure, the closure's error, a ``WebSocketClosed`` if the socket has ended, or a `CancellationError`.
  nonisolated(nonsending)
    public func send<Messages: Publisher & SendableMetatype>(
      _ messages: Messages, unread limit: UnreadLimit = UnreadLimit(),
      receiving handle: @escaping @Sendable (WebSocketMessage) async throws -> Void
    ) async throws where Messages.Output == WebSocketMessage
  {
    try await send(messages, waiting: WaitingValues(limit, of: channel) { $0.size }, receiving: handle)
  }

  /// Sends the messages of a publisher, of which only some may wait, and handles each message from the client meanwhile.
  ///
  /// ```swift
  /// try await webSocket.send(positions, bounded: 1, whenFull: .dropOldest) { message in await game.move(message) }
  /// ```
  ///
  /// It receives as ``send(_:unread:receiving:)`` does. Everything else is as in ``send(_:bounded:whenFull:)``.
  ///
  /// - Parameters:
  ///   - messages: The messages to send.
  ///   - bound: The maximum number of messages that wait. A number below one stops the program with a message.
  ///   - whenFull: The strategy for a message for which there's no room.
  ///   - handle: A closure that handles a message. If it throws an error, the exchange ends with it.
  /// - Throws: The publisher's failure, the closure's error, a ``WebSocketClosed`` if the socket has ended, or a `CancellationError`.
  nonisolated(nonsending)
    public func send<Messages: Publisher & SendableMetatype>(
      _ messages: Messages, bounded bound: Int = 64, whenFull: OverflowStrategy<Messages.Failure>,
      receiving handle: @escaping @Sendable (WebSocketMessage) async throws -> Void
    ) async throws where Messages.Output == WebSocketMessage
  {
    try await send(messages, waiting: WaitingValues(bounded: bound, whenFull: whenFull), receiving: handle)
  }

  nonisolated(nonsending)
    private func send<Messages: Publisher & SendableMetatype>(
      _ messages: Messages, waiting: WaitingValues<WebSocketMessage, Messages.Failure>,
      receiving handle: @escaping @Sendable (WebSocketMessage) async throws -> Void
    ) async throws where Messages.Output == WebSocketMessage
  {
    let failure = CurrentValueSubject<(any Error)?, Never>(nil)
    // Sends nothing before a failure, so that a socket that waits is seen to have no values.
    let failed = ReplaySubject<Void, Never>(bufferSize: 1)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask {
        do {
          for try await message in self.messages.values { try await handle(message) }
        } catch {
          failure.value = error
          failed.send(())
        }
      }
      defer { tasks.cancelAll() }
      try await send(messages.finish(when: failed), waiting: waiting)
    }
    if let error = failure.value { throw error }
  }

  nonisolated(nonsending)
    private func send<Messages: Publisher & SendableMetatype>(
      _ messages: Messages, waiting: WaitingValues<WebSocketMessage, Messages.Failure>
    ) async throws where Messages.Output == WebSocketMessage
  {
    let values =
      waiting
      .buffer(messages.finish(when: ending.shutdown)) { [ending, channel] in
        ending.close(.unread)
        channel.close(promise: nil)
      }
      .finish(when: ending.closed)
      .checkpoint(route)
      .values
    for try await message in values {
      try await send(message)
      waiting.remove(CollectionOfOne(message))
    }
    if let closure = ending.closure { throw closure }
    try Task.checkCancellation()
  }
}

/// The signals that end what a handler does with a web socket.
final class WebSocketEnding: Sendable {
  private struct State {
    var hasShutDown = false
    var closure: WebSocketClosed?
  }

  /// Sends a value if the server is shutting down, or as soon as it does.
  let shutdown = ReplaySubject<Void, Never>(bufferSize: 1)

  /// Sends a value if the socket has ended, or as soon as it does.
  let closed = ReplaySubject<Void, Never>(bufferSize: 1)

  private let state = Mutex(State())

  /// How the socket has ended.
  var closure: WebSocketClosed? { state.withLock { $0.closure } }

  var hasShutDown: Bool { state.withLock { $0.hasShutDown } }

  func shutDown() {
    state.withLock { $0.hasShutDown = true }
    shutdown.send(())
  }

  /// Notes how the socket has ended. What ends it first counts.
  func close(_ closure: WebSocketClosed) {
    state.withLock { $0.closure = $0.closure ?? closure }
    closed.send(())
  }
}
