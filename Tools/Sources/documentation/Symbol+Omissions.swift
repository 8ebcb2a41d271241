import SymbolGraphs

extension SymbolGraph {
  /// What the comments of its symbols do not say, nor the comments in all modules that they refer to.
  func omissions(given masters: Masters) -> [String] {
    let inherited = Set(relationships.filter { $0[mixin: Relationship.SourceOrigin.self] != nil }.map(\.source))
    let plain = symbols.values.identifiersOfPlainSymbols
    // What can't be used, or should not be, says by its attribute what to use.
    let documented = symbols.values.filter {
      $0.kind.identifier != .extension && !plain.contains($0.identifier.precise)
        && !$0.isUnavailable && !$0.isDeprecated
    }
    return documented.flatMap { symbol in
      symbol.omissions(
        isInherited: inherited.contains(symbol.identifier.precise), masters: masters.masters(of: symbol)
      ).map { omission in
        let place = symbol.file.map { "\($0):\(symbol.line): " } ?? ""
        return "\(place)\(symbol.pathComponents.joined(separator: ".")) \(omission)"
      }
    }
  }
}

extension Collection<Symbol> {
  /// The identifiers of symbols without a comment whose declaration says all: initializers that take a value for each of some
  /// constants of their type, and those constants.
  var identifiersOfPlainSymbols: Set<String> {
    let initializers = filter { $0.kind.identifier == .`init` }
    let constants = filter { $0.kind.identifier == .property && $0.declaration.text.contains(#/\blet\b/#) }
    let paths = Set(constants.map(\.pathComponents))
    var taken: Set<[String]> = []
    var plain: Set<String> = []
    for initializer in initializers {
      let values = (initializer.signature?.parameters ?? []).map {
        Array(initializer.pathComponents.dropLast()) + [$0.internalName]
      }
      if initializer.docComment != nil {
        taken.formUnion(values)
      } else if !values.isEmpty, paths.isSuperset(of: values) {
        taken.formUnion(values)
        plain.insert(initializer.identifier.precise)
      }
    }
    for constant in constants where constant.docComment == nil && taken.contains(constant.pathComponents) {
      plain.insert(constant.identifier.precise)
    }
    return plain
  }
}

/// The comments that other comments refer to, in order to say only what differs.
struct Masters {
  private let commented: [String: [Symbol]]
  private let protocols: Set<[String]>

  init(_ symbols: some Sequence<Symbol>) {
    protocols = Set(symbols.filter { $0.kind.identifier == .protocol }.map(\.pathComponents))
    commented = Dictionary(grouping: symbols.filter { $0.docComment != nil }) { $0.pathComponents.last ?? "" }
  }

  /// The symbols whose comments count for that of a symbol as well: those that it is like, as in ``Like ``map(_:)`` ``, and the
  /// members of protocols of which this is a type's own form: the operator of `Publisher` that `Just` has, too.
  func masters(of symbol: Symbol) -> [Symbol] {
    let links = (symbol.comment ?? "").matches(of: #/\b[Ll]ike\s+``/?([^`]+)``/#)
      .compactMap { SymbolLink(String($0.1)) }
    var masters = links.flatMap { commented[$0.path.last ?? ""] ?? [] }
    func isInProtocol(_ symbol: Symbol) -> Bool { protocols.contains(symbol.pathComponents.dropLast()) }
    if !isInProtocol(symbol) { masters += (commented[symbol.pathComponents.last ?? ""] ?? []).filter(isInProtocol) }
    return masters.filter { $0.identifier.precise != symbol.identifier.precise }
  }
}

extension Symbol {
  /// What its comment does not say, nor those of some others, nor that of the protocol's requirement that it fulfills.
  func omissions(isInherited: Bool, masters: [Symbol] = []) -> [String] {
    guard let comment else {
      // A property wrapper's projection has no place for a comment.
      return isInherited || pathComponents.last?.hasPrefix("$") == true ? [] : ["is not documented"]
    }
    // Operators of the standard library's protocols mean what they mean there; what is in no file is synthesized.
    guard let signature, file != nil, kind.identifier != .operator else { return [] }
    let result = signature.returns.text
    let hasResult = kind.identifier != .`init` && !["", "()", "Void", "Never"].contains(result)
    // Those of the master are known, and so is what another of the same kind means: `zip(_:_:)`.
    let known = Set(masters.flatMap(\.labels) + (masters.isEmpty ? [] : ["_"]))
    let parameters = isInherited ? [] : Array(zip(labels, signature.parameters.map(\.internalName)))
    var omissions = parameters.filter { label, name in
      !filledIn.contains(name) && !known.contains(label) && !describes(name)
        && (masters.isEmpty || !comment.contains("`\(name)`"))
    }.map { "does not describe the parameter \($0.1)" }
    guard masters.isEmpty, !isInherited else { return omissions }
    func require(_ text: Regex<Substring>, _ omission: String) {
      if !comment.contains(text) { omissions.append(omission) }
    }
    // The first sentence may describe it: of a publisher, it says what it publishes.
    if hasResult, !result.contains("Publisher") {
      require(#/- Returns:|^(?:Returns|Creates) /#, "does not describe its result")
    }
    if isThrowing { require(#/- Throws:/#, "does not describe its errors") }
    guard isOperatorOfStreams, hasResult else { return omissions }
    require(#/[Dd]emand|[Rr]equest/#, "does not say how demand passes through it")
    require(#/[Cc]ancel|[Cc]omplet|[Ff]inish|[Ff]ail/#, "does not say when it ends")
    if signature.parameters.contains(where: { $0.internalName == "scheduler" }) {
      require(#/scheduler/#, "does not say what happens on its scheduler")
    }
    // A count has values that make no sense.
    if declaration.text.contains(": Int") {
      require(
        #/Precondition|stops the program|at least|[Nn]egative|positive|less than/#,
        "does not say which counts are invalid, and what an invalid count does")
    }
    return omissions
  }

  fileprivate var comment: String? { docComment?.lines.map(\.text).joined(separator: "\n") }

  /// What callers write before its arguments: `_` for nothing.
  fileprivate var labels: [String] {
    names.title.drop { $0 != "(" }.dropFirst().dropLast().split(separator: ":").map(String.init)
  }

  func describes(_ parameter: String) -> Bool {
    guard let comment, let pattern = try? Regex("- (Parameter )?`?\(parameter)`?:") else { return false }
    return comment.contains(pattern)
  }

  /// Whether it is an operator, rather than a way to record a publisher or to wait for it.
  private var isOperatorOfStreams: Bool {
    ["Publisher", "ConnectablePublisher"].contains(pathComponents[0]) && isInExtension && kind.identifier == .method
      && !["blocking", "record"].contains { pathComponents[pathComponents.count - 1].hasPrefix($0) }
  }

  /// Whether it throws errors, rather than a closure that it takes.
  var isThrowing: Bool {
    var depth = 0
    let outside = declaration.text.filter { character in
      depth += character == "(" ? 1 : character == ")" ? -1 : 0
      return depth == 0
    }
    return outside.components(separatedBy: "->")[0].contains(#/\bthrows\b/#)
  }
}

extension Symbol.FunctionSignature.FunctionParameter {
  /// The name that the comment describes. `name` is what callers write.
  var internalName: String { declarationFragments.first?.spelling ?? name }
}
