import Foundation

/// How long the compiler takes until it says what is wrong with chains that have a mistake.
struct Diagnosis {
  let reference: [Outcome]
  let outcomes: [Outcome]

  init(of chains: [Chain], with configuration: Configuration, beside reference: Configuration, by compiler: Compiler)
    async throws
  {
    let results = try await compiler.outcomes(of: chains, with: [reference, configuration], all: true).outcomes
    self.init(reference: results[reference]!, outcomes: results[configuration]!)
  }

  init(reference: [Outcome], outcomes: [Outcome]) {
    self.reference = reference
    self.outcomes = outcomes
  }

  var ratio: Double { outcomes.seconds / reference.seconds }

  var line: String {
    func text(_ name: String, _ outcomes: [Outcome]) -> String {
      String(
        format: "%.1f s with \(name), which gives up on %d", outcomes.seconds, outcomes.count(where: \.isGivenUp))
    }
    return "\(outcomes.count) chains with a mistake take \(text("OpenCombine", reference)), and "
      + text("Streams", outcomes) + String(format: ": %.2f", ratio)
  }

  func mistakes(most: Double) -> [String] {
    guard ratio > most else { return [] }
    return [
      String(
        format: "chains with a mistake take %.2f times as long with Streams as with OpenCombine, and may take %.2f",
        ratio,
        most)
    ]
  }
}
