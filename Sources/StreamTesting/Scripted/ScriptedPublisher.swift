internal import Foundation
internal import StreamSchedulers
internal import Streams

/// A publisher that plays events on a test scheduler: a hot or a cold one.
protocol ScriptedPublisher<Output, Failure, Time>: Publisher {
  associatedtype Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable

  init<Date, Options>(
    _ events: [Recorded<Output, Failure, Time>], on scheduler: TestScheduler<Date, Options>, _ location: CodeLocation
  ) where Date.Stride == Time

  /// Returns the time at which a diagram or a recording begins if it's played from now on.
  static func beginning<Date, Options>(on scheduler: TestScheduler<Date, Options>) -> Time where Date.Stride == Time
}

extension TestScheduler {
  /// Creates a publisher that plays events.
  func scripted<P: ScriptedPublisher>(
    _ events: [Recorded<P.Output, P.Failure, SchedulerTimeType.Stride>], _ location: CodeLocation
  ) -> P where P.Time == SchedulerTimeType.Stride { P(events, on: self, location) }

  /// Creates a publisher that plays a diagram. After a mistake in the diagram, this scheduler's streams are no longer compared.
  func scripted<P: ScriptedPublisher>(
    _ marbles: Marbles, _ values: MarbleValues<P.Output>, _ error: P.Failure?, _ location: CodeLocation
  ) -> P where P.Time == SchedulerTimeType.Stride {
    let (events, isSound) = marbles.events(
      from: P.beginning(on: self), frame: frame, values: values.value, error: error, location)
    if !isSound { looseEnds.noteBadSource() }
    return P(events, on: self, location)
  }

  /// Creates a publisher that plays a subscription that `recordTimeline` recorded in a file.
  func scripted<P: ScriptedPublisher>(
    replaying file: URL, _ subscription: Int, _ location: CodeLocation,
    failure: (String, Data) throws(RecordedTimeline.Problem) -> P.Failure
  ) throws(ReplayError) -> P where P.Time == SchedulerTimeType.Stride, P.Output: Decodable {
    let recording = try RecordedTimeline(file, subscription)
    return P(try recording.events(from: P.beginning(on: self), failure: failure), on: self, location)
  }
}

extension PassthroughSubject {
  /// Sends a value or a completion, and ignores subscriptions and cancellations.
  func send<Time>(_ event: Recorded<Output, Failure, Time>.Event) {
    switch event {
    case .next(let value): send(value)
    case .completion(let completion): send(completion: completion)
    case .subscription, .cancellation: break
    }
  }
}
