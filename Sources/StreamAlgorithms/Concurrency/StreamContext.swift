public import Streams

/// The context in which values were sent, such as a request's trace.
///
/// It follows each value to the code that handles it. A waiting value is delivered by another thread, by an actor's job or by a
/// timer, whose task-local values differ from the sender's. When your program starts, register each context that should follow
/// values:
///
/// ```swift
/// enum Trace {
///   @TaskLocal static var id = "none"
/// }
///
/// StreamContext.carry(Trace.$id)
///
/// let orders = PassthroughSubject<Int, Never>()
/// let cancellable = orders.receive(on: DispatchQueue.global()).sink { order in
///   print(Trace.id, order)   // the trace of whoever sent the order
/// }
/// Trace.$id.withValue("request 7") { orders.send(1) }
/// ```
///
/// The context is captured where a value is left for other code to deliver: in a subject's queue, in every operator that
/// buffers, delays, schedules or combines, in subjects that replay, in a future, and when a value moves to an actor. The
/// context is restored while the value is delivered, even if the sender had none, so you never see the delivering thread's
/// context. A value that is delivered on its sender's own call stack already has its context, at no cost.
///
/// | signal | its context |
/// | --- | --- |
/// | a value that combines others | the context of the value that completes it |
/// | a value that an operator keeps for later, as `sample` and `last` do | the context in which it was sent |
/// | an array of values that a timer, a boundary or the end of its source ends | the context of its last value |
/// | a value from a timer, a retry or a publisher that follows another | the context of the subscription |
/// | the first value of a `CurrentValueSubject` | the context of the subscriber |
/// | a completion | the context in which it was sent |
/// | a completion that follows from a value, as with `prefix`, `first` and `tryMap` | the context of that value |
/// | a completion that a timer causes, as with `timeout` | the context of the subscription |
/// | a replayed completion | the context of the later subscriber |
/// | a request or a cancellation | the context of the caller |
///
/// A loop over `values` keeps its own task's context. If you need the sender's context there, send it along:
///
/// ```swift
/// for await (order, context) in orders.map({ ($0, StreamContext.current) }).values {
///   context.run { handle(order) }
/// }
/// ```
///
/// After you register a context, it follows the values of streams that you then subscribe to and of subjects that then get a
/// subscriber. You can't unregister it. With one task-local, a waiting value costs about 400 more instructions if it has the
/// same context as the previous one, and 2,000 otherwise.
public struct StreamContext: Sendable {
  private let snapshot: ContextSnapshot?

  /// The current values of all registered contexts.
  public static var current: StreamContext { StreamContext(snapshot: .captured()) }

  /// Registers a task-local, whose value then follows each value of a stream.
  ///
  /// - Parameter local: The task-local. Registering the same task-local again has no effect.
  @inlinable
  public static func carry<Value: Sendable>(_ local: TaskLocal<Value>) {
    ContextCarrier.register(
      ObjectIdentifier(local), get: { local.get() }, bind: { local.withValue($0, operation: $1) })
  }

  /// Registers a context that isn't a task-local, so that it follows a stream's values.
  ///
  /// ```swift
  /// StreamContext.carry {
  ///   Logger.threadMetadata
  /// } restore: { metadata, deliver in
  ///   let outer = Logger.threadMetadata
  ///   Logger.threadMetadata = metadata
  ///   deliver()
  ///   Logger.threadMetadata = outer
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - capture: A closure that returns the current context. It's called on the thread that leaves a value for other code to
  ///     deliver.
  ///   - restore: A closure that receives a context and another closure. It must call the other closure exactly once,
  ///     immediately, and under that context. It's called on the thread that delivers the value.
  @inlinable
  public static func carry<Value: Sendable>(
    capture: @escaping @Sendable () -> Value, restore: @escaping @Sendable (Value, () -> Void) -> Void
  ) {
    ContextCarrier.register(nil, get: capture, bind: restore)
  }

  /// Calls a closure under this context.
  ///
  /// - Parameter body: The closure to call.
  /// - Returns: The result of the closure.
  /// - Throws: The error that the closure throws.
  public func run<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    var result: Swift.Result<Result, Failure>?
    ContextSnapshot.run(snapshot) {
      do throws(Failure) {
        result = .success(try body())
      } catch {
        result = .failure(error)
      }
    }
    // The closure has been called.
    return try result.unsafelyUnwrapped.get()
  }
}
