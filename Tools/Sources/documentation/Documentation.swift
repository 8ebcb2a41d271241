import ArgumentParser
import Foundation
import SymbolGraphs
import ToolsSupport

@main struct Documentation: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Checks the documentation, or builds it.", subcommands: [Check.self, Pages.self, Website.self],
    defaultSubcommand: Check.self)

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Fails when a symbol is not described, a link is broken, a list is long, or a page is not up to date.")

    func run() throws { try withArchives { _ in } }
  }

  struct Pages: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Writes the articles to `Documentation` as pages for readers of the repository.")

    func run() throws { try Library(SymbolGraph.ofPackage(modules: Library.modules)).writePages() }
  }

  struct Website: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "site", abstract: "Checks the documentation, and builds one site of all modules.")

    @Argument(help: "The folder of the site, which is replaced.")
    var folder = "site"

    func run() throws { try withArchives { _ = try Site($0, in: URL(fileURLWithPath: folder)) } }
  }
}

/// Checks everything, and passes on the archives, which are there only in the meantime.
private func withArchives(_ body: ([Archive]) throws -> Void) throws {
  let graphs = try SymbolGraph.ofPackage(modules: Library.modules)
  let files = try [".", "Documentation"].flatMap { folder in
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }.sorted()
      .map { folder == "." ? $0 : "\(folder)/\($0)" }
  }
  let masters = Masters(graphs.values.flatMap(\.symbols.values))
  try report(
    Library(graphs).stalePages + files.flatMap { try MarkdownFile($0).brokenLinks }
      + graphs.values.flatMap { $0.omissions(given: masters) }.sorted())
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
  defer { try? FileManager.default.removeItem(at: folder) }
  let archives = try Archive.all(of: graphs, in: folder)
  try report(archives.flatMap { try $0.unclearLists })
  try body(archives)
}
