/// Sends from one to many; behind subjects, `multicast`, `share` and `@Published`.
///
/// One thread at a time sends. A value that comes while another is being sent, from inside a delivery or from another
/// thread, is queued, and sent by whoever is sending: every subscriber sees the same values in the same order, and
/// nobody waits. Subscribers are served in the order in which they came.
///
/// With a `current` value, the broadcast replays it: a subscriber that asks gets the newest value at once, on its own
/// thread. Versions see to it that it gets no value twice and none out of order.
@usableFromInline @_fixed_layout
final class Broadcast<Output, Failure: Error>: Roster {
  /// Whether there is a current value that subscribers get when they ask, or there are several.
  @usableFromInline let replays: Bool

  /// The newest values, where there are several that subscribers get; its values are protected by the lock.
  @usableFromInline let kept: KeptValues<Output>?

  // Exclusive: protected by the lock, like the state of the roster, and reached in `withElements` only, which runs nothing unknown
  // meanwhile: what is displaced is released outside.
  @usableFromInline @exclusivity(unchecked) var elements = BroadcastElements<Output, Failure>()

  @inlinable
  init() {
    replays = false
    kept = nil
    super.init(asksAtOnce: false)
  }

  /// Makes a broadcast that replays its newest value, and asks upstream for everything at once: else that were not the
  /// newest.
  @inlinable
  init(current: Output, keepsSettled: Bool = false) {
    replays = true
    kept = nil
    super.init(asksAtOnce: true)
    elements.current = current
    elements.version = 0
    if keepsSettled { elements.keepSettled(current) }
  }

  /// Makes a broadcast that replays so many of its newest values, also after the end, and asks upstream for everything at once.
  @inlinable
  init(keeping count: Int) {
    replays = true
    kept = KeptValues(count)
    super.init(asksAtOnce: true, keepsSeveral: true)
    elements.version = -1
  }

  @inlinable @inline(__always)
  func withElements<Result: ~Copyable>(
    _ transition: (inout Roster.State, inout BroadcastElements<Output, Failure>) -> Result
  ) -> Result {
    withLock { transition(&$0, &elements) }
  }

  // MARK: Sending

  /// Sends a value and keeps nothing.
  @inlinable
  func send(_ value: Output) {
    let sends = withLock { state in
      if state.isSending { return false }
      state.isSending = true
      return true
    }
    guard sends else { return enqueue(value) }
    deliver(value, version: Int.max)
    let isUndisturbed = withLock { state in
      if state.isDisturbed { return false }
      state.isSending = false
      return true
    }
    if !isUndisturbed { sendQueued() }
  }

  /// Sends a value that becomes the current one, for a broadcast that replays; after the completion it becomes that only
  /// if it is to be kept.
  @inlinable
  func sendNewest(_ value: Output, keepsAfterEnd: Bool = false) {
    // Not an optional, here and below: what is not specialised looks those up at run time.
    var displaced = value
    var version = 0
    let sends = withElements { state, elements in
      if state.isSending { return false }
      state.isSending = true
      elements.replaceCurrent(with: &displaced)
      version = elements.version
      return true
    }
    guard sends else { return enqueue(value, keepsAfterEnd: keepsAfterEnd) }
    deliver(value, version: version)
    let isUndisturbed = withElements { state, elements in
      if state.isDisturbed || elements.keepsSettled { return false }
      state.isSending = false
      return true
    }
    if !isUndisturbed { settle(value, version: version) }
    _ = displaced
  }

  /// Settles a value that everybody has received, where that is kept, and sends what was queued meanwhile.
  @inlinable @inline(never)
  func settle(_ value: Output, version: Int) {
    var unsettled: Output?
    let isUndisturbed = withElements { state, elements in
      unsettled = elements.settle(value, version: version)
      if state.isDisturbed { return false }
      state.isSending = false
      return true
    }
    if !isUndisturbed { sendQueued() }
    _ = unsettled
  }

  /// Sends a value, and keeps it with others, for a broadcast that keeps several.
  @inlinable
  func sendAndKeep(_ value: Output) {
    var displaced: Output?
    let version: Int? = withElements { state, elements in
      if state.isSending { return nil }
      state.isSending = true
      displaced = kept.unsafelyUnwrapped.append(value)
      elements.version &+= 1
      return elements.version
    }
    guard let version else { return enqueue(value) }
    deliver(value, version: version)
    let isUndisturbed = withLock { state in
      if state.isDisturbed { return false }
      state.isSending = false
      return true
    }
    if !isUndisturbed { sendQueued() }
    _ = displaced
  }

  /// Leaves a value to whoever is sending; after the completion it is at most kept.
  @inlinable @inline(never)
  func enqueue(_ value: Output, keepsAfterEnd: Bool = false) {
    var (current, displaced, unsettled): (Output, Output?, Output?) = (value, nil, nil)
    let sends = withElements { state, elements in
      if state.isOver {
        if keepsAfterEnd {
          elements.replaceCurrent(with: &current)
          // Nobody gets it, not even those who are still to receive the completion: it is older than every other.
          elements.version = -1
        }
        return false
      }
      if let kept {
        displaced = kept.append(value)
        elements.version &+= 1
      } else if replays {
        elements.replaceCurrent(with: &current)
      }
      elements.queue.append(.value(value, version: elements.version))
      state.isDisturbed = true
      if !state.isSending || state.handover.take() {
        state.isSending = true
        return true
      }
      unsettled = elements.settle(value, version: elements.version)
      return false
    }
    if sends { sendQueued() }
    _ = (current, displaced, unsettled)
  }

  @inlinable
  func send(completion: Subscribers.Completion<Failure>) {
    let sends = withElements { state, elements in
      if state.isOver { return false }
      state.isOver = true
      state.isDisturbed = true
      elements.completion = completion
      elements.queue.append(.completion)
      defer { state.isSending = true }
      return !state.isSending || state.handover.take()
    }
    if sends { sendQueued() }
  }

  /// Delivers a value to everyone on the list, which stands still meanwhile: nobody else sends.
  @inlinable @inline(__always)
  func deliver(_ value: Output, version: Int) {
    guard var member = list.members else { return }
    let end = member + list.count
    while member != end {
      member.pointee?._withUnsafeGuaranteedRef {
        let branch = unsafeDowncast($0, to: Branch<Output, Failure>.self)
        // What it asks for is recorded already: unlimited demand, or in the gate.
        _ = branch.receive(branch, value, version)
      }
      member += 1
    }
  }

  /// Sends what was queued meanwhile, sees to who came, left or is behind, and stops being the sender: when nothing is left,
  /// or somebody else takes over.
  @inlinable
  func sendQueued() {
    var sent: (value: Output, version: Int)?
    var turn = Turn()
    while true {
      var isOffered = false
      let (signal, ended, changes, _) = withElements { state, elements in
        let unsettled = sent.flatMap { elements.settle($0.value, version: $0.version) }
        var ended: (members: [AnyBranch], upstreams: [any Subscription]) = ([], [])
        if !elements.queue.isEmpty || !state.changes.isEmpty, turn.isUp(&state.handover), turn.offers(&state.handover) {
          isOffered = true
          return (BroadcastSignal<Output>?.none, ended, [Change](), unsettled)
        }
        let changes = applyChanges(&state)
        let signal = elements.queue.popFirst()
        if signal == nil, changes.isEmpty { stopSending(&state) }
        if case .completion = signal { ended = dissolve(&state) }
        return (signal, ended, changes, unsettled)
      }
      sent = nil
      if isOffered, turn.isTaken({ change in withLock { change(&$0.handover) } }) { return }
      catchUp(changes)
      switch signal {
      case nil: if !isOffered, changes.isEmpty { return }
      case .value(let value, let version):
        deliver(value, version: version)
        sent = (value, version)
      case .completion:
        for member in ended.members { member.complete() }
        for upstream in ended.upstreams { upstream.cancel() }
      }
    }
  }

  // MARK: Subscribing

  @inlinable @inline(__always)
  func subscribe<S: Subscriber>(_ subscriber: consuming S) where S.Input == Output, S.Failure == Failure {
    enter(conduit(for: subscriber))
  }

  /// Attaches a subscriber to a broadcast that keeps several values, which it gets also after the end.
  @inlinable @inline(__always)
  func subscribeToKept<S: Subscriber>(_ subscriber: consuming S) where S.Input == Output, S.Failure == Failure {
    enterAlsoLate(conduit(for: subscriber))
  }

  @inlinable @inline(__always)
  func conduit<S: Subscriber>(for subscriber: consuming S) -> Conduit<S> where S.Input == Output, S.Failure == Failure {
    Conduit(subscriber, gate(for: subscriber._inlet, isStale: replays), self)
  }

  @inlinable
  var currentValue: (Output, Int)? { withElements { _, elements in elements.current.map { ($0, elements.version) } } }

  @inlinable @inline(never)
  var completion: Subscribers.Completion<Failure>? { withElements { $1.completion } }

  /// The newest value that everybody has received, if the broadcast keeps it.
  @inlinable
  var settledValue: Output? { withElements { $1.settled } }
}

/// What a broadcast keeps of its elements.
@usableFromInline @frozen
struct BroadcastElements<Output, Failure: Error>: ~Copyable {
  // First what is of the same size for all kinds of elements: where it is need not be looked up at run time.
  /// Counts the values; `Int.max` when the broadcast does not replay, and no value is older than another.
  @usableFromInline var version = Int.max
  @usableFromInline var settledVersion = 0
  /// Whether the newest value is kept that everybody has received.
  @usableFromInline var keepsSettled = false

  @usableFromInline var queue = Ring<BroadcastSignal<Output>>()
  @usableFromInline var completion: Subscribers.Completion<Failure>?

  /// The newest value, which is replayed; `nil` when the broadcast does not replay.
  @usableFromInline var current: Output?

  /// The newest value that everybody has received, or that was sent while another was being delivered, if it is kept.
  @usableFromInline var settled: Output?

  @inlinable
  init() {}

  /// Makes a value the current one, of which there is one already; `value` is then what it displaces.
  @inlinable
  mutating func replaceCurrent(with value: inout Output) {
    swap(&value, &current!)
    version &+= 1
  }

  /// From now on the newest value is kept that everybody has received.
  @usableFromInline
  mutating func keepSettled(_ value: Output) {
    keepsSettled = true
    settled = value
  }

  /// Settles a value unless a newer one is; returns what it displaces.
  @inlinable
  mutating func settle(_ value: Output, version: Int) -> Output? {
    guard keepsSettled, version > settledVersion else { return nil }
    var displaced: Output? = value
    swap(&displaced, &settled)
    settledVersion = version
    return displaced
  }
}

/// What a broadcast sends.
@usableFromInline
enum BroadcastSignal<Output> {
  case value(Output, version: Int)
  case completion
}

/// The newest values of a broadcast, up to a number; protected by its lock.
@usableFromInline @_fixed_layout
final class KeptValues<Value> {
  @usableFromInline let limit: Int
  // Exclusive: accessed only under the broadcast's lock, which is never held while unknown code runs.
  @usableFromInline @exclusivity(unchecked) var values = Ring<Value>()

  @inlinable
  init(_ limit: Int) { self.limit = limit }

  /// Keeps a value; returns the one that is forgotten.
  @inlinable @inline(__always)
  func append(_ value: Value) -> Value? {
    if values.count == limit { return values.pushOutFirst(with: value) }
    values.append(value)
    return nil
  }
}
