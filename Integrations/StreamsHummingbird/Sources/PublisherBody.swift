internal import Hummingbird
internal import NIOCore
internal import ServiceLifecycle
internal import StreamAlgorithms
internal import Streams
internal import Synchronization

/// Ends the body of a response from outside its publisher.
private final class BodyEnding: Sendable {
  /// Sends a value when the server shuts down.
  let shutdown = PassthroughSubject<Void, Never>()
  private let state = Mutex<(hasBeenCut: Bool, writing: Task<Void, any Error>?)>((false, nil))

  /// Ends the body without its proper end, even while a write waits for the client.
  func cut() {
    let writing = state.withLock { state in
      state.hasBeenCut = true
      return state.writing
    }
    writing?.cancel()
  }

  func checkCut() throws { if state.withLock({ $0.hasBeenCut }) { throw CancellationError() } }

  /// Takes the task that writes the body, which a cut cancels.
  func begin(_ writing: Task<Void, any Error>) {
    let hasBeenCut = state.withLock { state in
      state.writing = writing
      return state.hasBeenCut
    }
    if hasBeenCut { writing.cancel() }
  }

  /// Lets values already sent through, but not for longer than an interval.
  func beginShutdown(within interval: Duration) {
    shutdown.send(())
    let writing = state.withLock { $0.writing }
    Task {
      try await Task.sleep(for: interval)
      writing?.cancel()
    }
  }
}

extension RequestContext {
  /// The connection, if the context knows it.
  var connection: (any Channel)? { (self as? any ChannelRequestContext)?.channel }
}

extension ResponseBody {
  /// Creates a body of a publisher's values, which it subscribes to immediately.
  init<P: Publisher & SendableMetatype>(
    writing publisher: sending P, to request: Request?, waiting: WaitingValues<P.Output, P.Failure>,
    keepAlive: KeepAlive?, drainingWithin interval: Duration?, context: (any RequestContext)?,
    encode: @escaping @Sendable (P.Output) -> ByteBuffer
  ) {
    let ending = BodyEnding()
    // The end is a value too: the loop has to tell a failure from a cancellation.
    let events = waiting.buffer(publisher.finish(when: ending.shutdown), whenCut: ending.cut).materialize()
    // The inspector lists the loop under this name, and reports have it as a dimension, so it mustn't be a client's choice: the
    // route's template, never the path.
    let name = [request?.method.rawValue, context?.endpointPath ?? "response"].compactMap(\.self).joined(separator: " ")
    let channel = context?.connection
    let iterator = Handover(events.checkpoint(name).values.makeAsyncIterator())
    self.init { writer in
      let client = ClientWriter(writer, at: channel)
      let write = { @Sendable in
        let writing = Task {
          client.begin(keepAlive) { if waiting.isOverdue { ending.cut() } }
          do {
            guard var events = iterator.take() else { throw CancellationError() }
            loop: while let event = await events.next() {
              switch event {
              case .value(let value):
                try await client.write(encode(value))
                waiting.remove(value)
              case .failure(let error): throw error
              case .finished: break loop
              }
            }
            try ending.checkCut()
            try Task.checkCancellation()
            try await client.finish()
          } catch {
            await client.close()
            throw error
          }
          await client.close()
        }
        ending.begin(writing)
        try await withTaskCancellationHandler {
          guard let interval else { return try await writing.value }
          try await withGracefulShutdownHandler {
            try await writing.value
          } onGracefulShutdown: {
            ending.beginShutdown(within: interval)
          }
        } onCancel: {
          writing.cancel()
        }
      }
      guard let request else { return try await write() }
      try await request.body.droppingRest {
        try await write()
      } onInboundClosed: {
        ending.cut()
      }
    }
  }
}
