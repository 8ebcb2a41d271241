import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams

/// Pairs of calls for each engine: two threads meet in an operator that has been at work.
extension Scenarios {
  private typealias Pipeline = (name: String, make: @Sendable (Number, Number) -> AnyPublisher<String, Never>)

  private static let pipelines: [Pipeline] = [
    ("merge", { $0.merge(with: $1).map { "\($0)" }.eraseToAnyPublisher() }),
    ("zip", { $0.zip($1).map { "\($0)\($1)" }.eraseToAnyPublisher() }),
    ("combineLatest", { $0.combineLatest($1).map { "\($0)\($1)" }.eraseToAnyPublisher() }),
    ("withLatest", { $0.withLatest(from: $1).map { "\($0)\($1)" }.eraseToAnyPublisher() }),
    ("race", { $0.race(with: $1).map { "\($0)" }.eraseToAnyPublisher() }),
    ("prefix(untilOutputFrom:)", { $0.prefix(untilOutputFrom: $1).map { "\($0)" }.eraseToAnyPublisher() }),
    ("drop(untilOutputFrom:)", { $0.drop(untilOutputFrom: $1).map { "\($0)" }.eraseToAnyPublisher() }),
    ("sample", { $0.sample(by: $1).map { "\($0)" }.eraseToAnyPublisher() }),
    ("pausable", { $0.pausable(runningWhile: $1.map { $0 % 2 == 0 }).map { "\($0)" }.eraseToAnyPublisher() }),
    (
      "pausable with a buffer",
      {
        $0.pausable(runningWhile: $1.map { $0 % 2 == 0 }, buffering: 2, whenFull: .dropOldest).map { "\($0)" }
          .eraseToAnyPublisher()
      }
    ),
    ("buffer(by:)", { $0.buffer(by: $1, maxCount: 2).map { "\($0.count)" }.eraseToAnyPublisher() }),
    (
      "switchToLatest",
      { a, b in a.map { outer in b.map { "\(outer)\($0)" } }.switchToLatest().eraseToAnyPublisher() }
    ),
    (
      "flatMap", { a, b in a.flatMap { outer in b.map { "\(outer)\($0)" } }.eraseToAnyPublisher() }
    ),
    (
      "flatMap of one",
      { a, b in a.flatMap(maxPublishers: .max(1)) { outer in b.map { "\(outer)\($0)" } }.eraseToAnyPublisher() }
    ),
    (
      "flatMapFirst", { a, b in a.flatMapFirst { outer in b.map { "\(outer)\($0)" } }.eraseToAnyPublisher() }
    ),
    ("append", { $0.append($1).map { "\($0)" }.eraseToAnyPublisher() }),
    (
      "retry(when:)",
      { a, b in
        a.setFailureType(to: Wrong.self).tryMap { if $0 == 1 { throw Wrong() } else { "\($0)" } }
          .retry(when: { _ in b }).replaceError(with: "error").eraseToAnyPublisher()
      }
    ),
    (
      "buffer",
      { a, b in
        a.buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest).map { "\($0)" }.eraseToAnyPublisher()
      }
    ),
    ("collect", { a, _ in a.collect(2).map { "\($0.count)" }.eraseToAnyPublisher() }),
    ("reduce", { a, _ in a.reduce(0, +).map { "\($0)" }.eraseToAnyPublisher() }),
    ("first", { a, _ in a.first { $0 == 1 }.map { "\($0)" }.eraseToAnyPublisher() }),
    ("replaceEmpty", { a, _ in a.filter { $0 > 1 }.replaceEmpty(with: 5).map { "\($0)" }.eraseToAnyPublisher() }),
    ("chunked", { a, _ in a.chunked(maxCount: 2) { $0 == $1 }.map { "\($0.count)" }.eraseToAnyPublisher() }),
    (
      "materialize",
      { a, _ in a.materialize().map { $0.value.map { "\($0)" } ?? "end" }.eraseToAnyPublisher() }
    ),
    ("share", { a, b in a.share().merge(with: b).map { "\($0)" }.eraseToAnyPublisher() }),
  ]

  private struct Wrong: Error {}

  private typealias Pair = (
    name: String, demand: Demand,
    calls: @Sendable (Number, Number, Trace<String, Never>) -> [[() -> Void]]
  )

  private static let pairs: [Pair] = [
    ("send ∥ send to the other", .unlimited, { a, b, _ in [[{ a.send(1) }], [{ b.send(2) }]] }),
    ("send ∥ cancel", .unlimited, { a, _, trace in [[{ a.send(1) }], [{ trace.cancel() }]] }),
    ("send ∥ request", .max(1), { a, _, trace in [[{ a.send(1) }], [{ trace.request(.max(1)) }]] }),
    ("send ∥ request of all", .max(1), { a, _, trace in [[{ a.send(1) }], [{ trace.request(.unlimited) }]] }),
    // Rules 2.7 and 3.5 of Reactive Streams: calls of a subscription may come from several threads.
    (
      "request ∥ request", .max(1),
      { _, _, trace in [[{ trace.request(.max(1)) }], [{ trace.request(.max(1)) }]] }
    ),
    ("request ∥ cancel", .max(1), { _, _, trace in [[{ trace.request(.max(1)) }], [{ trace.cancel() }]] }),
    (
      "complete ∥ request", .max(1),
      { a, _, trace in [[{ a.send(completion: .finished) }], [{ trace.request(.max(1)) }]] }
    ),
    (
      "complete ∥ cancel", .unlimited,
      { a, _, trace in [[{ a.send(completion: .finished) }], [{ trace.cancel() }]] }
    ),
    (
      "complete ∥ complete the other", .unlimited,
      { a, b, _ in [[{ a.send(completion: .finished) }], [{ b.send(completion: .finished) }]] }
    ),
    (
      "complete ∥ send to the other", .unlimited,
      { a, b, _ in [[{ a.send(completion: .finished) }], [{ b.send(2) }]] }
    ),
  ]

  static let everyEngine: [Scenario] = pipelines.flatMap { pipeline in
    pairs.map { pair in
      // A value that is sent while a switch is between its cancellation of one publisher and its subscription to the next
      // reaches neither.
      Scenario(
        "\(pipeline.name): \(pair.name)", alsoAllowed: pipeline.name == "switchToLatest" ? ["08 34' finished'"] : [],
        mayEndEarly: pair.name.hasSuffix("∥ cancel")
      ) {
        let (a, b) = (Number(), Number())
        let trace = Trace<String, Never>(pair.demand)
        pipeline.make(a, b).subscribe(trace)
        a.send(0)
        b.send(8)
        return .init(
          calls: pair.calls(a, b, trace),
          outcome: {
            trace.request(.unlimited)
            a.send(3)
            b.send(4)
            a.send(completion: .finished)
            b.send(completion: .finished)
            return trace.text
          })
      }
    }
  }

  // MARK: Time

  private typealias TimedPipeline = (
    name: String, make: @Sendable (Number, TestSchedulerOf<DispatchQueue>) -> AnyPublisher<String, Never>
  )

  private static let timedPipelines: [TimedPipeline] = [
    ("receive(on:)", { $0.receive(on: $1).map { "\($0)" }.eraseToAnyPublisher() }),
    ("delay", { $0.delay(for: 1, scheduler: $1).map { "\($0)" }.eraseToAnyPublisher() }),
    ("debounce", { $0.debounce(for: 1, scheduler: $1).map { "\($0)" }.eraseToAnyPublisher() }),
    ("throttle", { $0.throttle(for: 2, scheduler: $1, latest: true).map { "\($0)" }.eraseToAnyPublisher() }),
    ("timeout", { $0.timeout(1, scheduler: $1).map { "\($0)" }.eraseToAnyPublisher() }),
    ("collect by time", { $0.collect(.byTime($1, 1)).map { "\($0.count)" }.eraseToAnyPublisher() }),
    ("collect by time or count", { $0.collect(.byTimeOrCount($1, 1, 2)).map { "\($0.count)" }.eraseToAnyPublisher() }),
    (
      "rateLimit",
      {
        $0.rateLimit(1, per: 2, scheduler: $1, queueSize: 2, whenFull: .dropOldest).map { "\($0)" }
          .eraseToAnyPublisher()
      }
    ),
    ("prefix(duration:)", { $0.prefix(duration: 1, scheduler: $1).map { "\($0)" }.eraseToAnyPublisher() }),
    ("delay(subscription:)", { $0.delay(subscription: 1, scheduler: $1).map { "\($0)" }.eraseToAnyPublisher() }),
    ("subscribe(on:)", { $0.subscribe(on: $1).map { "\($0)" }.eraseToAnyPublisher() }),
    (
      "retry after a delay",
      { a, scheduler in
        a.setFailureType(to: Wrong.self).tryMap { if $0 == 1 { throw Wrong() } else { "\($0)" } }
          .retry(.delay(.seconds(1), maxRetries: 2), scheduler: scheduler).replaceError(with: "error")
          .eraseToAnyPublisher()
      }
    ),
  ]

  private typealias TimedPair = (
    name: String,
    calls: @Sendable (Number, TestSchedulerOf<DispatchQueue>, Trace<String, Never>) -> [[() -> Void]]
  )

  private static let timedPairs: [TimedPair] = [
    ("send ∥ advance", { a, scheduler, _ in [[{ a.send(1) }], [{ scheduler.advance(by: 1) }]] }),
    ("send ∥ cancel", { a, _, trace in [[{ a.send(1) }], [{ trace.cancel() }]] }),
    ("advance ∥ cancel", { _, scheduler, trace in [[{ scheduler.advance(by: 1) }], [{ trace.cancel() }]] }),
    (
      "complete ∥ advance",
      { a, scheduler, _ in [[{ a.send(completion: .finished) }], [{ scheduler.advance(by: 1) }]] }
    ),
    ("complete ∥ cancel", { a, _, trace in [[{ a.send(completion: .finished) }], [{ trace.cancel() }]] }),
  ]

  /// What is left to do after a cancellation is compared, too.
  static let timers: [Scenario] = timedPipelines.flatMap { pipeline in
    timedPairs.map { pair in
      // A value whose time has been read before the advance is due in it.
      Scenario(
        "\(pipeline.name): \(pair.name)",
        alsoAllowed: pipeline.name == "debounce" && pair.name == "send ∥ advance" ? ["0 1 3 finished"] : [],
        mayEndEarly: pair.name.hasSuffix("∥ cancel"), mayBeLater: pair.name.hasSuffix("∥ advance")
      ) {
        let scheduler = DispatchQueue.test
        let a = Number()
        let trace = Trace<String, Never>()
        pipeline.make(a, scheduler).subscribe(trace)
        scheduler.advance()
        a.send(0)
        return .init(
          calls: pair.calls(a, scheduler, trace),
          outcome: {
            scheduler.advance(by: 1)
            a.send(3)
            scheduler.advance(by: 5)
            a.send(completion: .finished)
            scheduler.advance(by: 5)
            return scheduler.pendingCount == 0 ? trace.text : "\(trace.text), \(scheduler.pendingCount) pending"
          })
      }
    }
  }

  // MARK: Elements of operators

  static let elements: [Scenario] = [
    Scenario("print: send ∥ cancel", mayEndEarly: true) {
      let subject = Number()
      let trace = Trace<Int, Never>()
      let lines = Lines()
      subject.print("", to: lines).subscribe(trace)
      return .init(calls: [[{ subject.send(1) }], [{ trace.cancel() }]], outcome: { trace.text })
    },
    Scenario("chunked(on:): send ∥ complete", mayEndEarly: true) {
      let subject = Number()
      let trace = Trace<String, Never>()
      subject.chunked(maxCount: 2, on: { $0 % 2 }).map { "\($0.0)" }.subscribe(trace)
      subject.send(0)
      return .init(
        calls: [[{ subject.send(1) }], [{ subject.send(completion: .finished) }]], outcome: { trace.text })
    },
  ]

  private final class Lines: TextOutputStream, @unchecked Sendable {
    // Unchecked: written by the publisher, one line after the other.
    private var text = ""
    func write(_ string: String) { text += string }
  }
}
