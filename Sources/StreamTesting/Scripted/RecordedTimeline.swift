internal import Foundation
internal import StreamFoundation
internal import StreamSchedulers
internal import Streams

/// A subscription that `recordTimeline` recorded in a file.
struct RecordedTimeline {
  /// The reason why a line is unexpected.
  struct Problem: Error {
    let reason: String
  }

  private struct Line {
    let number: Int
    let content: Data
    let entry: TimelineEntry
  }

  private let path: String
  private let lines: [Line]

  init(_ file: URL, _ subscription: Int) throws(ReplayError) {
    let path = file.path
    self.path = path
    var contents = try Self.contents(of: file)
    guard !contents.isEmpty, let header = try? TimelineFormat.decoder.decode(TimelineHeader.self, from: contents[0]),
      header.format == TimelineFormat.name, header.version > 0
    else { throw .noRecording(path: path) }
    guard header.version <= TimelineFormat.version else { throw .newerVersion(path: path, version: header.version) }

    // The last piece is empty, unless a crash has left an incomplete line.
    if let last = contents.last, (try? JSONSerialization.jsonObject(with: last)) == nil { contents.removeLast() }
    var recorded: Set<Int> = []
    var lines: [Line] = []
    for (index, content) in contents.enumerated().dropFirst() {
      guard let entry = try Self.entry(content, path, index + 1) else { continue }
      recorded.insert(entry.subscription)
      if entry.subscription == subscription { lines.append(Line(number: index + 1, content: content, entry: entry)) }
    }
    guard !lines.isEmpty else {
      throw .noSubscription(path: path, number: subscription, recorded: recorded.sorted())
    }
    self.lines = lines
  }

  private static func contents(of file: URL) throws(ReplayError) -> [Data] {
    do {
      return try Data(contentsOf: file).split(separator: 0x0A, omittingEmptySubsequences: false)
    } catch {
      throw .unreadableFile(path: file.path, reason: error.localizedDescription)
    }
  }

  /// Returns the part of a line that every event has, or `nil` for the line that ends a recording at its limit.
  private static func entry(_ content: Data, _ path: String, _ number: Int) throws(ReplayError) -> TimelineEntry? {
    do {
      if try TimelineFormat.decoder.decode(Name.self, from: content).event == .cut { return nil }
      return try TimelineFormat.decoder.decode(TimelineEntry.self, from: content)
    } catch {
      throw .unexpectedLine(path: path, line: number, reason: "It is not an event. \(reason(error))")
    }
  }

  private struct Name: Decodable {
    let event: TimelineEvent
  }

  /// Returns the values and the completion, with their times.
  ///
  /// - Parameters:
  ///   - beginning: The time at which the recording begins.
  ///   - failure: A closure that returns the failure for a recorded text and its line.
  func events<Output: Decodable, Failure: Error, Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable>(
    from beginning: Time, failure: (String, Data) throws(Problem) -> Failure
  ) throws(ReplayError) -> [Recorded<Output, Failure, Time>] {
    var events: [Recorded<Output, Failure, Time>] = []
    var latest = 0
    for line in lines {
      // A clock that was set back doesn't change the order.
      latest = max(latest, line.entry.time)
      do throws(Problem) {
        guard let event: Recorded<Output, Failure, Time>.Event = try event(line, failure) else { continue }
        events.append(Recorded(time: beginning + .nanoseconds(latest), event: event))
      } catch {
        throw .unexpectedLine(path: path, line: line.number, reason: error.reason)
      }
    }
    return events
  }

  private func event<Output: Decodable, Failure, Time>(
    _ line: Line, _ failure: (String, Data) throws(Problem) -> Failure
  ) throws(Problem) -> Recorded<Output, Failure, Time>.Event? {
    switch line.entry.event {
    case .value: .next(try value(line))
    case .finished: .completion(.finished)
    case .failed: .completion(.failure(try failure(line.entry.text ?? "", line.content)))
    case .subscribed, .cancelled, .cut: nil
    }
  }

  private func value<Output: Decodable>(_ line: Line) throws(Problem) -> Output {
    // This text says why the value couldn't be encoded.
    if let text = line.entry.text { throw Problem(reason: text) }
    do {
      return try TimelineFormat.decoder.decode(TimelineValue<Output>.self, from: line.content).value
    } catch {
      throw Problem(reason: "The value is not of type \(Output.self). \(Self.reason(error))")
    }
  }

  /// Throws an error, because the replaying publisher can't fail.
  static func noFailure(_ text: String, _: Data) throws(Problem) -> Never {
    throw Problem(
      reason: "The stream failed: \(text). To replay that, pass the failure's type as failingWith:, or a closure.")
  }

  static func decodedFailure<Failure: Error & Decodable>(_ text: String, _ line: Data) throws(Problem) -> Failure {
    do {
      return try TimelineFormat.decoder.decode(TimelineFailureLine<Failure>.self, from: line).error
    } catch {
      throw Problem(
        reason: "The failure is not of type \(Failure.self), or not encoded: \(text). \(Self.reason(error))")
    }
  }

  /// Returns the text of a decoding error, with the path of the property.
  private static func reason(_ error: any Error) -> String {
    let context: DecodingError.Context
    switch error {
    case DecodingError.typeMismatch(_, let found), DecodingError.valueNotFound(_, let found),
      DecodingError.keyNotFound(_, let found), DecodingError.dataCorrupted(let found):
      context = found
    default: return "\(error)"
    }
    let location = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    return location.isEmpty ? context.debugDescription : "\(location): \(context.debugDescription)"
  }
}
