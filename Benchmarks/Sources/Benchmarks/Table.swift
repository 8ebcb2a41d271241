/// A table of text. The first column is aligned on the left, the others on the right.
struct Table {
  var header: [String]
  var rows: [[String]] = []

  /// The table with spaces, for a terminal.
  var plain: String {
    let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max()! }
    return ([header] + rows).map { row in
      row.indices.map { column in
        let padding = String(repeating: " ", count: widths[column] - row[column].count)
        return column == 0 ? row[column] + padding : padding + row[column]
      }
      .joined(separator: "  ")
    }
    .joined(separator: "\n")
  }

  var markdown: String {
    let rule = ["---"] + header.dropFirst().map { _ in "---:" }
    return ([header, rule] + rows).map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
  }
}
