/// One small change of a source file, which a test should notice.
public struct Mutant: Codable, Sendable, Identifiable {
  /// The number that chooses the mutant when the program runs.
  public let id: Int

  /// The path of the source file, relative to the package.
  public let file: String

  /// The first and the last line of the code that is changed.
  public let lines: ClosedRange<Int>

  public let kind: Kind

  /// The function, initializer or property in which the code is.
  public let place: String

  /// The code that is changed, on one line.
  public let original: String

  /// What takes its place.
  public let replacement: String

  /// Which of the equal changes at this place it is, from 1.
  public let ordinal: Int

  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// `<` becomes `<=`: off by one.
    case boundary
    /// A comparison or condition becomes its opposite.
    case condition
    /// An `if let` or a pattern never matches.
    case binding
    /// `&&` becomes `||`, and the reverse.
    case connective
    /// `+` becomes `-`, and the reverse.
    case arithmetic
    /// A number or Boolean becomes another one.
    case literal
    /// `.unlimited` becomes `.max(1)`.
    case demand
    /// A call or assignment is left out.
    case statement
    /// A `return` in the midst of a function is left out.
    case earlyReturn
    /// `nil` is returned in place of a value, or the value after `??` used.
    case optional
  }

  /// What identifies the mutant for as long as the code around it stays as it is: the number and the lines change with
  /// every line that is inserted before.
  public var key: String { Self.key(file, place, original, replacement) + (ordinal > 1 ? " (\(ordinal))" : "") }

  static func key(_ file: String, _ place: String, _ original: String, _ replacement: String) -> String {
    "\(file) | \(place) | \(original) -> \(replacement)"
  }
}
