internal import Synchronization

/// Counts subscribers, and retains the connection while there are any subscribers.
@usableFromInline
package final class Connection: Locked<Connection.State> {
  @usableFromInline
  package struct State {
    var count = 0
    /// The number of the current connection. A connection made after its last subscriber has left is cancelled immediately.
    var number = 0
    /// Indicates whether a subscriber has received the completion, or left after the broadcast had ended.
    var isOver = false
    var cancellable: (any Cancellable)?
    /// The broadcast created for the current connection, if any.
    var broadcast: Engine?

    mutating func enter() -> Int? {
      count += 1
      guard count == 1, !isOver else { return nil }
      number += 1
      return number
    }
  }

  @usableFromInline
  package init() { super.init(State()) }

  /// Counts a subscriber and returns the number of the connection to make for it, if any.
  @usableFromInline
  package func enter() -> Int? { withLock { $0.enter() } }

  /// Counts a subscriber and also returns the connection's broadcast, which `makeBroadcast` creates if there's none. The closure
  /// runs without the lock, because a broadcast captures its caller's contexts. If another thread stores a broadcast first, that
  /// one is used.
  @usableFromInline
  package func enter(_ makeBroadcast: () -> Engine) -> (Engine, Int?) {
    var made: Engine?
    while true {
      let entered: (Engine, Int?)? = withLock { state in
        guard let broadcast = state.broadcast ?? made else { return nil }
        state.broadcast = broadcast
        return (broadcast, state.enter())
      }
      if let entered { return entered }
      made = makeBroadcast()
    }
  }

  /// Returns whether the connection with the given number is still wanted.
  @usableFromInline
  package func isWanted(_ number: Int) -> Bool { withLock { $0.count > 0 && $0.number == number && !$0.isOver } }

  @usableFromInline
  package func connected(_ cancellable: any Cancellable, _ number: Int) {
    let isWanted = withLock { state in
      guard state.count > 0, state.number == number else { return false }
      state.cancellable = cancellable
      return true
    }
    if !isWanted { cancellable.cancel() }
  }

  /// Stops counting a subscriber that has cancelled or received the completion.
  @usableFromInline
  package func leave(hasEnded: Bool) {
    let (cancellable, _): ((any Cancellable)?, Engine?) = withLock { state in
      // Even if the broadcast has ended, a subscriber for which stored values wait hasn't received the completion.
      if hasEnded || state.broadcast?.hasEnded == true { state.isOver = true }
      state.count -= 1
      guard state.count == 0 else { return (nil, nil) }
      return (state.cancellable.take(), state.isOver ? nil : state.broadcast.take())
    }
    cancellable?.cancel()
  }
}

extension Connection {
  /// Attaches a subject to a source if the connection with the given number is still wanted.
  ///
  /// Never inlined, because one copy for each source type is enough.
  @inlinable @inline(never) @_optimize(size)
  package func connect<Source: Publisher, S: Subject>(_ source: Source, to subject: S, _ number: Int)
  where S.Output == Source.Output, S.Failure == Source.Failure {
    if let subscriber = makeSubscriber(subject, number) { source.subscribe(subscriber) }
  }

  /// Returns the subscriber that attaches a subject, if the connection with the given number is still wanted.
  @inlinable @inline(never) @_optimize(size)
  package func makeSubscriber<S: Subject>(_ subject: S, _ number: Int) -> SubjectSubscriber<S>? {
    // In the meantime, the subscriber may have left or received the completion.
    guard isWanted(number) else { return nil }
    let subscriber = SubjectSubscriber(subject)
    connected(AnyCancellable(link: subscriber.link), number)
    return subscriber
  }

  /// Creates the subscription for a counted subscriber. It's a method, because a client of the initializer would look up the
  /// class's metadata.
  @usableFromInline
  package func makeSubscription() -> AutoconnectSubscription { AutoconnectSubscription(self) }
}

/// A subscriber that notifies the connection when it leaves.
@usableFromInline
package protocol ConnectedSubscriber: Subscriber where Input == Downstream.Input, Failure == Downstream.Failure {
  associatedtype Downstream: Subscriber
  var downstream: Downstream { get }
  var subscription: AutoconnectSubscription { get }
}

extension ConnectedSubscriber {
  @inlinable
  package var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  @inlinable
  package var _upstreamLink: SubscriberLink? { SubscriberLink(subscription) }

  @inlinable
  package func receive(subscription upstream: any Subscription) {
    guard subscription.connect(upstream) else { return }
    if subscription.isDirect { downstream.declareUpstreamSerial() }
    downstream.receive(subscription: subscription)
  }

  @inlinable
  package func receive(completion: Subscribers.Completion<Failure>) {
    guard subscription.finish() else { return }
    subscription.leave(hasEnded: true)
    downstream.receive(completion: completion)
  }
}

@usableFromInline
package final class AutoconnectSubscription: CountedUpstreamLink {
  // Exclusive: accessed only by the first call to `leave(hasEnded:)`.
  @exclusivity(unchecked) private var connection: Connection?
  private let hasLeft = Atomic(false)

  init(_ connection: Connection) {
    self.connection = connection
    super.init()
  }

  @usableFromInline
  package override func cancel() {
    super.cancel()
    leave(hasEnded: false)
  }

  @usableFromInline
  package func leave(hasEnded: Bool) {
    // The connection is released here, because it may retain values and the subscriber may retain this subscription.
    if !hasLeft.exchange(true, ordering: .acquiringAndReleasing) { connection.take()?.leave(hasEnded: hasEnded) }
  }
}
