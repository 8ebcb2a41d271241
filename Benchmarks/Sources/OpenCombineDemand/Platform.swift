import OpenCombine
import Workloads

typealias ProbeScheduler = VirtualTimeScheduler

/// Virtual time for timed operators.
struct ProbeTime {
  private let time = VirtualTime()

  var scheduler: ProbeScheduler { VirtualTimeScheduler(time) }

  func advance(by milliseconds: Int) { time.advance(by: milliseconds) }
}

/// The demand of OpenCombine's operators.
package enum OpenCombineDemand {
  package static func transcripts() -> [DemandTranscript] { DemandScenarios().transcripts() }
}
