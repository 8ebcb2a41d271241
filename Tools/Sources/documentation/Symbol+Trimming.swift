import SymbolGraphs

extension SymbolGraph {
  /// The graph without what readers of the documentation need not see.
  func trimmed() -> SymbolGraph {
    var graph = self
    graph.symbols = symbols.mapValues { $0.trimmed() }
    graph.tellApart()
    return graph
  }

  /// Appends to declarations that look alike in a list the constraints in which they differ.
  private mutating func tellApart() {
    let alike = Dictionary(grouping: symbols.keys) { key in
      symbols[key]!.pathComponents.dropLast() + [symbols[key]!.names.subHeading?.text ?? ""]
    }
    for group in alike.values where group.count > 1 {
      let shared = group.map { Set(symbols[$0]!.constraints) }.reduce(Set(symbols[group[0]]!.constraints)) {
        $0.intersection($1)
      }
      for key in group {
        let own = symbols[key]!.constraints.filter { !shared.contains($0) }
        guard !own.isEmpty else { continue }
        symbols[key]!.names.subHeading?
          .append(Fragment(kind: .text, spelling: " where \(own.joined(separator: ", "))", preciseIdentifier: nil))
      }
    }
  }
}

extension Symbol {
  /// The symbol without the parameters that the compiler fills in at each call, unless its comment describes them.
  func trimmed() -> Symbol {
    guard var signature else { return self }
    let omitted = filledIn.intersection(
      signature.parameters.filter { !describes($0.name) && !describes($0.internalName) }.map(\.name))
    signature.parameters.removeAll { omitted.contains($0.name) }
    // DocC looks for the descriptions of parameters by this name.
    for index in signature.parameters.indices {
      signature.parameters[index].name = signature.parameters[index].internalName
    }
    var symbol = self
    symbol[mixin: FunctionSignature.self] = signature
    symbol[mixin: DeclarationFragments.self]?.declarationFragments = declaration.omitting(omitted)
    symbol.names.title = trimmedTitle(names.title)
    symbol.names.subHeading = names.subHeading?.omitting(filledIn)
    symbol.names.navigator = names.navigator?.omitting(filledIn)
    return symbol
  }

  fileprivate var constraints: [String] {
    (ownConstraints + extensionConstraints).map { constraint in
      "\(constraint.leftTypeName)\(constraint.kind == .sameType ? " == " : ": ")\(constraint.rightTypeName)"
    }
  }
}

/// A title such as `record(demand:line:)` without the labels of parameters that the compiler fills in.
func trimmedTitle(_ title: String) -> String {
  title.replacing(#/(\w+):/#) { filledIn.contains(String($0.1)) ? "" : $0.0 }
}

extension [Fragment] {
  /// The declaration without some parameters, whose types have neither commas nor parentheses.
  func omitting(_ labels: Set<String>) -> [Fragment] {
    var result: [Fragment] = []
    var isOmitted = false
    for fragment in self {
      if fragment.kind == .externalParameter { isOmitted = labels.contains(fragment.spelling) }
      guard isOmitted else {
        result.append(fragment)
        continue
      }
      guard fragment.kind == .text, let end = fragment.spelling.firstIndex(where: { ",)".contains($0) })
      else { continue }
      isOmitted = false
      var rest = fragment.spelling[end...]
      let last = result.count - 1
      if rest.hasPrefix(", ") {
        rest.removeFirst(2)
      } else if result[last].spelling.hasSuffix(", ") {
        result[last].spelling.removeLast(2)
      }
      result[last].spelling += rest
    }
    return result
  }
}
