import ArgumentParser
import Foundation

@main
struct Benchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Benchmarks",
    abstract: "Measures the costs of Streams and of other implementations of the same work.",
    subcommands: [
      Measure.self, Count.self, Check.self, Guard.self, Growth.self, Memory.self, Size.self, Contention.self,
      Latency.self, Sleepers.self, Demand.self, Inspect.self, Report.self,
    ],
    defaultSubcommand: Measure.self)

  static func main() {
    // `--count` is another spelling of `count`.
    let arguments = CommandLine.arguments.dropFirst().enumerated().map { $0 == 0 && $1 == "--count" ? "count" : $1 }
    main(Array(arguments))
  }
}
