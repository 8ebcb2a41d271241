import ArgumentParser
import Foundation
import Workloads

/// Writes the results for readers.
struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the article about performance, and its plot, from results.",
    discussion: "The article is Performance.md, the plot benchmarks.svg, light and dark, in the folder Resources.")

  @Argument(help: "The results of a release build.")
  var results: String

  @Option(help: "The results of a debug build.")
  var debug: String?

  @Option(help: "The results of growth.")
  var growth: String?

  @Option(help: "The results of memory.")
  var memory: String?

  @Option(help: "The results of size.")
  var size: String?

  @Option(help: "The results of contention.")
  var contention: String?

  @Option(help: "The results of latency.")
  var latency: String?

  @Option(help: "The documentation catalog to write to.")
  var output: String

  func run() throws {
    let article = Article(
      release: try Files.read(Results.self, from: results),
      debug: try debug.map { try Files.read(Results.self, from: $0) },
      growth: try growth.map { try Files.read(GrowthResults.self, from: $0) },
      memory: try memory.map { try Files.read(MemoryResults.self, from: $0) },
      size: try size.map { try Files.read(SizeResults.self, from: $0) },
      contention: try contention.map { try Files.read(ContentionResults.self, from: $0) },
      latency: try latency.map { try Files.read(LatencyResults.self, from: $0) })
    let folder = URL(fileURLWithPath: output)
    let resources = folder.appendingPathComponent("Resources")
    try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
    try write(article.markdown, to: folder.appendingPathComponent("Performance.md"))
    for (name, theme) in [("benchmarks", Chart.Theme.light), ("benchmarks~dark", .dark)] {
      let chart = Chart(results: article.release, theme: theme)
      try write(chart.svg, to: resources.appendingPathComponent("\(name).svg"))
    }
  }

  private func write(_ text: String, to file: URL) throws {
    try Data(text.utf8).write(to: file)
    print("wrote \(file.path)")
  }
}
