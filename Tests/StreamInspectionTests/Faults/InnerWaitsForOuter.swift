import StreamAlgorithms
import Streams

extension PlantedFault {
  /// A job that has started is followed until its end, one at a time. Its end waits in the subject, behind the start of
  /// other jobs, which wait for the first job to end.
  ///
  /// In Reactor, `shared.flatMap({ v in shared.filter { $0 > v }.next() }, 1)` stands still: `publish()` waits for its
  /// slowest subscriber, which is `flatMap` itself. Here `share()` drops values for a subscriber without demand, and
  /// does not stand still; nor does a `BoundedSubject`, for as long as the value that the inner stream waits for is one
  /// of the next that fit into it (`FlowingFormsTests`). It does when as many values as it is bounded to come before
  /// that.
  static let innerWaitsForOuter = PlantedFault(
    name: "inner that waits for a later value of its outer",
    goodSentence:
      "flatMap waits for its inner publisher, and that for a later value of the BoundedSubject, which is full.",
    answer: [
      ["flatmap", "inner"], ["boundedsubject", "subject", "same", "outer", "cycle", "itself", "each other"],
      ["full", "no room", "bound", "demand", "cycle", "each other", "behind", "deadlock", "itself"],
    ],
    arriving: 0, expected: 3,
    plant: { setUp(JobMonitor()) }, corrected: { setUp(JobMonitorOfMany()) })
}

@MainActor
private func setUp(_ monitor: JobMonitor) -> Planted {
  monitor.start()
  for job in 1...3 { monitor.report(JobEvent(job: job, isEnd: false)) }
  return Planted(
    cancellable: monitor.cancellable!, keepsAlive: [monitor, monitor.events], line: monitor.line,
    received: { monitor.ended.count },
    provoke: {
      for job in 1...3 { monitor.report(JobEvent(job: job, isEnd: true)) }
    })
}

private struct JobEvent {
  let job: Int
  let isEnd: Bool
}

private class JobMonitor {
  let events = BoundedSubject<JobEvent, Never>(bounded: 2)
  var backlog: [JobEvent] = []
  var ended: [Int] = []
  var cancellable: AnyCancellable?
  var line = 0

  func start() {
    line = #line + 2
    cancellable = events.filter { !$0.isEnd }
      .flatMap(maxPublishers: .max(1)) { [events] start in  // Fault: it reads no event before the job has ended.
        events.first { $0.isEnd && $0.job == start.job }
      }
      .sink { [weak self] in self?.ended.append($0.job) }
  }

  /// Sends an event, and before it those for which there was no room.
  func report(_ event: JobEvent) {
    backlog.append(event)
    while let next = backlog.first, events.offer(next) { backlog.removeFirst() }
  }
}

private final class JobMonitorOfMany: JobMonitor {
  override func start() {
    cancellable = events.filter { !$0.isEnd }
      .flatMap { [events] start in
        events.first { $0.isEnd && $0.job == start.job }
      }
      .sink { [weak self] in self?.ended.append($0.job) }
  }
}
