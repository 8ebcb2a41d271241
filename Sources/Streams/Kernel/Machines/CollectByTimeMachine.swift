/// Collects elements into groups, which end after a number of elements, or at the end of an interval, whichever comes
/// first. Everything is delivered on the scheduler.
///
/// The elements of the unfinished group are kept by the operator, which therefore knows how many they are; the machine
/// counts complete groups. A timer is armed while an interval lasts in which an element has arrived.
@usableFromInline
final class CollectByTimeMachine: TimedMachine {
  /// The slot of an element that does not complete its group.
  @usableFromInline static var element: Int { 0 }

  /// The slot of an element that completes its group.
  @usableFromInline static var lastElement: Int { 1 }

  /// The slot of the end of an interval in which elements were collected.
  @usableFromInline static var intervalEnd: Int { 2 }

  /// The slot of the end of an interval in which none were collected since the last group.
  @usableFromInline static var emptyIntervalEnd: Int { 3 }

  private let limit: Int?
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var hasAskedForAll = false
  /// Indicates whether an interval has ended, and its elements have not been made a group yet.
  @exclusivity(unchecked) private var hasIntervalEnded = false

  init(limit: Int?) {
    self.limit = limit
    super.init(.onDrains)
  }

  // The first element of an interval arms the timer.
  override var directPath: DirectPath { isArmed ? .setAside : .none }

  override func connected(_ subscription: SubscriptionObject, from slot: Int, _ steps: inout Steps) -> Subscribers
    .Demand?
  {
    guard upstream == nil else { return nil }
    upstream = subscription
    return elements(for: demand)
  }

  override func requested(_ more: Subscribers.Demand, _ steps: inout Steps) {
    demand += more
    if upstream != nil { steps.request(elements(for: more), from: upstream) }
    if waiting > due { scheduleDrain(&steps) }
  }

  /// The demand for elements that corresponds to a demand for groups.
  private func elements(for groups: Subscribers.Demand) -> Subscribers.Demand {
    if let limit { return groups * limit }
    // The number of elements in an interval is unknown.
    if hasAskedForAll || groups == .none { return .none }
    hasAskedForAll = true
    return .unlimited
  }

  override func received(from slot: Int, _ steps: inout Steps) -> Reception {
    switch slot {
    case Self.element:
      if !isArmed { arm(&steps) }
      return .setAside
    case Self.lastElement:
      scheduleDrain(&steps)
      return .completes
    default:
      defer { hasIntervalEnded = false }
      return hasIntervalEnded && slot == Self.intervalEnd ? .completes : .refused
    }
  }

  override func isDue(_ steps: inout Steps) { hasIntervalEnded = true }

  override func makeWaitingDue() {
    var more = waiting - due
    if let wanted = demand.max { more = min(more, wanted) }
    demand -= more
    paths.due &+= more
  }

  override func ended(_ slot: Int, failed: Bool, _ steps: inout Steps) -> Ending {
    steps.release(upstream.take())
    if failed {
      // Groups that have been requested come first, even if the scheduler has yet to deliver an earlier one.
      makeWaitingDue()
      _ = fail(&steps)
    } else {
      if slot == Self.lastElement { paths.waiting &+= 1 }
      finish()
      disarm(&steps)
    }
    scheduleDrain(&steps)
    return .ends
  }

  override func next(_ steps: inout Steps) -> Delivery? {
    if isOver { return nil }
    if paths.takeDue() { return .element }
    return phase == .failing || phase == .concluding && waiting == 0 ? complete(&steps) : nil
  }
}
