/// Operators one after the other.
struct Chain: Hashable, CustomStringConvertible {
  var links: [String]

  var description: String { links.joined() }

  func without(_ index: Int) -> Chain {
    var chain = self
    chain.links.remove(at: index)
    return chain
  }
}

extension [Chain] {
  /// The chains, each with one more link, in turn, at a random place.
  func planting(_ links: [String], using generator: inout SplitMix64) -> [Chain] {
    enumerated().map { index, chain in
      var chain = chain
      chain.links.insert(links[index % links.count], at: generator.below(chain.links.count + 1))
      return chain
    }
  }
}

/// How many chains of how many links.
struct Group: CustomStringConvertible {
  let count: Int
  let links: ClosedRange<Int>

  var description: String { "\(count) of \(links.lowerBound) to \(links.upperBound) links" }

  func chains(of choices: [String], using generator: inout SplitMix64) -> [Chain] {
    (0..<count).map { _ in
      let length = links.lowerBound + generator.below(links.count)
      return Chain(links: (0..<length).map { _ in choices[generator.below(choices.count)] })
    }
  }
}

/// Gives the same numbers for the same seed, whatever the version of the standard library.
struct SplitMix64 {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
