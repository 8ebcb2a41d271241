extension Publisher {
  /// Calls closures for what goes through, and changes nothing.
  ///
  /// `receiveCancel` is called when a stream that has not ended is cancelled from downstream. The others are called before
  /// what they announce is passed on.
  @inlinable
  public func handleEvents(
    receiveSubscription: ((any Subscription) -> Void)? = nil, receiveOutput: ((Output) -> Void)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil, receiveCancel: (() -> Void)? = nil,
    receiveRequest: ((Subscribers.Demand) -> Void)? = nil
  ) -> Publishers.HandleEvents<Self> {
    Publishers.HandleEvents(
      upstream: self, receiveSubscription: receiveSubscription, receiveOutput: receiveOutput,
      receiveCompletion: receiveCompletion, receiveCancel: receiveCancel, receiveRequest: receiveRequest)
  }
}

extension Publishers {
  /// The publisher of ``Publisher/handleEvents(receiveSubscription:receiveOutput:receiveCompletion:receiveCancel:receiveRequest:)``.
  public struct HandleEvents<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that is watched.
    public let upstream: Upstream

    /// What is called with the subscription.
    public var receiveSubscription: ((any Subscription) -> Void)?

    /// What is called with every value.
    public var receiveOutput: ((Upstream.Output) -> Void)?

    /// What is called with the completion.
    public var receiveCompletion: ((Subscribers.Completion<Upstream.Failure>) -> Void)?

    /// What is called on cancellation.
    public var receiveCancel: (() -> Void)?

    /// What is called with every request.
    public var receiveRequest: ((Subscribers.Demand) -> Void)?

    /// Makes the publisher.
    @inlinable
    public init(
      upstream: Upstream, receiveSubscription: ((any Subscription) -> Void)? = nil,
      receiveOutput: ((Output) -> Void)? = nil,
      receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil, receiveCancel: (() -> Void)? = nil,
      receiveRequest: ((Subscribers.Demand) -> Void)?
    ) {
      self.upstream = upstream
      self.receiveSubscription = receiveSubscription
      self.receiveOutput = receiveOutput
      self.receiveCompletion = receiveCompletion
      self.receiveCancel = receiveCancel
      self.receiveRequest = receiveRequest
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(HandleEventsSubscriber(self, subscriber))
    }
  }
}

@usableFromInline
struct HandleEventsSubscriber<Upstream: Publisher, Downstream: Subscriber>: Subscriber
where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
  @usableFromInline typealias Input = Upstream.Output
  @usableFromInline typealias Failure = Upstream.Failure
  @usableFromInline let events: Publishers.HandleEvents<Upstream>
  @usableFromInline let downstream: Downstream
  @usableFromInline let inlet = Inlet()

  @inlinable
  init(_ events: Publishers.HandleEvents<Upstream>, _ downstream: Downstream) {
    self.events = events
    self.downstream = downstream
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  @inlinable
  func receive(subscription: any Subscription) {
    guard inlet.connect(subscription) else { return }
    events.receiveSubscription?(subscription)
    downstream.receive(
      subscription: HandleEventsSubscription(
        inlet, receiveCancel: events.receiveCancel, receiveRequest: events.receiveRequest))
  }

  @inlinable
  func receive(_ input: Upstream.Output) -> Subscribers.Demand {
    guard inlet.isConnected else { return .none }
    events.receiveOutput?(input)
    let demand = downstream.receive(input)
    if demand != .none { events.receiveRequest?(demand) }
    return demand
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Upstream.Failure>) {
    guard inlet.finish() else { return }
    events.receiveCompletion?(completion)
    downstream.receive(completion: completion)
  }
}

/// Calls closures for requests and cancellation.
@usableFromInline
final class HandleEventsSubscription: Subscription {
  private let inlet: Inlet
  private let receiveCancel: (() -> Void)?
  private let receiveRequest: ((Subscribers.Demand) -> Void)?

  @usableFromInline
  init(_ inlet: Inlet, receiveCancel: (() -> Void)?, receiveRequest: ((Subscribers.Demand) -> Void)?) {
    self.inlet = inlet
    self.receiveCancel = receiveCancel
    self.receiveRequest = receiveRequest
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    receiveRequest?(demand)
    inlet.request(demand)
  }

  @usableFromInline
  func cancel() {
    guard let subscription = inlet.take() else { return }
    receiveCancel?()
    subscription.cancel()
  }
}
