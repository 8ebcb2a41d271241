import Testing

@testable import Streams

/// On a thread of their own, because a turn tells threads apart.
@Suite(.ownThread)
struct TurnTests {
  private typealias Turn = DrainRole.Turn
  private typealias Handover = DrainRole.Handover

  /// Counts the deliveries, each after the turn is up, before which a thread offers its role, and no other takes it.
  private func offers(_ deliveries: Int, _ turn: inout Turn, _ handover: inout Handover) -> Int {
    var count = 0
    for _ in 0..<deliveries where turn.isUp(&handover) && turn.offers(&handover) {
      count += 1
      let isTaken = turn.isTaken { change in change(&handover) }
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
    var (turn, handover) = (Turn(0), Handover())
    for _ in 0..<3 * Turn.length {
      let isTaken = handover.takeOver()
      #expect(!isTaken)
      let count = offers(1, &turn, &handover)
      #expect(count == 0)
    }
  }

  @Test func `a turn lasts for its number of deliveries`() {
    var (turn, handover) = (Turn(2), Handover())
    let isUp = (0..<4).map { _ in turn.isUp(&handover) }
    #expect(isUp == [false, false, true, true])
  }

  @Test func `a thread that others have left something to offers its role at once, and then once in a turn`() {
    var (turn, handover) = (Turn(0), Handover())
    let before = offers(1, &turn, &handover)
    #expect(before == 0)
    let isTaken = leaveOnAnotherThread(&handover)
    #expect(!isTaken)
    let first = offers(1, &turn, &handover)
    #expect(first == 1)
    let later = offers(3 * Turn.length, &turn, &handover)
    #expect(later == 3)
  }

  @Test func `a thread that leaves something while the role is on offer takes it over`() {
    var (turn, handover) = (Turn(0), Handover())
    _ = turn.isUp(&handover)
    _ = leaveOnAnotherThread(&handover)
    let isOffered = turn.offers(&handover)
    #expect(isOffered && turn.isOnOffer)
    let takesOver = leaveOnAnotherThread(&handover)
    #expect(takesOver)
    let isTaken = turn.isTaken { change in change(&handover) }
    #expect(isTaken)
  }
}
