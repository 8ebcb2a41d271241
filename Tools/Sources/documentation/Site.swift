import Foundation
import SymbolGraphs
import ToolsSupport

/// The archives of all modules in one folder, with what DocC has no option for.
struct Site {
  let folder: URL
  private var pages: URL { folder.appendingPathComponent("data/documentation") }

  init(_ archives: [Archive], in folder: URL) throws {
    self.folder = folder
    try? FileManager.default.removeItem(at: folder)
    let (ending, output) = try Command(
      program: "docc",
      arguments: ["merge"] + archives.map(\.folder.path) + [
        "--synthesized-landing-page-name", "Streams", "--synthesized-landing-page-topics-style", "list",
        "--output-path", folder.path,
      ]
    ).run()
    guard ending.isSuccess else { throw Failure(output) }
    try orderModules()
    try describeFirst()
    try copyExtendedTypes()
    try wrapCode()
    // The pages look for this file, and report in the console that it is missing.
    try write("{}\n", to: "theme-settings.json")
    try write(
      "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url=documentation/streams/\">\n", to: "index.html")
  }

  private func write(_ text: String, to file: String) throws {
    try text.write(to: folder.appendingPathComponent(file), atomically: true, encoding: .utf8)
  }

  /// Lists the modules on the first page in the order of the library, rather than by name.
  private func orderModules() throws {
    try edit(folder.appendingPathComponent("data/documentation.json")) { page in
      guard var sections = page["topicSections"] as? [[String: Any]] else { return false }
      func position(_ identifier: String) -> Int {
        Library.modules.firstIndex { identifier.hasSuffix("/\($0)") } ?? Library.modules.count
      }
      for index in sections.indices {
        let identifiers = sections[index]["identifiers"] as? [String] ?? []
        sections[index]["identifiers"] = identifiers.sorted { position($0) < position($1) }
      }
      page["topicSections"] = sections
      return true
    }
  }

  /// Moves the description of a symbol, with its pictures and examples, above its parameters, which DocC lists first.
  private func describeFirst() throws {
    /// Whether a section begins with the heading that DocC gives to everything below the first sentence of a comment.
    func isDescription(_ section: [String: Any]) -> Bool {
      let heading = (section["content"] as? [[String: Any]])?.first
      return ["discussion", "overview"].contains(heading?["anchor"] as? String)
    }
    for page in try FileManager.default.subpathsOfDirectory(atPath: pages.path) where page.hasSuffix(".json") {
      try edit(pages.appendingPathComponent(page)) { page in
        guard var sections = page["primaryContentSections"] as? [[String: Any]],
          let parameters = sections.firstIndex(where: { $0["kind"] as? String == "parameters" }),
          let description = sections.lastIndex(where: isDescription), parameters < description
        else { return false }
        sections.insert(sections.remove(at: description), at: parameters)
        page["primaryContentSections"] = sections
        return true
      }
    }
  }

  /// Rewrites a page if the closure changes it.
  private func edit(_ file: URL, _ change: (inout [String: Any]) -> Bool) throws {
    guard var page = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any], change(&page)
    else { return }
    try JSONSerialization.data(withJSONObject: page).write(to: file)
  }

  /// A type of another module that a module extends has no page in the documentation of the module, although the pages of the
  /// extension link to it. It shows the page of its own module.
  private func copyExtendedTypes() throws {
    let files = FileManager.default
    for folder in try files.subpathsOfDirectory(atPath: pages.path) where !folder.hasSuffix(".json") {
      let names = folder.split(separator: "/")
      let original = names.dropFirst().joined(separator: "/")
      guard names.count == 3, !files.fileExists(atPath: "\(pages.path)/\(folder).json"),
        files.fileExists(atPath: "\(pages.path)/\(original).json")
      else { continue }
      try files.copyItem(atPath: "\(pages.path)/\(original).json", toPath: "\(pages.path)/\(folder).json")
      let html = "\(self.folder.path)/documentation"
      try files.createDirectory(atPath: "\(html)/\(folder)", withIntermediateDirectories: true)
      try files.copyItem(atPath: "\(html)/\(original)/index.html", toPath: "\(html)/\(folder)/index.html")
    }
  }

  /// Long lines of code wrap, instead of being cut where the page ends. Drawings made of characters scroll.
  private func wrapCode() throws {
    let rules = """
      .code-listing pre,.code-listing pre code{white-space:pre-wrap!important;overflow-wrap:anywhere}
      pre.source,pre.source code{white-space:pre-wrap!important;overflow-wrap:anywhere}
      .code-listing[data-syntax=text] pre{overflow-x:auto}
      .code-listing[data-syntax=text] pre,.code-listing[data-syntax=text] pre code{white-space:pre!important}

      """
    let styles = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/css")
    for style in styles where style.hasPrefix("index.") {
      try write(String(contentsOfFile: "\(folder.path)/css/\(style)", encoding: .utf8) + rules, to: "css/\(style)")
    }
  }
}
