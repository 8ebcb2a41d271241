import StreamSchedulers
import StreamTesting
import Streams

extension DiagramCatalog {
  static let timing: [DiagramEntry] = [
    // A value that is pending on completion is dropped.
    DiagramEntry("debounce", "debounce(for: 200 ms)") {
      $0.letters("-ab----cd|").debounce(for: $0.frames(2), scheduler: $0.scheduler)
    },
    // The first value is published immediately; a value pending on completion is still published.
    DiagramEntry("throttle-latest", "throttle(for: 300 ms, latest: true)") {
      $0.letters("-abc----de|").throttle(for: $0.frames(3), scheduler: $0.scheduler, latest: true)
    },
    DiagramEntry("throttle-first", "throttle(for: 300 ms, latest: false)") {
      $0.letters("-abc----de|").throttle(for: $0.frames(3), scheduler: $0.scheduler, latest: false)
    },
    DiagramEntry("delay", "delay(for: 300 ms)") {
      $0.letters("-a-bc-|").delay(for: $0.frames(3), scheduler: $0.scheduler)
    },
    DiagramEntry("timeout", "timeout(300 ms)") {
      $0.cold("-a-b-----c|").timeout($0.frames(3), scheduler: $0.scheduler)
    },
    DiagramEntry("timeout-customError", "timeout(300 ms, customError: { LoadError.timedOut })") {
      $0.cold("-a-b-----c|").timeout($0.frames(3), scheduler: $0.scheduler, customError: { DiagramError() })
    },
    // The first interval is measured from the subscription.
    DiagramEntry("measureInterval", "measureInterval(using: queue)") { canvas in
      canvas.letters("--a---b-----c-|").traced(.latest) {
        $0.measureInterval(using: canvas.scheduler).map { "\($0.magnitude / 1_000_000) ms" }
      }
    },
    // Pending values are delivered together, in order.
    DiagramEntry("receive-on", "receive(on: queue)") { canvas in
      let values = canvas.letters("-a-b--c-|", name: "values")
      return values.receive(on: canvas.queue("----'free'----'free'"))
    },
    // The subscription waits for the queue; the values do not.
    DiagramEntry("subscribe-on", "subscribe(on: queue)") { canvas in
      let values = canvas.cold("-a-b-c|", name: "values")
      return values.subscribe(on: canvas.queue("---'free'----'free'"))
    },
  ]
}
