public import Dispatch
public import StreamSchedulers
public import Streams

extension Publisher {
  /// Returns a value that reads the publisher synchronously, blocking the calling thread.
  ///
  /// ```swift
  /// let names = try client.users().map(\.name).blocking().toArray()
  /// ```
  ///
  /// Use it in tests, and in programs that have nothing else to do. Each read subscribes again, and doesn't need a run loop. When
  /// the timeout has elapsed, the read throws a ``BlockingError`` that describes the events so far. It throws immediately if the
  /// stream waits for a ``StreamSchedulers/TestScheduler``, because no code can advance time meanwhile. In a task, it blocks a
  /// thread that other tasks need: `await` a ``Recorder`` instead. If the timeout elapses in a task, the error mentions this
  /// mistake.
  ///
  /// A ``BlockingError`` contains the line of this call, because XCTest on Linux doesn't report the line at which a
  /// test throws an error.
  ///
  /// - Parameters:
  ///   - timeout: The maximum time that a read waits.
  /// - Returns: A value with methods that read the publisher.
  public func blocking(
    timeout: Duration = .seconds(30),
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> BlockingPublisher<Self> {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    return BlockingPublisher(upstream: self, timeout: timeout, location: location)
  }

  /// Returns a value that reads the publisher synchronously, with a scheduler's interval as the timeout, such as `2`
  /// for two seconds.
  ///
  /// ```swift
  /// let names = try client.users().map(\.name).blocking(timeout: 2).toArray()
  /// ```
  ///
  /// It's otherwise like ``blocking(timeout:fileID:filePath:line:column:)-(Duration)``.
  @_disfavoredOverload
  public func blocking(
    timeout: DispatchQueue.SchedulerTimeType.Stride,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> BlockingPublisher<Self> {
    blocking(
      timeout: .nanoseconds(timeout.magnitude), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// A publisher that you read synchronously, created by
/// ``Streams/Publisher/blocking(timeout:fileID:filePath:line:column:)-(Duration)``.
public struct BlockingPublisher<Upstream: Publisher> {
  package let upstream: Upstream

  /// The maximum time that a read waits.
  package let timeout: Duration

  let location: CodeLocation

  /// Waits for the stream to end and returns all values.
  ///
  /// ```swift
  /// let names = try client.users().map(\.name).blocking().toArray()
  /// ```
  ///
  /// - Returns: The values.
  /// - Throws: The stream's failure, or a ``BlockingError``.
  /// - Complexity: O(*n*) for each value that the thread waits for, where *n* is the number of values so far.
  public func toArray() throws -> [Upstream.Output] { try elements(of: upstream) }

  /// Waits for the first value, then cancels the stream.
  ///
  /// ```swift
  /// let user = try client.users().blocking().first()
  /// ```
  ///
  /// - Returns: The first value.
  /// - Throws: The stream's failure, or a ``BlockingError``, for example if there's no value.
  public func first() throws -> Upstream.Output {
    guard let first = try elements(of: upstream.first()).first else { throw error(.noElements) }
    return first
  }

  /// Waits for the stream to end and returns the last value.
  ///
  /// - Returns: The last value.
  /// - Throws: The stream's failure, or a ``BlockingError``, for example if there's no value.
  public func last() throws -> Upstream.Output {
    guard let last = try toArray().last else { throw error(.noElements) }
    return last
  }

  /// Waits for the stream to end and returns the only value. A second value cancels the stream.
  ///
  /// ```swift
  /// let user = try client.users().blocking().single()
  /// ```
  ///
  /// - Returns: The only value.
  /// - Throws: The stream's failure, or a ``BlockingError``, for example if there's no value or more than one.
  public func single() throws -> Upstream.Output {
    let elements = try elements(of: upstream.prefix(2))
    guard let single = elements.first else { throw error(.noElements) }
    guard elements.count == 1 else { throw error(.moreThanOneElement("\(elements[0])", "\(elements[1])")) }
    return single
  }

  /// Waits for the stream to end and returns all values and the completion.
  ///
  /// ```swift
  /// let stream = try load().blocking().materialize()
  /// ```
  ///
  /// - Returns: The values, and the failure if the stream failed.
  /// - Throws: A ``BlockingError``. If the stream fails, its failure is part of the result.
  public func materialize() throws(BlockingError) -> MaterializedStream<Upstream.Output, Upstream.Failure> {
    try read(upstream)
  }

  private func error(_ reason: BlockingError.Reason, cause: String = "") -> BlockingError {
    BlockingError(reason: reason, location: location, cause: cause)
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
      if read.isStuck { throw error(.waitsForTestScheduler, cause: recorder.cause) }
      let semaphore = DispatchSemaphore(value: 0)
      recorder.state.wait(past: length, Waiter { semaphore.signal() })
      guard semaphore.wait(timeout: deadline) == .timedOut else { continue }
      let hint = WaitingThread.hint(
        instead: "Record the stream and write `await recorder.finished()`, or read on a thread of your own.")
      throw error(.timedOut(after: timeout, progress: recorder.progress + hint), cause: recorder.cause)
    }
  }
}

extension BlockingPublisher: Sendable where Upstream: Sendable {}

/// The values and the completion of a stream that has ended.
public enum MaterializedStream<Output, Failure: Error> {
  /// The stream finished.
  case completed(elements: [Output])

  /// The stream failed.
  case failed(elements: [Output], Failure)
}

extension MaterializedStream: Equatable where Output: Equatable, Failure: Equatable {}
extension MaterializedStream: Sendable where Output: Sendable {}

/// The reason why a blocking read doesn't have a result, and the location of the read.
///
/// Errors are equal if their reasons are:
///
/// ```swift
/// #expect(throws: BlockingError.noElements) { try client.users().blocking().first() }
/// ```
public struct BlockingError: Error, Sendable, CustomStringConvertible {
  /// The reason why a read doesn't have a result.
  package enum Reason: Equatable, Sendable {
    /// The timeout elapsed before the stream ended. `progress` describes the events so far.
    case timedOut(after: Duration, progress: String)

    /// The stream finished without a value although one was expected.
    case noElements

    /// At least two values arrived, with these texts, although one was expected.
    case moreThanOneElement(String, String)

    /// The stream waits for a test scheduler.
    case waitsForTestScheduler
  }

  /// The reason why there's no result.
  package let reason: Reason

  let location: CodeLocation?

  /// A text that says why nothing arrives and shows the stream's tree. It's empty, or begins with a line break.
  var cause = ""

  /// Creates an error for a stream that didn't end in time.
  ///
  /// - Parameters:
  ///   - duration: The time that the read has waited.
  ///   - progress: A description of the events so far.
  public static func timedOut(after duration: Duration, progress: String) -> Self {
    Self(reason: .timedOut(after: duration, progress: progress), location: nil)
  }

  /// An error for a stream that finished without a value although one was expected.
  public static var noElements: Self { Self(reason: .noElements, location: nil) }

  /// Creates an error for a stream with at least two values although one was expected.
  ///
  /// - Parameters:
  ///   - first: The text of the first value.
  ///   - second: The text of the second value.
  public static func moreThanOneElement(_ first: String, _ second: String) -> Self {
    Self(reason: .moreThanOneElement(first, second), location: nil)
  }

  /// An error for a stream that waits for a test scheduler, whose time no code can advance while the thread is blocked.
  public static var waitsForTestScheduler: Self { Self(reason: .waitsForTestScheduler, location: nil) }

  /// The error, with the file and line of the read if they're known. If the stream was alive, the text also says why nothing
  /// arrived and shows the stream as a tree.
  public var description: String { text + cause }

  private var text: String {
    let stream = location.map { "The stream read at \($0.description)" } ?? "The stream"
    switch reason {
    case .timedOut(let duration, let progress): return "\(stream) did not end within \(duration). \(progress)"
    case .noElements: return "\(stream) finished without a value, but one was expected."
    case .moreThanOneElement(let first, let second):
      return "\(stream) sent more than one value, but one was expected: \(first), then \(second)."
    case .waitsForTestScheduler:
      return
        "\(stream) is waiting for work on a test scheduler, whose time can't advance while this thread is blocked. "
        + "Record the stream and call advance(by:) instead, or pass another scheduler, such as .immediate."
    }
  }
}

extension BlockingError: Equatable {
  /// Returns whether the reasons are equal, regardless of the locations of the reads.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.reason == rhs.reason }

  /// Returns whether an error is a `BlockingError` with the same reason. Patterns such as
  /// `catch BlockingError.noElements` use it.
  public static func ~= (pattern: Self, error: any Error) -> Bool { error as? Self == pattern }
}
