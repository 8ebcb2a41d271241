/// The values that the names in a marble diagram stand for, given as a dictionary or a closure.
///
/// ```swift
/// let numbers = scheduler.hot("-a--b|", values: ["a": 1, "b": 2])
/// let lengths = scheduler.hot("-a--b|", values: MarbleValues { $0.count })
/// ```
public struct MarbleValues<Output>: ExpressibleByDictionaryLiteral {
  let value: (String) -> Output?

  /// Creates the values from a dictionary literal. If a name occurs more than once, its last value is used.
  ///
  /// - Parameter elements: The names and their values.
  public init(dictionaryLiteral elements: (String, Output)...) {
    self.init(Dictionary(elements) { _, last in last })
  }

  /// Creates the values from a dictionary.
  ///
  /// - Parameter values: The values, keyed by name.
  public init(_ values: [String: Output]) { value = { values[$0] } }

  /// Creates the values from a closure.
  ///
  /// - Parameter value: A closure that returns the value that a name stands for, or `nil` if there isn't one.
  public init(_ value: @escaping (String) -> Output?) { self.value = value }
}

extension MarbleValues<String> {
  /// Values that are the names themselves.
  public static var names: Self { Self { $0 } }
}
