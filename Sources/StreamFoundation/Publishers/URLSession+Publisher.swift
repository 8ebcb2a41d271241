public import Foundation
public import Streams

#if canImport(FoundationNetworking)
  // Exported, so code written for Apple's platforms, where `Foundation` contains these types, compiles.
  @_exported public import FoundationNetworking
#endif

extension URLSession {
  /// Publishes the data and the response for a URL, and then finishes, or fails if an error prevents the response.
  ///
  /// ```swift
  /// URLSession.shared.dataTaskPublisher(for: url)
  ///   .map { String(decoding: $0.data, as: UTF8.self) }
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
  ///   .store(in: &cancellables)
  /// ```
  ///
  /// See ``URLSession/DataTaskPublisher`` for demand, delivery and cancellation.
  ///
  /// - Parameter url: The URL to load.
  /// - Complexity: One data task for each subscriber with demand.
  public func dataTaskPublisher(for url: URL) -> DataTaskPublisher { dataTaskPublisher(for: URLRequest(url: url)) }

  /// Publishes the data and the response for a request, and then finishes, or fails if an error prevents the response.
  ///
  /// See ``URLSession/DataTaskPublisher`` for demand, delivery and cancellation.
  ///
  /// - Parameter request: The request to send.
  /// - Complexity: One data task for each subscriber with demand.
  public func dataTaskPublisher(for request: URLRequest) -> DataTaskPublisher {
    DataTaskPublisher(request: request, session: self)
  }

  /// A publisher that sends the data and the response for a request, and then finishes.
  ///
  /// A response is published as a value whatever its status code, even 404. The stream fails only if an error prevents
  /// the complete response.
  ///
  /// - Demand: each subscriber has its own task, which begins when the subscriber first requests a value. So `retry`
  ///   sends the request again, and `share` sends it only once.
  /// - Delivery: on the session's delegate queue.
  /// - Cancellation: nothing more is delivered, and the task is cancelled, which closes its connection unless the whole response
  ///   has arrived. A request that hasn't been sent by then normally isn't sent, but a server may still receive it and act on it.
  ///   Outside Apple's platforms, cancelling a task would stop the program if its response arrived at the same time, so a
  ///   cancelled task's handler waits on the delegate queue until the session has carried out the cancellation. The delegate
  ///   queue must be serial. Handlers of a stand-in's tasks, which are of your own class, don't wait.
  /// - Cost: a data task, and the whole response in memory.
  /// - Bad input: an invalidated session can't create tasks, and using it stops the program. An error outside
  ///   `NSURLErrorDomain` is sent as the underlying error of `URLError(.unknown)`.
  public struct DataTaskPublisher: Publisher, Sendable {
    /// The response's data, and the response.
    public typealias Output = (data: Data, response: URLResponse)

    /// The error that prevented a response.
    public typealias Failure = URLError

    public let request: URLRequest
    public let session: URLSession

    /// Creates a publisher that sends the response to a request.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - session: The session that creates the tasks.
    public init(request: URLRequest, session: URLSession) {
      self.request = request
      self.session = session
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == URLError {
      let exchange = DataExchange(self, AnySubscriber(subscriber))
      subscriber.receive(subscription: exchange)
      exchange.begin()
    }
  }
}

/// One subscriber's request, and the response to that request.
private final class DataExchange: Subscription, CustomStringConvertible, @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` isn't marked: the lock protects everything that changes. Only the session
  // calls the subscriber.
  typealias Downstream = AnySubscriber<URLSession.DataTaskPublisher.Output, URLError>

  struct State {
    /// The subscriber, until the exchange is over.
    var downstream: Downstream?
    /// Indicates whether the subscriber has received its subscription. The task starts only then, so signals don't
    /// overlap.
    var isReady = false
    var isRequested = false
    /// The task, until its handler is called or it's cancelled.
    var task: URLSessionDataTask?
    /// The task that was cancelled, or is about to be, until its handler is called.
    var cancelledTask: URLSessionDataTask?
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
    guard demand.isRequest else { return }
    advance(\.isRequested)
  }

  /// Starts the task as soon as the subscriber is ready and has requested a value.
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
    let (downstream, cancelledTask) = state.withLock { state in
      state.task = nil
      return (state.downstream, state.cancelledTask.take())
    }
    let failure = error.map { URLError(describing: $0) }
    // With the error `.cancelled`, the cancellation has already been carried out.
    if failure?.code != .cancelled { cancelledTask?.waitForCancellation() }
    if let response, failure == nil {
      _ = downstream?.receive((data ?? Data(), response))
      takeDownstream()?.receive(completion: .finished)
    } else {
      takeDownstream()?.receive(completion: .failure(failure ?? URLError(.unknown)))
    }
  }

  private func takeDownstream() -> Downstream? { state.withLock { $0.downstream.take() } }

  func cancel() {
    let (downstream, task) = state.withLock { state in
      let task = state.task.take()
      // Another cancellation must not hide from the handler that the first is on its way.
      if let task { state.cancelledTask = task }
      return (state.downstream.take(), task)
    }
    // Called outside the lock, because the handler takes the lock.
    task?.cancel()
    withExtendedLifetime(downstream) {}
  }
}

extension DataExchange: InspectedPart {
  func inspect(_ tell: StreamFact.Tell) {
    tell(.sourceName, 0, StreamFact.Box("dataTaskPublisher(for:)"))
    let (isRequested, isOver) = state.withLock { ($0.isRequested, $0.downstream == nil) }
    if isRequested { tell(.requested, 0, nil) }
    if isOver { tell(.over, 0, nil) }
  }
}

extension URLError {
  /// Creates a `URLError` from a task's error. An `NSError` of `NSURLErrorDomain`, which isn't bridged outside Apple's platforms,
  /// is converted. Any other becomes the underlying error of `.unknown`.
  fileprivate init(describing error: any Error) {
    if let error = error as? URLError {
      self = error
      return
    }
    let bridged = error as NSError
    if bridged.domain == NSURLErrorDomain {
      self.init(_nsError: bridged)
    } else {
      self.init(.unknown, userInfo: [NSUnderlyingErrorKey: bridged])
    }
  }
}

extension URLSessionTask {
  /// Waits, in the handler of a task that has been or is being cancelled, until the session has begun to carry that out.
  ///
  /// In swift-corelibs-foundation, `cancel()` enqueues work that stops the program if the task isn't in the session's registry.
  /// Until the session has looked for a cached response, its own thread enqueues this work, after it has started to load. The
  /// session removes a task as soon as its handler has returned. A response that arrives in between would therefore stop the
  /// program, whichever thread calls `cancel()`. The work sets the task's error first. A removal that's enqueued afterward runs
  /// after the work.
  ///
  /// Nothing announces that work, so this method checks for it repeatedly. The check doesn't depend on the delegate
  /// queue.
  ///
  /// A task of a derived class belongs to a stand-in for the session, which doesn't enqueue such work.
  fileprivate func waitForCancellation() {
    #if canImport(FoundationNetworking)
      guard type(of: self) == URLSessionDataTask.self else { return }
      // Nothing protects `error`: the work that changes it may release the old value while it's read here. Another call
      // to `cancel()` has no effect, but waits for the session's queue, and so for the work, if that has begun.
      repeat {
        Thread.sleep(forTimeInterval: 0.0001)
        cancel()
      } while (error as? URLError)?.code != .cancelled
    #endif
  }
}

extension Publisher where Output == URLSession.DataTaskPublisher.Output {
  @available(
    *, unavailable,
    message: "the values are pairs of data and response; use map(\\.data) first, or tryMap(_:) to check the response"
  )
  public __consuming func decode<Item: Decodable, Coder: TopLevelDecoder>(
    type: Item.Type, decoder: Coder
  ) -> Publishers.Decode<Just<Coder.Input>, Item, Coder> { explain() }
}
