internal import Logging
internal import ServiceContextModule
public import StreamAlgorithms

extension StreamContext {
  /// Lets the `ServiceContext` of a request follow each value of a stream.
  ///
  /// ```swift
  /// StreamContext.carryServiceContext()   // at the beginning of main
  ///
  /// orders.receive(on: queue).map(maxTasks: 16) { order in
  ///   await withSpan("store") { _ in await store(order) }   // a child of the span in which the order was sent
  /// }
  /// ```
  ///
  /// A value may wait for demand, a queue, a task or a time. From then on, `ServiceContext.current` is the context in which the
  /// value was sent wherever the value is handled. Spans have the right parent there, and log lines get the right metadata from
  /// their metadata provider. ``/StreamAlgorithms/StreamContext`` describes which context a value has that an operator creates.
  ///
  /// Call this before your streams start. Calling it again has no effect, and you can't undo it. A waiting value takes about
  /// 900 more instructions if it was left under the same context as the one before it, and 2,100 otherwise.
  public static func carryServiceContext() { carry(ServiceContext.$current) }

  /// Lets the task-local logger, `Logger.current`, follow each value of a stream.
  ///
  /// Call it if you add metadata with `withLogger(mergingMetadata:_:)` and log with `Logger.current`. The metadata that applied
  /// where a value was sent then apply wherever the value is handled. Without a surrounding `withLogger`, `Logger.current` is
  /// the default logger as before.
  ///
  /// Call this before your streams start. Calling it again has no effect, and you can't undo it. It costs as much as
  /// ``carryServiceContext()``.
  public static func carryLogger() { _ = carriesLogger }

  // A global is initialized once, so the context is registered once.
  private static let carriesLogger: Void = carry {
    Logger.current
  } restore: { logger, deliver in
    withLogger(logger) { _ in deliver() }
  }
}
