/// Keeps elements that downstream does not want yet, up to a number.
@usableFromInline
final class BufferMachine: Machine {
  /// What happens to an element that finds the buffer full.
  @usableFromInline
  enum Overflow {
    case dropNewest
    case dropOldest
    case fail
  }

  private let size: Int
  private let keepsFull: Bool
  private let overflow: Overflow
  private var subscription: (any Subscription)?

  /// Whether the element that is being received takes the place of the oldest one.
  private(set) var replacesOldest = false

  init(size: Int, keepsFull: Bool, overflow: Overflow) {
    self.size = size
    self.keepsFull = keepsFull
    self.overflow = overflow
  }

  override var directSlots: DirectSlots { .only(0) }

  override func connected(_ subscription: any Subscription, from slot: Int) {
    guard self.subscription == nil else { return steps.cancel(subscription) }
    self.subscription = subscription
    steps.request(keepsFull ? .max(size) : .unlimited, from: subscription)
  }

  override func received(from slot: Int) -> Reception {
    replacesOldest = false
    guard waiting >= size, room == .none else {
      waiting += 1
      return .stored
    }
    switch overflow {
    case .dropNewest: return .refused
    case .dropOldest:
      replacesOldest = true
      return .stored
    case .fail:
      _ = fail()
      return .completesSet
    }
  }

  override func requested(_ more: Subscribers.Demand) {
    let wasUnlimited = demand == .unlimited
    demand += more
    // Elements that go straight through are not replaced one by one.
    if keepsFull, demand == .unlimited, !wasUnlimited { steps.request(.unlimited, from: subscription) }
  }

  override func delivered() {
    if keepsFull, demand != .unlimited { steps.request(.max(1), from: subscription) }
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    subscription = nil
    isFinishing = true
    return .ends
  }

  override func dismantle() { steps.cancel(subscription.take()) }
}
