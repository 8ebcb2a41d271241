/// The state that the delivering thread shares with the threads that leave elements to it. It's part of lock-protected state.
package struct Handover {
  /// The identity of the delivering thread, or 0 if there's none or that thread doesn't hand its turn over.
  package private(set) var thread: UInt = 0
  /// Indicates whether another thread has left something since the last offer.
  private(set) var isWanted = false
  private var isOpen = false

  package init() {}

  /// Indicates whether the calling thread has offered its turn and no other has taken it.
  var isOffered: Bool { isOpen && thread == ThreadState.identity }

  mutating func begin() {
    if thread == 0 { thread = ThreadState.identity }
  }

  mutating func offer() {
    isOpen = true
    isWanted = false
  }

  mutating func withdraw() -> Bool {
    let isOffered = isOffered
    if isOffered { isOpen = false }
    return isOffered
  }

  /// Records that the caller leaves something to the delivering thread. Returns whether the caller must deliver it
  /// itself, because the turn was on offer and is now the caller's.
  package mutating func takeOver() -> Bool {
    if thread == 0 { return false }
    if isOpen {
      self = Handover()
      return true
    }
    if !isWanted { isWanted = thread != ThreadState.identity }
    return false
  }

  /// Records that no thread is delivering anymore.
  @inline(__always)
  package mutating func end() { if thread != 0 { self = Handover() } }
}
