/// Merges the operator's own sources, or those that it creates from an outer source's elements.
///
/// If demand is limited, or if the number of waiting elements is bounded and none may be dropped, the engine requests one element
/// at a time from each source. A source created from an element occupies its entry until its own elements have been delivered, so
/// the number of waiting elements is bounded too. When an entry becomes free, the engine requests another element from the outer
/// source.
@usableFromInline
package final class MergeEngine: Engine {
  /// The operator that an engine works for.
  @usableFromInline @frozen
  package enum Use {
    case merge
    /// A merge that finishes with its first source, without waiting for demand for the other sources' elements.
    case delimited
    case flatMap
    /// One source at a time. Elements that the outer source sends while one runs are dropped on purpose.
    case flatMapFirst
  }

  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var sources: SourceTable
  @exclusivity(unchecked) private var outer: SingleSource
  /// The demand that each source may have outstanding.
  @exclusivity(unchecked) private var allowance: Subscribers.Demand
  /// The maximum number of sources from the outer source at a time.
  private let maxPublishers: Subscribers.Demand
  private let use: Use

  /// Creates an engine with `count` sources, whose slots begin with 1.
  @usableFromInline
  package init(
    _ receiver: Receiver, _ layout: consuming ElementLayout, count: Int, _ use: Use = .merge, _ bound: Bound? = nil
  ) {
    sources = SourceTable(count: count)
    outer = SingleSource(isLive: false)
    allowance = bound == nil || bound?.overflow == .wait ? .none : .unlimited
    maxPublishers = .unlimited
    self.use = use
    super.init(receiver, consume layout, .tracksDeliveries, bound)
    begin(receiver)
  }

  /// Creates an engine with an outer source.
  @usableFromInline
  package init(
    _ receiver: Receiver, _ layout: consuming ElementLayout, maxPublishers: Subscribers.Demand,
    _ use: Use = .flatMap,
    _ bound: Bound? = nil
  ) {
    sources = SourceTable()
    outer = SingleSource()
    allowance = bound == nil || bound?.overflow == .wait ? .max(1) : .unlimited
    // Each source may have one waiting element.
    self.maxPublishers = bound?.overflow == .wait ? min(maxPublishers, .max(bound?.size ?? .max)) : maxPublishers
    self.use = use
    super.init(receiver, consume layout, .tracksDeliveries, bound)
    begin(receiver)
  }

  package override var name: String {
    switch use {
    case .merge: "merge"
    // This engine is a part of the operator downstream.
    case .delimited: ""
    case .flatMap: "flatMap"
    case .flatMapFirst: "flatMapFirst"
    }
  }

  // MARK: Sources

  package override func openSlot(_ reaction: inout Reaction) -> Int? { sources.open() }

  package override var replacement: Subscribers.Demand? {
    maxPublishers == .unlimited ? Subscribers.Demand.none : .max(1)
  }

  package override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction
  ) -> Subscribers.Demand? {
    slot == 0
      ? outer.connected(subscription, requesting: maxPublishers)
      : sources.connected(subscription, to: slot, requesting: allowance)
  }

  package override func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout Reaction
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

  package override func cancelSources(_ reaction: inout Reaction) {
    outer.cancel(&reaction)
    sources.cancel(&reaction)
  }

  /// Requests another element from the outer source, because an entry has become free.
  private func requestAnother(_ reaction: inout Reaction) {
    if maxPublishers != .unlimited { reaction.request(.max(1), from: outer.subscription) }
  }

  // MARK: Elements

  package override func received(from slot: Int, _ reaction: inout Reaction) {
    guard sources.isOpen(slot) else { return }
    if reaction.canPass, !reaction.isBounded { return reaction.emit(tag: slot) }
    receivedWaiting(from: slot, &reaction)
  }

  private func receivedWaiting(from slot: Int, _ reaction: inout Reaction) {
    var dropped: Int?
    switch makesRoom(&reaction) {
    case .full: return
    case .free: break
    case .freed(let offset): dropped = offset
    }
    let isAlone = reaction.canPass && reaction.bound?.overflow != .wait
    if isAlone { return reaction.emit(tag: slot) }
    sources.addWaiting(slot)
    if let dropped, sources.removeWaiting(reaction.tag(at: dropped)) { requestAnother(&reaction) }
    reaction.enqueue(tag: slot, replacing: dropped)
  }

  package override func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction) {
    let former = allowance
    if !reaction.isBounded {
      allowance = reaction.demand == .unlimited ? .unlimited : .max(1)
    } else if former == .none {
      allowance = .max(1)
    }
    if allowance != former { sources.request(allowance, &reaction) }
  }

  package override func delivered(_ slot: Int, _ reaction: inout Reaction) {
    if allowance != .unlimited { reaction.request(.max(1), from: sources.subscription(of: slot)) }
    if sources.removeWaiting(slot) { requestAnother(&reaction) }
  }

  // MARK: Inspection

  package override func limitingOperator(of slot: Int) -> String? {
    guard slot == 0, maxPublishers != .unlimited, use == .flatMap else { return nil }
    return "flatMap(maxPublishers:) or flatMap(maxTasks:)"
  }

  package override func inspectContents(_ tell: StreamFact.Tell) {
    if use == .merge || use == .delimited { return sources.tell(tell, from: 0) }
    outer.tell(tell)
    tell(.running, sources.liveCount, nil)
    tell(.limit, Int(bitPattern: maxPublishers.rawValue), nil)
    sources.tell(tell, from: 1)
  }
}
