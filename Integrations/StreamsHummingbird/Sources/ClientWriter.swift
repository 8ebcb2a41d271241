internal import HummingbirdCore
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Bytes that are written whenever nothing else was written during an interval.
struct KeepAlive: Sendable {
  let interval: Duration
  let bytes: ByteBuffer

  /// Comments of an event stream, which browsers ignore.
  static func comments(every interval: Duration?) -> KeepAlive? {
    interval.map { KeepAlive(interval: $0, bytes: ByteBuffer(string: ":\n\n")) }
  }
}

/// Writes the body of a response, and keeps the connection alive meanwhile.
///
/// Keep-alives come from the event loop and not through the stream, because they're no values of it.
final class ClientWriter: @unchecked Sendable {
  // Unchecked: only the holder of the turn uses the writer.

  private struct Turn {
    var isTaken = false
    /// Whether nothing has been written since the last look.
    var isIdle = true
    /// Who waits for a keep-alive to be written.
    var waiter: CheckedContinuation<Void, Never>?
    var keepAlive: RepeatedTask?
    var writing: Task<Void, Never>?
  }

  private var writer: any ResponseBodyWriter
  private let eventLoop: any EventLoop
  private let pace: WritingPace
  private let turn = Mutex(Turn())

  init(_ writer: any ResponseBodyWriter, at channel: (any Channel)?) {
    self.writer = writer
    eventLoop = channel?.eventLoop ?? MultiThreadedEventLoopGroup.singleton.next()
    pace = WritingPace(of: channel)
  }

  /// Writes buffers of a size in all, and waits until the event loop can follow. Called by one task.
  func write(_ buffers: [ByteBuffer], size: Int) async throws {
    await takeTurn()
    defer { endTurn() }
    try await writer.write(contentsOf: buffers)
    try await pace.keep(afterWriting: size)
  }

  func finish() async throws {
    await takeTurn()
    defer { endTurn() }
    try await writer.finish(nil)
  }

  /// Writes bytes after each interval without others, and calls a closure before, until the writer is closed.
  func begin(_ keepAlive: KeepAlive?, check: @escaping @Sendable () -> Void) {
    guard let keepAlive else { return }
    let interval = TimeAmount(keepAlive.interval)
    let task = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [weak self] _ in
      check()
      self?.writeIfIdle(keepAlive.bytes)
    }
    turn.withLock { $0.keepAlive = task }
  }

  /// Ends keep-alives. The writer isn't used after it.
  func close() async {
    let (keepAlive, writing) = turn.withLock { turn in
      // Nobody takes a turn any more.
      turn.isIdle = false
      return (turn.keepAlive.take(), turn.writing.take())
    }
    keepAlive?.cancel()
    writing?.cancel()
    await takeTurn()
  }

  private func writeIfIdle(_ bytes: ByteBuffer) {
    turn.withLock { turn in
      defer { turn.isIdle = true }
      guard turn.isIdle, !turn.isTaken else { return }
      turn.isTaken = true
      turn.writing = Task {
        // The client's leaving is noticed elsewhere.
        try? await self.writer.write(bytes)
        self.endTurn()
      }
    }
  }

  private func takeTurn() async {
    let isFree = turn.withLock { turn in
      turn.isIdle = false
      defer { turn.isTaken = true }
      return !turn.isTaken
    }
    if isFree { return }
    // A keep-alive is being written, which may take forever.
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isFree = turn.withLock { turn in
          if turn.isTaken { turn.waiter = continuation }
          defer { turn.isTaken = true }
          return !turn.isTaken
        }
        if isFree { continuation.resume() }
      }
    } onCancel: {
      turn.withLock { $0.writing }?.cancel()
    }
  }

  private func endTurn() {
    let waiter = turn.withLock { turn in
      turn.isTaken = turn.waiter != nil
      turn.writing = nil
      return turn.waiter.take()
    }
    waiter?.resume()
  }
}
