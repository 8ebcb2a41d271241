import StreamTesting
import Streams

extension Publisher {
  /// Publishes at most a number of values within any interval, and drops the others.
  fileprivate func limited<Context: Scheduler>(
    to count: Int, per interval: Context.SchedulerTimeType.Stride, scheduler: Context, isFaulty: Bool
  ) -> AnyPublisher<Output, Failure> {
    Deferred {
      var dates: [Context.SchedulerTimeType] = []
      return filter { _ in
        let now = scheduler.now
        if isFaulty {
          // The fault: intervals follow one another, so that the end of one and the beginning of the next add up.
          if let first = dates.first, first.distance(to: now) >= interval { dates = [] }
        } else {
          dates.removeAll { $0.distance(to: now) >= interval }
        }
        guard dates.count < count else { return false }
        dates.append(now)
        return true
      }
    }
    .eraseToAnyPublisher()
  }
}

extension PlantedFault {
  /// Shown by `a`, `b` 900 ms later, and `cd` after another 100 ms.
  static var burstAtTheBoundary: Self {
    PlantedFault("the rate limit that allows twice as much at a boundary") { isFaulty in
      .letters { letters, scheduler in
        let interval = Property.Stride.seconds(1)
        let recorder = scheduler.record(
          letters.limited(to: 2, per: interval, scheduler: scheduler, isFaulty: isFaulty))
        scheduler.run()

        let published = recorder.published
        for (first, third) in zip(published, published.dropFirst(2)) {
          try claim(third.time - first.time >= interval, "three letters are within a second: \(recorder.events)")
        }
        try claim(
          published.first?.value == letters.sent.first?.value && published.first?.time == letters.sent.first?.time,
          "the first letter is not published at once")
        try claim(recorder.completion == letters.end?.completion, "the end of \(recorder.events) is wrong")
      }
    }
  }
}
