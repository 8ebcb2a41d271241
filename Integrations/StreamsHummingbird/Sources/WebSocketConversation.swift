internal import AsyncAlgorithms
internal import Logging
internal import NIOCore
internal import NIOWebSocket
internal import ServiceLifecycle
internal import Synchronization

/// Runs a handler with a web socket, and handles the frames that aren't messages.
final class WebSocketConversation: Sendable {
  /// What the tasks of a conversation report.
  private enum Report {
    case received
    case handled
    case shutDown
    case nothing
  }

  /// What has been heard of the client since the last ping.
  private enum Heard: UInt8, AtomicRepresentable {
    case nothing
    case something
    /// Nothing can be heard before the handler has requested a message.
    case messageThatWaits
  }

  private let webSocket: WebSocket
  private let closeTimeout: Duration
  private let logger: Logger
  private let heard = Atomic(Heard.something)

  init(_ webSocket: WebSocket, closeTimeout: Duration, logger: Logger) {
    self.webSocket = webSocket
    self.closeTimeout = closeTimeout
    self.logger = logger
  }

  func run(
    _ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>, pingInterval: Duration?,
    handler: @escaping @Sendable (WebSocket) async throws -> Void
  ) async {
    await withTaskGroup(of: Report.self) { group in
      group.addTask {
        await self.receive(inbound)
        return .received
      }
      group.addTask {
        await self.handle(handler)
        return .handled
      }
      group.addTask { await self.waitForShutdown() ? .shutDown : .nothing }
      if let pingInterval {
        group.addTask {
          await self.ping(every: pingInterval)
          return .nothing
        }
      }
      var (isReceiving, isHandling) = (true, true)
      while isReceiving || isHandling, let report = await group.next() {
        switch report {
        case .received: isReceiving = false
        case .handled: isHandling = false
        // The time is over: what the handler still does is cancelled.
        case .shutDown: group.cancelAll()
        case .nothing: break
        }
      }
      group.cancelAll()
    }
  }

  // MARK: Tasks

  private func handle(_ handler: @Sendable (WebSocket) async throws -> Void) async {
    let closure: WebSocketClosed
    do {
      try await handler(webSocket)
      closure = WebSocketClosed(code: webSocket.ending.hasShutDown ? .goingAway : .normalClosure)
    } catch let error as WebSocketClosed {
      closure = WebSocketClosed(code: error.code ?? .normalClosure, reason: error.reason)
    } catch {
      logger.debug("A web socket's handler has failed: \(error)")
      closure = WebSocketClosed(code: .unexpectedServerError)
    }
    // From now on, what arrives before the client's close frame is dropped.
    webSocket.inbox.finish()
    guard webSocket.ending.closure == nil else { return }
    webSocket.ending.close(closure)
    await sendClose(closure)
  }

  private func waitForShutdown() async -> Bool {
    do {
      try await gracefulShutdown()
      webSocket.ending.shutDown()
      webSocket.inbox.finish()
      try await Task.sleep(for: closeTimeout)
    } catch {
      return false
    }
    webSocket.channel.close(promise: nil)
    return true
  }

  private func ping(every interval: Duration) async {
    while (try? await Task.sleep(for: interval)) != nil {
      if heard.compareExchange(expected: .something, desired: .nothing, ordering: .relaxed).original == .nothing {
        webSocket.channel.close(promise: nil)
        return
      }
      do {
        try await webSocket.outbound.write(WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer()))
      } catch {
        return
      }
    }
  }

  private func receive(_ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>) async {
    do {
      for try await frame in inbound {
        heard.store(.something, ordering: .relaxed)
        switch frame.opcode {
        case .text:
          var data = frame.unmaskedData
          guard let text = try? data.readUTF8ValidatedString(length: data.readableBytes) else {
            throw WebSocketClosed(code: .dataInconsistentWithMessage)
          }
          await deliver(.text(text))
        case .binary: await deliver(.binary(frame.unmaskedData))
        case .ping:
          try await webSocket.outbound.write(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData))
        case .pong: break
        case .connectionClose:
          let closure = try WebSocketClosed(frame)
          return await end(closure, answering: true) { $0.finish() }
        default: throw WebSocketClosed(code: .protocolError)
        }
      }
      await end(WebSocketClosed(code: nil), answering: false) { $0.finish() }
    } catch let closure as WebSocketClosed {
      await end(closure, answering: true) { $0.fail(closure) }
    } catch let error as NIOWebSocketFrameAggregator.Error {
      let closure = WebSocketClosed(error)
      await end(closure, answering: true) { $0.fail(closure) }
    } catch let error as NIOWebSocketError {
      let closure = WebSocketClosed(error)
      await end(closure, answering: true) { $0.fail(closure) }
    } catch {
      await end(WebSocketClosed(code: nil, reason: "\(error)"), answering: false) { $0.finish() }
    }
  }

  private func deliver(_ message: WebSocketMessage) async {
    heard.store(.messageThatWaits, ordering: .relaxed)
    await webSocket.inbox.send(message)
    heard.store(.something, ordering: .relaxed)
  }

  // MARK: Ends

  /// Ends the socket because nothing more will be received.
  private func end(
    _ closure: WebSocketClosed, answering: Bool,
    completing: (AsyncThrowingChannel<WebSocketMessage, any Error>) -> Void
  ) async {
    let isAnswer = webSocket.ending.closure != nil
    webSocket.ending.close(closure)
    completing(webSocket.inbox)
    if answering, !isAnswer { await sendClose(closure) }
    webSocket.channel.close(promise: nil)
  }

  /// Sends a close frame, and closes the connection if that or the answer takes too long.
  private func sendClose(_ closure: WebSocketClosed) async {
    let channel = webSocket.channel
    let timeout = channel.eventLoop.scheduleTask(in: TimeAmount(closeTimeout)) { channel.close(promise: nil) }
    channel.closeFuture.whenComplete { _ in timeout.cancel() }
    try? await webSocket.outbound.write(closure.frame)
  }
}

extension WebSocketClosed {
  /// The number of bytes that a close frame's reason can have after the code.
  private static let maximumReasonSize = 123

  fileprivate init(_ frame: WebSocketFrame) throws {
    var data = frame.unmaskedData
    guard data.readableBytes > 0 else {
      self.init(code: nil)
      return
    }
    guard let code = data.readInteger(as: UInt16.self), Self.mayBeSent(code) else {
      throw WebSocketClosed(code: .protocolError)
    }
    guard let reason = try? data.readUTF8ValidatedString(length: data.readableBytes) else {
      throw WebSocketClosed(code: .dataInconsistentWithMessage)
    }
    self.init(code: WebSocketErrorCode(codeNumber: Int(code)), reason: reason)
  }

  fileprivate init(_ error: NIOWebSocketFrameAggregator.Error) {
    switch error {
    case .accumulatedFrameSizeIsTooLarge, .tooManyFragments: self.init(code: .messageTooLarge)
    case .nonFinalFragmentSizeIsTooSmall, .receivedNewFrameWithoutFinishingPrevious,
      .didReceiveFragmentBeforeReceivingTextOrBinaryFrame:
      self.init(code: .protocolError)
    }
  }

  fileprivate init(_ error: NIOWebSocketError) {
    self.init(code: error == .invalidFrameLength ? .messageTooLarge : .protocolError)
  }

  /// RFC 6455 reserves the other codes, among them 1005 and 1006, which stand for the lack of a code.
  private static func mayBeSent(_ code: UInt16) -> Bool {
    switch code {
    case 1_000...1_003, 1_007...1_014, 3_000...4_999: true
    default: false
    }
  }

  fileprivate var frame: WebSocketFrame {
    var data = ByteBuffer()
    if let code {
      data.write(webSocketErrorCode: code)
      var text = reason[...]
      while text.utf8.count > Self.maximumReasonSize { text.removeLast() }
      data.writeSubstring(text)
    }
    return WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
  }
}
