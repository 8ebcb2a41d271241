/// A constant in an object of its own.
@usableFromInline @_fixed_layout
package final class Constant<Value: ~Copyable> {
  @usableFromInline package let value: Value

  @inlinable
  package init(_ value: consuming Value) { self.value = value }
}

extension Subscribers.Completion {
  /// The error, in an object.
  @inlinable
  package var storedFailure: Constant<Failure>? {
    if case .failure(let error) = self { Constant(error) } else { nil }
  }
}
