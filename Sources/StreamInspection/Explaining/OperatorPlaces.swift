internal import Streams

/// The places of a stream's operators in the source code: lines of the chain that ends with the sink.
///
/// An operator that isn't in the chain, for example because the chain begins at a variable, is distinguished from
/// others with the same name by its position.
struct OperatorPlaces {
  /// An operator with an object of its own, or one that a connection passes through.
  private enum Key: Hashable {
    case node(Int)
    case passed(consumer: Int, source: Int, position: Int)
  }

  /// The calls in the source code that created the operators.
  private var calls: [Key: SourceChain.Call] = [:]
  private var names: [Key: String] = [:]

  /// The chain that ends with the sink, if the source code is available.
  private(set) var chain: SourceChain?
  private(set) var line: CodeLine?
  /// The implicit part that delivers a sink's values on the actor that created the sink.
  private(set) var hop: Int?

  init(_ nodes: [Node], root counter: Facts.Counter?) {
    if let counter, let made = Registry.shared.made(counter.entry) {
      line = CallSites.shared.place(of: made.place)
      chain = line.flatMap { SourceChain(endingAt: $0) }
    }
    var operators = Self.operators(from: nodes)
    if let chain, let edge = nodes[0].edges.first, ["sink", "assign(to:on:)"].contains(nodes[0].name),
      edge.operators.isEmpty,
      nodes[edge.node].isOnActor
    {
      // The stream has one more `receive(on:)` than the chain.
      let count = operators.count { $0.name == "receive(on:)" }
      let isWritten = chain.calls.dropFirst().first?.name == "receive"
      if !isWritten || count > chain.calls.count(where: { $0.name == "receive" }) {
        hop = edge.node
        operators.removeFirst()
      }
    }
    // Operators with the same name are distinguished by a number, counted from the source.
    for (name, same) in Dictionary(grouping: operators, by: \.name) where same.count > 1 {
      for (position, one) in same.enumerated() {
        names[one.key] = "\(name) number \(same.count - position) from the source"
      }
    }
    guard let line, let chain else { return }
    var calls = chain.expandedCalls(at: line).dropFirst()
    for one in operators {
      guard let found = calls.firstIndex(where: { Self.names(of: one.name).contains($0.name) }) else { continue }
      self.calls[one.key] = calls[found]
      calls = calls[(found + 1)...]
    }
  }

  /// Returns the names of the methods that create an operator or a source.
  private static func names(of name: String) -> [String] {
    if name.hasSuffix(".publisher") { return ["publisher"] }
    return name == "Timer" ? ["Timer", "publish", "timerPublisher"] : [String(name.prefix { $0 != "(" })]
  }

  /// Returns the operators from the sink upward, for as long as each part has only one source.
  private static func operators(from nodes: [Node]) -> [(key: Key, name: String)] {
    var operators: [(key: Key, name: String)] = []
    var part = 0
    while nodes[part].edges.count == 1 || part == 0, let edge = nodes[part].edges.first, operators.count < 1_000 {
      for (position, one) in edge.operators.enumerated().reversed() {
        operators.append((.passed(consumer: part, source: edge.node, position: position), one.name))
      }
      guard edge.node > part else { break }
      part = edge.node
      if nodes[part].kind != .subject, nodes[part].kind != .root { operators.append((.node(part), nodes[part].words)) }
    }
    return operators
  }

  /// An object that the sink's chain retains, and that retains the chain.
  var capturedOwner: SourceChain.CapturedOwner? {
    guard let line, let chain else { return nil }
    return chain.capturedOwner(at: line)
  }

  func place(of part: Int) -> String? { place(call(of: part)) }

  func place(of position: Int, from part: Int, to source: Int) -> String? {
    place(call(of: position, from: part, to: source))
  }

  private func place(_ call: SourceChain.Call?) -> String? {
    call.flatMap { call in line.map { $0.onLine(call.line) } }
  }

  /// Returns the call that created a part, if the source code is available.
  func call(of part: Int) -> SourceChain.Call? { calls[.node(part)] }

  /// Returns the call that created a connection's operator, if the source code is available.
  func call(of position: Int, from part: Int, to source: Int) -> SourceChain.Call? {
    calls[.passed(consumer: part, source: source, position: position)]
  }

  /// Returns a name that distinguishes a part from others with the same name.
  func name(of part: Int) -> String? { names[.node(part)] }

  /// Returns a name that distinguishes a connection's operator from others with the same name.
  func name(of position: Int, from part: Int, to source: Int) -> String? {
    names[.passed(consumer: part, source: source, position: position)]
  }
}
