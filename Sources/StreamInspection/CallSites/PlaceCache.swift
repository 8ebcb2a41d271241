internal import Streams

/// What has been found out about places in the source code. It's kept, because live streams are read again and again.
final class PlaceCache<Value>: @unchecked Sendable {
  // Unchecked because `Locked` isn't marked as sendable: its lock protects the values.
  private let known = Locked<[CodeLine: Value]>([:])

  /// Returns the value of a place, which a closure determines for the first call.
  func value(at place: CodeLine, _ find: () -> Value) -> Value {
    if let value = known.withLock({ $0[place] }) { return value }
    let value = find()
    known.withLock { $0[place] = value }
    return value
  }
}
