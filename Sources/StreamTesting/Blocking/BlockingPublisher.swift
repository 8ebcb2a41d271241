internal import Dispatch
internal import StreamSchedulers
public import Streams

extension Publisher {
  /// Reads the publisher while the calling thread waits: for tests, and for programs that have nothing else to do.
  ///
  /// ```swift
  /// let names = try client.users().map(\.name).blocking().toArray()
  /// ```
  ///
  /// Every read subscribes anew. It needs no run loop. When the time is up it throws a ``BlockingError`` that says what has
  /// come until then. A stream that waits for a `TestScheduler` is refused at once, since nobody can move time on while
  /// the thread waits. Do not use it in a task: there it keeps a thread from others, which the error says when the time is up;
  /// `await` a ``Recorder`` instead.
  public func blocking(timeout: Duration = .seconds(30)) -> BlockingPublisher<Self> {
    BlockingPublisher(upstream: self, timeout: timeout)
  }
}

/// A publisher that is read while the calling thread waits; see ``Streams/Publisher/blocking(timeout:)``.
public struct BlockingPublisher<Upstream: Publisher> {
  /// What is read.
  public let upstream: Upstream

  /// How long a read waits at most.
  public let timeout: Duration

  /// Waits for the end and returns all values.
  ///
  /// It throws the stream's failure, or a ``BlockingError``.
  public func toArray() throws -> [Upstream.Output] { try elements(of: upstream) }

  /// Waits for the first value, then cancels.
  ///
  /// It throws the stream's failure, or a ``BlockingError``, also when the stream finishes without a value.
  public func first() throws -> Upstream.Output {
    guard let first = try elements(of: upstream.first()).first else { throw BlockingError.noElements }
    return first
  }

  /// Waits for the end and returns the last value.
  ///
  /// It throws the stream's failure, or a ``BlockingError``, also when the stream finishes without a value.
  public func last() throws -> Upstream.Output {
    guard let last = try toArray().last else { throw BlockingError.noElements }
    return last
  }

  /// Waits for the end and returns the only value; at a second one it cancels.
  ///
  /// It throws the stream's failure, or a ``BlockingError``, also when there is no value or more than one.
  public func single() throws -> Upstream.Output {
    let elements = try elements(of: upstream.prefix(2))
    guard let single = elements.first else { throw BlockingError.noElements }
    guard elements.count == 1 else { throw BlockingError.moreThanOneElement("\(elements[0])", "\(elements[1])") }
    return single
  }

  /// Waits for the end and returns all values together with how the stream ended.
  ///
  /// A failure of the stream is a result here; what is thrown is a ``BlockingError``.
  public func materialize() throws(BlockingError) -> MaterializedStream<Upstream.Output, Upstream.Failure> {
    try read(upstream)
  }

  private func elements<P: Publisher>(of publisher: P) throws -> [P.Output] {
    switch try read(publisher) {
    case .completed(let elements): return elements
    case .failed(_, let error): throw error
    }
  }

  private func read<P: Publisher>(
    _ publisher: P
  ) throws(BlockingError) -> MaterializedStream<P.Output, P.Failure> {
    let deadline = DispatchTime.after(timeout)
    let read = BlockingRead()
    let recorder = read.watch { publisher.record() }
    while true {
      let length = recorder.state.history.count
      switch recorder.completion {
      case .finished: return .completed(elements: recorder.values)
      case .failure(let error): return .failed(elements: recorder.values, error)
      case nil: break
      }
      if read.isStuck { throw .waitsForTestScheduler }
      let semaphore = DispatchSemaphore(value: 0)
      recorder.state.wait(past: length, Waiter { semaphore.signal() })
      guard semaphore.wait(timeout: deadline) == .timedOut else { continue }
      let hint = WaitingThread.hint(
        instead: "Record the stream and write `await recorder.finished()`, or read on a thread of your own.")
      throw .timedOut(after: timeout, progress: recorder.progress + hint)
    }
  }
}

extension BlockingPublisher: Sendable where Upstream: Sendable {}

/// What a stream sent until it ended, and how it ended.
public enum MaterializedStream<Output, Failure: Error> {
  /// It finished.
  case completed(elements: [Output])

  /// It failed.
  case failed(elements: [Output], Failure)
}

extension MaterializedStream: Equatable where Output: Equatable, Failure: Equatable {}
extension MaterializedStream: Sendable where Output: Sendable {}

/// Why a blocking read has no result.
public enum BlockingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The time was up before the stream ended; with what had come until then.
  case timedOut(after: Duration, progress: String)

  /// The stream finished without a value, where one was wanted.
  case noElements

  /// There were two values at least, where one was wanted; with their texts.
  case moreThanOneElement(String, String)

  /// The stream waits for a test scheduler, which nobody can move on while the thread waits.
  case waitsForTestScheduler

  /// What was missing.
  public var description: String {
    switch self {
    case .timedOut(let duration, let progress): "The stream did not end within \(duration). \(progress)"
    case .noElements: "The stream finished without a value, where one was wanted."
    case .moreThanOneElement(let first, let second):
      "The stream has more than one value, where one was wanted: \(first), then \(second)."
    case .waitsForTestScheduler:
      "The stream waits for work that a test scheduler has pending. While this thread waits, nobody moves its time on. "
        + "Record the stream and call advance(by:) instead, or hand in another scheduler, such as .immediate."
    }
  }
}
