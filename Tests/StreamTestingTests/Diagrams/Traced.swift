import Streams

/// A value with its origins: the values of the sources from which it was made, whose colors it has in a diagram.
///
/// Results of the catalog's closures have the origins of all values from which they are computed.
@dynamicMemberLookup
struct Traced<Value> {
  let value: Value

  /// The texts of the values of the sources; there are none for a literal.
  var origins: [String] = []

  init(_ value: Value, origins: [String] = []) {
    self.value = value
    self.origins = origins
  }

  /// A property of the value, which has the origins of the value.
  subscript<T>(dynamicMember member: KeyPath<Value, T>) -> Traced<T> { map { $0[keyPath: member] } }

  /// A result that is computed from the value, with its origins.
  func map<T, E>(_ transform: (Value) throws(E) -> T) throws(E) -> Traced<T> {
    Traced<T>(try transform(value), origins: origins)
  }

  /// A result that is computed from the value, if there is one, with the origins of the value.
  func compactMap<T>(_ transform: (Value) -> T?) -> Traced<T>? {
    transform(value).map { Traced<T>($0, origins: origins) }
  }

  /// A result that is computed from two values, with the origins of both.
  fileprivate func combined<Other, T>(
    with other: Traced<Other>, _ combine: (Value, Other) -> T
  ) -> Traced<T> {
    Traced<T>(combine(value, other.value), origins: unique(origins + other.origins))
  }
}

typealias Text = Traced<String>
typealias Number = Traced<Int>

/// A value whose origins can be read and replaced.
protocol Tracing {
  var origins: [String] { get set }
}

extension Traced: Tracing {}

/// The origins of a value: its own, or those of the values in it.
func origins(of value: Any) -> [String] {
  if let traced = value as? any Tracing { return traced.origins }
  return unique(Mirror(reflecting: value).children.flatMap { origins(of: $0.value) })
}

private func unique(_ texts: [String]) -> [String] {
  var seen: Set<String> = []
  return texts.filter { seen.insert($0).inserted }
}

// MARK: Conformances

extension Traced: Sendable where Value: Sendable {}

extension Traced: Equatable where Value: Equatable {
  static func == (one: Self, other: Self) -> Bool { one.value == other.value }
}

extension Traced: Hashable where Value: Hashable {
  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension Traced: Comparable where Value: Comparable {
  static func < (one: Self, other: Self) -> Bool { one.value < other.value }
}

extension Traced: CustomStringConvertible, CustomDebugStringConvertible {
  var description: String { "\(value)" }
  var debugDescription: String { String(reflecting: value) }
}

extension Traced: ExpressibleByIntegerLiteral where Value == Int {
  init(integerLiteral value: Int) { self.init(value) }

  static func + (one: Self, other: Self) -> Self { one.combined(with: other, +) }
  static func * (one: Self, other: Self) -> Self { one.combined(with: other, *) }
  static func % (one: Self, other: Self) -> Self { one.combined(with: other, %) }
}

extension Traced: ExpressibleByUnicodeScalarLiteral where Value == String {}
extension Traced: ExpressibleByExtendedGraphemeClusterLiteral where Value == String {}
extension Traced: ExpressibleByStringLiteral where Value == String {
  init(stringLiteral value: String) { self.init(value) }

  static func + (one: Self, other: Self) -> Self { one.combined(with: other, +) }
}

extension Sequence<Text> {
  func joined(separator: String = "") -> Text {
    Text(map(\.value).joined(separator: separator), origins: unique(flatMap(\.origins)))
  }
}

extension Sequence<Number> {
  func joined(separator: String = "") -> Text { map { $0.map(String.init) }.joined(separator: separator) }
}

// MARK: Operators whose results cannot carry origins

/// The values from which a result is made.
enum Ingredients {
  /// The latest value.
  case latest

  /// All values so far.
  case all
}

extension Publisher where Output: Tracing {
  /// Applies operators whose results are of a type of their own, such as the number of `count()`, and lets the results
  /// have the origins of the values that the operators have received.
  func traced<Result: Publisher & SendableMetatype>(
    _ ingredients: Ingredients, _ operators: (Publishers.HandleEvents<Self>) -> Result
  ) -> Publishers.Map<Result, Traced<Result.Output>> {
    var received: [String] = []
    let watched = handleEvents(receiveOutput: { value in
      received = ingredients == .latest ? value.origins : unique(received + value.origins)
    })
    return operators(watched).map { Traced($0, origins: received) }
  }
}
