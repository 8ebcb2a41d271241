// Checks the links between the files of the repository.
import Foundation

/// What the links and pictures of a Markdown file lead to, except for code that only looks like one.
func links(in prose: [String]) -> [String] {
  prose.map { $0.replacing(#/`[^`]+`/#, with: "") }.flatMap { line in
    line.matches(of: #/\]\(([^()\s]+)\)|(?:src|srcset)="([^"]+)"/#).map { String($0.1 ?? $0.2!) }
  }
}

func checkLinks(of file: URL) throws -> Int {
  let mistakes = try links(in: parsed(String(contentsOf: file, encoding: .utf8)).prose).compactMap { link in
    try mistake(in: link, of: file).map { "error: \(file.relativePath): \(link) links to a missing \($0)" }
  }
  mistakes.forEach { print($0) }
  return mistakes.count
}

/// What a link of a file leads to and does not exist, if it leads into the repository.
func mistake(in link: String, of file: URL) throws -> String? {
  guard !link.contains("://") else { return nil }
  let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
  let target = parts[0].isEmpty ? file : file.deletingLastPathComponent().appendingPathComponent(String(parts[0]))
  guard FileManager.default.fileExists(atPath: target.path) else { return "file" }
  guard parts.count == 2 else { return nil }
  if target.pathExtension == "swift" {
    let lines = try String(contentsOf: target, encoding: .utf8).components(separatedBy: "\n")
    return Int(parts[1].dropFirst()).map(lines.indices.contains) == true ? nil : "line"
  }
  let headings = try parsed(String(contentsOf: target, encoding: .utf8)).headings
  return anchors(of: headings).contains(String(parts[1])) ? nil : "heading"
}
