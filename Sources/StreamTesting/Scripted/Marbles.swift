internal import StreamSchedulers

/// A marble diagram: a stream as text, with one character for each frame of time.
///
/// | | |
/// | --- | --- |
/// | `-` | nothing happens in this frame |
/// | `a`, `1`, any other character | a value with this name |
/// | `'hello'` | a value with a longer name |
/// | `(ab)` | several events in one frame, which is as long as any other |
/// | `\|` | the stream finishes |
/// | `#` | the stream fails |
/// | `12ms`, `1.5s` | a gap: the time between the symbols around it, instead of one frame (other units: `us`, `ns`, `m`) |
/// | `^` | the frame of the subscription, from which time counts |
/// | `!` | the frame of the cancellation |
/// | a space | nothing: spaces are only for alignment |
///
/// A gap is enclosed in spaces. `a 12ms b` has b exactly 12 milliseconds after a, and `12ms a` has a 12 milliseconds
/// after the beginning.
///
/// ```swift
/// let source = scheduler.hot("a-b 300ms c|")
/// scheduler.expect(source.debounce(for: .milliseconds(100), scheduler: scheduler), "-- 100ms b 202ms |")
/// ```
///
/// You can write a diagram as a string literal. The function that uses a diagram reports mistakes at the caller's line, with the
/// column marked. ``init(parsing:)`` throws the first mistake instead. Nothing is compared with a bad diagram. After a mistake in
/// a publisher's diagram, nothing that the same scheduler records is compared, because the test has already failed.
public struct Marbles: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation, CustomStringConvertible {
  /// The diagram as it was written.
  package let text: String

  /// Creates a diagram without parsing it. The function that uses the diagram reports mistakes.
  ///
  /// - Parameter text: The diagram.
  public init(_ text: String) { self.text = text }

  /// Creates a diagram without parsing it. The function that uses the diagram reports mistakes.
  ///
  /// - Parameter text: The diagram.
  public init(stringLiteral text: String) { self.text = text }

  /// Creates a diagram and parses it.
  ///
  /// - Parameter text: The diagram.
  /// - Throws: The first mistake in the diagram.
  /// - Complexity: O(*n*), where *n* is the length of the text.
  public init(parsing text: String) throws(MarbleSyntaxError) {
    self.text = text
    _ = try parsed()
  }

  /// The diagram as it was written.
  public var description: String { text }
}

extension Marbles: Equatable {}

/// A mistake in a marble diagram, and its column.
public struct MarbleSyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The diagram.
  public var text: String

  /// The column of the mistake, counted from one.
  package var column: Int

  /// The mistake, as a sentence without the period.
  package var reason: String

  /// The mistake, and the diagram with its column marked.
  public var description: String {
    """
    The marble diagram cannot be read: \(reason), in column \(column).
      \(text)
      \(String(repeating: " ", count: column - 1))^
    """
  }
}

/// A symbol in a marble diagram, and its time.
struct Marble: Equatable {
  enum Symbol: Equatable {
    case nothing
    case value(String)
    case finish
    case failure
    case subscription
    case cancellation
  }

  var symbol: Symbol
  var offset: MarbleOffset
  var column: Int
}

/// A time in a diagram, before the duration of a frame is known.
struct MarbleOffset: Equatable {
  var frames = 0
  var nanoseconds = 0

  static func - (lhs: Self, rhs: Self) -> Self {
    Self(frames: lhs.frames - rhs.frames, nanoseconds: lhs.nanoseconds.subtractingSaturating(rhs.nanoseconds))
  }

  func nanoseconds(frame: Int) -> Int {
    frames.multipliedSaturating(by: frame).addingSaturating(nanoseconds)
  }
}

extension Marbles {
  /// Returns the symbols of the diagram in chronological order. Time counts from `^` or from the first frame.
  func parsed(countingFromSubscription: Bool = true) throws(MarbleSyntaxError) -> [Marble] {
    var parser = MarbleParser(text)
    let marbles = try parser.parse()
    guard countingFromSubscription, let origin = marbles.first(where: { $0.symbol == .subscription })?.offset else {
      return marbles
    }
    return marbles.map { Marble(symbol: $0.symbol, offset: $0.offset - origin, column: $0.column) }
  }
}

private struct MarbleParser {
  private let text: String
  private let characters: [Character]
  private var index = 0
  private var marbles: [Marble] = []

  /// The time of the previous symbol, if there's one. The first symbol's time is zero.
  private var last: MarbleOffset?

  /// The gap before the next symbol.
  private var gap: Int?
  private var gapColumn = 0
  private var groupStart: Int?
  private var endColumn: Int?

  init(_ text: String) {
    self.text = text
    characters = Array(text)
  }

  mutating func parse() throws(MarbleSyntaxError) -> [Marble] {
    while index < characters.count { try parseNext() }
    if let groupStart { throw mistake("a group is not closed", at: groupStart) }
    if gap != nil { append(.nothing, at: characters.count) }
    return marbles
  }

  private mutating func parseNext() throws(MarbleSyntaxError) {
    let column = index
    if try parseGap() { return }
    let character = characters[index]
    index += 1
    switch character {
    case " ", "\n", "\t": break
    case "-":
      if groupStart != nil { throw mistake("time cannot pass in a group", at: column) }
      append(.nothing, at: column)
    case "—", "–", "−":
      throw mistake(
        "this is a long dash; use hyphens (-) for time, and '\(character)' for a value with this name", at: column)
    case "(":
      if let groupStart { throw mistake("the group from column \(groupStart + 1) is still open", at: column) }
      // The members of a group share one time.
      advance()
      groupStart = column
    case ")":
      guard let start = groupStart else { throw mistake("there is no group to close", at: column) }
      if marbles.last.map({ $0.column <= start + 1 }) ?? true { throw mistake("the group is empty", at: start) }
      groupStart = nil
    case "'": try append(.value(parseName(from: column)), at: column, isSignal: true)
    case "|": try append(.finish, at: column, isSignal: true)
    case "#": try append(.failure, at: column, isSignal: true)
    case "^":
      if marbles.contains(where: { $0.symbol == .subscription }) {
        throw mistake("there is already a subscription", at: column)
      }
      append(.subscription, at: column)
    case "!":
      if marbles.contains(where: { $0.symbol == .cancellation }) {
        throw mistake("there is already a cancellation", at: column)
      }
      append(.cancellation, at: column)
    default: try append(.value(String(character)), at: column, isSignal: true)
    }
  }

  private mutating func append(_ symbol: Marble.Symbol, at column: Int, isSignal: Bool) throws(MarbleSyntaxError) {
    if let endColumn { throw mistake("the stream has ended in column \(endColumn + 1)", at: column) }
    if symbol == .finish || symbol == .failure { endColumn = column }
    append(symbol, at: column)
  }

  private mutating func append(_ symbol: Marble.Symbol, at column: Int) {
    if groupStart == nil { advance() }
    marbles.append(Marble(symbol: symbol, offset: last ?? MarbleOffset(), column: column + 1))
  }

  /// Advances to the time of the next symbol.
  private mutating func advance() {
    var offset = last ?? MarbleOffset()
    if let gap {
      offset.nanoseconds = offset.nanoseconds.addingSaturating(gap)
    } else if last != nil {
      offset.frames += 1
    }
    gap = nil
    last = offset
  }

  private mutating func parseName(from column: Int) throws(MarbleSyntaxError) -> String {
    guard let end = characters[index...].firstIndex(of: "'") else {
      throw mistake("the name is not closed with another '", at: column)
    }
    if end == index { throw mistake("the name is empty", at: column) }
    defer { index = end + 1 }
    return String(characters[index..<end])
  }

  /// Parses a gap (a number with a unit, between spaces) at the current position, and returns whether there was one.
  private mutating func parseGap() throws(MarbleSyntaxError) -> Bool {
    guard index == 0 || characters[index - 1].isWhitespace, characters[index].isWholeNumber else { return false }
    let word = characters[index...].prefix { !$0.isWhitespace }
    let digits = word.prefix { $0.isWholeNumber || $0 == "." }
    let units = ["ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9]
    guard let size = units[String(word[digits.endIndex...])] else { return false }
    guard let number = Double(String(digits)), number * size < 9e18 else {
      throw mistake("\(String(word)) is not a valid time", at: index)
    }
    if groupStart != nil { throw mistake("time cannot pass in a group", at: index) }
    gap = (gap ?? 0).addingSaturating(Int((number * size).rounded()))
    index = word.endIndex
    return true
  }

  private func mistake(_ reason: String, at index: Int) -> MarbleSyntaxError {
    MarbleSyntaxError(text: text, column: index + 1, reason: reason)
  }
}
