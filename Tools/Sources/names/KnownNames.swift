import Foundation
import SymbolGraphs

/// What Combine has, and what is left out for a reason.
struct KnownNames {
  private var combine: Set<String> = []
  private var leftOut: Set<String> = []
  private var shortened: Set<String> = []
  private var coreAdditions: Set<String> = []

  init(_ text: String) {
    var section = ""
    for line in text.components(separatedBy: "\n") {
      if line.hasPrefix("[") { section = line }
      guard !line.isEmpty, !line.hasPrefix("#"), !line.hasPrefix("[") else { continue }
      switch section {
      case "[Combine]": combine.insert(line)
      case "[left out]": leftOut.insert(line)
      case "[requirements]": coreAdditions.insert(line)
      default: shortened.insert(line)
      }
    }
  }

  func isCombines(_ symbol: Symbol) -> Bool {
    combine.contains(symbol.pathComponents.last!) || combine.contains(symbol.name)
  }
  func isLeftOut(_ symbol: Symbol) -> Bool {
    leftOut.contains(symbol.name) || leftOut.contains(symbol.pathComponents[0] + ".*")
  }
  /// Whether a program's own has precedence because it has fewer parameters, instead of because the package's is disfavored.
  func isShortened(_ symbol: Symbol) -> Bool { shortened.contains(symbol.name) }
  /// Whether it is a requirement that Combine's protocol lacks, which can stand nowhere but there.
  func isCoreAddition(_ symbol: Symbol) -> Bool { coreAdditions.contains(symbol.name) }
  /// Whether Combine has no such declaration. The operators of one type that fuse with the next are Combine's.
  func lacks(_ symbol: Symbol) -> Bool {
    !isCombines(symbol) || (symbol.isDisfavored && symbol.pathComponents.count == 2)
  }
  /// Whether it is neither in Combine nor an explanation of mistakes.
  func isBeyondCombine(_ symbol: Symbol) -> Bool {
    guard ![.extension, .operator].contains(symbol.kind.identifier), !symbol.isUnavailable else { return false }
    guard !symbol.pathComponents.contains(where: { $0.hasPrefix("_") }), !isCoreAddition(symbol) else { return false }
    return symbol.file?.contains("/Diagnostics/") != true && lacks(symbol)
  }
  func hasCombine(_ name: String) -> Bool { combine.contains(name) }
}
