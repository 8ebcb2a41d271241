import Foundation
import ToolsSupport

/// Type-checks chains, many in a file.
struct Compiler: Sendable {
  /// The limits of the compiler count its work, not its time, so that a busy machine changes nothing. This adds one of time.
  let secondsForExpression: Int?

  private static let chainsInFile = 25
  private static let processes = 2

  /// How often chains that take too long are compiled: what a machine does besides makes a chain slower, never faster.
  static let mostRuns = 3

  /// What becomes of chains with each configuration.
  ///
  /// To give up takes the compiler longer than most chains do, so the other configurations get only those that the first compiles,
  /// unless they are to get all. The result has no others either, except for links by themselves, which should all compile.
  func outcomes(
    of chains: [Chain], with configurations: [Configuration], all: Bool
  ) async throws -> (chains: [Chain], outcomes: [Configuration: [Outcome]]) {
    let slices = stride(from: 0, to: chains.count, by: Self.chainsInFile).map {
      Array(chains[$0..<min($0 + Self.chainsInFile, chains.count)])
    }
    // One configuration after the other for the same chains: what else the machine does slows down all of them.
    let parts = try await Self.atOnce(slices) { slice in
      let first = try outcomes(of: slice, with: configurations[0])
      let kept = slice.indices.filter { all || first[$0].compiles || slice[$0].links.count == 1 }
      let others = try configurations.dropFirst().map { configuration in
        (configuration, try outcomes(of: kept.map { slice[$0] }, with: configuration))
      }
      return (chains: kept.map { slice[$0] }, outcomes: [(configurations[0], kept.map { first[$0] })] + others)
    }
    return (parts.flatMap(\.chains), Dictionary(parts.flatMap(\.outcomes), uniquingKeysWith: +))
  }

  func outcomes(of chains: [Chain], with configuration: Configuration) throws -> [Outcome] {
    let source = ChainFile(chains, importing: configuration.modules)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("chains-\(UUID().uuidString).swift")
    try source.text.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let limit = secondsForExpression.map { ["-Xfrontend", "-solver-expression-time-threshold=\($0)"] } ?? []
    let (ending, output) = try Command(
      program: "swiftc",
      arguments: ["-swift-version", "5", "-typecheck", "-Xfrontend", "-warn-long-function-bodies=1"] + limit
        + configuration.flags + [file.path]
    ).run()
    let outcomes = try source.outcomes(from: output)
    guard ending.isSuccess || outcomes.contains(where: { !$0.compiles }) else {
      throw Failure("the compiler fails with \(configuration.name), and names no chain:\n\(output.suffix(2000))")
    }
    return outcomes
  }

  /// The results in the order of the jobs, of which two run at a time.
  static func atOnce<Job: Sendable, Result: Sendable>(
    _ jobs: [Job], _ work: @escaping @Sendable (Job) throws -> Result
  ) async throws -> [Result] {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
      var waiting = jobs.enumerated().makeIterator()
      func begin() {
        guard let (index, job) = waiting.next() else { return }
        group.addTask { (index, try work(job)) }
      }
      for _ in 0..<processes { begin() }
      var results: [Int: Result] = [:]
      while let (index, result) = try await group.next() {
        results[index] = result
        begin()
      }
      return jobs.indices.map { results[$0]! }
    }
  }
}
