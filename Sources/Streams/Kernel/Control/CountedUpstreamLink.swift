public import Synchronization

/// The upstream link of a sink: decides when the sink's closures are released.
///
/// A source of the kernel declares itself serial (``declareSerial()``): its signals never overlap, and it releases its
/// subscriber, so the closures are called without counting and are released with the subscriber. A foreign publisher may keep
/// its subscriber, or send from several threads at the same time. Its calls are counted, and the last call or the cancellation,
/// whichever comes later, releases the closures, which a subclass stores (``releaseClosures()``).
@usableFromInline
package class CountedUpstreamLink: UpstreamLink {
  @usableFromInline
  package override init() { super.init() }

  /// Releases the closures that are called with values. Called outside the lock when no call is in progress anymore, possibly
  /// twice.
  @usableFromInline
  package func releaseClosures() {}

  /// Records that the publisher about to connect is a source of the kernel. Called only by that source, directly before
  /// it sends its subscription.
  @usableFromInline
  package final func declareSerial() {
    withLock { state in
      if isWaiting { state.isSerial = true }
    }
  }

  @usableFromInline
  package override func connect(_ subscription: any Subscription) -> Bool {
    connect(subscription) { $0.isSerial ? State.direct : State.counted }
  }

  @usableFromInline
  package override func cancel() {
    let (subscription, isIdle) = withLock { disconnect(&$0) }
    subscription?.cancel()
    if isIdle { releaseClosures() }
  }

  /// Records a cancellation. Returns the subscription to cancel, and whether to release the closures after that.
  final func disconnect(_ state: inout State) -> (subscription: SubscriptionObject?, isIdle: Bool) {
    status.store(State.disconnected, ordering: .relaxed)
    return (state.subscription.take(), !state.isSerial && state.calls == 0)
  }

  /// Handles a value that a subject has dropped because it wasn't requested. Called without a lock.
  func valueDropped(hasRequested: Bool, for subscriber: Any) {
    assert(noteDroppedValue(hasRequested: hasRequested, for: subscriber))
  }

  /// Indicates whether the subscriber is a loop that requests each value when it awaits one, and so misses values that a
  /// subject sends while the loop is busy.
  var isBusyLoop: Bool { false }

  /// Indicates whether this is connected to a source of the kernel whose values aren't observed.
  @inlinable
  package final var isDirect: Bool { status.load(ordering: .relaxed) == State.direct }

  /// Indicates whether this is connected to a source of the kernel, even if its values are observed.
  @usableFromInline
  package final var isSerial: Bool { isDirect || isObserved && withLock { $0.isSerial } }

  /// Indicates whether the values that arrive are counted.
  @inlinable
  package final var isObserved: Bool { status.load(ordering: .relaxed) == State.observed }

  /// Returns whether to handle a value, and counts the value if values are observed.
  @inlinable @inline(__always)
  package final func accepts() -> Bool { status.load(ordering: .relaxed) > State.observed || noteArrival() }

  /// Counts a value, unless this is disconnected. Returns whether to handle it.
  @usableFromInline @inline(never)
  package final func noteArrival() -> Bool {
    guard isObserved else { return isForwarding }
    (self as? ObservedLink)?.counter.noteArrival()
    return true
  }

  /// Counts a value that the operator doesn't forward, if values are observed.
  @usableFromInline @inline(never)
  package final func noteDrop(_ collected: (held: Int, batch: Int)? = nil) {
    guard let counter = (self as? ObservedLink)?.counter else { return }
    counter.noteDrop()
    if let collected { counter.noteHeld(collected) }
  }

  /// Calls a closure of the sink and counts the call, unless this is disconnected. The last call records that upstream has
  /// ended.
  @inlinable @inline(__always)
  package final func call(isLast: Bool = false, _ body: () -> Void) {
    guard beginCall(isLast) else { return }
    body()
    endCall()
  }

  @usableFromInline
  package final func beginCall(_ isLast: Bool) -> Bool {
    assert(noteMissingSubscription(if: isWaiting))
    let (begins, _) = withLock { state in
      let begins = isForwarding
      if begins, state.calls != .max { state.calls += 1 }
      if !isLast { return (begins, SubscriptionObject?.none) }
      status.store(State.disconnected, ordering: .relaxed)
      return (begins, state.subscription.take())
    }
    return begins
  }

  /// Ends a call. Releases the closures if no other call is in progress and this is disconnected.
  @usableFromInline
  package final func endCall() {
    let isLast = withLock { state in
      if state.calls != .max { state.calls -= 1 }
      return state.calls == 0 && !isForwarding
    }
    if isLast { releaseClosures() }
  }
}

/// Creates a link. This is a function, because a client that calls the initializer would look up the class's metadata.
@usableFromInline
package func makeCountedUpstreamLink(_ name: OperatorName? = nil, collects: Bool = false) -> CountedUpstreamLink {
  if RuntimeFeatures.includes(.observed) { return ObservedLink(name, collects: collects) }
  return name.map { NamedLink($0) } ?? CountedUpstreamLink()
}

extension Subscriber {
  /// Declares that the publisher about to send its subscription is serial, if that matters to this subscriber
  /// (``CountedUpstreamLink/declareSerial()``).
  @inlinable @inline(__always)
  package func declareUpstreamSerial() {
    _upstreamLink?.link.declareSerial()
  }
}
