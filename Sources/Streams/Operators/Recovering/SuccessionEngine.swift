/// Runs sources one after another and carries over the remaining demand. The sources' slots begin with 1.
///
/// When a source ends, the closure that it was attached with runs without the lock and calls ``follow(left:isPause:_:)`` or
/// ``end(with:)``. Slot 0 may belong to the decider, a source whose elements start further sources.
@usableFromInline
package final class SuccessionEngine: Engine {
  /// A closure that attaches a source to a slot.
  @usableFromInline package typealias Attach = (SuccessionEngine, Int) -> Void

  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  private let alias: String
  @exclusivity(unchecked) private var source = SingleSource()
  /// The slot of the newest source, or 0 before the first source.
  @exclusivity(unchecked) private var current = 0
  /// The number of sources that only let time pass (for inspection).
  @exclusivity(unchecked) private var pauses = 0
  /// Indicates whether the newest source only lets time pass (for inspection).
  @exclusivity(unchecked) private var isPausing = false
  /// Indicates whether the newest source has sent an element.
  @exclusivity(unchecked) private var hasSent = false
  /// The number of sources that may follow (for inspection).
  @exclusivity(unchecked) private var left = 0
  /// Indicates whether a thread is attaching sources.
  @exclusivity(unchecked) private var isAttaching = false
  /// The closure that attaches the next source, once the current one has been attached.
  @exclusivity(unchecked) private var next: Attach?
  @exclusivity(unchecked) private var decider: SingleSource
  /// Indicates whether the decider has been asked for another source.
  @exclusivity(unchecked) private var isAsking = false

  @usableFromInline
  package init(_ receiver: Receiver, _ layout: ElementLayout, _ name: String, hasDecider: Bool = false) {
    alias = name
    decider = SingleSource(isLive: hasDecider)
    super.init(receiver, layout, [])
    begin(receiver)
  }

  package override var name: String { alias }

  // MARK: Attaching

  /// Attaches another source, or leaves that to the thread that's attaching one.
  ///
  /// A loop keeps the stack from growing when many sources end immediately. Each is attached under the context in which
  /// downstream subscribed.
  ///
  /// - Parameters:
  ///   - left: The number of sources that may follow this one (for inspection).
  ///   - isPause: `true` if the source only lets time pass (for inspection).
  @usableFromInline
  package func follow(left: Int = 0, isPause: Bool = false, _ attach: @escaping Attach) {
    var next: (attach: Attach, slot: Int)?
    transition(.subscription) { _ in
      next = opened(left: left, isPause: isPause, attach).map { (attach, $0) }
    }
    while let present = next.take() {
      let context = carriesContext ? withLock { self.completionContext } : nil
      ContextSnapshot.run(context) {
        if isTrampoline {
          trampolineAttaching { present.attach(self, present.slot) }
        } else {
          present.attach(self, present.slot)
        }
      }
      transition(.subscription) { _ in next = openedNext() }
    }
  }

  /// Opens a slot for another source. If a thread is already attaching a source, returns `nil`, and that thread attaches the
  /// new source too.
  private func opened(left: Int, isPause: Bool, _ attach: @escaping Attach) -> Int? {
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

  /// Opens a slot for the next source, if there's one. Returns the slot and the closure that attaches the source.
  private func openedNext() -> (Attach, slot: Int)? {
    guard let attach = next.take() else {
      isAttaching = false
      return nil
    }
    return (attach, open())
  }

  private func open() -> Int {
    current += 1
    source = SingleSource()
    hasSent = false
    return current
  }

  /// Attaches a source, as part of ``follow(left:isPause:_:)``. When the source ends, the closure is called without the lock.
  @inlinable @inline(__always)
  package func attach<Source: Publisher>(
    _ source: Source, to slot: Int, _ end: @escaping SuccessionInlet<Source.Output, Source.Failure>.End
  ) { nest(source, SuccessionInlet(self, slot, end)) }

  /// Attaches the last source, whose completion ends the stream.
  @inlinable @inline(__always)
  package func attach<Source: Publisher>(last source: Source, to slot: Int) {
    attach(source, to: slot) { $0.end(with: $1) }
  }

  /// Attaches a source. Reattaches it up to `count` times when it fails or, if `afterFailure` is `false`, when it finishes.
  @inlinable
  package func attach<Source: Publisher>(_ source: Source, again count: Int, afterFailure: Bool) {
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

  /// Records the end of a source. Returns `false` if the source isn't the newest.
  @usableFromInline
  package func isNewest(ended slot: Int) -> Bool {
    var isNewest = false
    transition(.completion) { isNewest = slot == current && source.ended(&$0) }
    return isNewest
  }

  /// Indicates whether the newest source has sent an element.
  @usableFromInline
  package var newestHasSent: Bool { withLock { hasSent } }

  @inlinable
  package func end<Failure>(with completion: Subscribers.Completion<Failure>) {
    if case .failure(let error) = completion { end(with: error) } else { end(with: nil) }
  }

  @usableFromInline
  func end(with error: (any Error)?) {
    transition(.completion) { $0.end(with: error.map { .failure($0) } ?? .finished) }
  }

  // MARK: The decider

  /// Asks the decider for another source. If the decider has ended, the stream finishes.
  @usableFromInline
  package func ask() {
    transition(.completion) {
      if !decider.isLive { return $0.finish() }
      isAsking = true
      $0.request(.max(1), from: decider.subscription)
    }
  }

  /// Returns whether the decider has been asked for another source, and clears the flag.
  @usableFromInline
  package func takeQuestion() -> Bool {
    var isAsked = false
    transition(.element) { _ in swap(&isAsked, &isAsking) }
    return isAsked
  }

  // MARK: Events

  package override func receives(_ type: Any.Type, from slot: Int) -> Bool { slot == 0 || type == layout.type }

  package override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction
  ) -> Subscribers.Demand? {
    // The decider may have been asked before it sent its subscription.
    if slot == 0 { return decider.connected(subscription, requesting: isAsking ? .max(1) : .none) }
    return slot == current ? source.connected(subscription, requesting: reaction.demand - reaction.waiting) : nil
  }

  package override func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction) {
    reaction.request(more, from: source.subscription)
  }

  package override func received(from slot: Int, _ reaction: inout Reaction) {
    guard slot == current, source.isLive else { return }
    hasSent = true
    reaction.emit()
  }

  /// Handles the decider's completion. A failure ends the stream, but a normal completion does so only if the decider has been
  /// asked for another source.
  package override func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout Reaction
  ) {
    guard decider.ended(&reaction) else { return }
    if case .failure = completion {
      reaction.endEarly(with: completion)
      cancelSources(&reaction)
    } else if isAsking {
      reaction.finish()
    }
  }

  package override func cancelSources(_ reaction: inout Reaction) {
    source.cancel(&reaction)
    decider.cancel(&reaction)
  }

  package override func tearDown(_ reaction: inout Reaction) {
    cancelSources(&reaction)
    if let next = next.take() { reaction.release(Constant(next)) }
  }

  package override func inspectContents(_ tell: StreamFact.Tell) {
    if decider.subscription != nil { decider.tell(tell) }
    if source.subscription != nil || isAsking { source.tell(tell, slot: 1) }
    tell(.succeeded, max(0, current - pauses - 1), nil)
    tell(.successors, left, nil)
    if isPausing { tell(.timer, 0, nil) }
  }
}

/// The subscriber to a source that other sources may follow.
@usableFromInline @frozen
package struct SuccessionInlet<Input, Failure: Error>: Subscriber, EngineSubscriber {
  @usableFromInline package typealias End = (SuccessionEngine, Subscribers.Completion<Failure>) -> Void
  @usableFromInline package let succession: SuccessionEngine
  @usableFromInline package let slot: Int
  @usableFromInline package let end: End

  @inlinable
  package init(_ engine: SuccessionEngine, _ slot: Int, _ end: @escaping End) {
    assert(
      (engine as Engine).receives(Input.self, from: slot),
      "a source of \(Input.self) is attached to an engine of other elements")
    succession = engine
    self.slot = slot
    self.end = end
  }

  @inlinable package var engine: Engine { succession }

  @inlinable @inline(never)
  package func receive(_ input: Input) -> Subscribers.Demand {
    ElementLayout.lend(input) { succession.receive($0, from: slot) }
    return .none
  }

  @inlinable
  package func receive(completion: Subscribers.Completion<Failure>) {
    if succession.isNewest(ended: slot) { end(succession, completion) }
  }
}
