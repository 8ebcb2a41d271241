import Streams
import Synchronization

/// A subscriber that requests values when it's told to, or a number of them each time that this number has arrived.
final class StepSubscriber<Input: Sendable, Failure: Error>: Subscriber, Cancellable, Sendable {
  private let state = Mutex(State())
  private let batch: Int?
  private let receive: @Sendable (Input) -> Void

  private struct State: @unchecked Sendable {
    // Unchecked: a subscription may be used on any thread.
    var subscription: (any Subscription)?
    var values: [Input] = []
    var completion: Subscribers.Completion<Failure>?
  }

  /// Creates a subscriber.
  ///
  /// - Parameters:
  ///   - batch: The number of values to request each time that this number has arrived. With `nil`, you request them.
  ///   - receive: A closure that's called with each value.
  init(every batch: Int? = nil, _ receive: @escaping @Sendable (Input) -> Void = { _ in }) {
    self.batch = batch
    self.receive = receive
  }

  var values: [Input] { state.withLock { $0.values } }
  var count: Int { state.withLock { $0.values.count } }
  var completion: Subscribers.Completion<Failure>? { state.withLock { $0.completion } }

  var failure: Failure? {
    if case .failure(let error) = completion { error } else { nil }
  }

  func request(_ count: Int) { state.withLock { $0.subscription }?.request(.max(count)) }

  func cancel() { state.withLock { $0.subscription.take() }?.cancel() }

  func receive(subscription: any Subscription) {
    let state = State(subscription: subscription)
    self.state.withLock { $0.subscription = state.subscription }
    if let batch { subscription.request(.max(batch)) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    let count = state.withLock { state in
      state.values.append(input)
      return state.values.count
    }
    receive(input)
    guard let batch, count.isMultiple(of: batch) else { return .none }
    return .max(batch)
  }

  func receive(completion: Subscribers.Completion<Failure>) { state.withLock { $0.completion = completion } }
}
