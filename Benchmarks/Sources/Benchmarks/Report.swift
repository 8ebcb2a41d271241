import ArgumentParser

struct Report: ParsableCommand {
  func run() throws {}
}
