extension Engine {
  // MARK: Elements

  /// Captures the caller's context, reusing the newest element's snapshot if the context is the same. Called without the lock,
  /// because capturing may run user code.
  @inline(never)
  func captureContext() -> ContextSnapshot? {
    .captured(
      like: withLock {
        queue.isEmpty ? nil : queue.header(queue.count &- 1, size).context?.takeUnretainedValue()
      })
  }

  /// Appends an element, taking it from its address. Called under the lock.
  @inline(__always)
  func append(_ element: UnsafeMutableRawPointer, tag: Int, _ context: Unmanaged<ContextSnapshot>?) {
    queue.append(element, tag: tag, context, size)
    assert(notes(waiting: queue.count))
  }

  /// Removes the newest waiting element. Returns an object to release without the lock. Called under the lock.
  func removeNewest() -> AnyObject? {
    withUnsafeTemporaryAllocation(byteCount: size.bytes, alignment: 16) { place in
      let element = place.baseAddress.unsafelyUnwrapped
      let header = queue.removeNewest(to: element, size)
      var dropped: AnyObject?
      if !layout.isTrivial || header.context != nil {
        var queue = ElementQueue()
        queue.append(element, tag: 0, header.context, size)
        header.context?.release()
        dropped = GivenUpElements(queue, layout)
      }
      return dropped
    }
  }

  /// Calls downstream with the element at an address, taking the element. The caller has the turn.
  @inline(__always)
  func send(_ element: UnsafeMutableRawPointer) -> Subscribers.Demand {
    guard let receiver else { stopAtLateDelivery() }
    return receiver._withUnsafeGuaranteedRef { $0.receiveElement($0, element) }
  }

  // MARK: Delivery

  /// Indicates whether there's work for the thread with the turn. Called under the lock.
  @inline(__always)
  package func hasWork(_ onScheduler: Bool) -> Bool {
    switch phase {
    case .running, .awaitingScheduler: ready != 0 && demand != .none && (onScheduler || !deliversOnScheduler)
    case .finishing, .endingEarly: onScheduler || !deliversOnScheduler
    case .over: true
    }
  }

  /// Holds back all signals until downstream has received the subscription, by taking the turn of an engine that nothing has
  /// reached yet. ``deliver()`` gives the turn back.
  @usableFromInline
  package func holdBack() {
    _ = lock()
    unlock(.turn)
  }

  /// Delivers everything that's ready. The caller has the turn.
  @usableFromInline
  package func deliver() {
    lockWithTurn()
    deliverReady()
  }

  /// The next step of the thread with the turn.
  package enum Step {
    /// Actions have been carried out, or the turn has been offered: look again.
    case lookAgain
    /// Remove the first element, release the lock, and deliver the element.
    case element
    /// Deliver the completion. The lock has been released.
    case completion
    /// Release everything, and the lock: the stream is over.
    case release
    /// Nothing: the turn has ended, or another thread has taken it. The lock has been released.
    case none
  }

  /// Determines the next step. The caller has the turn, and holds the lock.
  package func nextStep(_ burst: inout Burst, isEmpty: Bool) -> Step {
    if !actions.isEmpty {
      // Actions come first: a source that handles a request may cancel the stream, and then nothing more is delivered.
      performUnlocked()
      lockWithTurn()
      return .lookAgain
    }
    if phase == .over { return .release }
    if ready != 0, demand != .none {
      if !deliversOnScheduler, burst.countsLastDelivery(&handover), burst.offersTurn(&handover) {
        unlock(.turn)
        if burst.losesTurn({ change in withLock { change(&handover) } }) { return .none }
        lockWithTurn()
        return .lookAgain
      }
      _ = demand.spend()
      ready &-= 1
      return .element
    }
    if phase == .endingEarly || phase == .finishing && isEmpty {
      end()
      performUnlocked()
      return .completion
    }
    handover.end()
    unlock(restingWord)
    return .none
  }

  /// The word while there's nothing to deliver. Called under the lock.
  package var restingWord: Word {
    traits.contains(.lendsTurn) && phase == .running && demand == .unlimited ? .lent : .free
  }

  /// Releases the lock, keeps the turn, and carries out the actions that are left.
  private func performUnlocked() {
    let actions = self.actions.take()
    unlock(.turn)
    perform(actions)
  }

  /// Delivers everything that's ready, until nothing is left or another thread has taken over the turn. The caller has the
  /// turn, and holds the lock.
  @inline(never)
  func deliverReady() {
    // A closure that captured `self` would retain the engine.
    let engine = Unmanaged.passUnretained(self)
    withUnsafeTemporaryAllocation(byteCount: size.bytes, alignment: 16) { place in
      engine._withUnsafeGuaranteedRef { $0.deliverReady(place.baseAddress.unsafelyUnwrapped) }
    }
  }

  /// Delivers everything that's ready. Each waiting element is first moved to the given address.
  @inline(__always)
  private func deliverReady(_ element: UnsafeMutableRawPointer) {
    var burst = Burst()
    var next: ElementQueue.Header?
    deliverAll(&burst, &next, element)
    // Binding a context costs more than a delivery, so consecutive deliveries under the same context share one binding.
    while let context = next?.context?.takeUnretainedValue() {
      context.run { deliverAll(&burst, &next, element, in: context) }
    }
  }

  /// Delivers `element`, if `next` is its header, and then everything that's ready. An element that has to be delivered under
  /// another context is left in `element`, and its header in `next`.
  private func deliverAll(
    _ burst: inout Burst, _ next: inout ElementQueue.Header?, _ element: UnsafeMutableRawPointer,
    in current: ContextSnapshot? = nil
  ) {
    if let header = next.take() { deliverUnlocked(element, header) }
    while true {
      switch nextStep(&burst, isEmpty: queue.isEmpty) {
      case .lookAgain: continue
      case .element:
        let header = queue.removeFirst(to: element, size)
        unlock(.turn)
        if let context = header.context, context.toOpaque() != current.map({ Unmanaged.passUnretained($0).toOpaque() })
        {
          next = header
          return
        }
        deliverUnlocked(element, header)
      case .completion:
        complete()
        lockWithTurn()
      case .release: return releaseAll()
      case .none: return
      }
    }
  }

  /// Delivers an element without the lock, then takes the lock. The caller has the turn.
  @inline(__always)
  private func deliverUnlocked(_ element: UnsafeMutableRawPointer, _ header: ElementQueue.Header) {
    let more = sendQueued(element, tag: header.tag)
    // Released before the lock is taken.
    header.context?.release()
    lockWithTurn()
    if phase == .over { return }
    if more != .none { addDemand(more) }
    if traits.contains(.tracksDeliveries) { handleUnderLock { delivered(header.tag, &$0) } }
  }

  /// Sends the completion. The caller has the turn.
  @inline(never)
  private func complete() {
    // User code, which is called without the lock.
    if makesError, let error = bound?.makeError?() { failure = error }
    if let completionContext { completionContext.run { sendCompletion() } } else { sendCompletion() }
  }

  private func sendCompletion() {
    guard let receiver else { stopAtLateDelivery() }
    let receiveEvent = receiver._withUnsafeGuaranteedRef { $0.receiveEvent }
    receiveEvent(receiver.takeUnretainedValue(), .completion(failure.map { .failure($0) } ?? .finished))
  }

  /// Releases the lock and everything that the engine holds. The caller keeps the turn, so nothing more is delivered.
  @inline(never)
  func releaseAll() {
    let elements = queue.takeAll()
    let receiver = receiver
    self.receiver = nil
    let bound = bound.take()
    unlock(.turn)
    receiver?.release()
    elements.destroy(layout)
    extendLifetime(bound)
  }
}

/// Stops the program at a point that the kernel's rules make unreachable.
@usableFromInline @inline(never)
package func stopAtLateDelivery() -> Never {
  stopProgram("Streams called a subscriber after releasing it. This is a bug in Streams; please report it.")
}
