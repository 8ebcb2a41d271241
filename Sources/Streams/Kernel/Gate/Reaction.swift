/// A transition of a machine, from the moment when its engine has taken the lock until it releases the lock.
///
/// A machine has one as a parameter where it may change what waits, and ask for actions: so it is also the proof that the
/// lock is held.
@usableFromInline @frozen
package struct Reaction<Output, Failure: Error>: ~Copyable {
  @usableFromInline package let outbox: Unmanaged<Outbox<Output, Failure>>
  /// The gate's word when the lock was taken.
  @usableFromInline package let found: Gate.Word
  /// Indicates whether an element may be delivered as soon as the lock is released: no other waits, demand is unlimited,
  /// and no thread has the turn.
  @usableFromInline package var canPass: Bool
  /// The context of the caller, if it is carried.
  @usableFromInline package let context: Unmanaged<ContextSnapshot>?
  /// The element that is delivered as soon as the lock is released.
  @usableFromInline package var direct: Output?
  @usableFromInline package var directTag = 0
  /// An element that another one has replaced. It is released without the lock.
  @usableFromInline package var displaced: QueuedElement<Output>?

  @inlinable @inline(__always)
  package init(
    _ outbox: Outbox<Output, Failure>, _ found: Gate.Word, canPass: Bool = false,
    _ context: Unmanaged<ContextSnapshot>? = nil
  ) {
    self.outbox = .passUnretained(outbox)
    self.found = found
    self.canPass = canPass
    self.context = context
  }

  // MARK: What is known

  /// The demand of downstream that no delivery has met yet.
  @inlinable
  package var demand: Subscribers.Demand { outbox._withUnsafeGuaranteedRef { $0.demand } }

  /// Indicates whether the stream goes on.
  @inlinable
  package var isRunning: Bool { outbox._withUnsafeGuaranteedRef { $0.phase == .running } }

  /// Indicates whether the stream ends without the elements for which there is no demand.
  @inlinable
  package var endsEarly: Bool { outbox._withUnsafeGuaranteedRef { $0.phase == .endingEarly } }

  /// How many elements may wait, if their number is bounded.
  @inlinable
  package var bound: Bound? { outbox._withUnsafeGuaranteedRef { $0.bound } }

  /// Indicates whether the number of elements that may wait is bounded.
  @inlinable
  package var isBounded: Bool { outbox._withUnsafeGuaranteedRef { $0.bound.map { $0.size < .max } ?? false } }

  /// The number of elements that wait.
  @inlinable
  package var waiting: Int { outbox._withUnsafeGuaranteedRef { $0.queue.count } }

  /// The number of waiting elements that may be delivered.
  @inlinable
  package var ready: Int { outbox._withUnsafeGuaranteedRef { $0.ready } }

  /// Indicates whether an element waits that may not be delivered yet.
  @inlinable
  package var hasCandidate: Bool { waiting > ready }

  /// Indicates whether there is demand for another element than those that are ready.
  @inlinable
  package var wantsCandidate: Bool { demand > .max(ready) }

  /// Indicates whether an element with the tag waits.
  @usableFromInline
  package func holdsElement(tag: Int) -> Bool {
    outbox._withUnsafeGuaranteedRef { outbox in (0..<outbox.queue.count).contains { outbox.queue[$0].tag == tag } }
  }

  // MARK: Elements

  /// Sends an element downstream, as soon as its turn comes.
  @inlinable @inline(__always)
  package mutating func emit(_ element: Output, tag: Int = 0) {
    if canPass {
      direct = element
      directTag = tag
      canPass = false
    } else {
      enqueue(element, tag: tag)
    }
  }

  /// Sends an element downstream through the queue, so that the machine is told of its delivery.
  @inlinable
  package mutating func enqueue(_ element: Output, tag: Int = 0) {
    queueDirect()
    append(element, tag: tag)
  }

  @inlinable @inline(never)
  package func append(_ element: Output, tag: Int) {
    outbox._withUnsafeGuaranteedRef {
      assert($0.ready == $0.queue.count, "an element is sent while one waits that is not ready")
      $0.append(element, tag: tag, context)
      $0.ready &+= 1
    }
  }

  /// Queues the element instead of delivering it directly, because the transition does more.
  @inlinable @inline(__always)
  package mutating func queueDirect() {
    canPass = false
    if let element = direct.take() { append(element, tag: directTag) }
  }

  /// Lets an element wait until ``setReady(_:)``.
  @inlinable @inline(__always)
  package mutating func store(_ element: Output) {
    outbox._withUnsafeGuaranteedRef { $0.append(element, tag: 0, context) }
  }

  /// Sends an element downstream, as soon as its turn comes, in a context that was kept for it, if contexts are carried.
  @inlinable
  package mutating func emit(_ element: Output, in context: ContextSnapshot?) {
    guard let context else { return emit(element) }
    queueDirect()
    store(element, in: context)
    setReady(ready + 1)
  }

  /// Lets an element wait until ``setReady(_:)``, in a context that was kept, or that in which downstream subscribed.
  @inlinable
  package mutating func store(_ element: Output, in context: ContextSnapshot?) {
    outbox._withUnsafeGuaranteedRef {
      $0.append(element, tag: 0, (context ?? $0.completionContext).map { .passUnretained($0) })
    }
  }

  /// Keeps the context of the caller for an element that is made later, if contexts are carried.
  @inlinable
  package mutating func keepContext(in kept: inout ContextSnapshot?) {
    guard let context = context?.takeUnretainedValue(), context !== kept else { return }
    release(kept)
    kept = context
  }

  /// Lets an element wait in place of the newest one.
  @inlinable @inline(__always)
  package mutating func replaceNewest(with element: Output) {
    outbox._withUnsafeGuaranteedRef {
      displaced = $0.queue.popLast()
      $0.append(element, tag: 0, context)
    }
  }

  /// Drops the oldest element that waits, apart from a number of promised ones.
  @usableFromInline
  package mutating func dropOldest(after promised: Int = 0) {
    outbox._withUnsafeGuaranteedRef {
      displaced = $0.queue.remove(at: promised)
      if $0.ready > promised { $0.ready &-= 1 }
    }
  }

  /// Drops the newest element, if it isn't ready.
  @inlinable
  package mutating func dropCandidate() {
    if hasCandidate { outbox._withUnsafeGuaranteedRef { displaced = $0.queue.popLast() } }
  }

  /// Indicates whether no element has been replaced or dropped.
  @inlinable
  package var displacesNothing: Bool { if case nil = displaced { true } else { false } }

  /// Makes the given number of elements at the front of the queue ready for delivery.
  @inlinable
  package mutating func setReady(_ count: Int) {
    outbox._withUnsafeGuaranteedRef {
      assert(count <= $0.queue.count, "more elements are ready than wait")
      $0.ready = count
    }
  }

  // MARK: The end

  /// Ends the stream after the elements that wait. If a scheduler delivers, the completion waits for it.
  @inlinable
  package mutating func finish(_ completion: Subscribers.Completion<Failure> = .finished) {
    end(in: outbox._withUnsafeGuaranteedRef { $0.deliversOnScheduler } ? .awaitingScheduler : .finishing, completion)
  }

  /// Ends the stream after the elements that wait, with the error that the operator makes, if it makes one.
  @inlinable
  package mutating func finishMakingError() {
    guard isRunning else { return }
    finish()
    outbox._withUnsafeGuaranteedRef { $0.makesError = true }
  }

  /// Lets the completion follow the elements that wait, if it has been waiting for the scheduler.
  @inlinable
  package mutating func setCompletionReady() {
    outbox._withUnsafeGuaranteedRef { if $0.phase == .awaitingScheduler { $0.phase = .finishing } }
  }

  /// Ends the stream after the elements for which there is demand.
  @inlinable
  package mutating func endEarly(with completion: Subscribers.Completion<Failure>) { end(in: .endingEarly, completion) }

  /// Ends the stream as its source has ended: after the elements that wait or, because of a failure, after those for which
  /// there is demand.
  @inlinable
  package mutating func end(with completion: Subscribers.Completion<Failure>) {
    if case .failure = completion { endEarly(with: completion) } else { finish() }
  }

  @inlinable @inline(never) @_optimize(size)
  package mutating func end(in phase: Gate.Phase, _ completion: Subscribers.Completion<Failure>) {
    queueDirect()
    outbox._withUnsafeGuaranteedRef {
      guard $0.phase == .running else { return }
      $0.phase = phase
      $0.completion = completion
      if let context {
        if let displaced = $0.completionContext { $0.add(.release(displaced)) }
        $0.completionContext = context.takeUnretainedValue()
      }
    }
  }

  // MARK: Actions

  /// Requests elements of a source.
  @inlinable
  package mutating func request(_ demand: Subscribers.Demand, from subscription: SubscriptionObject?) {
    if let subscription, demand != .none { add(.request(subscription, demand)) }
  }

  /// Cancels the subscription to a source.
  @inlinable
  package mutating func cancel(_ subscription: SubscriptionObject?) {
    if let subscription { add(.cancel(subscription)) }
  }

  /// Releases an object, such as the subscription to a source that has ended, or a timer that has fired.
  @inlinable
  package mutating func release(_ object: AnyObject?) { if let object { add(.release(object)) } }

  /// Gives up what a machine holds, which is released without the lock.
  @inlinable
  package mutating func discard<Content: ~Copyable>(_ content: consuming Content) { add(.release(Constant(content))) }

  /// Cancels a timer.
  @inlinable
  package mutating func disarm(_ timer: TimerObject?) { if let timer { add(.disarm(timer)) } }

  /// Has the machine ask its scheduler for a timer; see ``Machine/schedule(_:for:)``.
  @inlinable
  package mutating func arm(_ number: Int) {
    outbox._withUnsafeGuaranteedRef {
      assert($0.actions.timer == nil, "a transition arms two timers")
      $0.actions.timer = number
    }
  }

  /// Has the machine ask its scheduler for a delivery, unless one has been scheduled that has not begun.
  @inlinable @inline(__always)
  package mutating func scheduleDelivery() {
    outbox._withUnsafeGuaranteedRef {
      if $0.isScheduled { return }
      $0.isScheduled = true
      $0.actions.delivers = true
    }
  }

  @inlinable @inline(never)
  package mutating func add(_ action: Action) {
    queueDirect()
    outbox._withUnsafeGuaranteedRef { $0.add(action) }
  }
}

extension Gate {
  /// Adds an action to the present transition. Called under the lock.
  @usableFromInline
  package final func add(_ action: Action) { actions.append(action) }

  /// Adds a report if so many elements wait that this is worth one. Called in assertions, under the lock.
  @usableFromInline
  package final func notes(waiting count: Int) -> Bool {
    if count == StreamWarnings.waitingLimit { add(.reportWaiting) }
    return true
  }
}
