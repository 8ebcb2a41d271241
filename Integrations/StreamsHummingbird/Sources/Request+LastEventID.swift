internal import HTTPTypes
public import Hummingbird

extension Request {
  /// The ID of the last event that a browser has received, if it reconnects to a stream of server-sent events.
  ///
  /// It's the value of the header field `Last-Event-ID`. A client can send any text, so check it like other input.
  public var lastEventID: String? { headers[.lastEventID] }
}

extension HTTPField.Name {
  /// `Last-Event-ID`.
  fileprivate static var lastEventID: Self { Self("Last-Event-ID")! }
}
