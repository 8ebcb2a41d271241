/// How long one thread delivers for others.
///
/// Whoever delivers also delivers what others leave meanwhile, so that nobody waits for a delivery. Without a bound, a thread
/// could be kept from its own work for as long as others go on. So after ``length`` deliveries it offers its role, between one
/// delivery and the next, to whoever next leaves something, and that thread takes over. If nobody does within a moment, it goes
/// on, and makes the offer again: before the next delivery if somebody has left something meanwhile, and for twice as long, else
/// after as many deliveries as before. A thread that works off only what it has left itself makes no offers.
///
/// A turn belongs to the thread that delivers; ``Handover`` is what it shares with the others.
@usableFromInline
struct Turn {
  /// How many deliveries a thread makes before it offers its role.
  static let length = 64

  // Small, since each sequence that is being produced has one.
  private var remaining: UInt32
  private var beyond: UInt32 = 0
  private var patience: UInt8 = 1
  private var hasBeenWanted = false

  @usableFromInline
  init() { remaining = UInt32(Self.length) }

  /// Makes one of so many deliveries.
  @usableFromInline
  init(_ length: Int) { remaining = UInt32(clamping: length) }

  /// Counts a delivery that is about to be made; returns true when there have been enough of them. Called under the lock.
  @usableFromInline
  mutating func isUp(_ handover: inout Handover) -> Bool {
    handover.begin()
    if remaining == 0 { return true }
    remaining -= 1
    return false
  }

  /// Offers the role, if another thread has left something; then the caller is to find out with ``isTaken(_:)`` whether it still
  /// has it. Called under the lock.
  @usableFromInline
  mutating func offers(_ handover: inout Handover) -> Bool {
    let isWanted = handover.isWanted
    hasBeenWanted = hasBeenWanted || isWanted
    if !isWanted { patience = 1 }
    beyond &+= 1
    guard isWanted || hasBeenWanted && beyond % UInt32(Self.length) == 0 else { return false }
    handover.offer()
    return true
  }

  /// Waits for a moment for somebody to take over; returns whether somebody has. Not called under the lock, which
  /// `withHandover` takes.
  @usableFromInline
  mutating func isTaken(_ withHandover: ((inout Handover) -> Bool) -> Bool) -> Bool {
    for _ in 0..<patience {
      Platform.yield()
      if !withHandover({ $0.isOffered }) { return true }
    }
    patience = Swift.min(patience * 2, UInt8(Self.length))
    return !withHandover { $0.withdraw() }
  }

  /// Goes on for another delivery.
  @usableFromInline
  mutating func extend() { remaining = 1 }
}

/// What the thread that delivers, and those that leave something to it, tell one another. Part of a state that a lock protects.
@usableFromInline
struct Handover {
  /// The thread that delivers; 0 when there is none, or it does not hand on.
  private var thread: UInt = 0
  /// Whether another thread has left something since the last offer.
  fileprivate private(set) var isWanted = false
  private var isOpen = false

  @usableFromInline
  init() {}

  /// Whether the calling thread has offered its role and nobody has taken it.
  fileprivate var isOffered: Bool { isOpen && thread == ThreadContext.identity }

  fileprivate mutating func begin() {
    if thread == 0 { thread = ThreadContext.identity }
  }

  fileprivate mutating func offer() {
    isOpen = true
    isWanted = false
  }

  fileprivate mutating func withdraw() -> Bool {
    let isOffered = isOffered
    if isOffered { isOpen = false }
    return isOffered
  }

  /// The caller leaves something to whoever delivers; returns whether it is to deliver that itself, since the role is on offer.
  @usableFromInline
  mutating func take() -> Bool {
    if thread == 0 { return false }
    if isOpen {
      self = Handover()
      return true
    }
    if !isWanted { isWanted = thread != ThreadContext.identity }
    return false
  }

  /// Nobody delivers any more.
  @usableFromInline
  mutating func end() { self = Handover() }
}
