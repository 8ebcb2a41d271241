/// A value on its way from the thread that schedules to the one that runs.
///
/// Combine's closures are plain, the queues' closures have to be `Sendable`: this carries the one over into the other.
///
/// `Sendable` is unchecked because the compiler cannot see who uses the value when. What a scheduler is given to run
/// is used by the thread that runs it and, as for Combine's schedulers, it is up to the caller that nothing else
/// touches what the closure captures without care. Everything else that is carried is safe to use from any thread.
package struct HandedOver<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
