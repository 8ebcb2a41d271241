import Foundation

/// A Markdown file of the repository, whose links lead to other files.
struct MarkdownFile {
  let file: URL
  let text: String

  init(_ path: String) throws {
    file = URL(fileURLWithPath: path)
    text = try String(contentsOf: file, encoding: .utf8)
  }

  /// The links that lead into the repository, and to nothing there.
  var brokenLinks: [String] {
    get throws {
      try links.compactMap { link in
        try mistake(in: link).map { "\(file.relativePath): \(link) links to a missing \($0)" }
      }
    }
  }

  /// What the links and pictures lead to, except for code that only looks like one.
  var links: [String] {
    parsed(text).prose.map { $0.replacing(#/`[^`]+`/#, with: "") }.flatMap { line in
      line.matches(of: #/\]\(([^()\s]+)\)|(?:src|srcset)="([^"]+)"/#).map { String($0.1 ?? $0.2!) }
    }
  }

  private func mistake(in link: String) throws -> String? {
    guard !link.contains("://") else { return nil }
    let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let target = parts[0].isEmpty ? file : file.deletingLastPathComponent().appendingPathComponent(parts[0])
    guard FileManager.default.fileExists(atPath: target.path) else { return "file" }
    guard parts.count == 2 else { return nil }
    let text = try String(contentsOf: target, encoding: .utf8)
    if target.pathExtension == "swift" {
      return Int(parts[1].dropFirst()).map(text.components(separatedBy: "\n").indices.contains) == true ? nil : "line"
    }
    return anchors(of: parsed(text).headings).contains(parts[1]) ? nil : "heading"
  }
}
