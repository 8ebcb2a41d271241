internal import Foundation
internal import StreamSchedulers
internal import Streams

/// The number of bytes or events at which the recording of a stream ends.
///
/// The stream itself continues. The file's last line then says that events are missing.
public enum TimelineLimit: Hashable, Sendable {
  /// The file has at most this number of bytes. Its first line, and a last one about missing events, are written in any case.
  case bytes(Int)

  /// The file has at most this number of events, counting all subscriptions together.
  case events(Int)
}

/// The file to which a publisher and its copies record their subscriptions.
///
/// Encoding a line runs the user's code, so it happens before the lock is taken. Unlike the lines of `print`, lines are written
/// under the lock: a buffer could grow without bound, and the line about the limit must be the last one. Under the lock, only the
/// system is called, which makes threads that write to the same file wait anyway.
final class TimelineFile: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` isn't marked: the lock protects everything that changes.
  private let state: Locked<State>
  private let url: URL
  private let title: String?
  private let location: CodeLocation
  /// The last line, which is written when an event would exceed the limit.
  private let cut: Data
  /// Indicates whether a value that can't be encoded has been reported.
  private let unencodable = OnceFlag()

  init(_ url: URL, title: String?, limit: TimelineLimit, _ location: CodeLocation) {
    self.url = url
    self.title = title
    self.location = location
    let reached =
      switch limit {
      case .bytes(let count): "\(count) bytes"
      case .events(let count): "\(count) events"
      }
    cut = Self.line(TimelineCut(text: "The limit of \(reached) was reached. Later events weren't recorded."))
    state = Locked(State(limit: limit))
  }

  /// Creates the file if this is the first subscription, and returns the number of the subscription.
  func open() -> Int {
    let header = Self.line(TimelineHeader(date: Date().ISO8601Format(), title: title))
    let (url, cut) = (url, cut)
    let (number, error) = state.withLock { state in
      state.subscriptionCount += 1
      let error = state.subscriptionCount == 1 ? state.open(url, header, reserving: cut.count) : nil
      return (state.subscriptionCount, error)
    }
    if let error { report(error) }
    return number
  }

  /// Indicates whether further events are written. Otherwise they needn't be encoded.
  var isOpen: Bool { state.withLock { $0.file != nil } }

  func write(_ entry: TimelineEntry, value: (any Encodable)? = nil, error: (any Encodable)? = nil) {
    guard isOpen else { return }
    let line = line(entry, value, error)
    let cut = cut
    let (failure, closed) = state.withLock { $0.write(line, orElse: cut) }
    _ = closed
    if let failure { report(failure) }
  }

  private func line(_ entry: TimelineEntry, _ value: (any Encodable)?, _ error: (any Encodable)?) -> Data {
    do {
      return try Self.encoded(TimelineLine(entry: entry, value: value, error: error))
    } catch let problem {
      var entry = entry
      // If a failure can't be encoded, its text is enough.
      if error == nil {
        entry.text = "The value cannot be encoded: \(problem)"
        if unencodable.set() { location.report("A value cannot be recorded in \(url.path): \(problem)") }
      }
      return Self.line(entry)
    }
  }

  /// Encodes content that can always be encoded.
  private static func line(_ content: some Encodable) -> Data { (try? encoded(content)) ?? Data() }

  private static func encoded(_ content: some Encodable) throws -> Data {
    var line = try TimelineFormat.encoder.encode(content)
    line.append(0x0A)
    return line
  }

  private func report(_ error: WriteError) {
    location.report(
      "A stream can't be recorded in \(url.path): \(error.description). It continues without being recorded.")
  }
}

/// A system error that ends a recording.
private struct WriteError: Error {
  let description: String

  /// The error of the last system call.
  static var ofSystem: Self { Self(description: String(cString: strerror(errno))) }
}

extension TimelineFile {
  /// The open file, and the room that the limit leaves.
  fileprivate struct State {
    let limit: TimelineLimit
    var subscriptionCount = 0
    /// The open file, or `nil` before the first subscription and after the recording ends.
    var file: OpenFile?
    /// The number of bytes or events that may still be written.
    var room = 0

    init(limit: TimelineLimit) { self.limit = limit }

    mutating func open(_ url: URL, _ header: Data, reserving reserve: Int) -> WriteError? {
      guard url.isFileURL else { return WriteError(description: "the URL isn't a file URL") }
      do throws(WriteError) {
        let created = try OpenFile(creating: url.path)
        try created.write(header)
        file = created
      } catch {
        return error
      }
      room =
        switch limit {
        case .bytes(let count): max(0, count) - header.count - reserve
        case .events(let count): count
        }
      return nil
    }

    /// Writes a line or, without room for it, the last line. If that ends the recording, returns the file, to close it outside
    /// the lock.
    mutating func write(_ line: Data, orElse last: Data) -> (WriteError?, closed: OpenFile?) {
      guard let file else { return (nil, nil) }
      let size =
        switch limit {
        case .bytes: line.count
        case .events: 1
        }
      let fits = size <= room
      do throws(WriteError) {
        try file.write(fits ? line : last)
      } catch {
        return (error, self.file.take())
      }
      guard fits else { return (nil, self.file.take()) }
      room -= size
      return (nil, nil)
    }
  }
}

/// A file for writing. Releasing this object closes the file.
private final class OpenFile: Sendable {
  private let descriptor: CInt

  /// Creates the file, or empties it.
  init(creating path: String) throws(WriteError) {
    // Other users must not read what a user of the program does.
    let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .ofSystem }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Writes bytes with one call, unless the system accepts only some of them.
  func write(_ bytes: Data) throws(WriteError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
        return Foundation.write(descriptor, rest.baseAddress, rest.count)
      }
      if count > 0 { written += count } else if count == 0 || errno != EINTR { throw .ofSystem }
    }
  }
}
