// Checks the links between the files of the repository.
import Foundation

/// The anchor that a heading has on the usual hosts of repositories.
func anchor(of heading: String) -> String {
  String(
    heading.lowercased().compactMap { character in
      character == " " ? "-" : character.isLetter || character.isNumber || "-_".contains(character) ? character : nil
    })
}

/// The lines of a Markdown file outside of blocks of code.
func prose(of file: URL) throws -> [String] {
  var isCode = false
  return try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n").filter { line in
    if line.hasPrefix("```") { isCode.toggle() }
    return !isCode
  }
}

func checkLinks(of file: URL) throws -> Int {
  var count = 0
  let links = try prose(of: file).flatMap { line in
    line.matches(of: #/\]\(([^()\s]+)\)|(?:src|srcset)="([^"]+)"/#).map { String($0.1 ?? $0.2!) }
  }
  for link in links where !link.contains("://") {
    let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let target = parts[0].isEmpty ? file : file.deletingLastPathComponent().appendingPathComponent(String(parts[0]))
    guard FileManager.default.fileExists(atPath: target.path) else {
      print("error: \(file.lastPathComponent): \(link) links to a missing file")
      count += 1
      continue
    }
    guard parts.count == 2 else { continue }
    let headings = try prose(of: target).filter { $0.hasPrefix("#") }.map { $0.drop { $0 == "#" || $0 == " " } }
    if !headings.contains(where: { anchor(of: String($0)) == parts[1] }) {
      print("error: \(file.lastPathComponent): \(link) links to a missing heading")
      count += 1
    }
  }
  return count
}
