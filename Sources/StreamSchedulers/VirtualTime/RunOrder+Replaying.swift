extension RunOrder {
  /// The order as a short string without spaces: `fifo`, `shuffled-7`, `prioritized-7` or `script-2.1`.
  ///
  /// Dots separate the choices of a script. Several zeros in a row become `z` and their count, so `script-z12.2` is a script of
  /// twelve zeros and a 2. To create an order from the string, use ``init(replaying:)``.
  ///
  /// ```swift
  /// RunOrder.script([0, 0, 0, 2, 1]).replayString   // "script-z3.2.1"
  /// ```
  ///
  /// - Complexity: O(*n*), where *n* is the number of choices in a script.
  public var replayString: String {
    switch kind {
    case .fifo: return "fifo"
    case .shuffled(let seed): return "shuffled-\(seed)"
    case .prioritized(let seed): return "prioritized-\(seed)"
    case .script(let choices):
      var parts: [String] = []
      var zeroCount = 0
      func endZeros() {
        if zeroCount > 0 { parts.append(zeroCount == 1 ? "0" : "z\(zeroCount)") }
        zeroCount = 0
      }
      for choice in choices {
        if choice == 0 {
          zeroCount += 1
        } else {
          endZeros()
          parts.append("\(choice)")
        }
      }
      endZeros()
      return "script-" + parts.joined(separator: ".")
    }
  }

  /// Creates an order from its ``replayString``.
  ///
  /// When a test that explores orders fails, the failure message contains such a string.
  ///
  /// ```swift
  /// let order = RunOrder(replaying: "script-z3.2.1")   // .script([0, 0, 0, 2, 1])
  /// ```
  ///
  /// - Parameter text: The string. If it doesn't represent an order, or represents a script of more than a million choices, the
  ///   result is `nil`.
  /// - Complexity: O(*n*), where *n* is the number of choices in a script.
  public init?(replaying text: String) {
    if text == "fifo" {
      self = .fifo
      return
    }
    guard let dash = text.firstIndex(of: "-") else { return nil }
    let rest = text[text.index(after: dash)...]
    switch text[..<dash] {
    case "shuffled":
      guard let seed = UInt64(rest) else { return nil }
      self = .shuffled(seed: seed)
    case "prioritized":
      guard let seed = UInt64(rest) else { return nil }
      self = .prioritized(seed: seed)
    case "script":
      guard let choices = Self.choices(rest) else { return nil }
      self = .script(choices)
    default: return nil
    }
  }

  /// Returns the choices of a script, or `nil` if the text is malformed or has too many.
  private static func choices(_ text: Substring) -> [Int]? {
    if text.isEmpty { return [] }
    var choices: [Int] = []
    for part in text.split(separator: ".", omittingEmptySubsequences: false) {
      if part.first == "z" {
        guard let count = Int(part.dropFirst()), count >= 0, count <= maximumChoices - choices.count else { return nil }
        choices += repeatElement(0, count: count)
      } else {
        guard let choice = Int(part), choices.count < maximumChoices else { return nil }
        choices.append(choice)
      }
    }
    return choices
  }

  private static let maximumChoices = 1_000_000
}
