package import Foundation

/// The format of the files that `recordTimeline` writes and a test scheduler replays.
///
/// A file consists of lines of JSON. The first line describes the file, and each further line describes an event. Times
/// are nanoseconds since the subscription.
///
/// ```json
/// {"date":"2026-11-26T08:43:00Z","format":"stream-timeline","title":"typed queries","version":1}
/// {"event":"subscribed","subscription":1,"time":0}
/// {"event":"value","subscription":1,"time":120000000,"value":"st"}
/// {"error":{"status":404},"event":"failed","subscription":1,"text":"Refusal(status: 404)","time":300000000}
/// ```
package enum TimelineFormat {
  /// The name in the first line.
  package static let name = "stream-timeline"

  /// The version that this package writes, and the newest that it reads.
  package static let version = 1

  package static let encoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }()

  package static let decoder = {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }()
}

/// The first line of a file.
package struct TimelineHeader: Codable {
  package var format = TimelineFormat.name
  package var version = TimelineFormat.version
  /// The date at which the recording began, for readers of the file.
  package var date: String?
  /// The title of the recording, for readers of the file.
  package var title: String?
}

package enum TimelineEvent: String, Codable {
  case subscribed
  case value
  case finished
  case failed
  case cancelled
  /// The recording has ended because of its limit. This isn't an event of a stream.
  case cut
}

/// The part of an event's line whose type doesn't depend on the stream. The line also contains the value (key `value`), or the
/// failure (key `error`) if its type is `Encodable`.
package struct TimelineEntry: Codable {
  package var event: TimelineEvent
  /// The number of the subscription, counted from 1.
  package var subscription: Int
  /// The number of nanoseconds since the subscription.
  package var time: Int
  /// The text of the failure, or the reason why there's no value.
  package var text: String?
}

/// The last line of a file that has reached its limit.
struct TimelineCut: Encodable {
  let event = TimelineEvent.cut
  let text: String
}

/// The value of an event's line.
package struct TimelineValue<Value: Decodable>: Decodable {
  package let value: Value
}

/// The failure of an event's line.
package struct TimelineFailureLine<Failure: Decodable>: Decodable {
  package let error: Failure
}

/// An event's line, as it's written.
struct TimelineLine: Encodable {
  private enum Key: CodingKey {
    case value
    case error
  }

  let entry: TimelineEntry
  var value: (any Encodable)?
  var error: (any Encodable)?

  func encode(to encoder: any Encoder) throws {
    try entry.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    if let value { try container.encode(value, forKey: .value) }
    if let error { try container.encode(error, forKey: .error) }
  }
}
