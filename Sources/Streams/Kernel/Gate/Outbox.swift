/// A gate with the elements that wait for downstream, and the loop that delivers them. It knows the types of elements, not
/// that of the subscriber or the machine.
@usableFromInline @_fixed_layout
package class Outbox<Output, Failure: Error>: Gate {
  // Exclusive: accessed only under the lock, which is never held while unknown code runs, or by the thread with the turn once
  // the stream is over, when nothing changes them any more.
  /// The elements that wait. Not a ``Ring``: to destroy one, the code for all outboxes would look up the type of its elements,
  /// which costs more than the rest of a subscription's end.
  @usableFromInline @exclusivity(unchecked) package final var queue = RingMemory<QueuedElement<Output>>()

  /// The error with which the stream ends, if it does. An object, because the code that destroys the outbox would look up
  /// the type of another optional.
  @usableFromInline @exclusivity(unchecked) package final var failure: Constant<Failure>?

  /// The completion that follows the elements.
  @inlinable
  package final var completion: Subscribers.Completion<Failure> {
    get { failure.map { .failure($0.value) } ?? .finished }
    set { failure = newValue.storedFailure }
  }

  /// The context of the completion, if contexts are carried: that in which downstream subscribed, until a source ends.
  @usableFromInline @exclusivity(unchecked) package final var completionContext: ContextSnapshot?

  /// How many elements may wait, if their number is bounded. Constant until the stream is over.
  @usableFromInline @exclusivity(unchecked) package final var bound: Bound?

  // Exclusive: written under the lock, by the thread with the turn; read with the turn, or under the lock.
  /// Downstream, until the stream is over. Retained by hand, so that a delivery does not retain it.
  @usableFromInline @exclusivity(unchecked) package final var receiver: Unmanaged<Receiver<Output, Failure>>?

  @inlinable
  package init(
    _ receiver: consuming Receiver<Output, Failure>, _ traits: Traits, _ bound: Bound?,
    handle: @escaping Handle
  ) {
    self.receiver = .passRetained(consume receiver)
    self.bound = bound
    super.init(traits, handle: handle)
    if carriesContext { completionContext = .captured() }
  }

  deinit {
    receiver?.release()
    queue.destroy()
  }

  /// Captures the context of the caller, reusing the newest element's snapshot if it is the same. Called without the lock,
  /// because it may run code of a user.
  @usableFromInline @inline(never)
  package final func captureContext() -> ContextSnapshot? {
    .captured(like: withLock { queue.isEmpty ? nil : queue[queue.count &- 1].context })
  }

  /// Appends an element. Called under the lock.
  @inlinable @inline(__always)
  package final func append(_ element: Output, tag: Int, _ context: Unmanaged<ContextSnapshot>?) {
    queue.append(QueuedElement(element, tag, context?.takeUnretainedValue()))
    assert(notes(waiting: queue.count))
  }

  /// Calls downstream. The caller has the turn.
  @inlinable @inline(__always)
  package final func send(_ element: Output) -> Subscribers.Demand {
    guard let receiver else { stopAtLateDelivery() }
    return receiver._withUnsafeGuaranteedRef { $0.receiveValue($0, element) }
  }

  /// Delivers what is ready, until nothing is left or another thread has taken the turn over. The caller has the turn, and
  /// holds the lock.
  @inlinable @inline(never)
  package final func deliverReady() {
    var burst = Burst()
    var next: QueuedElement<Output>?
    deliverAll(&burst, &next)
    // Binding a context costs more than a delivery, so deliveries under the same context are made together.
    while let context = next?.context { context.run { deliverAll(&burst, &next, in: context) } }
  }

  /// Delivers `next`, if that is an element, and then what is ready. An element that has to be delivered under another
  /// context is left in `next`.
  @inlinable @inline(never)
  package final func deliverAll(
    _ burst: inout Burst, _ next: inout QueuedElement<Output>?, in current: ContextSnapshot? = nil
  ) {
    if let element = next.take() { deliverUnlocked(consume element) }
    while true {
      switch nextStep(&burst, isEmpty: queue.isEmpty) {
      case .lookAgain: continue
      case .element:
        let element = queue.removeExistingFirst()
        unlock(.turn)
        if let context = element.context, context !== current {
          next = element
          return
        }
        deliverUnlocked(consume element)
      case .completion:
        complete()
        lockWithTurn()
      case .release: return releaseAll()
      case .none: return
      }
    }
  }

  /// Delivers an element without the lock, and takes the lock. The caller has the turn.
  @inlinable @inline(__always)
  package final func deliverUnlocked(_ waiting: consuming QueuedElement<Output>) {
    let tag = waiting.tag
    let more = send(waiting.element)
    // Released before the lock is taken.
    _ = consume waiting
    lockWithTurn()
    if phase == .over { return }
    if more != .none { addDemand(more) }
    if traits.contains(.tracksDeliveries) { handle(self, .delivered(tag)) }
  }

  /// Sends the completion. The caller has the turn.
  @inlinable @inline(never) @_optimize(size)
  package final func complete() {
    // A closure of a user, which is called without the lock.
    if makesError, let error = bound?.makeError?() { failure = Constant(converted(error)) }
    if let completionContext { completionContext.run { sendCompletion() } } else { sendCompletion() }
  }

  @inlinable @inline(__always)
  package final func sendCompletion() {
    guard let receiver else { stopAtLateDelivery() }
    let receiveEvent = receiver._withUnsafeGuaranteedRef { $0.receiveEvent }
    receiveEvent(receiver.takeUnretainedValue(), .completion(completion))
  }

  /// Releases all that the outbox holds, and the lock. The caller keeps the turn, so nothing is delivered any more.
  @inlinable @inline(never) @_optimize(size)
  package final func releaseAll() {
    var elements = RingMemory<QueuedElement<Output>>()
    swap(&elements, &queue)
    let receiver = receiver
    self.receiver = nil
    let bound = bound.take()
    unlock(.turn)
    receiver?.release()
    elements.destroy()
    extendLifetime(bound)
  }
}

/// A constant in an object of its own.
@usableFromInline @_fixed_layout
package final class Constant<Value: ~Copyable> {
  @usableFromInline package let value: Value

  @inlinable
  package init(_ value: consuming Value) { self.value = value }
}

extension Subscribers.Completion {
  /// The error, in an object.
  @inlinable
  package var storedFailure: Constant<Failure>? {
    if case .failure(let error) = self { Constant(error) } else { nil }
  }
}

/// An element that waits in an outbox.
@usableFromInline @frozen
package struct QueuedElement<Element> {
  @usableFromInline package let element: Element
  /// The number by which the machine knows the element, such as the slot of its source.
  @usableFromInline package let tag: Int
  /// The context of its sender, if contexts are carried.
  @usableFromInline package let context: ContextSnapshot?

  @inlinable @inline(__always)
  package init(_ element: Element, _ tag: Int, _ context: ContextSnapshot?) {
    self.element = element
    self.tag = tag
    self.context = context
  }
}

/// Stops the program at a point that the rules of the kernel make unreachable.
@usableFromInline @inline(never)
package func stopAtLateDelivery() -> Never {
  stopProgram("Streams called a subscriber after releasing it. This is a bug in Streams; please report it.")
}
