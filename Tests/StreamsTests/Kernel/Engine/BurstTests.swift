import Testing

@testable import Streams

// `@testable`: the length of a burst, which shows only where threads meet.

/// On a thread of their own, because a burst tells threads apart.
@Suite(.ownThread)
struct BurstTests {
  /// Counts the deliveries, each after the burst is over, before which a thread offers its role, and no other takes it.
  private func offers(_ deliveries: Int, _ burst: inout Burst, _ handover: inout Handover) -> Int {
    var count = 0
    for _ in 0..<deliveries where burst.countsLastDelivery(&handover) && burst.offersTurn(&handover) {
      count += 1
      let isTaken = burst.losesTurn { change in change(&handover) }
      #expect(!isTaken)
    }
    return count
  }

  /// Leaves something on another thread, and returns whether that must deliver it itself.
  private func leaveOnAnotherThread(_ handover: inout Handover) -> Bool {
    nonisolated(unsafe) var shared = handover
    nonisolated(unsafe) var isTaken = false
    onAnotherThread { isTaken = shared.takeOver() }
    handover = shared
    return isTaken
  }

  @Test func `a thread that only delivers what it has left itself makes no offers`() {
    var (burst, handover) = (Burst(0), Handover())
    for _ in 0..<3 * Burst.length {
      let isTaken = handover.takeOver()
      #expect(!isTaken)
      let count = offers(1, &burst, &handover)
      #expect(count == 0)
    }
  }

  @Test func `a burst lasts for its number of deliveries`() {
    var (burst, handover) = (Burst(2), Handover())
    let isUp = (0..<4).map { _ in burst.countsLastDelivery(&handover) }
    #expect(isUp == [false, false, true, true])
  }

  @Test func `a thread that others have left something to offers its role, and then after ever longer bursts`() {
    var (burst, handover) = (Burst(0), Handover())
    let before = offers(1, &burst, &handover)
    #expect(before == 0)
    for _ in 0..<2 {
      let isTaken = leaveOnAnotherThread(&handover)
      #expect(!isTaken)
      let first = offers(1, &burst, &handover)
      #expect(first == 1)
      // After 1, 2, 4 … times the length of a burst.
      for (times, count) in [(1, 1), (1, 0), (1, 1), (4, 1), (8, 1), (1_000, 5), (8, 1)] {
        let later = offers(times * Burst.length, &burst, &handover)
        #expect(later == count, "\(times)")
      }
    }
  }

  @Test func `a thread that leaves something while the role is on offer takes it over`() {
    var (burst, handover) = (Burst(0), Handover())
    _ = burst.countsLastDelivery(&handover)
    _ = leaveOnAnotherThread(&handover)
    let isOffered = burst.offersTurn(&handover)
    #expect(isOffered)
    let takesOver = leaveOnAnotherThread(&handover)
    #expect(takesOver)
    let isTaken = burst.losesTurn { change in change(&handover) }
    #expect(isTaken)
  }
}
