internal import Synchronization

/// A value that one task leaves to another.
final class Handover<Value>: Sendable {
  private let value: Mutex<Value?>

  init(_ value: sending Value) { self.value = Mutex(value) }

  func take() -> sending Value? {
    value.withLock { $0.take() }
  }
}
