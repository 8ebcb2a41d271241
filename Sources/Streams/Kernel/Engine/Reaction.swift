/// A transition of an engine, from taking the lock until releasing it.
///
/// An engine receives a reaction where it may change its queue and ask for actions, so the reaction is also proof that the lock
/// is held.
///
/// The reaction owns the element that has arrived. An operator emits or stores it. Otherwise, the element is destroyed once the
/// lock has been released.
package struct Reaction: ~Copyable {
  private let unretainedEngine: Unmanaged<Engine>
  /// The engine's word when the lock was taken.
  let found: Engine.Word
  /// Indicates whether an element may be delivered as soon as the lock is released: no other element waits, demand is
  /// unlimited, and no thread has the turn.
  package private(set) var canPass: Bool
  /// The caller's context, if contexts are carried.
  private let context: Unmanaged<ContextSnapshot>?
  /// The time at which the signal arrives, if the engine needs to know it.
  private let time: UnsafePointer<Instant>?
  /// The element that has arrived, until it's taken.
  private(set) var arrived: UnsafeMutableRawPointer?
  /// Memory for an element that the engine creates, if it has the trait ``Engine/Traits/makesElements``.
  private let made: UnsafeMutableRawPointer?
  /// The element to deliver as soon as the lock is released.
  private(set) var direct: UnsafeMutableRawPointer?
  private var directTag = 0

  @inline(__always)
  package init(
    _ engine: Engine, _ found: Engine.Word, _ arrived: UnsafeMutableRawPointer? = nil, canPass: Bool = false,
    in context: Unmanaged<ContextSnapshot>? = nil, at time: UnsafePointer<Instant>? = nil,
    making made: UnsafeMutableRawPointer? = nil
  ) {
    unretainedEngine = .passUnretained(engine)
    self.found = found
    self.canPass = canPass
    self.context = context
    self.time = time
    self.arrived = arrived
    self.made = made
  }

  @inline(__always)
  private func withEngine<Result>(_ body: (Engine) -> Result) -> Result {
    unretainedEngine._withUnsafeGuaranteedRef(body)
  }

  // MARK: What is known

  /// Downstream's demand that no delivery has met yet.
  package var demand: Subscribers.Demand { withEngine { $0.demand } }

  /// Indicates whether the stream is running.
  package var isRunning: Bool { withEngine { $0.phase == .running } }

  /// Indicates whether the stream ends without the elements that weren't requested.
  package var endsEarly: Bool { withEngine { $0.phase == .endingEarly } }

  /// Indicates whether a thread is delivering. It also delivers the ready elements.
  package var isDelivering: Bool { withEngine { $0.hasTurn } }

  /// The bound on the number of elements that may wait, if there's one.
  package var bound: Bound? { withEngine { $0.bound } }

  /// Indicates whether the number of elements that may wait is bounded.
  package var isBounded: Bool { withEngine { $0.bound.map { $0.size < .max } ?? false } }

  package var waiting: Int { withEngine { $0.queue.count } }

  /// The number of waiting elements that may be delivered.
  package var ready: Int { withEngine { $0.ready } }

  /// Indicates whether there's a waiting element that isn't ready for delivery.
  package var hasCandidate: Bool { waiting > ready }

  /// Indicates whether there's demand for more than the ready elements.
  package var wantsCandidate: Bool { demand > .max(ready) }

  package func holdsElement(tag: Int) -> Bool {
    withEngine { engine in
      (0..<engine.queue.count).contains { engine.queue.header($0, engine.size).tag == tag }
    }
  }

  /// The time at which the signal arrives. The engine must have the trait ``Engine/Traits/timesElements`` or
  /// ``Engine/Traits/timesSignals``.
  package var now: Instant {
    assert(time != nil, "an operator asks for the time of a signal that it has not named")
    return time.unsafelyUnwrapped.pointee
  }

  // MARK: Elements

  /// Takes the element that has arrived.
  @inline(__always)
  package mutating func take() -> UnsafeMutableRawPointer {
    guard let element = arrived else { stopAtSecondTake() }
    arrived = nil
    return element
  }

  /// Sends the arrived element downstream, directly or through the queue.
  @inline(__always)
  package mutating func emit(tag: Int = 0) { emit(take(), tag: tag) }

  /// Sends downstream an element that a closure creates, directly or through the queue.
  @inline(__always)
  package mutating func emit(_ make: (UnsafeMutableRawPointer) -> Void) {
    guard let made else {
      stopProgram(
        "An operator of Streams makes elements without the trait for it. This is a bug in Streams; please report it.")
    }
    assert(direct != made, "an operator makes two elements in one transition")
    make(made)
    emit(made, tag: 0)
  }

  @inline(__always)
  private mutating func emit(_ element: UnsafeMutableRawPointer, tag: Int) {
    if canPass {
      direct = element
      directTag = tag
      canPass = false
    } else {
      queueDirect()
      append(element, tag: tag)
    }
  }

  /// Enqueues the arrived element as ready for delivery, so the engine is told of its delivery. Drops the waiting element at
  /// the offset, if any, to make room.
  package mutating func enqueue(tag: Int = 0, replacing offset: Int? = nil) {
    if let offset { return push(tag: tag, replacing: offset, isReady: true) }
    queueDirect()
    append(take(), tag: tag)
  }

  /// Enqueues the arrived element behind the others, and leaves the dropped element at its address.
  private mutating func push(tag: Int, replacing offset: Int, isReady: Bool) {
    guard let arrived else { stopAtSecondTake() }
    let former = withEngine {
      if $0.ready > offset, !isReady { $0.ready &-= 1 }
      if $0.ready <= offset, isReady { $0.ready &+= 1 }
      return $0.queue.push(arrived, tag: tag, context, replacing: offset, $0.size).context
    }
    if let former { add(.release(former.takeRetainedValue())) }
  }

  @inline(never)
  private func append(_ element: UnsafeMutableRawPointer, tag: Int) {
    withEngine {
      assert($0.ready == $0.queue.count, "an element is sent while one waits that is not ready")
      $0.append(element, tag: tag, context)
      $0.ready &+= 1
    }
  }

  /// Enqueues the element instead of delivering it directly, because the transition does more.
  @inline(__always)
  private mutating func queueDirect() {
    canPass = false
    if let element = direct.take() { append(element, tag: directTag) }
  }

  /// Stores the arrived element until ``setReady(_:)`` is called, and drops the waiting one at an offset.
  package mutating func store(replacing offset: Int) { push(tag: 0, replacing: offset, isReady: false) }

  /// Stores the arrived element until ``setReady(_:)`` is called.
  @inline(__always)
  package mutating func store() {
    let element = take()
    withEngine { $0.append(element, tag: 0, context) }
  }

  /// Stores the arrived element instead of the newest one, which is left at the arrived element's address.
  @inline(__always)
  package mutating func replaceNewest() {
    guard let arrived else { stopAtSecondTake() }
    let former = withEngine { $0.queue.exchangeNewest(with: arrived, context, $0.size) }
    if let former { add(.release(former.takeRetainedValue())) }
  }

  /// Creates an element with a closure and stores it until ``setReady(_:)`` is called, under the given context or, without one,
  /// the completion's.
  package mutating func store(in context: ContextSnapshot?, _ make: (UnsafeMutableRawPointer) -> Void) {
    queueDirect()
    withEngine { engine in
      withUnsafeTemporaryAllocation(byteCount: engine.size.bytes, alignment: 16) {
        let element = $0.baseAddress.unsafelyUnwrapped
        make(element)
        engine.append(element, tag: 0, (context ?? engine.completionContext).map { .passUnretained($0) })
      }
    }
  }

  /// Takes the element that has arrived, and leaves another one at its address.
  @inline(__always)
  mutating func exchange(with element: UnsafeMutableRawPointer, _ size: ElementSize) {
    guard let arrived else { stopAtSecondTake() }
    size.exchange(element, with: arrived)
  }

  /// Keeps the caller's context, if contexts are carried. The former context is released without the lock.
  package mutating func keepContext(in kept: inout ContextSnapshot?) {
    guard let context = context?.takeUnretainedValue(), context !== kept else { return }
    release(kept)
    kept = context
  }

  /// Sends downstream an element that a closure creates, under the given context or, without one, the caller's.
  package mutating func emit(in context: ContextSnapshot?, _ make: (UnsafeMutableRawPointer) -> Void) {
    guard let context else { return emit(make) }
    store(in: context, make)
    setReady(ready + 1)
  }

  /// Returns the tag of a waiting element.
  package func tag(at offset: Int) -> Int { withEngine { $0.queue.header(offset, $0.size).tag } }

  /// Drops the newest element, if it isn't ready.
  package mutating func dropCandidate() {
    if hasCandidate { release(withEngine { $0.removeNewest() }) }
  }

  /// Makes the given number of elements at the front of the queue ready for delivery.
  package mutating func setReady(_ count: Int) {
    withEngine {
      assert(count <= $0.queue.count, "more elements are ready than wait")
      $0.ready = count
    }
  }

  // MARK: The end

  /// Ends the stream after the waiting elements. If a scheduler delivers, the completion waits for the scheduler.
  package mutating func finish(_ completion: Subscribers.Completion<any Error> = .finished) {
    end(in: withEngine { $0.deliversOnScheduler } ? .awaitingScheduler : .finishing, completion)
  }

  /// Ends the stream after the waiting elements, with the operator's own error, if it has one.
  package mutating func finishMakingError() {
    guard isRunning else { return }
    finish()
    withEngine { $0.makesError = true }
  }

  /// If the completion has been waiting for the scheduler, lets it follow the waiting elements.
  package mutating func setCompletionReady() {
    withEngine { if $0.phase == .awaitingScheduler { $0.phase = .finishing } }
  }

  /// Ends the stream after the requested elements.
  package mutating func endEarly(with completion: Subscribers.Completion<any Error>) {
    end(in: .endingEarly, completion)
  }

  /// Ends the stream the way its source ended: after the waiting elements or, for a failure, after the requested ones.
  package mutating func end(with completion: Subscribers.Completion<any Error>) {
    if case .failure = completion { endEarly(with: completion) } else { finish() }
  }

  @inline(never)
  private mutating func end(in phase: Engine.Phase, _ completion: Subscribers.Completion<any Error>) {
    queueDirect()
    withEngine {
      guard $0.phase == .running else { return }
      $0.phase = phase
      if case .failure(let error) = completion { $0.failure = error }
      if let context {
        if let displaced = $0.completionContext { $0.add(.release(displaced)) }
        $0.completionContext = context.takeUnretainedValue()
      }
    }
  }

  // MARK: Actions

  /// Requests elements from a source.
  package mutating func request(_ demand: Subscribers.Demand, from subscription: SubscriptionObject?) {
    if let subscription, demand != .none { add(.request(subscription, demand)) }
  }

  package mutating func cancel(_ subscription: SubscriptionObject?) {
    if let subscription { add(.cancel(subscription)) }
  }

  /// Releases an object, such as the subscription to a source that has ended, or a timer that has fired.
  package mutating func release(_ object: AnyObject?) { if let object { add(.release(object)) } }

  package mutating func disarm(_ timer: TimerObject?) { if let timer { add(.disarm(timer)) } }

  /// Makes the engine ask its scheduler for a timer, with ``Engine/schedule(_:)``.
  package mutating func arm(_ number: Int) {
    withEngine {
      assert($0.actions.timer == nil, "a transition arms two timers")
      $0.actions.timer = number
    }
  }

  /// Makes the engine ask its scheduler for a delivery, unless one has been scheduled that hasn't begun.
  @inline(__always)
  package mutating func scheduleDelivery() {
    withEngine {
      if $0.isScheduled { return }
      $0.isScheduled = true
      $0.actions.delivers = true
    }
  }

  @inline(never)
  private mutating func add(_ action: Action) {
    queueDirect()
    withEngine { $0.add(action) }
  }
}

/// Stops the program at a point that the kernel's rules make unreachable.
@inline(never)
private func stopAtSecondTake() -> Never {
  stopProgram("An operator of Streams took an element twice. This is a bug in Streams; please report it.")
}
