import ArgumentParser
import Foundation
import ToolsSupport

@main struct Chains: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Finds chains of operators that the compiler type-checks with OpenCombine and gives up on with Streams.",
    discussion: """
      Without --links and --count, it compiles 2 chains of 6 to 8 links and 30 of 3 to 5, and each link by itself. Then come chains \
      with what OpenCombine lacks, which StreamAlgorithms and all modules are compared with. Finally, some chains of the first \
      kind get a mistake, and the time counts until the compiler names it.
      """)

  @Option(help: "Chains are the same for the same seed.")
  var seed: UInt64 = 1

  @Option(help: "The number of chains.")
  var count: Int?

  @Option(help: "How many links a chain has, such as 3...5.")
  var links: Lengths?

  @Option(
    name: .customLong("import"), parsing: .upToNextOption,
    help: "Modules that take the place of all modules, to find the one that costs time, such as Streams Foundation.")
  var imports: [String] = []

  @Option(help: "How many chains get a mistake.")
  var mistakes = 6

  @Flag(help: "Also compile them with `import Combine`.")
  var combine = false

  @Flag(help: "Also compile with Streams what OpenCombine doesn't compile. It takes three times as long.")
  var all = false

  @Flag(help: "Print the milliseconds of each chain with each configuration, with a mark where it doesn't compile.")
  var times = false

  @Option(help: "The part of OpenCombine's time that Streams may take.")
  var most = 0.8

  @Option(help: "How many times as long chains may take with all modules as with Streams and Foundation.")
  var mostModules = 1.1

  @Option(help: "The part of OpenCombine's time that chains with a mistake may take.")
  var mostMistakes = 1.1

  @Option(help: "The folder with the modules of Streams.")
  var modules = ".build/debug/Modules"

  @Option(help: "The folder of a build of OpenCombine.")
  var reference = ".build-release/release"

  @Option(help: .hidden)
  var secondsForExpression: Int?

  /// A chain is shrunk by compiling it again and again, so only the first ones are.
  private static let mostShrunk = 4

  struct Lengths: ExpressibleByArgument {
    let range: ClosedRange<Int>

    init?(argument: String) {
      guard let match = argument.wholeMatch(of: #/(\d+)\.\.\.(\d+)/#), let first = Int(match.1),
        let last = Int(match.2),
        first >= 1, first <= last
      else { return nil }
      range = first...last
    }
  }

  func validate() throws {
    guard count ?? 1 >= 1 else { throw ValidationError("--count must be positive, but is \(count!)") }
    guard mistakes >= 1 else { throw ValidationError("--mistakes must be positive, but is \(mistakes)") }
  }

  func run() async throws {
    guard FileManager.default.fileExists(atPath: "\(modules)/StreamAlgorithms.swiftmodule") else {
      throw Failure("the modules of Streams aren't in \(modules): run `swift build` first")
    }
    let began = Date()
    let compiler = Compiler(secondsForExpression: secondsForExpression)
    let openCombine = try Configuration.openCombine(in: reference)
    let streams = Configuration.streams(in: modules)
    let foundation = Configuration.streamsAndFoundation(in: modules)
    let everything =
      imports.isEmpty ? Configuration.all(in: modules) : .importing(imports, in: modules)
    let others = [everything] + (combine ? [.combine(in: modules)] : [])
    let common = try await Comparison(
      of: selection(groups, of: KnownLinks.common), with: [openCombine, streams, foundation] + others, all: all,
      limits: [.init(configuration: streams, other: openCombine, most: most)]
        + others.map { .init(configuration: $0, other: foundation, most: mostModules) },
      by: compiler)
    show(common, of: groups, "with what OpenCombine has")
    let algorithms = Configuration.algorithms(in: modules)
    let additionalGroup = Group(count: min(count ?? 20, 20), links: links?.range ?? 3...5)
    let additional = try await Comparison(
      of: selection([additionalGroup], of: KnownLinks.additional, beside: KnownLinks.common),
      with: [algorithms, everything], all: all,
      limits: [.init(configuration: everything, other: algorithms, most: mostModules)], by: compiler)
    show(additional, of: [additionalGroup], "with what OpenCombine lacks, too")
    var generator = SplitMix64(seed: seed)
    let mistaken = Array(common.chains.filter { $0.links.count > 1 }.suffix(mistakes))
      .planting(KnownLinks.mistaken, using: &generator)
    let diagnosis = try await Diagnosis(
      of: mistaken, with: streams, beside: openCombine, most: mostMistakes, by: compiler)
    say(diagnosis.line)
    let differences = common.differences + additional.differences
    let shrunk = try await Compiler.atOnce(Array(differences.prefix(Self.mostShrunk))) { try $0.shrunk(with: compiler) }
    say("\(Int(Date().timeIntervalSince(began))) s")
    try report(
      (shrunk + differences.dropFirst(Self.mostShrunk)).map(\.sentence) + common.mistakes + additional.mistakes
        + diagnosis.mistakes)
  }

  private var groups: [Group] {
    guard links == nil, count == nil else { return [Group(count: count ?? 40, links: links?.range ?? 3...5)] }
    return [Group(count: 2, links: 6...8), Group(count: 30, links: 3...5)]
  }

  /// Random chains of links and others, the long ones first, so that no long work is left alone at the end. Then each link.
  private func selection(_ groups: [Group], of links: [String], beside others: [String] = []) -> [Chain] {
    var generator = SplitMix64(seed: seed)
    return groups.flatMap { $0.chains(of: links + others, using: &generator) } + links.map { Chain(links: [$0]) }
  }

  private func show(_ comparison: Comparison, of groups: [Group], _ title: String) {
    let count = groups.map(\.count).reduce(0, +)
    let chains = comparison.chains.count(where: { $0.links.count > 1 })
    say("\(count) random chains \(title), seed \(seed): \(groups.map(\.description).joined(separator: ", "))")
    if chains < count { say("\(count - chains) of them don't compile with \(comparison.configurations[0].name)") }
    for line in comparison.lines + (times ? comparison.times : []) { say(line) }
  }
}
