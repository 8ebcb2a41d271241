import Synchronization

/// Values that several threads add.
package final class Collected<Value: Sendable>: Sendable {
  private let state = Mutex<[Value]>([])

  package init() {}

  package var values: [Value] { state.withLock { $0 } }

  package var count: Int { state.withLock { $0.count } }

  package func append(_ value: Value) { state.withLock { $0.append(value) } }
}
