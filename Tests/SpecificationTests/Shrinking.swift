import StreamAlgorithms
import Streams

extension Case {
  /// What is different, or `nil` if the library does what the specification says.
  func difference() -> String? {
    let expected = Model.run(self)
    let (observed, left) = World.run(self)
    if expected != observed, !Freedom.all.contains(where: { Model.run(self, $0) == observed }),
      !feedsOnItself || expected.sorted() != observed.sorted()
    {
      let common = zip(expected, observed).prefix { $0 == $1 }.count
      return """
        differs after \(common) lines
        \(pictures([("specified", expected), ("observed", observed)]))
        specified:
          \(expected.joined(separator: "\n  "))
        observed:
          \(observed.joined(separator: "\n  "))
        """
    }
    return left == 0 ? nil : "\(left) closures are not released"
  }

  /// Indicates whether a source is subscribed to by what its own values start. Values of different subscriptions to it may
  /// then come in more orders than ``Freedom`` has.
  private var feedsOnItself: Bool {
    func sources(_ chain: Chain) -> [Int] {
      switch chain {
      case .source(let number): [number]
      case .shared(let number): sources(shared[number].stream)
      case .apply(_, let source), .erased(let source): sources(source)
      case .combine(_, let a, let b): sources(a) + sources(b)
      }
    }
    return parts.contains { part in
      guard case .apply(let flattening as any FlatteningOperator, let source) = part else { return false }
      return !Set(sources(flattening.inner)).isDisjoint(with: sources(source))
    }
  }

  /// Indicates whether requests are scheduled. How many is not specified: demand that a delivery returns is not.
  var schedulesRequests: Bool {
    parts.contains { if case .apply(is SubscribeOn, _) = $0 { true } else { false } }
  }

  private var parts: [Chain] { chain.parts + shared.flatMap(\.stream.parts) }

  /// The simplest case that is still different.
  func shrunk() -> Case {
    var simplest = self
    while let simpler = simplest.simplerCases().first(where: { $0.difference() != nil }) { simplest = simpler }
    return simplest
  }

  private func with(_ change: (inout Case) -> Void) -> Case {
    var copy = self
    change(&copy)
    return copy
  }

  private func simplerCases() -> [Case] {
    var cases = chain.replacements(Self.simplerChains).map { chain in with { $0.chain = chain } }
    for number in shared.indices {
      cases += shared[number].stream.replacements(Self.simplerChains).map { chain in
        with { $0.shared[number].stream = chain }
      }
      cases += chain.replacements {
        if case .shared(number) = $0 { [shared[number].stream] } else { [] }
      }.map { chain in with { $0.chain = chain } }
      if shared[number].kind != .passthrough { cases.append(with { $0.shared[number].kind = .passthrough }) }
    }
    cases += script.indices.map { index in with { $0.script.remove(at: index) } }
    cases += reactions.indices.map { index in with { $0.reactions.remove(at: index) } }
    if isScheduled { cases.append(with { $0.isScheduled = false }) }
    if let demand {
      cases.append(with { ($0.demand, $0.more) = (nil, 0) })
      if demand > 0 { cases.append(with { $0.demand = demand - 1 }) }
      if more > 0 { cases.append(with { $0.more -= 1 }) }
    }
    for index in script.indices where script[index].time > (index == 0 ? 0 : script[index - 1].time) {
      cases.append(
        with { for later in index..<script.count { $0.script[later].time -= 1 } })
    }
    for (index, source) in sources.enumerated() {
      switch source {
      case .never, .subject(.passthrough): break
      case .sequence(let values, let ending):
        if !values.isEmpty { cases.append(with { $0.sources[index] = .sequence(values.dropLast(), ending) }) }
        if values.isEmpty { cases.append(with { $0.sources[index] = .never }) }
      default: cases.append(with { $0.sources[index] = .subject(.passthrough) })
      }
    }
    return cases
  }

  private static func simplerChains(_ chain: Chain) -> [Chain] {
    switch chain {
    case .source(let number): number > 0 ? [.source(0)] : []
    case .shared: []
    case .erased(let source): [source]
    case .combine(let `operator`, let a, let b):
      [a, b] + (`operator` is Merge ? [] : [.combine(Merge(isOfMany: false), a, b)])
    case .apply(_, let source): [source]
    }
  }
}
