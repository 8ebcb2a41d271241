import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams

extension DiagramCatalog {
  static let beyondCombineTiming: [DiagramEntry] = [
    // A sample without a new value publishes nothing; the last value waits for a sample.
    DiagramEntry("sample", "values.sample(by: sampler)") { canvas in
      let values = canvas.letters("-ab-------c|", name: "values")
      let sampler = canvas.letters("---x--x-----x", name: "sampler")
      return values.sample(by: sampler)
    },
    DiagramEntry("prefix-duration", "prefix(duration: 500 ms)") {
      $0.cold("-a-b---c-|").prefix(duration: $0.frames(5), scheduler: $0.scheduler)
    },
    // The subscription is delayed; the intervals between values are preserved.
    DiagramEntry("delay-subscription", "delay(subscription: 300 ms)") {
      $0.cold("-a-b-|").delay(subscription: $0.frames(3), scheduler: $0.scheduler)
    },
    DiagramEntry("poll", "poll(every: 300 ms).prefix(3)") {
      $0.cold("-a|").poll(every: $0.frames(3), scheduler: $0.scheduler).prefix(3)
    },
    DiagramEntry("pausable", "values.pausable(runningWhile: isRunning)") { canvas in
      let values = canvas.letters("-a-b-c-d-|", name: "values")
      let isRunning = canvas.letters("--'true'---'false'--'true'-", name: "isRunning")
      return values.pausable(runningWhile: isRunning.map { $0 == "true" })
    },
    // Values that arrive during the pause are delivered when it ends.
    DiagramEntry("pausable-buffering", "values.pausable(runningWhile: isRunning, buffering: 2)") { canvas in
      let values = canvas.letters("-abc----d-e-|", name: "values")
      let isRunning = canvas.letters("-----'true'---'false'---'true'", name: "isRunning")
      return values.pausable(runningWhile: isRunning.map { $0 == "true" }, buffering: 2, whenFull: .dropOldest)
    },
    DiagramEntry("rateLimit", "rateLimit(2, per: 400 ms)") {
      $0.letters("-abcd----e-|").rateLimit(
        2, per: $0.frames(4), scheduler: $0.scheduler, queueSize: 2, whenFull: .dropNewest)
    },
  ]
}
