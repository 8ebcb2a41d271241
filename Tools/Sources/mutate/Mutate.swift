import ArgumentParser

@main struct Mutate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes small faults in the code of a package, one at a time, and runs the tests with each.",
    subcommands: [List.self, Run.self, Survivors.self])
}
