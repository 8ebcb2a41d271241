/// Keeps elements for which there is no demand yet, up to a number.
@usableFromInline
class BufferMachine: SingleSourceMachine {
  private let size: Int
  private let keepsFull: Bool
  private let overflow: Overflow
  /// Indicates whether the elements that wait for demand are delivered after the source has ended.
  private let keepsAtEnd: Bool

  init(size: Int, keepsFull: Bool, overflow: Overflow, keepsAtEnd: Bool = true) {
    self.size = size
    self.keepsFull = keepsFull
    self.overflow = overflow
    self.keepsAtEnd = keepsAtEnd
    super.init()
  }

  override var directPath: DirectPath { overflow == .wait ? .none : .slot(0) }

  override var isBounded: Bool { size < .max }

  override func firstRequest() -> Subscribers.Demand {
    if overflow == .wait { return .max(size) }
    return keepsFull && demand != .unlimited ? size == 0 ? demand : .max(size) : .unlimited
  }

  override func received(from slot: Slot, _ effects: inout Effects) -> Reception {
    guard unpromised >= size, size > 0 || room == .none else { return .stored }
    return receivedTooMany(overflow, size: size, &effects)
  }

  override func requested(_ more: Subscribers.Demand, _ effects: inout Effects) {
    let wasUnlimited = demand == .unlimited
    demand += more
    if overflow == .wait { return }
    // Elements on the direct path do not request a replacement each.
    if keepsFull, demand == .unlimited, !wasUnlimited {
      effects.request(.unlimited, from: upstream)
    } else if keepsFull, size == 0 {
      effects.request(more, from: upstream)
    }
  }

  override func delivered(_ effects: inout Effects) {
    if overflow == .wait || keepsFull && size > 0 && demand != .unlimited { effects.request(.max(1), from: upstream) }
  }

  override func ended(_ slot: Slot, failed: Bool, _ effects: inout Effects) -> Ending {
    if keepsAtEnd { return super.ended(slot, failed: failed, &effects) }
    effects.release(upstream.take())
    return fail(&effects)
  }

  override func limitingOperator(of slot: Slot) -> String? {
    overflow == .wait ? "buffer(size:prefetch:whenFull: .wait)" : nil
  }

  override func inspect(_ tell: StreamFact.Tell) {
    super.inspect(tell)
    tell(.bound, size, nil)
  }
}
