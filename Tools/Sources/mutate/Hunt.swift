import Foundation
import Mutants
import ToolsSupport

/// Runs the tests with one mutant after the other.
final class Hunt: @unchecked Sendable {
  private let program: TestProgram
  private let reach: Reach
  /// The seconds of tests that a mutant may survive.
  private let patience: Double
  // How many mutants of a file each suite has found. Protected by `lock`.
  private var found: [String: [Int: Int]] = [:]
  private let lock = NSLock()

  init(_ program: TestProgram, _ reach: Reach, patience: Double) {
    self.program = program
    self.reach = reach
    self.patience = patience
  }

  /// Runs the suites that reach a mutant: first those that found mutants of the same file, those that are named after the file,
  /// and those that are quick.
  func result(of mutant: Mutant) -> Result {
    var suites = reach.suites(for: mutant)
    let count = suites.count
    guard count > 0 else { return Result(mutant: mutant, outcome: .unreached) }
    let finders = lock.withLock { found[mutant.file] ?? [:] }
    let name = URL(filePath: mutant.file).deletingPathExtension().lastPathComponent
    func rank(_ suite: Int) -> (Int, Int, Double) {
      (-(finders[suite] ?? 0), reach.suites[suite].contains(".\(name)") ? 0 : 1, reach.seconds[suite])
    }
    suites.sort { rank($0) < rank($1) }
    var rest = suites[...]
    var budget = patience
    for share in [0.5, 3, 10, .infinity] where !rest.isEmpty {
      var seconds = 0.0
      var batch: [Int] = []
      while let next = rest.first, batch.isEmpty || seconds + reach.seconds[next] <= min(share, budget) {
        seconds += reach.seconds[next]
        batch.append(next)
        rest.removeFirst()
      }
      budget -= seconds
      if let result = run(batch, mutant, seconds, count) { return result }
      if budget <= 0 { break }
    }
    return Result(mutant: mutant, outcome: .survived, suites: count)
  }

  private func run(_ batch: [Int], _ mutant: Mutant, _ seconds: Double, _ count: Int) -> Result? {
    let names = batch.map { reach.suites[$0] }
    let run: (ending: Command.Ending, output: String)
    do {
      run = try program.run(suites: names, mutant: mutant.id, limit: 5 + 6 * seconds)
    } catch {
      say("warning: the tests of \(mutant.key) cannot be run: \(error)")
      return nil
    }
    let failure = TestProgram.firstFailure(in: run.output)
    switch run.ending {
    case .exited(0): return nil
    case .exited(let code):
      note(batch, mutant)
      return Result(mutant: mutant, outcome: .found, finder: failure ?? "exit code \(code)", suites: count)
    case .stopped(let signal):
      note(batch, mutant)
      return Result(mutant: mutant, outcome: .found, finder: failure ?? "signal \(signal)", suites: count)
    case .tookTooLong:
      return Result(mutant: mutant, outcome: .hung, finder: failure ?? names.joined(separator: " "), suites: count)
    }
  }

  /// A batch of one suite, or of few, is a good guess for the next mutant of the file.
  private func note(_ batch: [Int], _ mutant: Mutant) {
    guard batch.count <= 8 else { return }
    lock.withLock { for suite in batch { found[mutant.file, default: [:]][suite, default: 0] += 1 } }
  }
}
