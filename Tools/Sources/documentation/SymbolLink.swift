import SymbolGraphs

/// A link to a symbol, such as `Publisher/map(_:)->Publishers.Map<Self,T>`.
struct SymbolLink {
  /// The names of the types around the symbol and its own.
  let path: [String]
  /// What tells the symbol from others of its name, with the sign that begins it.
  let suffix: String

  init?(_ link: String) {
    guard let match = link.wholeMatch(of: #/([\w/]+(?:\([\w:]*\))?)(-.+)?/#) else { return nil }
    path = match.1.split(separator: "/").map(String.init)
    suffix = String(match.2 ?? "")
  }

  /// The symbol to which it leads. If it has several overloads, this is the one whose result the link states, or whose file has
  /// the symbol's name.
  func target(in symbols: [String: [Symbol]]) -> Symbol? {
    func rank(_ symbol: Symbol) -> (Int, Int, String, Int) {
      let result = symbol.declaration.text.filter { !$0.isWhitespace }
      let returnsIt = suffix.hasPrefix("->") && result.contains(suffix)
      let file = symbol.file ?? ""
      let name = path.last?.prefix { $0 != "(" }.lowercased() ?? ""
      let hasItsName = file.lowercased().hasSuffix("/\(name).swift")
      return (returnsIt ? 0 : 1, hasItsName ? 0 : 1, file, symbol.line)
    }
    // Only links to symbols of other modules begin with the module, or with two if one extends types of the other.
    return (0...2).lazy.compactMap { symbols[path.dropFirst($0).joined(separator: "/")] }.first?
      .min { rank($0) < rank($1) }
  }
}
