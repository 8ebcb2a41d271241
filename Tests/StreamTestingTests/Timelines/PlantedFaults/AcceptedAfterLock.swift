import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams

/// A session that is locked when nothing has been typed for a second, and then accepts nothing.
private final class Session: ObservableObject {
  @Published private(set) var accepted: [String] = []
  @Published private(set) var isLocked = false

  private let scheduler: AnySchedulerOf<DispatchQueue>
  private let isFaulty: Bool
  private var deadline: DispatchQueue.SchedulerTimeType
  private var timer: (any Cancellable)?

  init(scheduler: AnySchedulerOf<DispatchQueue>, isFaulty: Bool) {
    self.scheduler = scheduler
    self.isFaulty = isFaulty
    deadline = scheduler.now
    armTimer()
  }

  func type(_ text: String) {
    // The fault: at the deadline itself, the session may be locked already.
    if isFaulty ? scheduler.now > deadline : isLocked { return }
    accepted.append(text)
    armTimer()
  }

  private func armTimer() {
    timer?.cancel()
    deadline = scheduler.now.advanced(by: .seconds(1))
    timer = scheduler.scheduleOnce(after: deadline, tolerance: .zero, options: nil) { [weak self] in
      self?.isLocked = true
    }
  }
}

extension PlantedFault {
  /// Shown only if the timer comes before a letter of the same instant.
  ///
  /// It is not one of the twenty faults, which were written before the generators.
  static var acceptedAfterLock: Self {
    PlantedFault("the session that accepts text at the instant at which it was locked") { isFaulty in
      .letters { letters, scheduler in
        var wasLocked = false
        let session = Session(scheduler: scheduler.eraseToAnyScheduler(), isFaulty: isFaulty)
        let typing = letters.sink { text in
          let count = session.accepted.count
          let isLocked = session.isLocked
          session.type(text)
          if isLocked, session.accepted.count > count { wasLocked = true }
        }
        scheduler.run(keeping: typing)
        try claim(!wasLocked, "a locked session accepts nothing")
      }
    }
  }
}
