public import Dispatch
public import Foundation
public import Streams

extension FileHandle {
  /// Reads this handle on demand, and publishes its lines.
  ///
  /// ```swift
  /// FileHandle.standardInput.linePublisher()
  ///   .receive(on: DispatchQueue.main)
  ///   .sink(receiveCompletion: { _ in exit(0) }, receiveValue: { model.query = $0 })
  ///   .store(in: &cancellables)
  /// ```
  ///
  /// See ``FileLinesPublisher`` for lines, demand, delivery and cancellation. The publisher finishes at the end of the
  /// file.
  ///
  /// - Parameters:
  ///   - maximumLength: The maximum number of bytes in a line, without its terminator. A longer line ends the stream
  ///     with a failure. The default is one mebibyte. Zero or less stops the program.
  ///   - queue: The queue on which lines are read and delivered, serially even if the queue is concurrent, or `nil` for
  ///     the publisher's own queue.
  /// - Complexity: O(*n*) for each line, where *n* is the number of bytes in the line.
  @_disfavoredOverload
  public func linePublisher(maximumLength: Int = 1_048_576, on queue: DispatchQueue? = nil)
    -> FileLinesPublisher
  {
    FileLinesPublisher(handle: self, maximumLength: maximumLength, queue: queue)
  }
}

/// A publisher that sends the lines of a file, a pipe, a terminal, or a socket, and finishes at the end.
///
/// - Lines: `\n` or `\r\n` ends each line and isn't part of it. The last line may lack this terminator. The text is UTF-8. Each
///   invalid sequence becomes `U+FFFD`.
/// - Demand: nothing is read before you request a line. Then, at most 16 KB are read at a time, and only while the buffer doesn't
///   hold a complete line. So ten short lines of a huge file cost one read, and a process that writes into a full pipe waits
///   until lines are requested.
/// - End: for a file, the publisher finishes right after the last line, or at the first request if the file is empty.
///   For a terminal, a socket, or a pipe that's closed after its last line was delivered, it finishes when one more
///   line is requested.
/// - Delivery: on a serial queue, never on the thread that subscribes or requests, except that a failure to duplicate the
///   handle's descriptor is delivered during the subscription. While there's nothing to read, a single thread waits for all of
///   these publishers, without blocking a queue. If contexts are carried (`StreamContext`), lines are delivered in the
///   subscription's context, for example with the values that were bound when a connection was accepted.
/// - Cancellation: takes effect immediately, even while there's nothing to read, and releases everything.
/// - Position: reading starts at the handle's position and advances it by the bytes that were read, which may be more
///   than were delivered.
/// - Several subscribers: each reads what the others haven't, and so receives only some of the lines, or parts of lines.
///   `share()` delivers every line to all.
/// - Cost: for each subscriber, a queue, a duplicate of the handle's descriptor, and a buffer of at least 16 KB that
///   grows with the longest line. Because of the duplicate, closing the handle doesn't end the stream. The publisher
///   never closes the handle.
/// - Bad input: a line that's too long, or an error while reading, ends the stream with a ``LineError``. Earlier lines
///   are delivered first.
public struct FileLinesPublisher: Publisher, Sendable {
  /// A line without its terminator.
  public typealias Output = String

  /// An error that ended the stream.
  public typealias Failure = LineError

  public let handle: FileHandle
  public let maximumLength: Int
  public let queue: DispatchQueue?

  /// Creates a publisher that sends a handle's lines.
  ///
  /// - Parameters:
  ///   - handle: The handle to read.
  ///   - maximumLength: The maximum number of bytes in a line, without its terminator. Zero or less stops the
  ///     program.
  ///   - queue: The queue on which lines are read and delivered, or `nil` for the publisher's own queue.
  public init(handle: FileHandle, maximumLength: Int = 1_048_576, queue: DispatchQueue? = nil) {
    require(
      maximumLength > 0,
      or: "linePublisher(maximumLength:) requires a length of at least 1, got \(maximumLength).")
    self.handle = handle
    self.maximumLength = maximumLength
    self.queue = queue
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == String, S.Failure == LineError {
    do throws(LineError) {
      let reader = LineReader(try FileDescriptor(copying: handle.fileDescriptor), maximumLength: maximumLength)
      let source = LineSource(reader, AnySubscriber(subscriber), on: queue)
      subscriber.receive(subscription: source)
      source.begin()
    } catch {
      Fail(error: error).receive(subscriber: subscriber)
    }
  }

  /// An error that ends the stream of a ``FileLinesPublisher``.
  public enum LineError: Error, Hashable, CustomStringConvertible {
    /// A line has more bytes than the maximum.
    case lineTooLong(maximumLength: Int)

    /// The system reported an error while reading.
    case unreadable(POSIXError)

    /// A description of the error.
    public var description: String {
      switch self {
      case .lineTooLong(let maximumLength):
        "A line is longer than \(maximumLength) bytes. Pass a larger length to linePublisher(maximumLength:)."
      case .unreadable(let error): "The lines cannot be read: \(error.localizedDescription)"
      }
    }

    /// The error of the last system call.
    fileprivate static var ofSystem: LineError { .unreadable(POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)) }
  }
}

/// The subscription that reads lines for one subscriber, on a queue.
private final class LineSource: Subscription, CustomStringConvertible, @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` isn't marked: the lock protects everything that changes. Only the code
  // that takes the work out of the state reads lines and calls the subscriber.
  struct Work {
    var reader: LineReader
    let downstream: AnySubscriber<String, FileLinesPublisher.LineError>
  }

  struct State {
    var demand = Subscribers.Demand.none
    var isOver = false
    /// Indicates whether the queue works or is about to, or the subscriber has yet to receive its subscription.
    var isBusy = true
    /// The reader and the subscriber, or `nil` while the queue is working and after the end.
    var work: Work?
    /// The number that cancels the wait for readable data, while the source is waiting.
    var alarm: Int?
  }

  private let state: Locked<State>
  private let queue: DispatchQueue
  /// The subscription's context, if contexts are carried.
  private let context = ContextSnapshot.captured()

  init(
    _ reader: LineReader, _ downstream: AnySubscriber<String, FileLinesPublisher.LineError>,
    on queue: DispatchQueue?
  ) {
    self.queue = DispatchQueue(label: "lines", target: queue)
    state = Locked(State(work: Work(reader: reader, downstream: downstream)))
  }

  var description: String { "LinePublisher" }

  func begin() {
    let works = state.withLock { state in
      state.isBusy = !state.isOver && state.demand != .none
      return state.isBusy
    }
    if works { queue.async(execute: deliverLines) }
  }

  func request(_ demand: Subscribers.Demand) {
    guard demand.isRequest else { return }
    let works = state.withLock { state in
      if state.isOver { return false }
      state.demand += demand
      defer { state.isBusy = true }
      return !state.isBusy
    }
    if works { queue.async(execute: deliverLines) }
  }

  func cancel() {
    let (work, alarm) = state.withLock { state in
      state.isOver = true
      return (state.work.take(), state.alarm.take())
    }
    if let alarm { Readiness.shared.cancel(alarm) }
    _ = work
  }

  @Sendable
  private func deliverLines() { ContextSnapshot.run(context, deliverLinesInContext) }

  private func deliverLinesInContext() {
    guard var work = state.withLock({ $0.work.take() }) else { return }
    while true {
      let (isOver, isAsked) = state.withLock { ($0.isOver, $0.demand != .none) }
      if isOver { return }
      guard isAsked else {
        if work.reader.isAtEnd { return end(work, .finished) }
        if rests(&work) { return }
        continue
      }
      do throws(FileLinesPublisher.LineError) {
        switch try work.reader.next() {
        case .line(let line):
          let isWanted = state.withLock { state in
            if !state.isOver { state.demand -= 1 }
            return !state.isOver
          }
          guard isWanted else { return }
          let more = work.downstream.receive(line)
          if more != .none { state.withLock { $0.demand += more } }
        case .end: return end(work, .finished)
        case .nothingYet: return waitForMore(work)
        }
      } catch {
        return end(work, .failure(error))
      }
    }
  }

  /// Puts the work back until more lines are requested. Returns `false` if they already have been, or the stream is
  /// over.
  private func rests(_ work: inout Work) -> Bool {
    state.withLock { state in
      guard !state.isOver, state.demand == .none else { return false }
      state.work = work
      state.isBusy = false
      return true
    }
  }

  /// Puts the work back until there's something to read.
  private func waitForMore(_ work: Work) {
    // Under the lock, so a cancellation finds the wait that it has to cancel. No outside code runs here.
    state.withLock { state in
      if state.isOver { return }
      state.work = work
      state.alarm = Readiness.shared.wait(for: work.reader.descriptor) {
        self.queue.async {
          if self.state.withLock({ $0.alarm.take() }) != nil { self.deliverLines() }
        }
      }
    }
  }

  private func end(_ work: Work, _ completion: Subscribers.Completion<FileLinesPublisher.LineError>) {
    let isNews = state.withLock { state in
      defer { state.isOver = true }
      return !state.isOver
    }
    if isNews { work.downstream.receive(completion: completion) }
  }
}

/// Reads bytes from a descriptor, and splits them into lines.
private struct LineReader {
  enum Step {
    case line(String)
    /// The buffer doesn't have a complete line, and there's nothing to read at the moment.
    case nothingYet
    case end
  }

  /// The maximum number of bytes to read at a time.
  private static let chunk = 16_384

  let descriptor: FileDescriptor
  private let maximumLength: Int
  private var bytes: [UInt8] = []
  /// The bounds of the bytes that haven't been delivered.
  private var start = 0
  private var end = 0
  /// The index up to which there's no line terminator.
  private var searched = 0
  private var hasEnded = false

  init(_ descriptor: FileDescriptor, maximumLength: Int) {
    self.descriptor = descriptor
    self.maximumLength = maximumLength
  }

  /// Indicates whether it's known that no line follows.
  var isAtEnd: Bool { start == end && (hasEnded || descriptor.isAtEnd) }

  mutating func next() throws(FileLinesPublisher.LineError) -> Step {
    while true {
      if let line = try nextWholeLine() { return .line(line) }
      if hasEnded {
        guard start < end else { return .end }
        defer { start = end }
        return .line(try text(upTo: end))
      }
      guard descriptor.isReady else { return .nothingYet }
      makeRoom()
      let end = end
      switch bytes.withUnsafeMutableBytes({
        descriptor.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[end..<end + Self.chunk]))
      }
      ) {
      case 0: hasEnded = true
      case let count where count > 0: self.end += count
      // Another reader was faster, or a signal interrupted the call.
      case _ where errno == EAGAIN || errno == EWOULDBLOCK: return .nothingYet
      case _ where errno == EINTR: continue
      default: throw .ofSystem
      }
    }
  }

  private mutating func nextWholeLine() throws(FileLinesPublisher.LineError) -> String? {
    let newline = bytes.withUnsafeBytes { bytes -> Int? in
      guard let base = bytes.baseAddress, searched < end else { return nil }
      guard let location = memchr(base + searched, 0x0A, end - searched) else { return nil }
      return UnsafeRawPointer(location) - base
    }
    guard let newline else {
      searched = end
      // The last byte may be the first one of the terminator.
      if end - start > maximumLength + 1 { throw .lineTooLong(maximumLength: maximumLength) }
      return nil
    }
    defer {
      start = newline + 1
      searched = start
    }
    let hasReturn = newline > start && bytes[newline - 1] == 0x0D
    return try text(upTo: hasReturn ? newline - 1 : newline)
  }

  private func text(upTo end: Int) throws(FileLinesPublisher.LineError) -> String {
    if end - start > maximumLength { throw .lineTooLong(maximumLength: maximumLength) }
    return bytes.withUnsafeBytes { String(decoding: $0[start..<end], as: UTF8.self) }
  }

  /// Makes room for a chunk after the bytes that haven't been delivered.
  private mutating func makeRoom() {
    if start > 0 {
      let (start, count) = (start, end - start)
      bytes.withUnsafeMutableBytes { bytes in
        if let base = bytes.baseAddress { memmove(base, base + start, count) }
      }
      (self.start, end, searched) = (0, count, count)
    }
    let missing = end + Self.chunk - bytes.count
    if missing > 0 { bytes.append(contentsOf: repeatElement(0, count: max(missing, bytes.count))) }
  }
}

/// A duplicate of an open descriptor. Releasing this object closes the duplicate.
final class FileDescriptor: Sendable {
  let number: CInt

  fileprivate init(copying number: CInt) throws(FileLinesPublisher.LineError) {
    self.number = fcntl(number, F_DUPFD_CLOEXEC, 0)
    if self.number < 0 { throw .ofSystem }
  }

  deinit { close(number) }

  /// Indicates whether reading returns immediately: with data, at the end, or with an error.
  var isReady: Bool { events & Int32(POLLIN | POLLHUP | POLLERR) != 0 }

  /// Indicates whether it's known, without reading, that there's nothing more to read.
  var isAtEnd: Bool {
    var status = stat()
    guard fstat(number, &status) == 0 else { return false }
    // Files that the system generates when they're read may report a size of zero.
    if status.st_mode & S_IFMT == S_IFREG { return status.st_size > 0 && lseek(number, 0, SEEK_CUR) >= status.st_size }
    return events & Int32(POLLIN | POLLHUP) == Int32(POLLHUP)
  }

  private var events: Int32 {
    var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0 ? Int32(entry.revents) : 0
  }

  func read(into room: UnsafeMutableRawBufferPointer) -> Int { Foundation.read(number, room.baseAddress, room.count) }
}

extension LineSource: InspectedPart {
  func inspect(_ tell: StreamFact.Tell) {
    tell(.sourceName, 0, StreamFact.Box("lines"))
    let (demand, isOver) = state.withLock { ($0.demand, $0.isOver) }
    tell(.demand, Int(bitPattern: demand.rawValue), nil)
    if isOver { tell(.over, 0, nil) }
  }
}
