/// Merges sources: those that the operator was created with, or those that the elements of an outer source become.
///
/// If demand is limited, or the elements that wait are bounded and none may be dropped, each source has one element at a
/// time. A source that an element has become occupies its entry until its elements have been delivered, even after it has
/// ended. So the number of waiting elements is bounded, too. Another one is requested from the outer source when a place
/// becomes free.
@usableFromInline @frozen
package struct MergeMachine<Element, Failure: Error>: FlatteningMachine, ~Copyable {
  @usableFromInline package typealias Output = Element

  /// The operator that a machine works for.
  @usableFromInline @frozen
  package enum Use {
    case merge
    /// A merge that finishes with its first source, without waiting for demand for elements of others.
    case delimited
    case flatMap
    /// One source at a time. What the outer source sends meanwhile is dropped on purpose.
    case flatMapFirst
  }

  @usableFromInline package var sources: SourceTable
  @usableFromInline package var outer: SingleSource
  /// The demand that each source has at a time.
  @usableFromInline package var allowance: Subscribers.Demand
  /// The number of sources that the outer one may have become at a time.
  @usableFromInline package let maxPublishers: Subscribers.Demand
  @usableFromInline package let use: Use

  /// Creates a machine with sources in the slots from 1.
  @inlinable @inline(never)
  package init(count: Int, _ use: Use = .merge, _ bound: Bound<Failure>? = nil) {
    sources = SourceTable(count: count)
    outer = SingleSource(isLive: false)
    allowance = bound == nil || bound?.overflow == .wait ? .none : .unlimited
    maxPublishers = .unlimited
    self.use = use
  }

  /// Creates a machine with an outer source.
  @inlinable @inline(never)
  package init(maxPublishers: Subscribers.Demand, _ use: Use = .flatMap, _ bound: Bound<Failure>? = nil) {
    sources = SourceTable()
    outer = SingleSource()
    allowance = bound == nil || bound?.overflow == .wait ? .max(1) : .unlimited
    // Each source holds one element.
    self.maxPublishers = bound?.overflow == .wait ? min(maxPublishers, .max(bound?.size ?? .max)) : maxPublishers
    self.use = use
  }

  @inlinable
  package var name: String {
    switch use {
    case .merge: "merge"
    // A part of the operator that is delimited.
    case .delimited: ""
    case .flatMap: "flatMap"
    case .flatMapFirst: "flatMapFirst"
    }
  }

  @inlinable package static var traits: Gate.Traits { .tracksDeliveries }

  // MARK: Sources

  @usableFromInline
  package mutating func open(_ reaction: inout Reaction<Output, Failure>) -> Int? { sources.open() }

  @inlinable
  package var replacement: Subscribers.Demand? { maxPublishers == .unlimited ? Subscribers.Demand.none : .max(1) }

  @inlinable
  package mutating func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction<Output, Failure>
  ) -> Subscribers.Demand? {
    slot == 0
      ? outer.connected(subscription, requesting: maxPublishers)
      : sources.connected(subscription, to: slot, requesting: allowance)
  }

  @inlinable
  package mutating func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<Failure>, _ reaction: inout Reaction<Output, Failure>
  ) {
    guard slot == 0 ? outer.ended(&reaction) : sources.isOpen(slot) else { return }
    let isEntryFree = slot != 0 && sources.close(slot, &reaction)
    if case .failure = completion {
      reaction.endEarly(with: completion)
    } else if use == .delimited, slot == 1 {
      if reaction.holdsElement(tag: slot) { reaction.finish() } else { reaction.endEarly(with: .finished) }
    } else if sources.liveCount == 0, !outer.isLive {
      return reaction.finish()
    } else {
      if isEntryFree { requestAnother(&reaction) }
      return
    }
    cancelSources(&reaction)
  }

  @inlinable
  package mutating func cancelSources(_ reaction: inout Reaction<Output, Failure>) {
    outer.cancel(&reaction)
    sources.cancel(&reaction)
  }

  /// Requests another source, because an entry has become free.
  @inlinable
  package func requestAnother(_ reaction: inout Reaction<Output, Failure>) {
    if maxPublishers != .unlimited { reaction.request(.max(1), from: outer.subscription) }
  }

  // MARK: Elements

  @inlinable @inline(__always)
  package mutating func received(_ element: Element, from slot: Int, _ reaction: inout Reaction<Output, Failure>) {
    guard sources.isOpen(slot) else { return }
    if reaction.canPass, !reaction.isBounded { return reaction.emit(element, tag: slot) }
    receivedWaiting(element, from: slot, &reaction)
  }

  @inlinable @inline(never)
  package mutating func receivedWaiting(_ element: Element, from slot: Int, _ reaction: inout Reaction<Output, Failure>)
  {
    guard makesRoom(&reaction) else { return }
    let isAlone = reaction.canPass && reaction.bound?.overflow != .wait
    if isAlone { return reaction.emit(element, tag: slot) }
    sources.addWaiting(slot)
    if let dropped = reaction.displaced?.tag, sources.removeWaiting(dropped) { requestAnother(&reaction) }
    reaction.enqueue(element, tag: slot)
  }

  @inlinable
  package mutating func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction<Output, Failure>) {
    let former = allowance
    if !reaction.isBounded {
      allowance = reaction.demand == .unlimited ? .unlimited : .max(1)
    } else if former == .none {
      allowance = .max(1)
    }
    if allowance != former { sources.request(allowance, &reaction) }
  }

  @inlinable
  package mutating func delivered(_ slot: Int, _ reaction: inout Reaction<Output, Failure>) {
    if allowance != .unlimited { reaction.request(.max(1), from: sources.subscription(of: slot)) }
    if sources.removeWaiting(slot) { requestAnother(&reaction) }
  }

  // MARK: Inspection

  @usableFromInline
  package func limitingOperator(of slot: Int) -> String? {
    guard slot == 0, maxPublishers != .unlimited, use == .flatMap else { return nil }
    return "flatMap(maxPublishers:) or flatMap(maxTasks:)"
  }

  @usableFromInline
  package func inspect(_ tell: StreamFact.Tell) {
    if use == .merge || use == .delimited { return sources.tell(tell, from: 0) }
    outer.tell(tell)
    tell(.running, sources.liveCount, nil)
    tell(.limit, Int(bitPattern: maxPublishers.rawValue), nil)
    sources.tell(tell, from: 1)
  }
}
