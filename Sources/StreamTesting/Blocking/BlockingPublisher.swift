public import Dispatch
public import StreamSchedulers
public import Streams

extension Publisher {
  /// Reads the publisher while the calling thread waits: for tests, and for programs that have nothing else to do.
  ///
  /// ```swift
  /// let names = try client.users().map(\.name).blocking().toArray()
  /// ```
  ///
  /// Every read subscribes anew. It needs no run loop. When the time is up it throws a ``BlockingError`` that says what has
  /// come until then. A stream that waits for a ``StreamSchedulers/TestScheduler`` is refused at once, since nobody can move
  /// time on while the thread waits. Do not use it in a task: there it keeps a thread from others, which the error says when
  /// the time is up; `await` a ``Recorder`` instead.
  ///
  /// A ``BlockingError`` says where this was called: where a test throws it, XCTest on Linux knows of no line.
  public func blocking(
    timeout: Duration = .seconds(30),
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> BlockingPublisher<Self> {
    let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    return BlockingPublisher(upstream: self, timeout: timeout, place: place)
  }

  /// Reads the publisher while the calling thread waits, at most for a time as schedulers have it, such as `2` seconds.
  ///
  /// ```swift
  /// let names = try client.users().map(\.name).blocking(timeout: 2).toArray()
  /// ```
  @_disfavoredOverload
  public func blocking(
    timeout: DispatchQueue.SchedulerTimeType.Stride,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> BlockingPublisher<Self> {
    blocking(
      timeout: .nanoseconds(timeout.magnitude), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// A publisher that is read while the calling thread waits; see ``Streams/Publisher/blocking(timeout:fileID:filePath:line:column:)-(Duration,_,_,_,_)``.
public struct BlockingPublisher<Upstream: Publisher> {
  /// What is read.
  public let upstream: Upstream

  /// How long a read waits at most.
  public let timeout: Duration

  let place: SourcePlace

  /// Waits for the end and returns all values.
  ///
  /// It throws the stream's failure, or a ``BlockingError``.
  public func toArray() throws -> [Upstream.Output] { try elements(of: upstream) }

  /// Waits for the first value, then cancels.
  ///
  /// It throws the stream's failure, or a ``BlockingError``, also when the stream finishes without a value.
  public func first() throws -> Upstream.Output {
    guard let first = try elements(of: upstream.first()).first else { throw error(.noElements) }
    return first
  }

  /// Waits for the end and returns the last value.
  ///
  /// It throws the stream's failure, or a ``BlockingError``, also when the stream finishes without a value.
  public func last() throws -> Upstream.Output {
    guard let last = try toArray().last else { throw error(.noElements) }
    return last
  }

  /// Waits for the end and returns the only value; at a second one it cancels.
  ///
  /// It throws the stream's failure, or a ``BlockingError``, also when there is no value or more than one.
  public func single() throws -> Upstream.Output {
    let elements = try elements(of: upstream.prefix(2))
    guard let single = elements.first else { throw error(.noElements) }
    guard elements.count == 1 else { throw error(.moreThanOneElement("\(elements[0])", "\(elements[1])")) }
    return single
  }

  /// Waits for the end and returns all values together with how the stream ended.
  ///
  /// A failure of the stream is a result here; what is thrown is a ``BlockingError``.
  public func materialize() throws(BlockingError) -> MaterializedStream<Upstream.Output, Upstream.Failure> {
    try read(upstream)
  }

  private func error(_ reason: BlockingError.Reason) -> BlockingError { BlockingError(reason: reason, place: place) }

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
      if read.isStuck { throw error(.waitsForTestScheduler) }
      let semaphore = DispatchSemaphore(value: 0)
      recorder.state.wait(past: length, Waiter { semaphore.signal() })
      guard semaphore.wait(timeout: deadline) == .timedOut else { continue }
      let hint = WaitingThread.hint(
        instead: "Record the stream and write `await recorder.finished()`, or read on a thread of your own.")
      throw error(.timedOut(after: timeout, progress: recorder.progress + hint))
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

/// Why a blocking read has no result, and where it was made.
///
/// Errors are equal if their reasons are:
///
/// ```swift
/// #expect(throws: BlockingError.noElements) { try search.blocking().first() }
/// ```
public struct BlockingError: Error, Sendable, CustomStringConvertible {
  /// Why a read has no result.
  public enum Reason: Equatable, Sendable {
    /// The time was up before the stream ended; with what had come until then.
    case timedOut(after: Duration, progress: String)

    /// The stream finished without a value, where one was wanted.
    case noElements

    /// There were two values at least, where one was wanted; with their texts.
    case moreThanOneElement(String, String)

    /// The stream waits for a test scheduler, which nobody can move on while the thread waits.
    case waitsForTestScheduler
  }

  /// Why there is no result.
  public let reason: Reason

  let place: SourcePlace?

  /// The time was up before the stream ended; with what had come until then.
  public static func timedOut(after duration: Duration, progress: String) -> Self {
    Self(reason: .timedOut(after: duration, progress: progress), place: nil)
  }

  /// The stream finished without a value, where one was wanted.
  public static var noElements: Self { Self(reason: .noElements, place: nil) }

  /// There were two values at least, where one was wanted; with their texts.
  public static func moreThanOneElement(_ first: String, _ second: String) -> Self {
    Self(reason: .moreThanOneElement(first, second), place: nil)
  }

  /// The stream waits for a test scheduler, which nobody can move on while the thread waits.
  public static var waitsForTestScheduler: Self { Self(reason: .waitsForTestScheduler, place: nil) }

  /// What was missing, and in which line of which file the stream was read.
  public var description: String {
    let stream = place.map { "The stream read at \($0.description)" } ?? "The stream"
    switch reason {
    case .timedOut(let duration, let progress): return "\(stream) did not end within \(duration). \(progress)"
    case .noElements: return "\(stream) finished without a value, where one was wanted."
    case .moreThanOneElement(let first, let second):
      return "\(stream) has more than one value, where one was wanted: \(first), then \(second)."
    case .waitsForTestScheduler:
      return "\(stream) waits for work that a test scheduler has pending. While this thread waits, nobody moves its "
        + "time on. Record the stream and call advance(by:) instead, or hand in another scheduler, such as .immediate."
    }
  }
}

extension BlockingError: Equatable {
  /// Whether the reasons are equal, wherever the reads were made.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.reason == rhs.reason }

  /// Whether an error is one with the same reason, as `catch BlockingError.noElements` asks.
  public static func ~= (pattern: Self, error: any Error) -> Bool { error as? Self == pattern }
}
