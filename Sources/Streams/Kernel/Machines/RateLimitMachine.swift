/// Delivers elements at the times at which its operator grants them; others wait, up to a number.
///
/// An element counts as due once it is granted. A timer is armed while an element waits for which there is demand.
@usableFromInline
final class RateLimitMachine: TimedMachine {
  private let size: Int
  private let overflow: Overflow
  /// The number of elements that have been granted, and for which no others have been requested.
  private var granted = 0

  init(size: Int, overflow: Overflow) {
    self.size = size
    self.overflow = overflow
    super.init()
  }

  override var isBounded: Bool { true }

  override func firstRequest() -> Subscribers.Demand { overflow == .wait ? .max(size) : .unlimited }

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
    granted &+= 1
  }

  /// Handles an element, which may be delivered at once if it is granted, or else has to wait.
  @usableFromInline
  func received(isGranted: Bool, _ effects: inout Effects) -> Reception {
    if isGranted {
      grant()
      replenish(&effects)
      scheduleDrain(&effects)
      return .stored
    }
    if unpromised < size {
      if !isArmed, demand != .none { arm(&effects) }
      return .stored
    }
    return receivedTooMany(&effects)
  }

  @inline(never)
  private func receivedTooMany(_ effects: inout Effects) -> Reception {
    guard overflow == .fail else {
      let reception = receivedTooMany(overflow, size: size, &effects)
      if isFinishing { scheduleDrain(&effects) }
      return reception
    }
    // The waiting elements come first, each at its time.
    finish(substitute: true)
    effects.cancel(upstream.take())
    if waiting == due { scheduleDrain(&effects) }
    return .refused
  }

  /// Requests as many elements as have been granted, if no more are to arrive than there is room for.
  private func replenish(_ effects: inout Effects) {
    if overflow == .wait { effects.request(.max(granted), from: upstream) }
    granted = 0
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
    replenish(&effects)
    armIfNeeded(&effects)
    conclude()
  }

  override func limitingOperator(of slot: Slot) -> String? {
    overflow == .wait ? "rateLimit(_:per:scheduler:queueSize:whenFull: .wait)" : nil
  }

  override func inspect(_ tell: StreamFact.Tell) {
    super.inspect(tell)
    tell(.bound, size, nil)
  }
}
