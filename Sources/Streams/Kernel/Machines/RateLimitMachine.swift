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

  override var isBounded: Bool { true }

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
  func received(isGranted: Bool, _ effects: inout Effects) -> Reception {
    if isGranted {
      grant()
      scheduleDrain(&effects)
      return .stored
    }
    if unpromised < size {
      if !isArmed, demand != .none { arm(&effects) }
      return .stored
    }
    if let reception = overflow.reception(size: size) { return reception }
    // The waiting elements come first.
    finish(substitute: true)
    effects.cancel(upstream.take())
    if waiting == due { scheduleDrain(&effects) }
    return .refused
  }

  override func requested(_ more: Subscribers.Demand, _ effects: inout Effects) {
    demand += more
    armIfNeeded(&effects)
  }

  private func armIfNeeded(_ effects: inout Effects) {
    if hasCandidate(), !isArmed { arm(&effects) }
  }

  override func sourceEnded(_ effects: inout Effects) {
    if waiting == due { scheduleDrain(&effects) }
  }

  override func isDue(_ effects: inout Effects) {
    armIfNeeded(&effects)
    conclude()
  }
}
