/// Delivers the elements of several sources in the order in which they arrive.
///
/// While demand is limited, one element at a time is requested from each source, so each has at most one that waits. Nothing
/// is requested before downstream has requested something.
///
/// A bound changes that: with `.wait`, one element at a time is requested even if demand is unlimited, and otherwise
/// unlimited demand from the beginning.
@usableFromInline @frozen
struct MergeMachine<Element, Failure: Error>: SlotMachine {
  @usableFromInline typealias Output = Element

  @usableFromInline @frozen
  struct Source {
    @usableFromInline var subscription: SubscriptionObject?
    @usableFromInline var isLive = true

    @inlinable init() {}
  }

  @usableFromInline var sources: [Source]
  /// The demand that each source has at a time.
  @usableFromInline var allowance: Subscribers.Demand
  /// Indicates whether the stream finishes with the first source, without waiting for demand for elements of others.
  @usableFromInline let finishesWithFirst: Bool

  @inlinable @inline(never)
  init(count: Int, finishesWithFirst: Bool = false, _ bound: Bound<Failure>? = nil) {
    sources = Array(repeating: Source(), count: count)
    self.finishesWithFirst = finishesWithFirst
    allowance = bound == nil || bound?.overflow == .wait ? .none : .unlimited
  }

  @inlinable var name: String { "merge" }
  @inlinable static var tracksDeliveries: Bool { true }

  @inlinable
  mutating func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction<Output, Failure>
  ) -> Subscribers.Demand? {
    guard sources[slot].isLive, sources[slot].subscription == nil else { return nil }
    sources[slot].subscription = subscription
    return allowance
  }

  @inlinable @inline(__always)
  mutating func received(_ element: Element, from slot: Int, _ reaction: inout Reaction<Output, Failure>) {
    guard sources[slot].isLive else { return }
    if !reaction.isBounded { return reaction.emit(element, tag: slot) }
    receivedBounded(element, from: slot, &reaction)
  }

  @inlinable @inline(never)
  mutating func receivedBounded(_ element: Element, from slot: Int, _ reaction: inout Reaction<Output, Failure>) {
    guard makesRoom(&reaction) else { return }
    if reaction.bound?.overflow == .wait {
      reaction.enqueue(element, tag: slot)
    } else {
      reaction.emit(element, tag: slot)
    }
  }

  @inlinable
  mutating func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction<Output, Failure>) {
    let former = allowance
    if !reaction.isBounded {
      allowance = reaction.demand == .unlimited ? .unlimited : .max(1)
    } else if former == .none {
      allowance = .max(1)
    }
    if allowance != former { for source in sources { reaction.request(allowance, from: source.subscription) } }
  }

  @inlinable
  mutating func delivered(_ slot: Int, _ reaction: inout Reaction<Output, Failure>) {
    guard slot < sources.count, allowance != .unlimited else { return }
    reaction.request(.max(1), from: sources[slot].subscription)
  }

  @inlinable
  mutating func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<Failure>, _ reaction: inout Reaction<Output, Failure>
  ) {
    guard sources[slot].isLive else { return }
    sources[slot].isLive = false
    reaction.release(sources[slot].subscription.take())
    if case .failure = completion {
      reaction.endEarly(with: completion)
    } else if finishesWithFirst, slot == 0 {
      if reaction.holdsElement(tag: slot) { reaction.finish() } else { reaction.endEarly(with: .finished) }
    } else if !sources.contains(where: \.isLive) {
      return reaction.finish()
    } else {
      return
    }
    cancelSources(&reaction)
  }

  @inlinable
  mutating func cancelSources(_ reaction: inout Reaction<Output, Failure>) {
    let all = sources
    sources = []
    for source in all { reaction.cancel(source.subscription) }
  }

  @usableFromInline
  func inspect(_ tell: StreamFact.Tell) {
    var told = 0
    for source in sources where source.subscription != nil {
      if told == StreamFact.maxSources { break }
      tell(.upstream, told, source.subscription)
      told += 1
    }
    let live = sources.count { $0.isLive }
    if told == StreamFact.maxSources, told < live { tell(.others, live - told, nil) }
  }
}
