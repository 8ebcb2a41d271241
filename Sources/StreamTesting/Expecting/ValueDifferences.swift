internal import StreamSchedulers

/// The parts in which two values differ, each with its path, such as `.results[1]`.
struct ValueDifferences {
  struct Difference: Equatable {
    var path: String
    var expected: String
    var actual: String
  }

  private(set) var all: [Difference] = []

  // Values that refer to themselves never end, and a long list of differences doesn't help the reader.
  private static let deepest = 12
  private static let most = 20

  /// Compares two values part by part. If they differ only as a whole, `all` is empty.
  init(_ expected: Any, _ actual: Any) {
    compare(expected, actual, at: "", depth: 0)
    if all.map(\.path) == [""] { all = [] }
  }

  private mutating func compare(_ expected: Any, _ actual: Any, at path: String, depth: Int) {
    guard all.count < Self.most else { return }
    let (one, other) = (Mirror(reflecting: expected), Mirror(reflecting: actual))
    guard depth < Self.deepest, one.subjectType == other.subjectType, one.displayStyle == other.displayStyle else {
      return note(expected, actual, at: path)
    }
    switch one.displayStyle {
    case .struct, .class, .tuple: compareFields(one, other, expected, actual, at: path, depth: depth)
    case .collection: compareElements(one, other, at: path, depth: depth)
    case .dictionary: compareEntries(one, other, at: path, depth: depth)
    case .optional: compareContents(one, other, expected, actual, at: path, depth: depth, step: "")
    case .enum: compareContents(one, other, expected, actual, at: path, depth: depth, step: nil)
    default: note(expected, actual, at: path)
    }
  }

  private mutating func note(_ expected: Any, _ actual: Any, at path: String) {
    let texts = (String(reflecting: expected), String(reflecting: actual))
    if texts.0 != texts.1 { all.append(Difference(path: path, expected: texts.0, actual: texts.1)) }
  }

  private mutating func compareFields(
    _ one: Mirror, _ other: Mirror, _ expected: Any, _ actual: Any, at path: String, depth: Int
  ) {
    if one.children.isEmpty { return note(expected, actual, at: path) }
    for (index, (child, otherChild)) in zip(one.children, other.children).enumerated() {
      let label = child.label.map { $0.hasPrefix(".") ? $0 : ".\($0)" } ?? ".\(index)"
      compare(child.value, otherChild.value, at: path + label, depth: depth + 1)
    }
  }

  private mutating func compareElements(_ one: Mirror, _ other: Mirror, at path: String, depth: Int) {
    for (index, (child, otherChild)) in zip(one.children, other.children).enumerated() {
      compare(child.value, otherChild.value, at: "\(path)[\(index)]", depth: depth + 1)
    }
    if one.children.count != other.children.count {
      note(one.children.count, other.children.count, at: path + ".count")
    }
  }

  private mutating func compareEntries(_ one: Mirror, _ other: Mirror, at path: String, depth: Int) {
    let (entries, otherEntries) = (entries(of: one), entries(of: other))
    for key in Set(entries.keys).union(otherEntries.keys).sorted() {
      switch (entries[key], otherEntries[key]) {
      case (let value?, let otherValue?): compare(value, otherValue, at: "\(path)[\(key)]", depth: depth + 1)
      case (let value, let otherValue):
        note(value ?? Absent(), otherValue ?? Absent(), at: "\(path)[\(key)]")
      }
    }
  }

  private func entries(of mirror: Mirror) -> [String: Any] {
    var entries: [String: Any] = [:]
    for child in mirror.children {
      let parts = Array(Mirror(reflecting: child.value).children)
      if parts.count == 2 { entries[String(reflecting: parts[0].value)] = parts[1].value }
    }
    return entries
  }

  /// Compares the contents of two optionals, or the associated values of two enumeration values if both have the same
  /// case.
  private mutating func compareContents(
    _ one: Mirror, _ other: Mirror, _ expected: Any, _ actual: Any, at path: String, depth: Int, step: String?
  ) {
    guard let child = one.children.first, let otherChild = other.children.first, child.label == otherChild.label else {
      return note(expected, actual, at: path)
    }
    compare(child.value, otherChild.value, at: path + (step ?? ".\(child.label ?? "")"), depth: depth + 1)
  }

  private struct Absent: CustomDebugStringConvertible {
    var debugDescription: String { "nothing" }
  }
}
