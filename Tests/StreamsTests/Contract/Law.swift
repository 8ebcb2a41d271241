import Testing

/// The laws that every operator obeys. The numbers are those of the rules of Reactive Streams that the contract cites.
enum Law: String, CaseIterable, CustomTestStringConvertible {
  case output = "sends its values and its end"
  case subscription = "1.9 sends exactly one subscription, before anything else"
  case demand = "1.1 sends at most what was demanded"
  case demandUpstream = "asks upstream for no more than it was asked for"
  case serial = "1.3 never sends while it is sending"
  case order = "sends re-entrant values in the order in which they came"
  case silence = "1.7 sends nothing after the end, whatever upstream does"
  case secondSubscription = "2.5 cancels a second subscription and goes on unchanged"
  case requestNone = "3.9 ignores a request for none"
  case requestAfterCancel = "3.6 ignores requests after cancellation"
  case cancelUpstream = "3.7 cancels upstream exactly once"
  case cancelInValue = "3.5 sends nothing after cancellation from inside a value"
  case cancelInSubscription = "sends nothing after cancellation from inside the subscription"
  case cancelInClosure = "sends nothing after cancellation from inside its closure"
  case cancelInRequest = "sends nothing after cancellation from inside a request upstream"
  case cancelWhileWaiting = "sends nothing that waits after cancellation, also after upstream has ended"
  case cancelBefore = "sends nothing when it is cancelled before the subscription"
  case releaseOnFinish = "releases everything when it finishes"
  case releaseOnFailure = "releases everything when it fails"
  case releaseOnCancel = "releases everything when it is cancelled"
  case releaseOfClosures = "releases the closures of a sink, whatever upstream keeps"
  case releasePublisher = "keeps no publisher that it is attached to"
  case recursion = "3.3 needs no deeper stack for more values"
  case valueDeinit = "lets a value's deinit call back"
  case subscriptionDeinit = "lets an upstream subscription's deinit call back"
  case failure = "1.4 passes a failure on once and cancels the other upstreams"
  case thrown = "passes a thrown error on once and cancels upstream"

  var testDescription: String { rawValue }
}
