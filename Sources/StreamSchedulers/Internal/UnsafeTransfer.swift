/// A value on its way from the thread that schedules to the one that runs.
///
/// Combine's closures are plain, those of queues are `Sendable`: this wraps the former for the latter.
///
/// `Sendable` is unchecked because the compiler can't see when which thread uses the value. A scheduled closure is used
/// by the thread that runs it, and, as for Combine's schedulers, the caller has to synchronize access to what it
/// captures. Everything else that is wrapped is thread-safe.
package struct UnsafeTransfer<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
