import ToolsSupport

/// What the compiler made of a chain.
struct Outcome: Equatable {
  var error: String?
  var milliseconds = 0

  var compiles: Bool { error == nil }
  /// Whether the compiler gives up, in place of naming what is wrong.
  var isGivenUp: Bool { error?.contains("in reasonable time") ?? false }
}

extension [Outcome] {
  /// The processor time of all.
  var seconds: Double { Double(map(\.milliseconds).reduce(0, +)) / 1000 }

  /// With the shorter time of each. The others are outcomes of the same chains.
  func quicker(of others: Self) -> Self {
    zip(self, others).map { Outcome(error: $0.error, milliseconds: Swift.min($0.milliseconds, $1.milliseconds)) }
  }
}

/// A source file with a method for each chain.
struct ChainFile {
  let text: String
  private let count: Int
  private let firstLine: Int
  private static let linesOfMethod = 3

  init(_ chains: [Chain], importing modules: [String]) {
    count = chains.count
    let header =
      modules.map { "import \($0)" } + [
        "struct Problem: Error {}",
        "final class Methods {",
        "  let a = PassthroughSubject<Int, Never>(), b = PassthroughSubject<Int, Never>()",
        "  var bag: [AnyCancellable] = []",
      ]
    let methods = chains.enumerated().flatMap { index, chain in
      ["  func f\(index)() {", "    a\(chain).sink { print($0) }.store(in: &bag)", "  }"]
    }
    firstLine = header.count + 2
    text = (header + methods + ["}", ""]).joined(separator: "\n")
  }

  /// What the compiler, called with `-warn-long-function-bodies`, says of each chain.
  func outcomes(from output: String) throws -> [Outcome] {
    var outcomes = Array(repeating: Outcome(), count: count)
    for line in output.split(separator: "\n") {
      if let match = line.firstMatch(of: #/:(\d+):\d+: error: (.*)/#) {
        let offset = Int(match.1)! - firstLine
        // What concerns no chain is a mistake of this tool, or a missing module.
        guard offset >= 0, offset % Self.linesOfMethod == 0, offset / Self.linesOfMethod < count else {
          throw Failure("the compiler says: \(match.2)")
        }
        let index = offset / Self.linesOfMethod
        outcomes[index].error = outcomes[index].error ?? String(match.2)
      } else if let match = line.firstMatch(of: #/warning: instance method 'f(\d+)\(\)' took (\d+)ms/#) {
        outcomes[Int(match.1)!].milliseconds = Int(match.2)!
      }
    }
    return outcomes
  }
}
