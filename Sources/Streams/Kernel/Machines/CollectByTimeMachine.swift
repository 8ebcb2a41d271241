/// Makes groups of the elements that come in an interval, and of so many elements if their number is limited.
///
/// A timer is armed only while an interval lasts in which an element has come: nothing waits at the scheduler of a stream that
/// is quiet. When it fires, the outlet asks about the slot ``intervalEnd``.
@usableFromInline
final class CollectByTimeMachine: TimedMachine {
  /// The slot of what ends a group: the timer.
  @usableFromInline static var intervalEnd: Int { 1 }

  /// How many elements a group holds; nil if time alone ends it.
  private let limit: Int?
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  /// How many elements the group has that is being made.
  @exclusivity(unchecked) private var count = 0
  /// Whether upstream has been asked for everything.
  @exclusivity(unchecked) private var hasAskedForAll = false

  init(limit: Int?) {
    self.limit = limit
    super.init(.asElementsCome)
  }

  /// With a timer armed, an element records no step.
  override var directPath: DirectPath { isArmed ? .everySlot : .none }

  override func connected(_ subscription: SubscriptionObject, from slot: Int) -> Subscribers.Demand? {
    guard upstream == nil else { return nil }
    upstream = subscription
    return elements(for: demand)
  }

  override func requested(_ more: Subscribers.Demand) {
    demand += more
    if upstream != nil { steps.request(elements(for: more), from: upstream) }
  }

  /// How many elements upstream is asked for, because so many groups were asked for.
  private func elements(for groups: Subscribers.Demand) -> Subscribers.Demand {
    if let limit { return groups * limit }
    // Nobody knows how many elements an interval has.
    if hasAskedForAll || groups == .none { return .none }
    hasAskedForAll = true
    return .unlimited
  }

  override func received(from slot: Int) -> Reception {
    if slot == Self.intervalEnd { return endGroup() ? .completes : .refused }
    if !isArmed { arm() }
    count &+= 1
    return count == limit && endGroup() ? .completes : .setAside
  }

  /// Ends the group that is being made; returns whether there is one.
  private func endGroup() -> Bool {
    defer { count = 0 }
    return count > 0
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    steps.release(upstream.take())
    if failed { return fail() }
    if endGroup() { paths.waiting &+= 1 }
    finish()
    disarm()
    return .ends
  }
}
