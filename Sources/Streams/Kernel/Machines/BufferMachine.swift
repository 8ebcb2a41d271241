/// Keeps elements for which there is no demand yet, up to a number.
@usableFromInline
class BufferMachine: Machine {
  /// The strategy for an element that arrives when the buffer is full.
  @usableFromInline
  enum Overflow {
    case dropNewest
    case dropOldest
    case fail
  }

  private let size: Int
  private let keepsFull: Bool
  private let overflow: Overflow
  /// Indicates whether the elements that wait for demand are delivered after the source has ended.
  private let keepsAtEnd: Bool
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) final var subscription: SubscriptionObject?

  init(size: Int, keepsFull: Bool, overflow: Overflow, keepsAtEnd: Bool = true) {
    self.size = size
    self.keepsFull = keepsFull
    self.overflow = overflow
    self.keepsAtEnd = keepsAtEnd
  }

  override var directPath: DirectPath { .slot(0) }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ steps: inout Steps
  ) -> Subscribers.Demand? {
    guard self.subscription == nil else { return nil }
    self.subscription = subscription
    return keepsFull && demand != .unlimited ? size == 0 ? demand : .max(size) : .unlimited
  }

  override func received(from slot: Int, _ steps: inout Steps) -> Reception {
    guard waiting - promised >= size, size > 0 || room == .none else { return .stored }
    switch overflow {
    case .dropNewest: return .refused
    // Without room, the element itself is the oldest one.
    case .dropOldest: return size == 0 ? .refused : .replaces
    case .fail:
      // Not a failure that overtakes the kept elements: they come first, as demand permits.
      finishCancellingSources(&steps, .ofOperator)
      return .refused
    }
  }

  override func requested(_ more: Subscribers.Demand, _ steps: inout Steps) {
    let wasUnlimited = demand == .unlimited
    demand += more
    // Elements on the direct path do not request a replacement each.
    if keepsFull, demand == .unlimited, !wasUnlimited {
      steps.request(.unlimited, from: subscription)
    } else if keepsFull, size == 0 {
      steps.request(more, from: subscription)
    }
  }

  override func delivered(_ steps: inout Steps) {
    if keepsFull, size > 0, demand != .unlimited { steps.request(.max(1), from: subscription) }
  }

  override func ended(_ slot: Int, failed: Bool, _ steps: inout Steps) -> Ending {
    steps.release(subscription.take())
    if !keepsAtEnd { return fail(&steps) }
    finish()
    return .ends
  }

  override func dismantle(_ steps: inout Steps) { steps.cancel(subscription.take()) }
}
