/// A limit on how long one thread delivers for others.
///
/// A thread that delivers also delivers the elements that other threads leave to it, so no thread waits for a delivery. Without
/// a bound, the others could keep the thread from its own work for as long as they continue. So after ``length`` deliveries, it
/// offers its turn, and the next thread that leaves something takes over. If none does within a moment, the delivering thread
/// continues and repeats the offer later. If another thread has left something by then, it repeats the offer before the next
/// delivery, for twice as long. Otherwise, it repeats the offer after twice as many deliveries as before. A moment can be long
/// on a busy machine, so a thread with a long queue that nobody adds to must not wait again and again. A thread that delivers
/// only its own elements doesn't make offers.
///
/// A burst belongs to the delivering thread. ``Handover`` is the state that it shares with the others.
package struct Burst {
  /// The number of deliveries before a thread offers its turn.
  #if STREAMS_EXPLORE
    // Small, so a scenario's few steps contain a handover.
    static let length = 2
  #else
    static let length = 64
  #endif

  // The fields are small, because each sequence that is being produced has a burst.
  private var remaining: UInt32
  private var overtime: UInt32 = 0
  private var patience: UInt8 = 1
  /// How often the interval between offers was doubled because no thread had left anything.
  private var doublings: UInt8 = 0
  private var hasBeenWanted = false

  package init() { remaining = UInt32(Self.length) }

  /// Creates a burst of the given number of deliveries.
  init(_ length: Int) { remaining = UInt32(clamping: length) }

  /// Counts the next delivery. Returns true if it's the last one of the burst. Called under the lock.
  package mutating func countsLastDelivery(_ handover: inout Handover) -> Bool {
    handover.begin()
    if remaining == 0 { return true }
    remaining -= 1
    return false
  }

  /// Offers the turn if another thread has left something, or if it's time to repeat the offer. If this returns true, the
  /// caller finds out with ``losesTurn(_:)`` whether it still has the turn. Called under the lock.
  package mutating func offersTurn(_ handover: inout Handover) -> Bool {
    let isWanted = handover.isWanted
    if isWanted {
      hasBeenWanted = true
      doublings = 0
    } else {
      patience = 1
      guard hasBeenWanted else { return false }
      overtime += 1
      guard overtime == UInt32(Self.length) << doublings else { return false }
      // The limit keeps the number of deliveries from overflowing.
      doublings = Swift.min(doublings + 1, 20)
    }
    overtime = 0
    handover.offer()
    return true
  }

  /// Waits a moment for another thread to take over, and returns whether one has. Called without the lock, which
  /// `withHandover` takes.
  package mutating func losesTurn(_ withHandover: ((inout Handover) -> Bool) -> Bool) -> Bool {
    for _ in 0..<patience {
      Platform.yield()
      if !withHandover({ $0.isOffered }) { return true }
    }
    patience = Swift.min(patience * 2, UInt8(Self.length))
    return !withHandover { $0.withdraw() }
  }
}
