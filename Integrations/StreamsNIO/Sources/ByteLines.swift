public import NIOCore
public import Streams

extension Publisher where Output == ByteBuffer {
  /// Publishes the lines of a text whose bytes arrive in parts.
  ///
  /// ```swift
  /// connection.lines().map(maxTasks: 1) { line in await store(line) }
  /// ```
  ///
  /// A line ends with LF or CRLF, which isn't part of it. What follows the last line break is a line too, unless it's empty. Invalid
  /// UTF-8 becomes the replacement character `U+FFFD`.
  ///
  /// **Demand.** A part is requested when the lines of the one before have been delivered, so the source waits for its reader.
  ///
  /// - Parameter maximumLength: The number of bytes that a line may have. The stream fails with a ``LineTooLong`` if one has more.
  ///   A negative number stops the program with a message.
  /// - Complexity: O(*n*) for *n* bytes. It keeps the beginning of one line.
  public func lines(maximumLength: Int = 1 << 20) -> AnyPublisher<String, any Error> {
    precondition(maximumLength >= 0, "lines(maximumLength:) requires a number of at least 0, got \(maximumLength).")
    return Deferred {
      let lines = ByteLines(maximumLength: maximumLength)
      return self.map(Optional.some).mapError { $0 as any Error }.append(nil)
        .map { part in part.map(lines.append) ?? lines.rest() }
        .flatMap(maxPublishers: .max(1)) { $0.publisher.setFailureType(to: (any Error).self) }
        .tryMap { line in try line.get() }
    }
    .eraseToAnyPublisher()
  }
}

/// The error of a line that is longer than it may be.
public struct LineTooLong: Error, Hashable, CustomStringConvertible {
  /// The number of bytes that a line may have.
  public let maximumLength: Int

  /// The message.
  public var description: String { "A line has more than the \(maximumLength) bytes that are allowed." }
}

/// Joins parts of a text to lines, for one subscriber, whose values arrive one after another.
private final class ByteLines {
  private let maximumLength: Int
  /// The beginning of a line.
  private var beginning: [UInt8] = []

  init(maximumLength: Int) { self.maximumLength = maximumLength }

  func append(_ part: ByteBuffer) -> [Result<String, LineTooLong>] {
    var lines: [Result<String, LineTooLong>] = []
    var rest = part.readableBytesView
    while true {
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      beginning += rest[..<(end ?? rest.endIndex)]
      if line.count > maximumLength { return lines + [.failure(LineTooLong(maximumLength: maximumLength))] }
      guard let end else { return lines }
      lines.append(take())
      rest = rest[(end + 1)...]
    }
  }

  func rest() -> [Result<String, LineTooLong>] { beginning.isEmpty ? [] : [take()] }

  /// The beginning without a carriage return, which may belong to the line break.
  private var line: ArraySlice<UInt8> {
    beginning.last == UInt8(ascii: "\r") ? beginning.dropLast() : beginning[...]
  }

  private func take() -> Result<String, LineTooLong> {
    defer { beginning.removeAll(keepingCapacity: true) }
    return .success(String(decoding: line, as: UTF8.self))
  }
}
