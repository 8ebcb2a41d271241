import Foundation

/// How long the compiler takes until it says what is wrong with chains that have a mistake.
struct Diagnosis {
  let reference: [Outcome]
  let outcomes: [Outcome]
  /// Which part of the reference's time it may take.
  let most: Double

  /// Compiles the chains, and again if they take longer than they may.
  init(
    of chains: [Chain], with configuration: Configuration, beside reference: Configuration, most: Double,
    by compiler: Compiler
  ) async throws {
    func compiled() async throws -> Self {
      let results = try await compiler.outcomes(of: chains, with: [reference, configuration], all: true).outcomes
      return Self(reference: results[reference]!, outcomes: results[configuration]!, most: most)
    }
    var diagnosis = try await compiled()
    for _ in 1..<Compiler.mostRuns where diagnosis.isSlow { diagnosis = diagnosis.quicker(of: try await compiled()) }
    self = diagnosis
  }

  init(reference: [Outcome], outcomes: [Outcome], most: Double) {
    self.reference = reference
    self.outcomes = outcomes
    self.most = most
  }

  /// The diagnosis with the shorter of two times of each chain.
  func quicker(of other: Self) -> Self {
    Self(reference: reference.quicker(of: other.reference), outcomes: outcomes.quicker(of: other.outcomes), most: most)
  }

  var ratio: Double { outcomes.seconds / reference.seconds }
  var isSlow: Bool { ratio > most }

  var line: String {
    func text(_ name: String, _ outcomes: [Outcome]) -> String {
      String(
        format: "%.1f s with \(name), which gives up on %d", outcomes.seconds, outcomes.count(where: \.isGivenUp))
    }
    return "\(outcomes.count) chains with a mistake take \(text("OpenCombine", reference)), and "
      + text("Streams", outcomes) + String(format: ": %.2f", ratio)
  }

  var mistakes: [String] {
    guard isSlow else { return [] }
    return [
      String(
        format: "chains with a mistake take %.2f times as long with Streams as with OpenCombine, and may take %.2f",
        ratio,
        most)
    ]
  }
}
