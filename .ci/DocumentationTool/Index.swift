// Checks that the pages of the documentation divide long lists by purpose.
import Foundation

/// The lists of a page that no article divides by purpose, with the number of their members.
func alphabeticalLists(of page: URL) throws -> [(title: String, members: [String])] {
  guard let json = try JSONSerialization.jsonObject(with: Data(contentsOf: page)) as? [String: Any],
    let sections = json["topicSections"] as? [[String: Any]]
  else { return [] }
  return sections.filter { $0["generated"] as? Bool == true }.map { section in
    (section["title"] as? String ?? "", section["identifiers"] as? [String] ?? [])
  }
}

/// A list of this many members is read in a few seconds.
let longestList = 12

func checkIndex(of archive: URL) throws -> Int {
  var count = 0
  for title in try ambiguousTitles(of: archive) {
    print("error: the sidebar shows this more than once: \(title)")
    count += 1
  }
  let data = archive.appendingPathComponent("data/documentation")
  let pages = try FileManager.default.subpathsOfDirectory(atPath: data.path).filter { $0.hasSuffix(".json") }
  for page in pages.sorted() {
    for list in try alphabeticalLists(of: data.appendingPathComponent(page)) where list.members.count > longestList {
      print("error: \(page): \(list.members.count) members are listed alphabetically (\(list.title)):")
      for member in list.members { print("  \(member.components(separatedBy: "/documentation/").last ?? member)") }
      count += 1
    }
  }
  return count
}

/// The titles in the site's sidebar that stand more than once under one symbol.
func ambiguousTitles(of archive: URL) throws -> [String] {
  func titles(below node: [String: Any], at path: String) -> [String] {
    let children = node["children"] as? [[String: Any]] ?? []
    let names = children.filter { $0["path"] != nil }.compactMap { $0["title"] as? String }
    let ambiguous = Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys.map { "\(path): \($0)" }
    return ambiguous
      + children.flatMap { child in titles(below: child, at: path + "/" + (child["title"] as? String ?? "")) }
  }
  let file = archive.appendingPathComponent("index/index.json")
  guard let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any],
    let roots = (json["interfaceLanguages"] as? [String: Any])?["swift"] as? [[String: Any]]
  else { return ["\(file.path) has no symbols"] }
  return roots.flatMap { titles(below: $0, at: $0["title"] as? String ?? "") }.sorted()
}
