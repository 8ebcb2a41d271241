extension Publisher {
  /// Stops the program in the debugger when a closure returns `true`.
  ///
  ///     prices.breakpoint(receiveOutput: { $0 < 0 })
  ///
  /// ![The source publishes 1, 2 and 3 and finishes; the result publishes 1, 2 and 3 and finishes.](diagram-breakpoint)
  ///
  /// Each closure runs before the event that it receives is forwarded. When a closure returns `true`, a debug build raises
  /// `SIGTRAP`. Without a debugger, that terminates the program. A release build calls the closures and continues. Demand,
  /// completion and cancellation pass through unchanged.
  ///
  /// - Parameters:
  ///   - receiveSubscription: A closure that receives the subscription.
  ///   - receiveOutput: A closure that receives each value.
  ///   - receiveCompletion: A closure that receives the completion.
  @inlinable
  public __consuming func breakpoint(
    receiveSubscription: ((any Subscription) -> Bool)? = nil, receiveOutput: ((Output) -> Bool)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Bool)? = nil
  ) -> Publishers.Breakpoint<Self> {
    Publishers.Breakpoint(
      upstream: self,
      receiveSubscription: receiveSubscription,
      receiveOutput: receiveOutput,
      receiveCompletion: receiveCompletion)
  }

  /// Stops the program in the debugger when upstream fails, before the failure is forwarded.
  ///
  ///     load().breakpointOnError()
  ///
  /// ![The source publishes a, b and c and finishes; the result publishes a, b and c and finishes.](diagram-breakpointOnError)
  ///
  /// The operator stops the program only in debug builds. Demand, completion and cancellation pass through unchanged.
  @inlinable
  public __consuming func breakpointOnError() -> Publishers.Breakpoint<Self> {
    Publishers.Breakpoint(
      upstream: self,
      receiveCompletion: { completion in if case .failure = completion { true } else { false } })
  }
}

extension Publishers {
  /// The publisher that `breakpoint(receiveSubscription:receiveOutput:receiveCompletion:)` and `breakpointOnError()` return.
  @frozen
  public struct Breakpoint<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let receiveSubscription: ((any Subscription) -> Bool)?
    public let receiveOutput: ((Upstream.Output) -> Bool)?
    public let receiveCompletion: ((Subscribers.Completion<Upstream.Failure>) -> Bool)?

    @inlinable
    public init(
      upstream: Upstream, receiveSubscription: ((any Subscription) -> Bool)? = nil,
      receiveOutput: ((Upstream.Output) -> Bool)? = nil,
      receiveCompletion: ((Subscribers.Completion<Upstream.Failure>) -> Bool)? = nil
    ) {
      self.upstream = upstream
      self.receiveSubscription = receiveSubscription
      self.receiveOutput = receiveOutput
      self.receiveCompletion = receiveCompletion
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(BreakpointSubscriber(subscriber, receiveSubscription, receiveOutput, receiveCompletion))
    }
  }
}

@usableFromInline @frozen
struct BreakpointSubscriber<Downstream: Subscriber>: PassthroughSubscriber {
  @usableFromInline let downstream: Downstream
  @usableFromInline let receiveSubscription: ((any Subscription) -> Bool)?
  @usableFromInline let receiveOutput: ((Downstream.Input) -> Bool)?
  @usableFromInline let receiveCompletion: ((Subscribers.Completion<Downstream.Failure>) -> Bool)?

  @inlinable
  init(
    _ downstream: Downstream, _ receiveSubscription: ((any Subscription) -> Bool)?,
    _ receiveOutput: ((Downstream.Input) -> Bool)?,
    _ receiveCompletion: ((Subscribers.Completion<Downstream.Failure>) -> Bool)?
  ) {
    self.downstream = downstream
    self.receiveSubscription = receiveSubscription
    self.receiveOutput = receiveOutput
    self.receiveCompletion = receiveCompletion
  }

  @inlinable
  func receive(subscription: any Subscription) {
    stopInDebugger(if: receiveSubscription?(subscription))
    downstream.receive(subscription: subscription)
  }

  @inlinable
  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    stopInDebugger(if: receiveOutput?(input))
    return downstream.receive(input)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    stopInDebugger(if: receiveCompletion?(completion))
    downstream.receive(completion: completion)
  }
}

extension BreakpointSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .passes("breakpoint", to: Downstream.self) }
}

/// In debug builds, stops in the debugger if the condition is `true`.
@inlinable @inline(__always)
func stopInDebugger(if condition: Bool?) {
  // The condition of an assertion is compiled into debug builds only.
  assert(
    {
      if condition == true { stopInDebugger() }
      return true
    }())
}

@usableFromInline @inline(never)
func stopInDebugger() { Platform.stopInDebugger() }
