extension Publisher {
  /// Calls closures when events occur in a stream.
  ///
  ///     requests.handleEvents(receiveOutput: { print("sent", $0) }, receiveCancel: { print("cancelled") })
  ///
  /// ![The source publishes a, b and c and finishes; the result publishes a, b and c and finishes; log receives a, b and c.](diagram-handleEvents)
  ///
  /// `receiveCancel` runs when downstream cancels a stream that hasn't completed. Each of the other closures runs before its
  /// event is forwarded. Demand, completion and cancellation pass through unchanged.
  ///
  /// - Parameters:
  ///   - receiveSubscription: A closure that receives the upstream subscription.
  ///   - receiveOutput: A closure that receives each value.
  ///   - receiveCompletion: A closure that receives the completion.
  ///   - receiveCancel: A closure that is called on cancellation.
  ///   - receiveRequest: A closure that receives the demand from each request. This includes the demand that the
  ///     subscriber returns for a value, unless it's `.none`.
  @inlinable
  public __consuming func handleEvents(
    receiveSubscription: ((any Subscription) -> Void)? = nil, receiveOutput: ((Output) -> Void)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil, receiveCancel: (() -> Void)? = nil,
    receiveRequest: ((Subscribers.Demand) -> Void)? = nil
  ) -> Publishers.HandleEvents<Self> {
    Publishers.HandleEvents(
      upstream: self,
      receiveSubscription: receiveSubscription,
      receiveOutput: receiveOutput,
      receiveCompletion: receiveCompletion,
      receiveCancel: receiveCancel,
      receiveRequest: receiveRequest)
  }
}

extension Publishers {
  /// The publisher that `handleEvents(receiveSubscription:receiveOutput:receiveCompletion:receiveCancel:receiveRequest:)`
  /// returns.
  @frozen
  public struct HandleEvents<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream

    /// The closure that receives the subscription.
    public var receiveSubscription: ((any Subscription) -> Void)?

    /// The closure that receives each value.
    public var receiveOutput: ((Upstream.Output) -> Void)?

    /// The closure that receives the completion.
    public var receiveCompletion: ((Subscribers.Completion<Upstream.Failure>) -> Void)?

    /// The closure that is called on cancellation.
    public var receiveCancel: (() -> Void)?

    /// The closure that receives the demand from each request.
    public var receiveRequest: ((Subscribers.Demand) -> Void)?

    /// Creates a publisher that calls closures for the events of `upstream`, like
    /// ``Publisher/handleEvents(receiveSubscription:receiveOutput:receiveCompletion:receiveCancel:receiveRequest:)``.
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

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(HandleEventsSubscriber(self, subscriber))
    }
  }
}

@usableFromInline @frozen
struct HandleEventsSubscriber<Downstream: Subscriber>: Subscriber {
  // The closures are stored individually, because storing the publisher would retain its upstream.
  @usableFromInline let receiveSubscription: ((any Subscription) -> Void)?
  @usableFromInline let receiveOutput: ((Downstream.Input) -> Void)?
  @usableFromInline let receiveCompletion: ((Subscribers.Completion<Downstream.Failure>) -> Void)?
  @usableFromInline let receiveRequest: ((Subscribers.Demand) -> Void)?
  @usableFromInline let downstream: Downstream
  @usableFromInline let subscription: HandleEventsSubscription

  @inlinable
  init<Upstream: Publisher>(_ events: Publishers.HandleEvents<Upstream>, _ downstream: Downstream)
  where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
    receiveSubscription = events.receiveSubscription
    receiveOutput = events.receiveOutput
    receiveCompletion = events.receiveCompletion
    receiveRequest = events.receiveRequest
    self.downstream = downstream
    subscription = HandleEventsSubscription(receiveCancel: events.receiveCancel, receiveRequest: events.receiveRequest)
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  @inlinable
  func receive(subscription upstream: any Subscription) {
    guard subscription.link.connect(upstream) else { return }
    receiveSubscription?(upstream)
    downstream.receive(subscription: subscription)
  }

  @inlinable
  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    guard subscription.link.isForwarding else { return .none }
    receiveOutput?(input)
    let demand = downstream.receive(input)
    if demand != .none { receiveRequest?(demand) }
    return demand
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    guard subscription.finish() else { return }
    receiveCompletion?(completion)
    downstream.receive(completion: completion)
  }
}

extension HandleEventsSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole {
    .links("handleEvents", to: Downstream.self)
  }
}

/// Calls closures for requests and cancellation, and releases the closures when the stream ends.
@usableFromInline
final class HandleEventsSubscription: Locked<HandleEventsSubscription.State>, Subscription {
  @usableFromInline
  struct State {
    var receiveCancel: (() -> Void)?
    var receiveRequest: ((Subscribers.Demand) -> Void)?
  }

  @usableFromInline let link = UpstreamLink()

  @usableFromInline
  init(receiveCancel: (() -> Void)?, receiveRequest: ((Subscribers.Demand) -> Void)?) {
    super.init(State(receiveCancel: receiveCancel, receiveRequest: receiveRequest))
  }

  private func takeClosures() -> State {
    withLock { state in
      defer { state = State() }
      return state
    }
  }

  /// Records that upstream has completed, and returns whether the stream was still running.
  @usableFromInline
  func finish() -> Bool {
    guard link.finish() else { return false }
    _ = takeClosures()
    return true
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    let receiveRequest = withLock { $0.receiveRequest }
    receiveRequest?(demand)
    link.request(demand)
  }

  @usableFromInline
  func cancel() {
    guard let subscription = link.take() else { return }
    takeClosures().receiveCancel?()
    subscription.cancel()
  }
}
