package import Dispatch
package import StreamSchedulers
package import Streams

/// A subscriber that records what it receives, with the demand that a test specifies.
///
/// ``log`` contains the values and the completions as text, in the order of arrival.
package final class SignalRecorder<Input, Failure: Error>: Subscriber {
  package private(set) var log: [String] = []
  package private(set) var values: [Input] = []
  package private(set) var completions: [Subscribers.Completion<Failure>] = []
  package private(set) var subscriptions: [any Subscription] = []

  /// Returns the demand for each value, and may have side effects.
  package var onValue: (Input) -> Subscribers.Demand = { _ in .none }
  package var onSubscription: (any Subscription) -> Void = { _ in }
  package var onCompletion: () -> Void = {}

  private let initialDemand: Subscribers.Demand
  private let time: () -> String

  /// Creates a recorder with an initial demand. With a scheduler, the log includes the times of arrival.
  package init(_ initialDemand: Subscribers.Demand = .unlimited, on scheduler: TestSchedulerOf<DispatchQueue>? = nil) {
    self.initialDemand = initialDemand
    time = { scheduler.map { "@\($0.seconds)" } ?? "" }
  }

  package var subscription: (any Subscription)? { subscriptions.first }
  package var failures: [Failure] { completions.compactMap { if case .failure(let error) = $0 { error } else { nil } } }

  package func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }
  package func cancel() { subscription?.cancel() }

  package func receive(subscription: any Subscription) {
    subscriptions.append(subscription)
    onSubscription(subscription)
    if initialDemand != .none { subscription.request(initialDemand) }
  }

  package func receive(_ input: Input) -> Subscribers.Demand {
    log.append("\(input)\(time())")
    values.append(input)
    return onValue(input)
  }

  package func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: log.append("finished\(time())")
    case .failure(let error): log.append("\(error)\(time())")
    }
    completions.append(completion)
    onCompletion()
  }
}

/// Subscribes a recorder to a publisher.
@discardableResult
package func record<P: Publisher>(
  _ publisher: P, _ demand: Subscribers.Demand = .unlimited, on scheduler: TestSchedulerOf<DispatchQueue>? = nil
) -> SignalRecorder<P.Output, P.Failure> {
  let recorder = SignalRecorder<P.Output, P.Failure>(demand, on: scheduler)
  publisher.subscribe(recorder)
  return recorder
}

/// Returns the signals that a publisher sends synchronously to a subscriber with unlimited demand, as text.
package func log<P: Publisher>(_ publisher: P) -> [String] { record(publisher).log }

/// Returns the values that a publisher sends synchronously to a subscriber with unlimited demand.
package func collect<P: Publisher>(_ publisher: P) -> [P.Output] { record(publisher).values }

extension TestSchedulerOf<DispatchQueue> {
  /// The number of seconds since the beginning as text, without a fraction if it is zero.
  package var seconds: String {
    let nanoseconds = now.dispatchTime.uptimeNanoseconds - 1
    let whole = nanoseconds / 1_000_000_000
    let tenths = nanoseconds % 1_000_000_000 / 100_000_000
    return tenths == 0 ? "\(whole)" : "\(whole).\(tenths)"
  }

  /// Runs an action the given number of seconds after the beginning.
  package func at(_ seconds: Double, _ action: @escaping () -> Void) {
    let beginning = DispatchQueue.SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1))
    schedule(after: beginning.advanced(by: .seconds(seconds)), action)
  }
}
