/// A value on its way from the thread that schedules to the one that runs.
///
/// It wraps Combine's plain closures for queues, which take `Sendable` ones.
///
/// `Sendable` is unchecked because the compiler can't see when which thread uses the value. The thread that runs a
/// scheduled closure uses it. Like with Combine's schedulers, the caller has to synchronize access to its captures.
/// Everything else that is wrapped is thread-safe.
package struct UnsafeTransfer<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
