/// Delivers elements at the times at which its operator grants them; others wait, up to a number.
///
/// An element counts as due once it is granted. A timer is armed while an element waits for which there is demand.
@usableFromInline
final class RateLimitMachine: TimedMachine {
  private let size: Int
  private let overflow: BufferMachine.Overflow

  init(size: Int, overflow: BufferMachine.Overflow) {
    self.size = size
    self.overflow = overflow
    super.init()
  }

  override func firstRequest() -> Subscribers.Demand { .unlimited }

  /// Indicates whether an element that arrives now would be the next one to be delivered, and there is demand for it.
  @usableFromInline
  func isNext() -> Bool { waiting == due && demand != .none }

  /// Indicates whether an element waits for which there is demand.
  @usableFromInline
  func hasCandidate() -> Bool { waiting > due && demand != .none }

  /// Makes the oldest waiting element due.
  @usableFromInline
  func grant() {
    _ = demand.spend()
    paths.due &+= 1
  }

  /// Handles an element, which may be delivered at once if it is granted, or else has to wait.
  @usableFromInline
  func received(isGranted: Bool, _ steps: inout Steps) -> Reception {
    if isGranted {
      grant()
      scheduleDrain(&steps)
      return .stored
    }
    if waiting - promised < size {
      if !isArmed, demand != .none { arm(&steps) }
      return .stored
    }
    if let reception = overflow.reception(size: size) { return reception }
    // The waiting elements come first.
    finish(substitute: true)
    steps.cancel(upstream.take())
    if waiting == due { scheduleDrain(&steps) }
    return .refused
  }

  override func requested(_ more: Subscribers.Demand, _ steps: inout Steps) {
    demand += more
    armIfNeeded(&steps)
  }

  private func armIfNeeded(_ steps: inout Steps) {
    if hasCandidate(), !isArmed { arm(&steps) }
  }

  override func sourceEnded(_ steps: inout Steps) {
    if waiting == due { scheduleDrain(&steps) }
  }

  override func isDue(_ steps: inout Steps) {
    armIfNeeded(&steps)
    conclude()
  }
}
