import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// A way of writing tasks whose order has to be the same in each run.
struct Construct: Sendable, CustomTestStringConvertible {
  let name: String
  let isWorld: Bool
  let isAwaited: Bool
  let start: @Sendable @MainActor (Scene) -> Void

  var testDescription: String { name }

  /// The outcome of one run.
  struct Outcome: Sendable {
    let trace: Trace
    let checks: Int
    let wrongChecks: Int
  }

  static let all: [Construct] =
    (shared + onScheduler).map { Construct(name: $0.name, isWorld: false, isAwaited: false, start: $0.start) }
    + [Construct(name: "run, await advance", isWorld: false, isAwaited: true, start: shared[0].start)]
    + (shared + inWorld).map { Construct(name: "world: \($0.name)", isWorld: true, isAwaited: false, start: $0.start) }
    + [Construct(name: "world: run, await advance", isWorld: true, isAwaited: true, start: shared[0].start)]

  /// Runs the construct once, on a scheduler of its own.
  @MainActor
  func run() -> Outcome {
    let scene = Scene(isWorld: isWorld)
    let checks = Checks(scene)
    switch (isWorld, isAwaited) {
    case (false, false): advance(scene, checks)
    case (true, false): scene.scheduler.withVirtualWorld { advance(scene, checks) }
    case (false, true): awaitAdvances(checks) { try scene.scheduler.run { await advanceAwaiting(scene, checks) } }
    case (true, true):
      awaitAdvances(checks) { try scene.scheduler.runVirtualWorld { await advanceAwaiting(scene, checks) } }
    }
    checks.expect(scene.trace.count(.ended) == Scene.workerCount)
    checks.expect(scene.scheduler.pendingCount == 0)
    checks.expect(scene.scheduler.foreignEnqueueCount == 0)
    return Outcome(trace: scene.trace, checks: checks.count, wrongChecks: checks.wrongCount)
  }

  @MainActor
  private func advance(_ scene: Scene, _ checks: Checks) {
    start(scene)
    for second in 1...Scene.advances {
      scene.prepare(second)
      scene.scheduler.advance(by: .seconds(1))
      checks.expectAll(at: second)
    }
  }

  @MainActor
  private func awaitAdvances(_ checks: Checks, _ body: () throws -> Void) {
    do { try body() } catch { checks.expect(false) }
  }

  /// The body starts its tasks itself, because `start` belongs to the main actor.
  nonisolated(nonsending)
    private func advanceAwaiting(_ scene: Scene, _ checks: Checks) async
  {
    for worker in 0..<Scene.workerCount { scene.task { await scene.sleeper(worker) } }
    for second in 1...Scene.advances {
      await scene.scheduler.advance(by: .seconds(1))
      checks.expectAll(at: second)
    }
  }
}

/// Compares what has happened with what must have happened.
///
/// Unchecked: only the thread that advances time accesses it.
final class Checks: @unchecked Sendable {
  private let scene: Scene
  private(set) var count = 0
  private(set) var wrongCount = 0

  init(_ scene: Scene) { self.scene = scene }

  func expect(_ condition: Bool) {
    count += 1
    if !condition { wrongCount += 1 }
  }

  /// Checks that no worker has woken too early or too late, and that each that has woken has done all of the subsequent
  /// work.
  func expectAll(at second: Int) {
    let expected = Scene.wakeUps[second]
    expect(
      [.woken, .counted, .computed].allSatisfy { scene.trace.count($0) == expected }
        && scene.milliseconds == second * 1_000)
  }
}
