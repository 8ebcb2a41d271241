internal import Streams
internal import Synchronization

/// One run of a stream, which ends once: with the stream or with a cancellation.
final class StreamExecution: Sendable {
  private struct State {
    var sink: AnyCancellable?
    var result: Result<Void, any Error>?
    var continuation: CheckedContinuation<Void, any Error>?
  }

  private let state = Mutex(State())

  /// Calls a closure that subscribes, then waits until the execution has ended.
  func end(of subscribe: () -> Void) async throws {
    subscribe()
    try await withCheckedThrowingContinuation { continuation in
      let result = state.withLock { state in
        if state.result == nil { state.continuation = continuation }
        return state.result
      }
      if let result { continuation.resume(with: result) }
    }
  }

  /// Subscribes to a stream.
  ///
  /// The sink can be cancelled while the stream is subscribing it, even if that never returns because the stream sends its
  /// values immediately.
  func run<Stream: Publisher>(_ stream: Stream) {
    let sink = Subscribers.Sink<Stream.Output, Stream.Failure> { completion in
      switch completion {
      case .finished: self.finish(.success(()))
      case .failure(let failure): self.finish(.failure(failure))
      }
    } receiveValue: { _ in
    }
    let cancellable = AnyCancellable(sink)
    let isOver = state.withLock { state in
      if state.result == nil { state.sink = cancellable }
      return state.result != nil
    }
    if isOver { return cancellable.cancel() }
    stream.subscribe(sink)
  }

  func cancel() { finish(.failure(CancellationError())) }

  private func finish(_ result: Result<Void, any Error>) {
    let (sink, continuation) = state.withLock { state in
      state.result = state.result ?? result
      defer { (state.sink, state.continuation) = (nil, nil) }
      return (state.sink, state.continuation)
    }
    sink?.cancel()
    continuation?.resume(with: result)
  }
}
