internal import Hummingbird
internal import NIOCore
internal import ServiceLifecycle
internal import StreamAlgorithms
internal import Streams
internal import Synchronization

/// The signals that end the body of a response from outside its publisher.
private final class BodyEnding: Sendable {
  /// Sends a value when the server shuts down.
  let shutdown = PassthroughSubject<Void, Never>()
  private let cuts: (stream: AsyncStream<Never>, continuation: AsyncStream<Never>.Continuation) =
    AsyncStream.makeStream()
  private let hasBeenCut = Atomic(false)

  /// Ends the body without its proper end, even while a write waits for the client.
  func cut() {
    hasBeenCut.store(true, ordering: .relaxed)
    cuts.continuation.finish()
  }

  func checkCut() throws {
    if hasBeenCut.load(ordering: .relaxed) { throw CancellationError() }
    try Task.checkCancellation()
  }

  func waitForCut() async throws {
    for await _ in cuts.stream {}
    throw CancellationError()
  }

  /// Lets values already sent through, but not for longer than an interval.
  func waitForShutdown(within interval: Duration) async throws {
    try await gracefulShutdown()
    shutdown.send(())
    try await Task.sleep(for: interval)
    throw CancellationError()
  }
}

/// A value that one task leaves to another.
private final class Handover<Value>: Sendable {
  private let value: Mutex<Value?>

  init(_ value: sending Value) { self.value = Mutex(value) }

  func take() -> sending Value? {
    value.withLock { $0.take() }
  }
}

/// Bytes that are written whenever nothing else was written during an interval.
struct KeepAlive: Sendable {
  let interval: Duration
  let bytes: ByteBuffer
}

extension ResponseBody {
  /// Creates a body of a publisher's values, which it subscribes to immediately.
  init<P: Publisher & SendableMetatype>(
    writing publisher: sending P, to request: Request?, bounded bound: Int,
    whenFull: sending OverflowStrategy<P.Failure>, keepAlive: KeepAlive?, drainingWithin interval: Duration?,
    channel: (any Channel)?, encode: @escaping @Sendable (P.Output) -> ByteBuffer
  ) {
    let ending = BodyEnding()
    let ticks = PassthroughSubject<Void, Never>()
    // A tick is `nil`. It comes after the buffer, so that it can't take the place of a value. The end is a value too, because a
    // merge doesn't end before its sources do, and doesn't deliver what waits before a failure.
    let events =
      publisher
      .finish(when: ending.shutdown)
      .buffer(bounded: bound, whenFull: whenFull, whenCancelled: ending.cut)
      .materialize()
      .map(Optional.some)
      .merge(with: ticks.buffer(bounded: 1, whenFull: .dropNewest).map { nil })
    // The inspector lists the loop under this name. Its line of code is always the next one.
    let name = request.map { "\($0.method) \($0.uri.path)" } ?? "response"
    let iterator = Handover(events.checkpoint(name).values.makeAsyncIterator())
    self.init { writer in
      // Unchecked: the first task alone uses the writer, and this closure waits for its end.
      nonisolated(unsafe) var writer = writer
      let write = { @Sendable in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            guard var events = iterator.take() else { throw CancellationError() }
            let pace = channel.map { WritingPace(eventLoop: $0.eventLoop) }
            var isIdle = true
            loop: while let event = await events.next() {
              switch event {
              case .value(let value):
                let bytes = encode(value)
                try await writer.write(bytes)
                try await pace?.keep(afterWriting: bytes.readableBytes)
                isIdle = false
              case .failure(let error): throw error
              case .finished: break loop
              case nil:
                if isIdle, let keepAlive { try await writer.write(keepAlive.bytes) }
                isIdle = true
              }
            }
            try ending.checkCut()
            try await writer.finish(nil)
          }
          group.addTask { try await ending.waitForCut() }
          if let interval { group.addTask { try await ending.waitForShutdown(within: interval) } }
          if let keepAlive {
            group.addTask {
              while true {
                try await Task.sleep(for: keepAlive.interval)
                ticks.send(())
              }
            }
          }
          defer { group.cancelAll() }
          // Only the first task can end without an error.
          try await group.next()
        }
      }
      guard let request else { return try await write() }
      try await request.body.consumeWithInboundCloseHandler { _ in
        try await write()
      } onInboundClosed: {
        ending.cut()
      }
    }
  }
}
