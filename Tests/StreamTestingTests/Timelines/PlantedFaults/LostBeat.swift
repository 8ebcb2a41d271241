import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams

/// Asks for the state of a job each second, but not before the previous answer has arrived.
private final class JobModel: ObservableObject {
  @Published private(set) var state: String?

  private let ask: (String) -> AnyPublisher<String, Never>
  private let scheduler: AnySchedulerOf<DispatchQueue>
  private let isFaulty: Bool
  private var request: AnyCancellable?
  private var timer: (any Cancellable)?
  private var date: DispatchQueue.SchedulerTimeType

  init(
    ask: @escaping (String) -> AnyPublisher<String, Never>, scheduler: AnySchedulerOf<DispatchQueue>, isFaulty: Bool
  ) {
    self.ask = ask
    self.scheduler = scheduler
    self.isFaulty = isFaulty
    date = scheduler.now
  }

  func watch(_ job: String) {
    stop()
    date = scheduler.now
    poll(job)
  }

  func stop() {
    request = nil
    timer?.cancel()
  }

  private func poll(_ job: String) {
    request = ask(job).sink(with: self) { model, state in
      model.state = state
      model.scheduleNext(job)
    }
  }

  private func scheduleNext(_ job: String) {
    date = date.advanced(by: .seconds(1))
    if isFaulty {
      // The fault: after a slow answer, the beat is that of the answer.
      date = max(date, scheduler.now)
    } else {
      while date < scheduler.now { date = date.advanced(by: .seconds(1)) }
    }
    timer = scheduler.scheduleOnce(after: date, tolerance: .zero, options: nil) { [weak self] in self?.poll(job) }
  }
}

extension PlantedFault {
  /// Shown by `a` with an answer that takes 1.5 s.
  static var lostBeat: Self {
    PlantedFault("the poller that loses its beat after a slow answer") { isFaulty in
      .lettersAndDelays { letters, nextDelay, scheduler in
        var beginning = Property.Stride.zero
        var watched: String?
        var violations: [String] = []
        let model = JobModel(
          ask: { job in
            let elapsed = scheduler.elapsed - beginning
            if job != watched || elapsed.magnitude % 1_000_000_000 != 0 {
              violations.append("\(job) is asked for \(elapsed.magnitude) ns after its beginning")
            }
            return Just("state of \(job)").delay(for: nextDelay(), scheduler: scheduler).eraseToAnyPublisher()
          },
          scheduler: scheduler.eraseToAnyScheduler(), isFaulty: isFaulty)
        let watching = letters.sink(
          receiveCompletion: { _ in model.stop() },
          receiveValue: { job in
            beginning = scheduler.elapsed
            watched = job
            model.watch(job)
          })
        let last = max(letters.sent.last?.time ?? .zero, letters.end?.time ?? .zero)
        withExtendedLifetime(watching) { scheduler.advance(by: last - scheduler.elapsed + .seconds(5)) }
        model.stop()
        try claim(violations, equals: [], "the polls are whole seconds apart")
      }
    }
  }
}
