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

/// Values that are written together.
private struct Batch<Value> {
  private(set) var values: [Value]
  private(set) var buffers: [ByteBuffer]
  private(set) var size: Int

  init(_ value: Value, _ bytes: ByteBuffer) { (values, buffers, size) = ([value], [bytes], bytes.readableBytes) }

  var isFull: Bool { size >= WritingPace.limit }

  mutating func append(_ value: Value, _ bytes: ByteBuffer) {
    values.append(value)
    buffers.append(bytes)
    size += bytes.readableBytes
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
    let values = waiting.buffer(publisher.finish(when: ending.shutdown), whenCut: ending.cut)
    // The inspector lists the loop under this name, and reports have it as a dimension, so it mustn't be a client's choice: the
    // route's template, never the path.
    let name = [request?.method.rawValue, context?.endpointPath ?? "response"].compactMap(\.self).joined(separator: " ")
    let channel = context?.connection
    let iterator = Handover(values.checkpoint(name).values.makeAsyncIterator())
    self.init { writer in
      let client = ClientWriter(writer, at: channel)
      let write = { @Sendable in
        let writing = Task {
          client.begin(keepAlive) { if waiting.isOverdue { ending.cut() } }
          do {
            guard var values = iterator.take() else { throw CancellationError() }
            while let value = try await values.next() {
              // What has arrived meanwhile is written with it.
              var batch = Batch(value, encode(value))
              while !batch.isFull, let value = values.nextIfAvailable() { batch.append(value, encode(value)) }
              try await client.write(batch.buffers, size: batch.size)
              waiting.remove(batch.values)
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
