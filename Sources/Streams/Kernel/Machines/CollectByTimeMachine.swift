/// Collects elements into groups, which end after a number of elements, or at the end of an interval, whichever comes
/// first. Everything is delivered on the scheduler.
///
/// The elements of the unfinished group are kept by the operator, which therefore knows how many they are; the machine
/// counts complete groups. A timer is armed while an interval lasts in which an element has arrived.
@usableFromInline
final class CollectByTimeMachine: TimedMachine {
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

  override func firstRequest() -> Subscribers.Demand { elements(for: demand) }

  override func requested(_ more: Subscribers.Demand, _ effects: inout Effects) {
    demand += more
    if upstream != nil { effects.request(elements(for: more), from: upstream) }
    if waiting > due { scheduleDrain(&effects) }
  }

  /// The demand for elements that corresponds to a demand for groups.
  private func elements(for groups: Subscribers.Demand) -> Subscribers.Demand {
    if let limit { return groups * limit }
    // The number of elements in an interval is unknown.
    if hasAskedForAll || groups == .none { return .none }
    hasAskedForAll = true
    return .unlimited
  }

  /// Handles an element, which may complete its group.
  @usableFromInline
  func received(completesGroup: Bool, _ effects: inout Effects) -> Reception {
    if completesGroup {
      scheduleDrain(&effects)
      return .completes
    }
    if !isArmed { arm(&effects) }
    return .setAside
  }

  /// Handles the end of an interval, in which elements may have been collected since the last group.
  @usableFromInline
  func intervalEnded(hasElements: Bool) -> Reception {
    defer { hasIntervalEnded = false }
    return hasIntervalEnded && hasElements ? .completes : .refused
  }

  override func isDue(_ effects: inout Effects) { hasIntervalEnded = true }

  override func makeWaitingDue() {
    var more = waiting - due
    if let wanted = demand.max { more = min(more, wanted) }
    demand -= more
    paths.due &+= more
  }

  /// Handles the end of the source, after which a group of elements may be left.
  @usableFromInline
  func ended(failed: Bool, hasElements: Bool, _ effects: inout Effects) -> Ending {
    effects.release(upstream.take())
    if failed {
      // Groups that have been requested come first, even if the scheduler has yet to deliver an earlier one.
      makeWaitingDue()
      _ = fail(&effects)
    } else {
      if hasElements { paths.waiting &+= 1 }
      finish()
      disarm(&effects)
    }
    scheduleDrain(&effects)
    return .ends
  }
}
