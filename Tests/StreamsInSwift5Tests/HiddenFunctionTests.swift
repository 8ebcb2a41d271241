import Testing

// This file imports no module of Streams; in Swift 5 mode it finds the members that they add to types of other modules all
// the same. It is the file of a program that uses the functions with the names of such members.

extension Array {
  fileprivate func neighbors() -> [(Element, Element)] { [(Element, Element)](zip(self, dropFirst())) }

  fileprivate static func pairs(_ elements: Self) -> [(Element, Element)] {
    [(Element, Element)](zip(elements, elements))
  }

  fileprivate var isAscending: Bool { get { zip(self, dropFirst()).allSatisfy { "\($0)" <= "\($1)" } } }
}

extension Collection where Element: Equatable {
  fileprivate func matches(_ other: some Collection<Element>) -> Bool {
    count == other.count && zip(self, other).allSatisfy(==)
  }
}

extension Dictionary {
  fileprivate init(joining keys: [Key], _ values: [Value]) {
    self.init(uniqueKeysWithValues: zip(keys, values))
  }

  fileprivate func swapped() -> [Value: Key] where Value: Hashable {
    [Value: Key](zip(values, keys)) { first, _ in first }
  }
}

extension Set {
  fileprivate func numbered() -> [(Int, Element)] { [(Int, Element)](zip(0..., self)) }
}

private struct Row: RandomAccessCollection {
  var cells: [Int]
  var startIndex: Int { cells.startIndex }
  var endIndex: Int { cells.endIndex }
  subscript(index: Int) -> Int { cells[index] }

  func distance(to other: Row) -> Int { zip(cells, other.cells).map { abs($0 - $1) }.max() ?? 0 }
}

struct HiddenFunctionTests {
  @Test("extensions of collections call the function zip")
  func zipInExtensions() {
    #expect([1, 2, 3].neighbors().map(\.1) == [2, 3])
    #expect([Int].pairs([1, 2]).map(\.0) == [1, 2])
    #expect([1, 2, 3].isAscending)
    #expect([1, 2].matches([1, 2]))
    #expect([Int: String](joining: [1], ["a"]).swapped() == ["a": 1])
    #expect(Set([7]).numbered().map(\.1) == [7])
    #expect(Row(cells: [1, 5]).distance(to: Row(cells: [2, 2])) == 3)
  }
}
