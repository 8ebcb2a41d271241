public import Dispatch
public import Foundation
public import Streams

extension FileHandle {
  /// Publishes the lines that are read from this handle, as they are asked for.
  ///
  /// ```swift
  /// FileHandle.standardInput.linePublisher()
  ///   .receive(on: DispatchQueue.main)
  ///   .sink(receiveCompletion: { _ in exit(0) }, receiveValue: { model.query = $0 })
  ///   .store(in: &cancellables)
  /// ```
  ///
  /// ``FileHandle/LinePublisher`` says the rest.
  ///
  /// - Parameters:
  ///   - maximumLength: How many bytes a line may have, without its end. A longer one is a failure. The default is a
  ///     mebibyte; what is not positive stops the program.
  ///   - queue: Where lines are read and delivered, one after the other, also if the queue is concurrent; `nil` for a
  ///     queue of the publisher's own.
  public func linePublisher(maximumLength: Int = 1_048_576, on queue: DispatchQueue? = nil) -> LinePublisher {
    LinePublisher(handle: self, maximumLength: maximumLength, queue: queue)
  }

  /// A publisher of the lines of a file, a pipe, a terminal or a socket, which finishes at its end.
  ///
  /// - Lines: they end with `\n` or `\r\n`, which is not part of them; the last one needs no end. The text is UTF-8. What is
  ///   not is repaired: each invalid sequence becomes `U+FFFD`, so that one bad byte does not keep the rest from being read.
  /// - Demand: nothing is read before a line is asked for. Then 16 KB at most are read at a time, only while no whole line is
  ///   at hand. So ten lines of a huge file cost one read, and whoever writes into a pipe waits until lines are asked for.
  /// - End: the end of a file is noticed with its last line; that of a pipe whose writer goes away later, of a terminal or
  ///   of a socket when one more line is asked for.
  /// - Delivery: on a serial queue, never on the thread that subscribes or asks. While there is nothing to read, one
  ///   thread waits for all of these publishers, and none of the queues.
  /// - Cancellation: at once, also while there is nothing to read; nothing is kept then.
  /// - Position: it begins where the handle stands and moves that on, by what is read, which may be more than what has been
  ///   delivered.
  /// - Several subscribers: each takes from the handle what the others have not taken, so the lines are torn. `share()`
  ///   gives every line to all.
  /// - Cost: the buffer, which grows up to the length of the longest line; a queue; a descriptor. Each subscriber has a
  ///   descriptor of its own for what the handle has opened. So the handle may be closed meanwhile, which does not end the
  ///   stream; the publisher never closes it.
  /// - Bad input: a line that is too long, and what cannot be read, are the failures of ``LineError``. The lines before come
  ///   first.
  public struct LinePublisher: Publisher, Sendable {
    /// A line, without its end.
    public typealias Output = String

    /// What keeps lines from being read.
    public typealias Failure = LineError

    /// The handle from which lines are read.
    public let handle: FileHandle

    /// How many bytes a line may have, without its end.
    public let maximumLength: Int

    /// Where lines are read and delivered; `nil` for a queue of the publisher's own.
    public let queue: DispatchQueue?

    /// Makes a publisher of the lines that are read from a handle.
    public init(handle: FileHandle, maximumLength: Int = 1_048_576, queue: DispatchQueue? = nil) {
      require(
        maximumLength > 0,
        or: "linePublisher(maximumLength: \(maximumLength)): a line needs room for a byte. Use a positive number.")
      self.handle = handle
      self.maximumLength = maximumLength
      self.queue = queue
    }

    /// Attaches a subscriber.
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
  }

  /// What keeps a ``LinePublisher`` from reading lines.
  public enum LineError: Error, Hashable, CustomStringConvertible {
    /// A line has more bytes than it may have.
    case lineTooLong(maximumLength: Int)

    /// The system cannot read.
    case unreadable(POSIXError)

    /// What has happened, in words.
    public var description: String {
      switch self {
      case .lineTooLong(let maximumLength):
        "A line has more than \(maximumLength) bytes. Give linePublisher(maximumLength:) a larger number."
      case .unreadable(let error): "The lines cannot be read: \(error.localizedDescription)"
      }
    }

    /// The error of the system call that has just failed.
    fileprivate static var ofSystem: LineError { .unreadable(POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)) }
  }
}

/// Reads lines for one subscriber, on a queue.
private final class LineSource: Subscription, CustomStringConvertible, @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects everything that changes. Who takes the work
  // out of the state is the only one to read and to call the subscriber.
  struct Work {
    var reader: LineReader
    let downstream: AnySubscriber<String, FileHandle.LineError>
  }

  struct State {
    var demand = Subscribers.Demand.none
    var isOver = false
    /// Whether the queue works or will, or the subscriber does not have its subscription yet.
    var isBusy = true
    /// Nil while the queue works, and when this is over.
    var work: Work?
    /// What cancels the wait for something to read, while there is one.
    var alarm: Int?
  }

  private let state: Locked<State>
  private let queue: DispatchQueue

  init(_ reader: LineReader, _ downstream: AnySubscriber<String, FileHandle.LineError>, on queue: DispatchQueue?) {
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
    demand.requirePositive()
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
  private func deliverLines() {
    guard var work = state.withLock({ $0.work.take() }) else { return }
    while true {
      let (isOver, isAsked) = state.withLock { ($0.isOver, $0.demand != .none) }
      if isOver { return }
      guard isAsked else {
        if work.reader.isAtEnd { return end(work, .finished) }
        if rests(&work) { return }
        continue
      }
      do throws(FileHandle.LineError) {
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

  /// Puts the work back until more is asked for, unless that has happened.
  private func rests(_ work: inout Work) -> Bool {
    state.withLock { state in
      guard !state.isOver, state.demand == .none else { return false }
      state.work = work
      state.isBusy = false
      return true
    }
  }

  /// Puts the work back until there is something to read.
  private func waitForMore(_ work: Work) {
    // Under the lock, so that a cancellation finds what it has to cancel; nobody else's code runs meanwhile.
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

  private func end(_ work: Work, _ completion: Subscribers.Completion<FileHandle.LineError>) {
    let isNews = state.withLock { state in
      defer { state.isOver = true }
      return !state.isOver
    }
    if isNews { work.downstream.receive(completion: completion) }
  }
}

/// Takes bytes from a descriptor, and lines from the bytes.
private struct LineReader {
  enum Step {
    case line(String)
    /// There is no line at hand, and nothing to read at the moment.
    case nothingYet
    case end
  }

  /// How much is read at a time, at the most.
  private static let chunk = 16_384

  let descriptor: FileDescriptor
  private let maximumLength: Int
  private var bytes: [UInt8] = []
  /// The bytes that have not been delivered.
  private var start = 0
  private var end = 0
  /// Up to where there is no end of a line.
  private var searched = 0
  private var hasEnded = false

  init(_ descriptor: FileDescriptor, maximumLength: Int) {
    self.descriptor = descriptor
    self.maximumLength = maximumLength
  }

  /// Whether it is known that no line follows.
  var isAtEnd: Bool { start == end && (hasEnded || descriptor.isAtEnd) }

  mutating func next() throws(FileHandle.LineError) -> Step {
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
      // It has become ready for somebody else, or something has interrupted the call.
      case _ where errno == EAGAIN || errno == EWOULDBLOCK: return .nothingYet
      case _ where errno == EINTR: continue
      default: throw .ofSystem
      }
    }
  }

  private mutating func nextWholeLine() throws(FileHandle.LineError) -> String? {
    let newline = bytes.withUnsafeBytes { bytes -> Int? in
      guard let base = bytes.baseAddress, searched < end else { return nil }
      guard let place = memchr(base + searched, 0x0A, end - searched) else { return nil }
      return UnsafeRawPointer(place) - base
    }
    guard let newline else {
      searched = end
      // The last byte may be the first one of the line's end.
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

  private func text(upTo end: Int) throws(FileHandle.LineError) -> String {
    if end - start > maximumLength { throw .lineTooLong(maximumLength: maximumLength) }
    return bytes.withUnsafeBytes { String(decoding: $0[start..<end], as: UTF8.self) }
  }

  /// Makes room for a chunk behind the bytes that have not been delivered.
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

/// A descriptor of our own for something that is open, which is closed when it is let go of.
final class FileDescriptor: Sendable {
  let number: CInt

  fileprivate init(copying number: CInt) throws(FileHandle.LineError) {
    self.number = fcntl(number, F_DUPFD_CLOEXEC, 0)
    if self.number < 0 { throw .ofSystem }
  }

  deinit { close(number) }

  /// Whether reading returns at once: there is something to read, or the end, or an error.
  var isReady: Bool { events & Int32(POLLIN | POLLHUP | POLLERR) != 0 }

  /// Whether it is known, without reading, that there is nothing more to read.
  var isAtEnd: Bool {
    var status = stat()
    guard fstat(number, &status) == 0 else { return false }
    // What the system makes up when it is read may be said to have no size.
    if status.st_mode & S_IFMT == S_IFREG { return status.st_size > 0 && lseek(number, 0, SEEK_CUR) >= status.st_size }
    return events & Int32(POLLIN | POLLHUP) == Int32(POLLHUP)
  }

  private var events: Int32 {
    var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0 ? Int32(entry.revents) : 0
  }

  func read(into room: UnsafeMutableRawBufferPointer) -> Int { Foundation.read(number, room.baseAddress, room.count) }
}
