import Streams

/// The failure that probes send.
struct ContractError: Error, Equatable {}

/// An element whose lifetime can be observed, and whose `deinit` may send a signal or a request.
final class Parcel: CustomStringConvertible, Comparable, Codable {
  let number: Int
  private var onDeinit: (() -> Void)?

  enum CodingKeys: String, CodingKey { case number }

  init(_ number: Int, onDeinit: (() -> Void)? = nil) {
    self.number = number
    self.onDeinit = onDeinit
  }

  deinit { onDeinit?() }

  var description: String { "\(number)" }

  static func == (lhs: Parcel, rhs: Parcel) -> Bool { lhs.number == rhs.number }

  static func < (lhs: Parcel, rhs: Parcel) -> Bool { lhs.number < rhs.number }
}

/// An object that the closures of an operator capture, and that reports when one of them is called.
final class Captive {
  fileprivate weak var bench: Bench?

  init(_ bench: Bench) { self.bench = bench }

  /// Reports that a closure of the operator runs, and returns its argument.
  @discardableResult
  func touch<Value>(_ value: Value) -> Value {
    bench?.closureHasRun()
    return value
  }

  /// Like ``touch(_:)``, but throws if the bench is set to.
  @discardableResult
  func tryTouch<Value>(_ value: Value) throws -> Value {
    bench?.closureHasRun()
    if bench?.closuresThrow == true { throw ContractError() }
    return value
  }
}

extension Publisher where Failure == ContractError {
  /// Returns the publisher with its values as text, so that all operators have the same type.
  func asText() -> AnyPublisher<String, ContractError> { map { "\($0)" }.eraseToAnyPublisher() }
}

extension Publisher where Failure == any Error {
  func asText() -> AnyPublisher<String, ContractError> {
    map { "\($0)" }.mapError { $0 as! ContractError }.eraseToAnyPublisher()
  }
}

extension Publisher where Failure == Never {
  func asText() -> AnyPublisher<String, ContractError> {
    map { "\($0)" }.setFailureType(to: ContractError.self).eraseToAnyPublisher()
  }
}
