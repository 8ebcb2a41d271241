import Streams
import Testing

/// The values and the failure of a publisher.
struct Outcome<Output: Sendable, Failure: Error>: Sendable {
  var values: [Output]
  var failure: Failure?
}

extension Publisher where Output: Sendable {
  /// Requests unlimited demand, and waits for completion.
  func outcome() async -> Outcome<Output, Failure> {
    let values = Log<Output>()
    let end = Log<Subscribers.Completion<Failure>>()
    let cancellable = sink(receiveCompletion: { end.append($0) }, receiveValue: { values.append($0) })
    let completion = await end.first(1).first
    withExtendedLifetime(cancellable) {}
    if case .failure(let failure) = completion { return Outcome(values: values.all, failure: failure) }
    return Outcome(values: values.all)
  }
}
