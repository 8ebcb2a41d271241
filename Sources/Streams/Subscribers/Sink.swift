extension Publisher {
  /// Calls closures with each value and with the completion.
  ///
  ///     [1, 2].publisher.sink { print("end", $0) } receiveValue: { print($0) }   // 1 2 end finished
  ///
  /// Keep the returned cancellable. The sink requests unlimited demand. It retains the closures and their captures until the
  /// stream ends or is cancelled. If the closures use the object that stores the cancellable, call
  /// `sink(with: self) { me, value in … }`, which doesn't retain the object.
  ///
  /// If you create a sink on an actor, the sink belongs to that actor. Its closures run there, as if you had passed the actor
  /// to `receive(on:)`. If a value arrives on the actor, the sink handles it immediately, unless earlier values are still
  /// waiting. A value that arrives elsewhere waits for the actor in an unbounded queue. The sink doesn't retain the actor. If
  /// you create the sink elsewhere, or with `isolation: nil`, it calls its closures on the thread that sends the value or
  /// completion.
  ///
  /// - Parameters:
  ///   - isolation: The actor that the closures belong to. Defaults to the caller's actor.
  ///   - receiveCompletion: A closure that receives the completion.
  ///   - receiveValue: A closure that receives each value.
  /// - Returns: A cancellable that keeps the stream alive. Releasing it cancels the stream.
  /// - Complexity: O(1) for each value.
  @inlinable @inline(__always)  // Ambiguous with your overload? Remove the default value of its additional parameter.
  public func sink(
    isolation: isolated (any Actor)? = #isolation,
    receiveCompletion: consuming @escaping (Subscribers.Completion<Failure>) -> Void,
    receiveValue: consuming @escaping (Output) -> Void
  ) -> AnyCancellable {
    let sink = SinkSubscriber(receiveCompletion, receiveValue)
    if let isolation { subscribe(sink, on: isolation) } else { subscribe(sink) }
    return AnyCancellable(link: sink.link)
  }
}

extension Publisher where Failure == Never {
  /// Calls a closure with each value from a publisher that can't fail.
  ///
  /// It's otherwise like ``sink(isolation:receiveCompletion:receiveValue:)``. Keep the returned cancellable.
  ///
  /// - Parameters:
  ///   - isolation: The actor that the closure belongs to. Defaults to the caller's actor.
  ///   - receiveValue: A closure that receives each value.
  /// - Returns: A cancellable that keeps the stream alive. Releasing it cancels the stream.
  /// - Complexity: O(1) for each value.
  @inlinable @inline(__always)  // Ambiguous with your overload? Remove the default value of its additional parameter.
  public func sink(
    isolation: isolated (any Actor)? = #isolation, receiveValue: consuming @escaping (Output) -> Void
  ) -> AnyCancellable {
    let sink = SinkSubscriber<Output, Never>(nil, receiveValue)
    if let isolation { subscribe(sink, on: isolation) } else { subscribe(sink) }
    return AnyCancellable(link: sink.link)
  }
}

extension Subscribers {
  /// A subscriber that requests unlimited demand and calls closures.
  ///
  /// It releases the closures when the stream ends or is cancelled.
  @_fixed_layout
  public final class Sink<Input, Failure: Error>: Subscriber, Cancellable, CustomStringConvertible, CustomReflectable,
    CustomPlaygroundDisplayConvertible
  {
    @usableFromInline let subscriber: SinkSubscriber<Input, Failure>

    /// The closure for values or, after the end, one that does nothing.
    public var receiveValue: (Input) -> Void { subscriber.link.current.receiveValue }

    /// The closure for the completion or, after the end, one that does nothing.
    public var receiveCompletion: (Subscribers.Completion<Failure>) -> Void {
      subscriber.link.current.receiveCompletion ?? { _ in }
    }

    /// Creates a sink. Attach it with `subscribe(_:)`.
    ///
    /// - Parameters:
    ///   - receiveCompletion: A closure that receives the completion.
    ///   - receiveValue: A closure that receives each value.
    @inlinable
    public init(
      receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void, receiveValue: @escaping (Input) -> Void
    ) {
      subscriber = SinkSubscriber(receiveCompletion, receiveValue)
    }

    /// Requests unlimited demand.
    @inlinable
    public func receive(subscription: any Subscription) { subscriber.receive(subscription: subscription) }

    /// Calls the closure for values, unless the stream has ended.
    @inlinable
    public func receive(_ value: Input) -> Subscribers.Demand { subscriber.receive(value) }

    /// Calls the closure for the completion, unless the stream has ended.
    @inlinable
    public func receive(completion: Subscribers.Completion<Failure>) { subscriber.receive(completion: completion) }

    /// Cancels the stream. If you attach the sink to another stream later, that stream is cancelled too.
    @inlinable
    public func cancel() { subscriber.link.cancel() }

    /// The string `Sink`.
    public var description: String { "Sink" }

    /// An empty mirror, because closures can't be shown.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    /// The same text as `description`.
    public var playgroundDescription: Any { description }
  }
}

/// A sink's subscriber. It's a value that upstream stores inline, and holds only its link. The link owns the closures and
/// releases them even if upstream retains the subscriber.
@usableFromInline @frozen
struct SinkSubscriber<Input, Failure: Error>: Subscriber {
  @usableFromInline let link: SinkLink<Input, Failure>

  @inlinable
  init(
    _ receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?, _ receiveValue: @escaping (Input) -> Void
  ) {
    link = .make(receiveCompletion, receiveValue)
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { CombineIdentifier(link) }

  @inlinable
  var _upstreamLink: SubscriberLink? { SubscriberLink(link) }

  @inlinable
  func receive(subscription: any Subscription) {
    if link.connect(subscription) { subscription.request(.unlimited) }
  }

  @inlinable @inline(__always)
  func receive(_ value: Input) -> Subscribers.Demand {
    if link.isDirect { link.closures.call(value) } else { callCounted(value) }
    return .none
  }

  /// Calls the closure and counts the call. A separate function keeps the code for most values small.
  @inlinable @inline(never)
  func callCounted(_ value: Input) {
    link.call { link.closures.call(value) }
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) { link.receive(completion) }
}

extension SinkSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .ends }
}

/// A sink's link. It determines whether the closures may be called, and releases them.
@usableFromInline
class SinkLink<Input, Failure: Error>: CountedUpstreamLink {
  // Exclusive: replaced only after all calls have returned, which the link ensures. The lock serializes replacements. The type
  // isn't copyable, so that the closures are called in place. A closure in a variable would be retained for each call.
  @usableFromInline @exclusivity(unchecked) final var closures: Closures

  @inline(__always)
  required init(
    _ receiveCompletion: consuming ((Subscribers.Completion<Failure>) -> Void)?,
    _ receiveValue: consuming @escaping (Input) -> Void
  ) {
    closures = Closures(consume receiveCompletion, consume receiveValue)
    super.init()
  }

  /// Creates a sink's link.
  ///
  /// Without the attribute and `consume`, it would retain the closures. It's never inlined, because Swift 6.3's optimizer crashes
  /// when it follows noncopyable values into the callers.
  @usableFromInline @inline(never)
  @_semantics("optimize.sil.specialize.owned2guarantee.never")
  static func make(
    _ receiveCompletion: consuming ((Subscribers.Completion<Failure>) -> Void)?,
    _ receiveValue: consuming @escaping (Input) -> Void
  ) -> SinkLink {
    if RuntimeFeatures.includes(.observed) { return CountedSinkLink(receiveCompletion, receiveValue) }
    // `Self` is the type that the caller used. Naming the type would look it up again.
    return Self(consume receiveCompletion, consume receiveValue)
  }

  var current: Closures { withLock { _ in closures.copy() } }

  /// Calls the closure for the completion. It's never inlined, so that clients don't compile it for each type.
  @usableFromInline @inline(never)
  func receive(_ completion: Subscribers.Completion<Failure>) {
    call(isLast: true) { closures.call(completion) }
  }

  @usableFromInline @inline(never)
  override func releaseClosures() {
    var others = Closures(nil) { _ in }
    withLock { _ in swap(&others, &closures) }
  }
}

/// The link of a sink whose values are counted, because the streams are being observed.
private final class CountedSinkLink<Input, Failure: Error>: SinkLink<Input, Failure> {
  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var counter: SinkCounter<Input>?

  required init(
    _ receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?, _ receiveValue: @escaping (Input) -> Void
  ) {
    super.init(receiveCompletion, receiveValue)
    guard let entry = StreamObserver.current?.began(self) else { return }
    let counter = SinkCounter(entry, receiveValue)
    var counted = Closures(receiveCompletion, counter.closure)
    // The observer may already be reading these properties.
    withLock { _ in
      self.counter = counter
      swap(&counted, &closures)
    }
  }

  override func inspectContents(_ state: UpstreamLink.State, _ tell: StreamFact.Tell) {
    super.inspectContents(state, tell)
    counter?.tell(tell)
  }

  override func cancel() {
    liveCounter?.noteCancellation()
    super.cancel()
  }

  override func receive(_ completion: Subscribers.Completion<Failure>) {
    liveCounter?.note(completion)
    super.receive(completion)
  }

  /// The counter, unless the stream is over.
  private var liveCounter: SinkCounter<Input>? { withLock { _ in isForwarding ? counter : nil } }

  /// A copy of the closures. It doesn't retain the counter, which must not outlive the sink.
  override var current: Closures {
    withLock { _ in
      if let counter { Closures(closures.receiveCompletion, counter.receiveValue) } else { closures.copy() }
    }
  }

  override func releaseClosures() {
    _ = withLock { _ in counter.take() }
    super.releaseClosures()
  }
}

/// Counts a sink's values, and calls the sink's closure with each.
private final class SinkCounter<Input>: TimedCounter {
  let receiveValue: (Input) -> Void

  init(_ entry: UInt32, _ receiveValue: @escaping (Input) -> Void) {
    self.receiveValue = receiveValue
    super.init(entry)
  }

  /// A closure that captures only this object, so no separate context needs to be allocated for it.
  var closure: (Input) -> Void { { self.receive($0) } }

  private func receive(_ value: Input) {
    note()
    noteTime()
    receiveValue(value)
  }
}

extension SinkLink {
  @usableFromInline
  struct Closures: ~Copyable {
    @usableFromInline let receiveValue: (Input) -> Void
    /// `nil` after the end, and in a sink that was created without this closure.
    @usableFromInline let receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?

    @inline(__always)
    init(
      _ receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?, _ receiveValue: @escaping (Input) -> Void
    ) {
      self.receiveCompletion = receiveCompletion
      self.receiveValue = receiveValue
    }

    @inlinable @inline(__always)
    func call(_ input: Input) { receiveValue(input) }

    @inlinable
    func call(_ completion: Subscribers.Completion<Failure>) { receiveCompletion?(completion) }

    func copy() -> Self { Self(receiveCompletion, receiveValue) }
  }
}

extension Subscribers.Sink: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .ends }
}
