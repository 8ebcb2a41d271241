internal import Dispatch
internal import Hummingbird
internal import NIOCore
internal import ServiceLifecycle
internal import StreamAlgorithms
internal import StreamSchedulers
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

/// Bytes that are written whenever nothing else was written during an interval.
struct KeepAlive: Sendable {
  let interval: Duration
  let bytes: ByteBuffer

  /// Comments of an event stream, which browsers ignore.
  static func comments(every interval: Duration?) -> KeepAlive? {
    interval.map { KeepAlive(interval: $0, bytes: ByteBuffer(string: ":\n\n")) }
  }

  /// A timer for all bodies with the same interval, which runs while there are any.
  static func ticks(every interval: Duration?) -> AnySendablePublisher<Void, Never> {
    guard let interval else { return AnySendablePublisher { Empty<Void, Never>() } }
    return shared.withLock { shared in
      if let known = shared[interval] { return known }
      let new = AnySendablePublisher {
        DispatchQueue.global().timerPublisher(every: interval).autoconnect().map { _ in }
      }.share().eraseToAnySendablePublisher()
      shared[interval] = new
      return new
    }
  }

  private static let shared = Mutex<[Duration: AnySendablePublisher<Void, Never>]>([:])
}

extension ResponseBody {
  /// Creates a body of a publisher's values, which it subscribes to immediately.
  init<P: Publisher & SendableMetatype>(
    writing publisher: sending P, to request: Request?, waiting: WaitingValues<P.Output, P.Failure>,
    keepAlive: KeepAlive?, drainingWithin interval: Duration?, context: (any RequestContext)?,
    encode: @escaping @Sendable (P.Output) -> ByteBuffer
  ) {
    let ending = BodyEnding()
    let ticks = KeepAlive.ticks(every: keepAlive?.interval)
      .handleEvents(receiveOutput: { if waiting.isOverdue { ending.cut() } })
      .buffer(bounded: 1, whenFull: .dropNewest)
    // A tick is `nil`. It comes after the buffer, so that it can't take the place of a value. The end is a value too, because a
    // merge doesn't end before its sources do, and doesn't deliver what waits before a failure.
    let events = waiting.buffer(publisher.finish(when: ending.shutdown), whenCut: ending.cut)
      .materialize()
      .map(Optional.some)
      .merge(with: ticks.map { nil })
    // The inspector lists the loop under this name, and reports have it as a dimension, so it mustn't be a client's choice: the
    // route's template, never the path.
    let name = [request?.method.rawValue, context?.endpointPath ?? "response"].compactMap(\.self).joined(separator: " ")
    let channel = (context as? any ChannelRequestContext)?.channel
    let iterator = Handover(events.checkpoint(name).values.makeAsyncIterator())
    self.init { writer in
      // Unchecked: the task alone uses the writer, and this closure waits for its end.
      nonisolated(unsafe) var writer = writer
      let write = { @Sendable in
        let writing = Task {
          guard var events = iterator.take() else { throw CancellationError() }
          let pace = WritingPace(of: channel)
          var isIdle = true
          loop: while let event = await events.next() {
            switch event {
            case .value(let value):
              let bytes = encode(value)
              try await writer.write(bytes)
              try await pace.keep(afterWriting: bytes.readableBytes)
              waiting.remove(value)
              isIdle = false
            case .failure(let error): throw error
            case .finished: break loop
            case nil:
              if isIdle, let keepAlive { try await writer.write(keepAlive.bytes) }
              isIdle = true
            }
          }
          try ending.checkCut()
          try Task.checkCancellation()
          try await writer.finish(nil)
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
