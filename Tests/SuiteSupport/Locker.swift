internal import Dispatch

/// A value that a lock protects.
package final class Locker<Value>: @unchecked Sendable {
  private let queue = DispatchQueue(label: "locker")
  private var content: Value

  package init(_ content: Value) { self.content = content }

  package var value: Value { queue.sync { content } }
  package func change(_ body: (inout Value) -> Void) { queue.sync { body(&content) } }
}
