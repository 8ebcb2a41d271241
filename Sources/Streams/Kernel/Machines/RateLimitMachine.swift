/// Delivers elements as it is granted to them, which its operator decides by the time; others wait, up to a number.
///
/// Elements are counted as due when they are granted. A timer is armed while one waits that downstream has asked for.
@usableFromInline
final class RateLimitMachine: TimedMachine {
  /// The slot of an element that may be delivered at once.
  @usableFromInline static var granted: Int { 0 }

  /// The slot of an element that has to wait.
  @usableFromInline static var waits: Int { 1 }

  private let size: Int
  private let overflow: BufferMachine.Overflow

  init(size: Int, overflow: BufferMachine.Overflow) {
    self.size = size
    self.overflow = overflow
    super.init()
  }

  override var initialDemand: Subscribers.Demand { .unlimited }

  /// Whether an element that comes now would be the next one to be delivered, and has been asked for.
  @usableFromInline
  func isNext() -> Bool { waiting == due && demand != .none }

  /// Whether one waits that has been asked for.
  @usableFromInline
  func hasCandidate() -> Bool { waiting > due && demand != .none }

  /// Makes the oldest that waits due.
  @usableFromInline
  func grant() {
    _ = demand.spend()
    paths.due &+= 1
  }

  override func received(from slot: Int) -> Reception {
    if slot == Self.granted {
      grant()
      scheduleDrain()
      return .stored
    }
    if waiting - due < size {
      if !isArmed, demand != .none { arm() }
      return .stored
    }
    switch overflow {
    case .dropNewest: return .refused
    case .dropOldest: return .replaces
    case .fail:
      // What waits comes first.
      finish(.ofOperator)
      steps.cancel(upstream.take())
      if waiting == due { scheduleDrain() }
      return .refused
    }
  }

  override func requested(_ more: Subscribers.Demand) {
    demand += more
    armIfNeeded()
  }

  private func armIfNeeded() {
    if hasCandidate(), !isArmed { arm() }
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    steps.release(upstream.take())
    finish()
    if waiting == due { scheduleDrain() }
    return .ends
  }

  override func isDue() {
    armIfNeeded()
    conclude()
  }

  override func next() -> Delivery? {
    if isOver { return nil }
    if paths.takeDue() { return .element }
    return phase == .concluding && waiting == 0 ? complete() : nil
  }
}
