import Foundation
import StreamAlgorithms
import StreamFoundation
import Testing

/// Bugs of other reactive libraries: times of Foundation's schedulers.
struct DatesMuseumTests {
  private func check<Time: Strideable>(_ times: [Time]) where Time.Stride: Comparable & SignedNumeric {
    for (index, one) in times.enumerated() {
      for (other, two) in times.enumerated() {
        #expect(one.advanced(by: one.distance(to: two)) == two)
        #expect((one.distance(to: two) > 0) == (other > index))
      }
    }
  }

  /// cx-org/CombineX commit 973cc9b
  @Test func `the distance between two times of a run loop or an operation queue had the opposite sign`() {
    let dates = [-1_000, -0.5, 0, 0.25, 7, 1_000_000].map { Date(timeIntervalSinceReferenceDate: $0) }
    check(dates.map { RunLoop.SchedulerTimeType($0) })
    check(dates.map { OperationQueue.SchedulerTimeType($0) })
  }
}
