import Synchronization

/// Values that several threads add.
final class Collected<Value: Sendable>: Sendable {
  private let state = Mutex<[Value]>([])

  var values: [Value] { state.withLock { $0 } }

  var count: Int { state.withLock { $0.count } }

  func append(_ value: Value) { state.withLock { $0.append(value) } }
}
