/// A chain that compiles with one configuration and not with another.
struct Difference: Sendable {
  var chain: Chain
  let compiling: Configuration
  let losing: Configuration

  /// The chain with as few links as still differ.
  func shrunk(_ differs: (Chain) throws -> Bool) rethrows -> Difference {
    var (shrunk, isSmaller) = (self, true)
    while isSmaller {
      isSmaller = false
      var index = 0
      while index < shrunk.chain.links.count, shrunk.chain.links.count > 1 {
        let candidate = shrunk.chain.without(index)
        if try differs(candidate) {
          shrunk.chain = candidate
          isSmaller = true
        } else {
          index += 1
        }
      }
    }
    return shrunk
  }

  func shrunk(with compiler: Compiler) throws -> Difference {
    try shrunk { chain in
      try compiler.outcomes(of: [chain], with: compiling)[0].compiles
        && !compiler.outcomes(of: [chain], with: losing)[0].compiles
    }
  }

  var sentence: String {
    "a\(chain) compiles with \(compiling.name), and not with \(losing.name)"
  }
}
