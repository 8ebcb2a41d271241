/// Groups the elements that arrive in an interval, up to a limited number if there is a limit.
///
/// A timer is armed only during an interval in which an element has arrived: a quiet stream has no work waiting at the
/// scheduler. When the timer fires, the outlet asks the machine about the slot ``intervalEnd``.
@usableFromInline
final class CollectByTimeMachine: TimedMachine {
  /// The slot that stands for the end of a group by the timer.
  @usableFromInline static var intervalEnd: Int { 1 }

  /// The maximum number of elements in a group, or `nil` if only time ends it.
  private let limit: Int?
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  /// The number of elements in the group that is being made.
  @exclusivity(unchecked) private var count = 0
  /// Indicates whether unlimited demand has been requested from upstream.
  @exclusivity(unchecked) private var hasAskedForAll = false

  init(limit: Int?) {
    self.limit = limit
    super.init(.asElementsCome)
  }

  /// While a timer is armed, an element records no step.
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

  /// Returns the demand for elements upstream that corresponds to a demand for groups.
  private func elements(for groups: Subscribers.Demand) -> Subscribers.Demand {
    if let limit { return groups * limit }
    // The number of elements in an interval is unknown.
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

  /// Ends the group that is being made. Returns whether it has any elements.
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
