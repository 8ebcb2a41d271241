/// Sends values from one source to many subscribers. Used by subjects, `multicast`, `share` and `@Published`.
///
/// One thread sends at a time. A value that arrives while another is being sent, from within a delivery or from another
/// thread, is queued, and the sending thread sends it: every subscriber receives the same values in the same order, and
/// no thread waits. Subscribers are served in the order in which they joined.
///
/// A subject chooses what its subscribers receive of the past (``SubscriberList/Replay``), and sends accordingly:
///
/// | `replay` | each value is sent with | a subscriber that joins receives |
/// | --- | --- | --- |
/// | `nothing` | ``send(_:)`` | nothing |
/// | `newest`, `newestAndDelivered` | ``sendNewest(_:keepsAfterEnd:)`` | the current value, once it requests, on its own thread |
/// | `several` | ``sendAndKeep(_:)`` | the kept values, as far as it requests, even after the end |
///
/// A value is kept, and gets its ``Version``, when the broadcast accepts it: before it is delivered, and also if it is
/// only queued. A subscriber is *stale* while there is a kept value that it has neither received nor got in its
/// backlog. Versions ensure that it receives no value twice and none out of order.
@usableFromInline @_fixed_layout
final class Broadcast<Output, Failure: Error>: SubscriberList {
  /// The newest values, if subscribers receive several of them. Its contents are protected by the lock.
  @usableFromInline let kept: KeptValues?

  // Exclusive: protected by the lock, like the state of the subscriber list, and accessed only in `withElements`, which
  // runs no unknown code: displaced values are released outside.
  @usableFromInline @exclusivity(unchecked) var elements = Elements()

  @inlinable
  init() {
    kept = nil
    super.init(.nothing)
  }

  /// Creates a broadcast that replays its newest value.
  @inlinable
  init(current: Output, keepsDelivered: Bool = false) {
    kept = nil
    super.init(keepsDelivered ? .newestAndDelivered : .newest)
    elements.current = current
    elements.version = .first
    if keepsDelivered { elements.delivered = current }
  }

  /// Creates a broadcast that replays its newest values, up to the given number, even after the end.
  @inlinable
  init(keeping count: Int) {
    kept = KeptValues(count)
    super.init(.several)
    elements.version = .none
  }

  @inlinable @inline(__always)
  func withElements<Result: ~Copyable>(
    _ transition: (inout SubscriberList.State, inout Elements, borrowing LockKey) -> Result
  ) -> Result {
    withLock { transition(&$0, &elements, $1) }
  }

  // MARK: Sending

  /// Sends a value, unless another thread is sending: then leaves it to that. `keep` runs once, under the lock, when
  /// the broadcast accepts the value: it keeps the value and returns its version.
  @inlinable @inline(__always)
  func send(
    _ value: Output, keepsAfterEnd: Bool, recordsDelivery: Bool, _ keep: (inout Elements) -> Version
  ) {
    var version = Version.unordered
    let sends = withLock { _, key in
      // With its context, a value that is kept is sent like one that waits.
      guard contexts == nil, role.claimIfFree(key) else { return false }
      version = keep(&elements)
      return true
    }
    guard sends else { return enqueue(value, keepsAfterEnd: keepsAfterEnd, keep) }
    deliver(value, version: version)
    if recordsDelivery, replay == .newestAndDelivered { recordDelivery(value, version: version) }
    if !role.endUndisturbed() { sendQueued() }
  }

  /// Sends a value and keeps nothing.
  ///
  /// Not through the function above: unoptimized code would make and call a closure for each value.
  @inlinable
  func send(_ value: Output) {
    guard withLock({ role.claimIfFree($1) }) else { return enqueue(value, keepsAfterEnd: false) { _ in .unordered } }
    deliver(value, version: .unordered)
    if !role.endUndisturbed() { sendQueued() }
  }

  /// Sends a value that becomes the current one, for a broadcast that replays. After the completion, the value becomes
  /// the current one only if `keepsAfterEnd` is true.
  @inlinable
  func sendNewest(_ value: Output, keepsAfterEnd: Bool = false) {
    // Not an optional, here and below: unspecialized code looks up how to handle those at run time.
    var displaced = value
    send(value, keepsAfterEnd: keepsAfterEnd, recordsDelivery: true) { elements in
      elements.replaceCurrent(with: &displaced)
      return elements.version
    }
    _ = displaced
  }

  /// Records that every subscriber has received a value.
  @inlinable @inline(never)
  func recordDelivery(_ value: Output, version: Version) {
    _ = withElements { _, elements, _ in elements.recordDelivery(value, version: version) }
  }

  /// Sends a value and keeps it with others, for a broadcast that keeps several.
  @inlinable
  func sendAndKeep(_ value: Output) {
    var displaced: Output?
    send(value, keepsAfterEnd: false, recordsDelivery: false) { elements in
      displaced = kept.unsafelyUnwrapped.append(value)
      elements.version = elements.version.next
      return elements.version
    }
    _ = displaced
  }

  /// Queues a value for the sending thread. After the completion, the value is at most kept.
  @inlinable @inline(never)
  func enqueue(
    _ value: Output, keepsAfterEnd: Bool, in context: ContextSnapshot? = nil, _ keep: (inout Elements) -> Version
  ) {
    var displaced: Output?
    var displacedContext: ContextSnapshot?
    var isLost = false
    var lacksContext = false
    var isReported = false
    let sends = withElements { state, elements, key in
      if state.phase != .running {
        if keepsAfterEnd {
          _ = keep(&elements)
          // No subscriber receives it, not even those that are still to receive the completion: its version is lower
          // than every other.
          elements.version = .none
        } else {
          isLost = true
        }
        return false
      }
      if let contexts {
        // Captured outside the lock, because that may run code of a user.
        guard let context else {
          lacksContext = true
          return false
        }
        contexts.enqueue(context)
      }
      elements.queue.append(.value(value, version: keep(&elements)))
      assert(notes(elements.queue.count, &isReported))
      if let contexts, replay != .nothing {
        displacedContext = contexts.keep(context, of: kept?.values.count ?? 1)
      }
      if role.claimOrDisturb(key) || state.handover.takeOver() { return true }
      if replay == .newestAndDelivered { displaced = elements.recordDelivery(value, version: elements.version) }
      return false
    }
    if lacksContext {
      return enqueue(value, keepsAfterEnd: keepsAfterEnd, in: .captured(like: newestContext), keep)
    }
    if sends { sendQueued() }
    if isLost { ignoreLateValue() }
    if isReported { noteWaiting(of: Output.self) }
    _ = displaced
    _ = displacedContext
  }

  @inlinable
  func send(completion: Subscribers.Completion<Failure>) {
    let context = carriedContext()
    let sends = withElements { state, elements, key in
      if state.phase != .running { return false }
      state.phase = .ending
      elements.completion = completion
      elements.queue.append(.completion)
      contexts?.enqueue(context)
      return role.claimOrDisturb(key) || state.handover.takeOver()
    }
    if sends { sendQueued() }
  }

  /// Delivers a value to all branches on the list, which does not change meanwhile because no other thread sends.
  @inlinable @inline(__always)
  func deliver(_ value: Output, version: Version) {
    guard var member = list.members else { return }
    let limit = member + list.count
    while member != limit {
      member.pointee?._withUnsafeGuaranteedRef {
        let branch = unsafeDowncast($0, to: Branch<Output, Failure>.self)
        // The demand is recorded already: it is unlimited, or counted in the subscription.
        _ = branch.receive(branch, value, version)
      }
      member += 1
    }
  }

  /// Delivers a value under a context.
  @inlinable @inline(never)
  func deliver(_ value: Output, version: Version, in context: ContextSnapshot) {
    context.run { deliver(value, version: version) }
  }

  /// Sends the queued signals and processes the subscribers that joined, left or have waiting values, until nothing is
  /// left or another thread takes over. The caller is then no longer the sender.
  @inlinable @inline(never)
  func sendQueued() {
    DrainRole.drain { change in
      withLock { change(&$0.handover) }
    } _: { turn in
      var context: ContextSnapshot?
      let (signal, ended, changes) = withElements { state, elements, key in
        var ended: (members: [AnyBranch], upstreams: [any Subscription]) = ([], [])
        let isIdle = elements.queue.isEmpty && state.changes.isEmpty
        if !isIdle, turn.isOver(&state.handover), turn.offers(&state.handover) {
          return (Signal?.none, ended, [Change]())
        }
        if isIdle { stopSending(&state, key) }
        let (changes, signal) = (applyChanges(&state), elements.queue.popFirst())
        if signal != nil, let contexts { context = contexts.dequeue(remaining: elements.queue.count) }
        if case .completion = signal { ended = dissolve(&state) }
        return (signal, ended, changes)
      }
      if turn.isOnOffer { return true }
      catchUp(changes)
      switch signal {
      case nil: return !changes.isEmpty
      case .value(let value, let version):
        if let context { deliver(value, version: version, in: context) } else { deliver(value, version: version) }
        if replay == .newestAndDelivered { recordDelivery(value, version: version) }
      case .completion:
        complete(ended.members, in: context)
        for upstream in ended.upstreams { upstream.cancel() }
      }
      return true
    }
  }

  // MARK: Subscribing

  /// Attaches a subscriber, whose subscription retains the owner of the broadcast; without one, the broadcast itself.
  @inlinable @inline(__always)
  func subscribe<S: Subscriber>(_ subscriber: consuming S, of owner: AnyObject? = nil)
  where S.Input == Output, S.Failure == Failure {
    enter(SubscriberBranch(subscriber, subscription(for: subscriber._upstreamLink), self, of: owner ?? self))
  }

  @inlinable
  var currentValue: (Output, Version, ContextSnapshot?)? {
    withElements { _, elements, _ in
      guard let current = elements.current else { return nil }
      return (current, elements.version, contexts?.context(ofKept: 0))
    }
  }

  @inlinable @inline(never)
  var completion: Subscribers.Completion<Failure>? { withElements { _, elements, _ in elements.completion } }

  /// The newest value that every subscriber has received, if the broadcast keeps it.
  @inlinable
  var deliveredValue: Output? { withElements { _, elements, _ in elements.delivered } }
}

extension Broadcast {
  /// The elements that a broadcast keeps.
  @usableFromInline @frozen
  struct Elements: ~Copyable {
    // Fields whose size does not depend on the element type come first, so that their offsets need not be looked up at
    // run time.
    /// The version of the newest value.
    @usableFromInline var version = Version.unordered
    @usableFromInline var deliveredVersion = Version.first

    @usableFromInline var queue = Ring<Signal>()
    @usableFromInline var completion: Subscribers.Completion<Failure>?

    /// The newest value, which is replayed; `nil` when the broadcast does not replay one.
    @usableFromInline var current: Output?

    /// The newest value that every subscriber has received, or that was sent while another was being delivered, if it
    /// is kept.
    @usableFromInline var delivered: Output?

    @inlinable
    init() {}

    /// Makes a value the current one, replacing the existing one. `value` is then the displaced value.
    @inlinable
    mutating func replaceCurrent(with value: inout Output) {
      swap(&value, &current!)
      version = version.next
    }

    /// Records a value as delivered, unless a newer one is. Returns the value that it displaces.
    @inlinable
    mutating func recordDelivery(_ value: Output, version: Version) -> Output? {
      guard version > deliveredVersion else { return nil }
      var displaced: Output? = value
      swap(&displaced, &delivered)
      deliveredVersion = version
      return displaced
    }
  }

  /// A signal that a broadcast sends.
  @usableFromInline
  enum Signal {
    case value(Output, version: Version)
    case completion
  }

  /// The newest values of a broadcast, up to a number. Protected by the broadcast's lock.
  @usableFromInline @_fixed_layout
  final class KeptValues {
    @usableFromInline let limit: Int
    // Exclusive: accessed only under the broadcast's lock, which is never held while unknown code runs.
    @usableFromInline @exclusivity(unchecked) var values = Ring<Output>()

    @inlinable
    init(_ limit: Int) { self.limit = limit }

    /// Keeps a value. Returns the one that is discarded for it, if any.
    @inlinable @inline(__always)
    func append(_ value: Output) -> Output? {
      if values.count == limit { return limit == 0 ? value : values.pushOutFirst(with: value) }
      values.append(value)
      return nil
    }
  }
}
