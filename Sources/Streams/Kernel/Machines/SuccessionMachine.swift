/// Lets one source follow another, with at most one live at a time, and carries over outstanding demand.
///
/// Each source has the slot number after that of its predecessor.
@usableFromInline
final class SuccessionMachine: Machine {
  private let followsFailure: Bool
  /// The number of further sources that may follow.
  var successors: Int
  private var current = -1
  private var subscription: SubscriptionObject?

  /// Creates a machine in which another source follows a failure, or else a normal end, up to the given number of
  /// times.
  init(followsFailure: Bool, successors: Int) {
    self.followsFailure = followsFailure
    self.successors = successors
  }

  override var directPath: DirectPath { .slot(current) }

  /// Indicates whether the source of the slot is the one that may send.
  func isCurrent(_ slot: Int) -> Bool { slot == current && !isFinishing }

  override func open(_ steps: inout Steps) -> Int? {
    current += 1
    return current
  }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ steps: inout Steps
  ) -> Subscribers.Demand? {
    guard slot == current, self.subscription == nil else { return nil }
    self.subscription = subscription
    return room
  }

  override func requested(_ more: Subscribers.Demand, _ steps: inout Steps) {
    demand += more
    steps.request(more, from: subscription)
  }

  override func received(from slot: Int, _ steps: inout Steps) -> Reception {
    slot == current ? .stored : .refused
  }

  override func ended(_ slot: Int, failed: Bool, _ steps: inout Steps) -> Ending {
    guard slot == current else { return .continues }
    steps.release(subscription.take())
    if failed == followsFailure, successors > 0 {
      successors -= 1
      return .hasSuccessor
    }
    if failed { return fail(&steps) }
    finish()
    return .ends
  }

  override func dismantle(_ steps: inout Steps) { steps.cancel(subscription.take()) }
}
