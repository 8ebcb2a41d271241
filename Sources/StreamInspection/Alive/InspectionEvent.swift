/// Something that happened to an observed stream.
///
/// ```swift
/// import Logging   // swift-log
///
/// let logger = Logger(label: "streams")
/// StreamInspector.start(lints: .init()) { event in
///   switch event.kind {
///   case .began: logger.trace("stream began", metadata: ["place": "\(event.place ?? "?")"])
///   case .ended(let received, _): logger.trace("stream ended", metadata: ["received": "\(received)"])
///   case .found(let finding): logger.warning("\(finding.text)")
///   case .lost(let count): logger.debug("\(count) events were lost")
///   }
/// }
/// ```
public struct InspectionEvent: Sendable, CustomStringConvertible {
  /// The kind of event.
  public let kind: Kind

  private let site: CallSiteID

  init(_ kind: Kind, at site: CallSiteID) {
    self.kind = kind
    self.site = site
  }

  init(_ finding: Inspection.Finding) { self.init(.found(finding), at: .unknown) }

  /// The kinds of events.
  public enum Kind: Sendable {
    /// A sink began.
    case began
    /// A sink completed, was cancelled or was released, after it had received this many values and lived this many seconds.
    case ended(received: UInt64, after: Double)
    /// A finding about a live stream.
    case found(Inspection.Finding)
    /// This many events were lost, because 10,000 others were already waiting to be delivered.
    case lost(Int)
  }

  /// The place in the source code that created the stream, if it's known.
  ///
  /// - Complexity: A few milliseconds for the first access to a place.
  public var place: String? {
    if case .found(let finding) = kind { return finding.place }
    return CallSites.shared.place(of: site)?.description
  }

  /// A one-line description of the event.
  public var description: String {
    let stream = "the stream at \(place ?? "an unknown place")"
    return switch kind {
    case .began: "\(stream) began"
    case .ended(let received, let lifetime):
      "\(stream) ended after \(Duration.seconds(lifetime).text), with \(received) received"
    case .found(let finding): finding.text
    case .lost(let count): "\(count) events were lost"
    }
  }
}
