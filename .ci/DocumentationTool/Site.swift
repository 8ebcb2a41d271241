// Changes the pages of a site that DocC has built.
import Foundation

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

/// Moves the description of a symbol, with its pictures and examples, above its parameters, which DocC lists first.
func describeFirst(in site: URL) throws {
  let data = site.appendingPathComponent("data/documentation")
  for page in try FileManager.default.subpathsOfDirectory(atPath: data.path) where page.hasSuffix(".json") {
    let file = data.appendingPathComponent(page)
    guard var json = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any],
      var sections = json["primaryContentSections"] as? [[String: Any]],
      let parameters = sections.firstIndex(where: { $0["kind"] as? String == "parameters" }),
      let description = sections.lastIndex(where: isDescription), parameters < description
    else { continue }
    sections.insert(sections.remove(at: description), at: parameters)
    json["primaryContentSections"] = sections
    try JSONSerialization.data(withJSONObject: json).write(to: file)
  }
}

/// Whether a section of a page begins with the heading that DocC gives to everything below the first sentence of a comment.
private func isDescription(_ section: [String: Any]) -> Bool {
  let heading = (section["content"] as? [[String: Any]])?.first
  return ["discussion", "overview"].contains(heading?["anchor"] as? String)
}
