/// Lets sources follow one another, one at a time, and carries over the demand that is left. Their slots begin with 1.
///
/// What follows the end of a source is decided by the closure with which it was attached, without the lock: it calls
/// ``Engine/follow(left:_:)`` or ``Engine/end(with:)``. Another source, the decider, may have slot 0.
@usableFromInline @frozen
package struct SuccessionMachine<Element, Failure: Error>: SlotMachine {
  @usableFromInline package typealias Output = Element
  /// Attaches a source to a slot.
  @usableFromInline package typealias Attach = (Engine<Self>, Int) -> Void

  @usableFromInline package let name: String
  @usableFromInline package var source = SingleSource()
  /// The slot of the newest source, 0 before the first.
  @usableFromInline package var current = 0
  /// How many of the sources only let time pass, for the inspection.
  @usableFromInline package var pauses = 0
  /// Indicates whether the newest source only lets time pass, for the inspection.
  @usableFromInline package var isPausing = false
  /// Indicates whether the newest source has sent an element.
  @usableFromInline package var newestHasSent = false
  /// How many sources may follow, for the inspection.
  @usableFromInline package var left = 0
  /// Indicates whether a thread attaches sources.
  @usableFromInline package var isAttaching = false
  /// Attaches the source that follows when the thread has attached the present one.
  @usableFromInline package var next: Attach?
  @usableFromInline package var decider: SingleSource
  /// Indicates whether the decider has been asked for another source.
  @usableFromInline package var isAsking = false

  @inlinable @inline(never)
  package init(_ name: String, hasDecider: Bool = false) {
    self.name = name
    decider = SingleSource(isLive: hasDecider)
  }

  // MARK: Attaching

  /// Opens a slot for another source, unless a thread attaches one: then that thread attaches this one, too.
  @usableFromInline
  package mutating func opened(left: Int, isPause: Bool, _ attach: @escaping Attach) -> Int? {
    self.left = left
    isPausing = isPause
    if isPause { pauses += 1 }
    if isAttaching {
      next = attach
      return nil
    }
    isAttaching = true
    return open()
  }

  /// Returns what attaches the source that follows the one that has been attached, and opens its slot.
  @usableFromInline
  package mutating func openedNext() -> (Attach, slot: Int)? {
    guard let attach = next.take() else {
      isAttaching = false
      return nil
    }
    return (attach, open())
  }

  private mutating func open() -> Int {
    current += 1
    source = SingleSource()
    newestHasSent = false
    return current
  }

  // MARK: Events

  @inlinable
  package mutating func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction<Output, Failure>
  ) -> Subscribers.Demand? {
    if slot == 0 { return decider.connected(subscription, requesting: .none) }
    return slot == current ? source.connected(subscription, requesting: reaction.demand - reaction.waiting) : nil
  }

  @inlinable
  package mutating func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction<Output, Failure>) {
    reaction.request(more, from: source.subscription)
  }

  @inlinable @inline(__always)
  package mutating func received(_ element: Element, from slot: Int, _ reaction: inout Reaction<Output, Failure>) {
    guard slot == current, source.isLive else { return }
    newestHasSent = true
    reaction.emit(element)
  }

  /// Records the end of a source, whatever follows. Returns false if it isn't the newest.
  @usableFromInline
  package mutating func ended(_ slot: Int, _ reaction: inout Reaction<Output, Failure>) -> Bool {
    slot == current && source.ended(&reaction)
  }

  /// Handles the end of the decider, which takes effect only while it is asked.
  @inlinable
  package mutating func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<Failure>, _ reaction: inout Reaction<Output, Failure>
  ) {
    guard decider.ended(&reaction) else { return }
    if case .failure = completion {
      reaction.endEarly(with: completion)
      cancelSources(&reaction)
    } else if isAsking {
      reaction.finish()
    }
  }

  /// Asks the decider for another source. If it has ended, the stream finishes.
  @usableFromInline
  package mutating func ask(_ reaction: inout Reaction<Output, Failure>) {
    if !decider.isLive { return reaction.finish() }
    isAsking = true
    reaction.request(.max(1), from: decider.subscription)
  }

  @inlinable
  package mutating func cancelSources(_ reaction: inout Reaction<Output, Failure>) {
    source.cancel(&reaction)
    decider.cancel(&reaction)
  }

  @inlinable
  package mutating func tearDown(_ reaction: inout Reaction<Output, Failure>) {
    cancelSources(&reaction)
    if next != nil { reaction.discard(next.take()) }
  }

  @usableFromInline
  package func inspect(_ tell: StreamFact.Tell) {
    if decider.subscription != nil { decider.tell(tell) }
    if source.subscription != nil || isAsking { source.tell(tell, slot: 1) }
    tell(.succeeded, max(0, current - pauses - 1), nil)
    tell(.successors, left, nil)
    if isPausing { tell(.timer, 0, nil) }
  }
}

extension Engine {
  /// Attaches another source, or leaves that to the thread that is attaching one.
  ///
  /// This is a loop, so that a hundred thousand sources that end immediately do not grow the stack. Each is attached under
  /// the context in which downstream subscribed.
  ///
  /// - Parameters:
  ///   - left: How many sources may follow this one, for the inspection.
  ///   - isPause: Whether the source only lets time pass, for the inspection.
  @inlinable @inline(never) @_optimize(size)
  package func follow<Element, Failure>(left: Int = 0, isPause: Bool = false, _ attach: @escaping M.Attach)
  where M == SuccessionMachine<Element, Failure> {
    var next: (attach: M.Attach, slot: Int)?
    transition(.subscription) { machine, _ in
      next = machine.opened(left: left, isPause: isPause, attach).map { (attach, $0) }
    }
    while let present = next.take() {
      let context = carriesContext ? withLock { self.completionContext } : nil
      ContextSnapshot.run(context) {
        // Here, so that the code that attaches a source is not compiled a second time for a trampoline.
        if isTrampoline {
          trampolineAttaching { present.attach(self, present.slot) }
        } else {
          present.attach(self, present.slot)
        }
      }
      transition(.subscription) { machine, _ in next = machine.openedNext() }
    }
  }

  /// Attaches a source, as part of ``follow(left:_:)``. The closure is called when it has ended, without the lock.
  @inlinable @inline(__always)
  package func attach<Element, Failure, Source: Publisher>(
    _ source: Source, to slot: Int, _ end: @escaping SuccessionInlet<Element, Failure, Source.Failure>.End
  ) where M == SuccessionMachine<Element, Failure>, Source.Output == Element {
    nest(source, SuccessionInlet(self, slot, end))
  }

  /// Attaches a source, and again each time it has failed, or each time it has finished, up to a number of times.
  @inlinable
  package func attach<Source: Publisher>(_ source: Source, again count: Int, afterFailure: Bool)
  where M == SuccessionMachine<Source.Output, Source.Failure> {
    follow(left: count) { engine, slot in
      engine.attach(source, to: slot) { engine, completion in
        let hasFailed = if case .failure = completion { true } else { false }
        if hasFailed == afterFailure, count > 0 {
          engine.attach(source, again: count - 1, afterFailure: afterFailure)
        } else {
          engine.end(with: completion)
        }
      }
    }
  }

  /// Attaches the last source, which ends the stream.
  @inlinable @inline(__always)
  package func attach<Element, Failure, Source: Publisher>(last source: Source, to slot: Int)
  where M == SuccessionMachine<Element, Failure>, Source.Output == Element, Source.Failure == Failure {
    attach(source, to: slot) { $0.end(with: $1) }
  }

  /// Records the end of a source. Returns false if it isn't the newest.
  @inlinable @inline(never) @_optimize(size)
  package func isNewest<Element, Failure>(ended slot: Int) -> Bool where M == SuccessionMachine<Element, Failure> {
    var isNewest = false
    transition(.completion) { isNewest = $0.ended(slot, &$1) }
    return isNewest
  }

  /// Indicates whether the newest source has sent an element.
  @inlinable
  package func newestHasSent<Element, Failure>() -> Bool where M == SuccessionMachine<Element, Failure> {
    withLock { machine.newestHasSent }
  }

  /// Ends the stream.
  @inlinable @inline(never) @_optimize(size)
  package func end<Element, Failure>(with completion: Subscribers.Completion<Failure>)
  where M == SuccessionMachine<Element, Failure> {
    transition(.completion) { $1.end(with: completion) }
  }
}

/// The subscriber of a source that others may follow.
@usableFromInline @frozen
package struct SuccessionInlet<Input, StreamFailure: Error, Failure: Error>: EngineInlet {
  @usableFromInline package typealias Succession = Engine<SuccessionMachine<Input, StreamFailure>>
  @usableFromInline package typealias End = (Succession, Subscribers.Completion<Failure>) -> Void
  @usableFromInline package let engine: Succession
  @usableFromInline package let slot: Int
  @usableFromInline package let end: End

  @inlinable
  package init(_ engine: Succession, _ slot: Int, _ end: @escaping End) {
    self.engine = engine
    self.slot = slot
    self.end = end
  }

  @inlinable @inline(never)
  package func receive(_ input: Input) -> Subscribers.Demand {
    engine.react(to: .element) { $0.received(input, from: slot, &$1) }
    return .none
  }

  @inlinable
  package func receive(completion: Subscribers.Completion<Failure>) {
    if engine.isNewest(ended: slot) { end(engine, completion) }
  }
}
