extension ConnectablePublisher {
  /// Connects when the first subscriber comes, and disconnects when the last one has left.
  ///
  /// ![Marble diagram of autoconnect](diagram-autoconnect)
  @inlinable
  public func autoconnect() -> Publishers.Autoconnect<Self> { Publishers.Autoconnect(upstream: self) }
}

extension Publishers {
  /// The publisher of ``ConnectablePublisher/autoconnect()``.
  ///
  /// A subscriber leaves when it cancels or receives the completion. A new one after the last has left connects again.
  @_fixed_layout
  public final class Autoconnect<Upstream: ConnectablePublisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that is connected.
    public let upstream: Upstream

    @usableFromInline let connection = Connection()

    /// Makes the publisher.
    @inlinable
    public init(upstream: Upstream) { self.upstream = upstream }

    /// Attaches a subscriber, and connects if it is the first.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let connects = connection.enter()
      upstream.subscribe(AutoconnectSubscriber(subscriber, connection))
      guard let connects else { return }
      upstream.connect(handingOver: { connection.connected($0, connects) })
    }
  }
}

/// Counts subscribers, and keeps the connection while there are any.
@usableFromInline
final class Connection: Locked<Connection.State> {
  @usableFromInline
  struct State {
    var count = 0
    /// Which connection it is; one that is made when its last subscriber has left already is cancelled at once.
    var number = 0
    var cancellable: (any Cancellable)?
  }

  @usableFromInline
  init() { super.init(State()) }

  /// Counts a subscriber; returns the number of the connection that is to be made for it.
  @usableFromInline
  func enter() -> Int? {
    withLock { state in
      state.count += 1
      guard state.count == 1 else { return nil }
      state.number += 1
      return state.number
    }
  }

  @usableFromInline
  func connected(_ cancellable: any Cancellable, _ number: Int) {
    let isWanted = withLock { state in
      guard state.count > 0, state.number == number else { return false }
      state.cancellable = cancellable
      return true
    }
    if !isWanted { cancellable.cancel() }
  }

  @usableFromInline
  func leave() {
    let cancellable: (any Cancellable)? = withLock { state in
      state.count -= 1
      return state.count == 0 ? state.cancellable.take() : nil
    }
    cancellable?.cancel()
  }
}

/// Tells the connection when its subscriber leaves.
@usableFromInline @frozen
struct AutoconnectSubscriber<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline let downstream: Downstream
  @usableFromInline let subscription: AutoconnectSubscription

  @inlinable
  init(_ downstream: Downstream, _ connection: Connection) {
    self.downstream = downstream
    subscription = AutoconnectSubscription(connection)
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  @inlinable
  func receive(subscription upstream: any Subscription) {
    if subscription.inlet.connect(upstream) { downstream.receive(subscription: subscription) }
  }

  @inlinable
  func receive(_ input: Downstream.Input) -> Subscribers.Demand { downstream.receive(input) }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard subscription.inlet.finish() else { return }
    subscription.leave()
    downstream.receive(completion: completion)
  }
}

/// The subscription of one of the subscribers that are counted.
@usableFromInline
final class AutoconnectSubscription: Subscription {
  @usableFromInline let inlet = Inlet()
  private let connection: Connection

  @usableFromInline
  init(_ connection: Connection) { self.connection = connection }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) { inlet.request(demand) }

  @usableFromInline
  func cancel() {
    guard let subscription = inlet.take() else { return }
    subscription.cancel()
    leave()
  }

  @usableFromInline
  func leave() { connection.leave() }
}
