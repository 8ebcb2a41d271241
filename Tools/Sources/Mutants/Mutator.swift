import SwiftOperators
import SwiftParser
import SwiftSyntax

/// The mutants of one source file, and the file with all of them in it.
public struct MutatedFile: Sendable {
  /// The path of the file, relative to the package.
  public let path: String

  public private(set) var mutants: [Mutant]

  /// A number that changes with the code, but not with comments and white space.
  public let fingerprint: String

  private let source: [UInt8]
  private let edits: [Edit]

  /// Finds the mutants of a source file.
  ///
  /// - Parameters:
  ///   - path: The path of the file, relative to the package.
  ///   - source: The contents of the file.
  ///   - first: The number of the first mutant.
  ///   - flags: The names that are defined for `#if`, besides `DEBUG`.
  public init(path: String, source: String, firstID first: Int, flags: Set<String> = []) {
    let tree = OperatorTable.standardOperators.foldAll(Parser.parse(source: source)) { _ in }
    let finder = MutantFinder(path: path, tree: tree, firstID: first, flags: flags)
    finder.walk(tree)
    self.path = path
    self.source = Array(source.utf8)
    mutants = finder.mutants
    fingerprint = Self.fingerprint(of: tree)
    edits = finder.edits
  }

  /// Returns the file with only some of its mutants.
  public func keeping(_ mutants: [Mutant]) -> MutatedFile {
    var file = self
    file.mutants = mutants
    return file
  }

  /// FNV-1a, since `Hasher` gives other numbers in every process.
  private static func fingerprint(of tree: Syntax) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for token in tree.tokens(viewMode: .sourceAccurate) {
      for byte in Array(token.text.utf8) + [0] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    return String(hash, radix: 16)
  }

  /// Returns the source with the mutants whose numbers are given, each of which is chosen when the program runs.
  ///
  /// Lines keep their numbers, so that errors of the compiler lead to mutants.
  public func source(with ids: Set<Int>) -> String {
    let ordered = edits.enumerated().filter { ids.contains($0.element.mutant) }.sorted { first, second in
      let (one, other) = (first.element, second.element)
      if one.offset != other.offset { return one.offset < other.offset }
      if one.side != other.side { return one.side < other.side }
      // What is outside opens first and closes last.
      return one.side == .closing ? first.offset > second.offset : first.offset < second.offset
    }
    var result: [UInt8] = []
    var position = 0
    for (_, edit) in ordered {
      result += source[position..<edit.offset]
      result += Array(edit.text.utf8)
      position = edit.offset + edit.replaced
    }
    result += source[position...]
    return String(decoding: result, as: UTF8.self)
  }
}

/// A piece of text that is inserted for a mutant.
struct Edit: Sendable {
  enum Side: Int, Comparable {
    case closing, replacing, opening

    static func < (first: Side, second: Side) -> Bool { first.rawValue < second.rawValue }
  }

  let mutant: Int
  let offset: Int
  let side: Side
  let text: String
  /// The number of bytes that the text takes the place of.
  var replaced = 0
}
