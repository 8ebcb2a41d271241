public import Foundation
public import Streams

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

extension URLSession {
  /// Publishes what is found at a URL, or why it cannot be had.
  ///
  /// ```swift
  /// URLSession.shared.dataTaskPublisher(for: url)
  ///   .map { String(decoding: $0.data, as: UTF8.self) }
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
  ///   .store(in: &cancellables)
  /// ```
  ///
  /// ``URLSession/DataTaskPublisher`` says the rest.
  public func dataTaskPublisher(for url: URL) -> DataTaskPublisher { dataTaskPublisher(for: URLRequest(url: url)) }

  /// Publishes the answer to a request, or why it cannot be had.
  ///
  /// ``URLSession/DataTaskPublisher`` says the rest.
  public func dataTaskPublisher(for request: URLRequest) -> DataTaskPublisher {
    DataTaskPublisher(request: request, session: self)
  }

  /// A publisher of the answer to a request: the data and the response, then it finishes.
  ///
  /// An answer of any status is a value, also one that says that something was not found. What keeps the answer from
  /// coming is the failure.
  ///
  /// - Demand: each subscriber has a task of its own, which is made and resumed when the subscriber first asks for a value.
  ///   `retry` therefore asks the server again, and `share` asks only once.
  /// - Delivery: on the delegate queue of the session.
  /// - Cancellation: cancels the task, and nothing is delivered. A subscriber that never asks costs no task.
  /// - Cost: a data task, and the whole answer in memory.
  /// - Bad input: a session that has been invalidated makes no tasks; asking it for one stops the program. A failure that
  ///   is no `URLError` is sent as `URLError(.unknown)`.
  public struct DataTaskPublisher: Publisher, Sendable {
    /// The data of the answer, and what came with it.
    public typealias Output = (data: Data, response: URLResponse)

    /// What keeps an answer from coming.
    public typealias Failure = URLError

    /// What is asked for.
    public let request: URLRequest

    /// The session that makes the tasks.
    public let session: URLSession

    /// Makes a publisher of the answer to a request.
    public init(request: URLRequest, session: URLSession) {
      self.request = request
      self.session = session
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == URLError {
      let exchange = DataExchange(self, AnySubscriber(subscriber))
      subscriber.receive(subscription: exchange)
      exchange.begin()
    }
  }
}

/// One request of one subscriber, and the answer to it.
private final class DataExchange: Subscription, CustomStringConvertible, @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects everything that changes. The subscriber is
  // called by the session alone.
  typealias Downstream = AnySubscriber<URLSession.DataTaskPublisher.Output, URLError>

  struct State {
    /// Until the exchange is over.
    var downstream: Downstream?
    /// Whether the subscriber has its subscription, so that signals do not overlap.
    var isReady = false
    var isRequested = false
    var task: URLSessionDataTask?
  }

  private let state: Locked<State>
  private let publisher: URLSession.DataTaskPublisher

  init(_ publisher: URLSession.DataTaskPublisher, _ downstream: Downstream) {
    self.publisher = publisher
    state = Locked(State(downstream: downstream))
  }

  var description: String { "DataTaskPublisher" }

  func begin() { advance(\.isReady) }

  func request(_ demand: Subscribers.Demand) {
    demand.requirePositive()
    advance(\.isRequested)
  }

  /// Starts the task when it may start and is asked for.
  private func advance(_ condition: WritableKeyPath<State, Bool>) {
    let starts = state.withLock { state in
      if state.downstream == nil || state[keyPath: condition] { return false }
      state[keyPath: condition] = true
      return state.isReady && state.isRequested
    }
    guard starts else { return }
    let task = publisher.session.dataTask(with: publisher.request) { data, response, error in
      self.end(data, response, error)
    }
    let isWanted = state.withLock { state in
      guard state.downstream != nil else { return false }
      state.task = task
      return true
    }
    if isWanted { task.resume() } else { task.cancel() }
  }

  private func end(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
    if let response, error == nil {
      let downstream = state.withLock { state in
        state.task = nil
        return state.downstream
      }
      _ = downstream?.receive((data ?? Data(), response))
      take().downstream?.receive(completion: .finished)
    } else {
      take().downstream?.receive(completion: .failure(error as? URLError ?? URLError(.unknown)))
    }
  }

  func cancel() { take().task?.cancel() }

  private func take() -> (downstream: Downstream?, task: URLSessionDataTask?) {
    state.withLock { ($0.downstream.take(), $0.task.take()) }
  }
}
