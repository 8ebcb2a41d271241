import ArgumentParser
import AwaitedAdvances
import AwaitedAdvancesSwift5
import Foundation

/// Compares how often an awaited advance misses tasks that do not belong to a timeline.
struct AwaitedComparison {
  private struct Case {
    let name: String
    let isOfCallersActor: Bool
    let sleeps: Int
    var isMainSerial = false
    let missed: @MainActor (_ rounds: Int, _ yields: Bool) async -> Int

    init(_ advance: AwaitedAdvances.AwaitedAdvance) {
      name = "\(advance.rawValue)"
      isOfCallersActor = advance.isOfCallersActor
      sleeps = advance.sleeps
      missed = { await advance.missed(rounds: $0, by: $1 ? .twentyYields : .advance) }
    }

    init(_ advance: AwaitedAdvancesSwift5.AwaitedAdvance) {
      name = "Swift 5 mode: \(advance.rawValue)"
      isOfCallersActor = advance.isOfCallersActor
      sleeps = advance.sleeps
      missed = { await advance.missed(rounds: $0, by: $1 ? .twentyYields : .advance) }
    }

    private init(mainSerial other: Case) {
      name = "main serial executor: \(other.name)"
      // All tasks run on the caller's actor there.
      isOfCallersActor = true
      sleeps = other.sleeps
      isMainSerial = true
      missed = other.missed
    }

    static let all: [Case] = {
      let plain = AwaitedAdvances.AwaitedAdvance.allCases.map(Case.init)
      let swift5 = AwaitedAdvancesSwift5.AwaitedAdvance.allCases.map(Case.init)
      return plain + swift5 + [plain[0], plain[1], plain[4], swift5[0]].map(Case.init(mainSerial:))
    }()
  }

  private struct Result {
    let missed: Int
    let duration: Duration
  }

  let rounds: Int
  let isBusy: Bool

  /// Runs all cases and prints how often tasks were missed. Fails if that is too often.
  func run() throws {
    var rows: [(Case, advance: Result, yields: Result)] = []
    for one in Case.all {
      Progress.show(one.name)
      rows.append((one, advance: measure(one, yields: false), yields: measure(one, yields: true)))
    }
    Progress.end()
    var table = Table(header: [
      "Awaiting an advance", "rounds", "missed", "ms per advance", "missed by 20 yields", "ms per advance",
    ])
    for (one, advance, yields) in rows {
      table.rows.append([
        one.name, rounds.grouped, String(advance.missed), milliseconds(advance), String(yields.missed),
        milliseconds(yields),
      ])
    }
    print("\n\(isBusy ? "all cores busy" : "idle")\n\n\(table.plain)")
    let wrong = rows.filter { one, advance, yields in
      advance.missed > (one.isOfCallersActor || !isBusy ? 0 : yields.missed)
    }
    guard wrong.isEmpty else { throw ExitCode.failure }
    print("\nNo awaited advance missed more than its limit.")
  }

  private func milliseconds(_ result: Result) -> String {
    (result.duration / .milliseconds(1) / Double(rounds)).formatted(digits: 3)
  }

  private func measure(_ one: Case, yields: Bool) -> Result {
    MainActor.assumeIsolated {
      let result = Box()
      if one.isMainSerial { MainSerialExecutor.install() }
      let rounds = rounds
      Task { @MainActor in
        let start = ContinuousClock.now
        let missed = await one.missed(rounds, yields)
        result.value = Result(missed: missed, duration: ContinuousClock.now - start)
      }
      while result.value == nil { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
      if one.isMainSerial { MainSerialExecutor.remove() }
      return result.value!
    }
  }

  @MainActor
  private final class Box {
    var value: Result?
  }
}

/// Moves all work of all tasks to the main actor, as `withMainSerialExecutor` of swift-concurrency-extras documents.
@MainActor
private enum MainSerialExecutor {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  private static let hook = dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook")?
    .assumingMemoryBound(to: Hook?.self)

  static func install() { hook?.pointee = { job, _ in MainActor.shared.enqueue(job) } }
  static func remove() { hook?.pointee = nil }
}
