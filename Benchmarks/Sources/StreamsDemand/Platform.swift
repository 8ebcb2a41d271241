import Dispatch
import StreamSchedulers
import Streams
import Workloads

typealias ProbeScheduler = TestSchedulerOf<DispatchQueue>

/// Virtual time for timed operators.
struct ProbeTime {
  let scheduler: ProbeScheduler = DispatchQueue.test

  func advance(by milliseconds: Int) { scheduler.advance(by: .milliseconds(milliseconds)) }
}

/// The demand of Streams' operators.
package enum StreamsDemand {
  package static func transcripts() -> [DemandTranscript] { DemandScenarios().transcripts() }

  /// The operators of Combine that are not compared, because OpenCombine 0.14 lacks them.
  package static let missing = ["merge", "combineLatest", "collect(byTime:)"]
}
