import Foundation

/// An article of a module, or the page with which its documentation begins.
struct Article {
  let module: String
  let file: String
  let title: String
  /// The sentence below the title.
  let abstract: String
  /// All lines, without those that make sense on the site only.
  let passages: [Passage]
  let headings: [String]

  var name: String { URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent }
  /// Whether it is about the module itself, which has a section in the table of contents rather than a page.
  var isAboutModule: Bool { name == module }

  init(module: String, file: String, text: String) {
    let lines = text.components(separatedBy: "\n")
    self.module = module
    self.file = file
    title = lines[0].replacing(#/#\ |``/#, with: "")
    abstract = lines.dropFirst().drop(while: \.isEmpty).prefix { !$0.isEmpty }.joined(separator: " ")
    passages = outlined(parsed(text))
    headings = passages.headings
  }

  init(module: String, file: String) throws {
    self.init(module: module, file: file, text: try String(contentsOfFile: file, encoding: .utf8))
  }

  /// The anchor and the title of a heading that a link names with other punctuation than either.
  func heading(_ name: String) -> (anchor: String, title: String)? {
    func letters(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
    return zip(anchors(of: headings), headings).first { letters($1) == letters(name) }.map { ($0, $1) }
  }
}

/// The passages with the outline of a page: the abstract and the overview are one introduction, so that the heading
/// between them is left out, and the headings below it move up.
func outlined(_ passages: [Passage]) -> [Passage] {
  var isOverview = false
  return passages.map { passage in
    guard !passage.isCode else { return passage }
    let lines: [String] = passage.lines.compactMap { line in
      if line.hasPrefix("## ") { isOverview = line == "## Overview" }
      if line == "## Overview" { return nil }
      if line == "## Topics" { return "## See also" }
      return isOverview && line.hasPrefix("###") ? String(line.dropFirst()) : line
    }
    return Passage(isCode: false, lines: lines)
  }
}
