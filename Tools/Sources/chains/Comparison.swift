import Foundation

/// The same chains with several configurations.
struct Comparison {
  /// A configuration that compiles whatever another does, and which part of its time it may take.
  struct Limit {
    let configuration: Configuration
    let other: Configuration
    let most: Double
  }

  let chains: [Chain]
  let configurations: [Configuration]
  let limits: [Limit]
  let outcomes: [Configuration: [Outcome]]

  init(chains: [Chain], configurations: [Configuration], limits: [Limit], outcomes: [Configuration: [Outcome]]) {
    self.chains = chains
    self.configurations = configurations
    self.limits = limits
    self.outcomes = outcomes
  }

  /// Compiles the chains, and again if they take longer than they may.
  init(
    of chains: [Chain], with configurations: [Configuration], all: Bool, limits: [Limit], by compiler: Compiler
  ) async throws {
    func compiled(_ chains: [Chain], all: Bool) async throws -> Self {
      let results = try await compiler.outcomes(of: chains, with: configurations, all: all)
      return Self(chains: results.chains, configurations: configurations, limits: limits, outcomes: results.outcomes)
    }
    var comparison = try await compiled(chains, all: all)
    for _ in 1..<Compiler.mostRuns where limits.contains(where: { comparison.ratio($0) > $0.most }) {
      comparison = comparison.quicker(of: try await compiled(comparison.chains, all: true))
    }
    self = comparison
  }

  /// The comparison with the shorter of two times of each chain. The other one has the same chains.
  func quicker(of other: Self) -> Self {
    let outcomes = self.outcomes.merging(other.outcomes) { $0.quicker(of: $1) }
    return Self(chains: chains, configurations: configurations, limits: limits, outcomes: outcomes)
  }

  /// The processor time of the chains that any configuration compiles. What all give up on takes as long as the compiler's limits say.
  func seconds(_ configuration: Configuration) -> Double {
    let counted = chains.indices.filter { index in configurations.contains { outcomes[$0]![index].compiles } }
    return counted.map { outcomes[configuration]![$0] }.seconds
  }

  func ratio(_ limit: Limit) -> Double { seconds(limit.configuration) / seconds(limit.other) }

  /// The table, a line for each configuration.
  var lines: [String] {
    [Self.line("", "compile", "seconds", "ratio")]
      + configurations.map { configuration in
        let limit = limits.first { $0.configuration == configuration }
        return Self.line(
          configuration.name, "\(outcomes[configuration]!.count(where: \.compiles))",
          String(format: "%.1f", seconds(configuration)),
          limit.map { String(format: "%.2f", ratio($0)) + " to \($0.other.name)" } ?? "")
      }
  }

  /// A line for each chain: its milliseconds, with a mark where it doesn't compile.
  var times: [String] {
    chains.indices.map { index in
      configurations.map { configuration in
        let outcome = outcomes[configuration]![index]
        return Self.padded("\(outcome.milliseconds)", 7) + (outcome.compiles ? " " : "!")
      }.joined() + " a\(chains[index])"
    }
  }

  var differences: [Difference] {
    chains.indices.flatMap { index in
      limits.compactMap { limit in
        guard outcomes[limit.other]![index].compiles, !outcomes[limit.configuration]![index].compiles else {
          return nil
        }
        return Difference(chain: chains[index], compiling: limit.other, losing: limit.configuration)
      }
    }
  }

  /// Sentences about what exceeds its limit, and about links that are wrong by themselves.
  var mistakes: [String] {
    let wrong = chains.indices.compactMap { index in
      let outcome = outcomes[configurations[0]]![index]
      return outcome.error.flatMap { error in
        chains[index].links.count == 1
          ? "\(chains[index]) doesn't compile by itself with \(configurations[0].name): \(error)" : nil
      }
    }
    let slow = limits.filter { ratio($0) > $0.most }.map { limit in
      String(
        format:
          "chains take %.2f times as long with \(limit.configuration.name) as with \(limit.other.name), and may take %.2f",
        ratio(limit), limit.most)
    }
    return wrong + slow
  }

  private static func line(_ name: String, _ compile: String, _ seconds: String, _ ratio: String) -> String {
    let line = name.padding(toLength: 20, withPad: " ", startingAt: 0) + padded(compile, 9) + padded(seconds, 10)
    return ratio.isEmpty ? line : line + "   \(ratio)"
  }
  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
