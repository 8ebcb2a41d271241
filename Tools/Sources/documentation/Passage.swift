/// Lines of a Markdown file that are all code, with the fences around it, or all prose.
struct Passage {
  var isCode: Bool
  var lines: [String]
}

func parsed(_ text: String) -> [Passage] {
  var passages: [Passage] = []
  var isOpen = false
  for line in text.components(separatedBy: "\n") {
    let isFence = line.drop { $0 == " " }.hasPrefix("```")
    let isCode = isOpen || isFence
    if passages.last?.isCode == isCode {
      passages[passages.count - 1].lines.append(line)
    } else {
      passages.append(Passage(isCode: isCode, lines: [line]))
    }
    if isFence { isOpen.toggle() }
  }
  return passages
}

extension [Passage] {
  var prose: [String] { filter { !$0.isCode }.flatMap(\.lines) }

  /// The headings of all levels, without their number signs.
  var headings: [String] {
    prose.filter { $0.prefixMatch(of: #/#{1,6} /#) != nil }.map { String($0.drop { $0 == "#" || $0 == " " }) }
  }
}

/// The anchor that a heading has on the usual hosts of repositories, unless another heading above it has the same.
func anchor(of heading: String) -> String {
  String(
    heading.lowercased().compactMap { character in
      character == " " ? "-" : character.isLetter || character.isNumber || "-_".contains(character) ? character : nil
    })
}

/// The anchors of the headings of one file, of which those that repeat an earlier one are numbered.
func anchors(of headings: [String]) -> [String] {
  var counts: [String: Int] = [:]
  return headings.map { heading in
    let anchor = anchor(of: heading)
    let earlier = counts[anchor, default: 0]
    counts[anchor] = earlier + 1
    return earlier == 0 ? anchor : "\(anchor)-\(earlier)"
  }
}
