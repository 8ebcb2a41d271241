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
  let data = archive.appendingPathComponent("data/documentation")
  let pages = try FileManager.default.subpathsOfDirectory(atPath: data.path).filter { $0.hasSuffix(".json") }
  var count = 0
  for page in pages.sorted() {
    for list in try alphabeticalLists(of: data.appendingPathComponent(page)) where list.members.count > longestList {
      print("error: \(page): \(list.members.count) members are listed alphabetically (\(list.title)):")
      for member in list.members { print("  \(member.components(separatedBy: "/documentation/").last ?? member)") }
      count += 1
    }
  }
  return count
}

/// Lists the modules on the first page of a site in the order of the library.
func orderModules(of page: URL) throws {
  guard var json = try JSONSerialization.jsonObject(with: Data(contentsOf: page)) as? [String: Any],
    var sections = json["topicSections"] as? [[String: Any]]
  else { return }
  func position(of identifier: String) -> Int {
    Library.modules.firstIndex { identifier.hasSuffix("/\($0)") } ?? Library.modules.count
  }
  for index in sections.indices {
    let identifiers = sections[index]["identifiers"] as? [String] ?? []
    sections[index]["identifiers"] = identifiers.sorted { position(of: $0) < position(of: $1) }
  }
  json["topicSections"] = sections
  try JSONSerialization.data(withJSONObject: json).write(to: page)
}
