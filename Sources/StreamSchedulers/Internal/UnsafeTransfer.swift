/// A value on its way from the thread that schedules an action to the one that runs it.
///
/// Combine's closures are plain, but queues take `Sendable` closures, so this type wraps them.
///
/// `Sendable` is unchecked because the compiler can't tell which thread uses the value at what time. Only the thread that runs
/// a scheduled closure uses it. As with Combine's schedulers, the caller has to synchronize access to its captures. Everything
/// else that is wrapped is thread-safe.
package struct UnsafeTransfer<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
