import Dispatch
import StreamSchedulers
import Streams

/// Pairs of calls of one engine, without a subject or a subscription between them and its gate: so that even its lock can be
/// explored in steps.
extension Scenarios {
  private struct Bench {
    let trace: Trace<Int, Never>
    /// The calls that a thread may make, by name.
    let calls: [String: () -> Void]
    /// What is left to do after the threads have ended.
    let settle: () -> Void
  }

  private final class Upstream: Subscription {
    func request(_ demand: Subscribers.Demand) {}
    func cancel() {}
  }

  private static func merge(_ demand: Demand) -> Bench {
    let trace = Trace<Int, Never>(demand)
    let engine = MergeEngine(SubscriberReceiver(trace), ElementLayout(Int.self), count: 2)
    let inlets = (1...2).map { Inlet<Int, Never>(engine, slot: $0) }
    for inlet in inlets { inlet.receive(subscription: Upstream()) }
    return Bench(
      trace: trace,
      calls: [
        "send": { _ = inlets[0].receive(1) }, "send to the other": { _ = inlets[1].receive(2) },
        "request": { engine.request(.max(1)) }, "request of all": { engine.request(.unlimited) },
        "cancel": { engine.cancel() }, "complete": { inlets[0].receive(completion: .finished) },
        "complete the other": { inlets[1].receive(completion: .finished) },
      ],
      settle: {
        engine.request(.unlimited)
        for inlet in inlets { inlet.receive(completion: .finished) }
      })
  }

  private static func receiveOn(_ demand: Demand) -> Bench {
    let trace = Trace<Int, Never>(demand)
    let scheduler = HeldScheduler()
    let engine = ReceiveOnEngine(
      SubscriberReceiver(trace), ElementLayout(Int.self), SchedulerPlace(scheduler, nil), nil)
    let inlet = Inlet<Int, Never>(engine)
    inlet.receive(subscription: Upstream())
    // Two, so that one waits while the other is delivered.
    for value in [0, 5] { _ = inlet.receive(value) }
    return Bench(
      trace: trace,
      calls: [
        "send": { _ = inlet.receive(1) }, "run": { scheduler.runOne() }, "run again": { engine.run(.delivery) },
        "request": { engine.request(.max(1)) }, "cancel": { engine.cancel() },
        "complete": { inlet.receive(completion: .finished) },
      ],
      settle: {
        engine.request(.unlimited)
        inlet.receive(completion: .finished)
        while scheduler.runOne() {}
      })
  }

  private static func debounce(_ demand: Demand) -> Bench {
    let trace = Trace<Int, Never>(demand)
    let scheduler = HeldScheduler()
    let engine = DebounceEngine(
      SubscriberReceiver(trace), ElementLayout(Int.self), SchedulerClock(scheduler, nil, 1))
    let inlet = Inlet<Int, Never>(engine)
    inlet.receive(subscription: Upstream())
    _ = inlet.receive(0)
    return Bench(
      trace: trace,
      calls: [
        "send": { _ = inlet.receive(1) }, "run": { scheduler.runOne() }, "cancel": { engine.cancel() },
        "request": { engine.request(.max(1)) }, "complete": { inlet.receive(completion: .finished) },
      ],
      settle: {
        while scheduler.runOne() {}
        inlet.receive(completion: .finished)
        while scheduler.runOne() {}
      })
  }

  private static func pairs(
    _ name: String, _ demand: Demand, _ make: @escaping @Sendable (Demand) -> Bench, _ pairs: [([String], [String])]
  ) -> [Scenario] {
    pairs.map { first, second in
      Scenario(
        "gate of \(name): \(first.joined(separator: ", ")) ∥ \(second.joined(separator: ", "))",
        mayEndEarly: (first + second).contains("cancel")
      ) {
        let bench = make(demand)
        let threads = [first, second].map { names in names.map { bench.calls[$0]! } }
        return .init(
          calls: threads,
          outcome: {
            bench.settle()
            return bench.trace.text
          })
      }
    }
  }

  /// Few enough steps that a lock may take several.
  static let turns: [Scenario] =
    pairs(
      "merge", .unlimited, merge,
      [
        (["send"], ["send to the other"]), (["send"], ["cancel"]), (["send"], ["complete the other"]),
        (["complete"], ["complete the other"]), (["complete"], ["cancel"]),
        (["send", "complete"], ["send to the other"]),
        (["send", "send"], ["send to the other", "send to the other"]), (["cancel"], ["cancel"]),
        (["send"], ["request of all"]), (["send", "send"], ["cancel"]),
      ])
    + pairs(
      "merge, one requested", .max(1), merge,
      [
        (["send"], ["request"]), (["send"], ["request of all"]), (["request"], ["request"]), (["request"], ["cancel"]),
        (["send"], ["send to the other"]), (["send", "request"], ["send to the other"]), (["complete"], ["request"]),
      ])
    + pairs(
      "receive(on:)", .unlimited, receiveOn,
      [
        (["send"], ["run"]), (["run"], ["run again"]), (["run"], ["cancel"]), (["complete"], ["run"]),
        (["send", "run"], ["run"]), (["send"], ["cancel"]), (["complete"], ["cancel"]),
      ])
    + pairs("receive(on:), one requested", .max(1), receiveOn, [(["request"], ["run"]), (["send"], ["request"])])
    + pairs(
      "debounce", .unlimited, debounce,
      [
        (["send"], ["run"]), (["run"], ["cancel"]), (["complete"], ["run"]), (["send"], ["cancel"]),
        (["complete"], ["cancel"]), (["send"], ["complete"]), (["run"], ["send", "run", "send"]),
      ])
    + pairs("debounce, nothing requested", .none, debounce, [(["request"], ["run"])])
}
