/// The context in which values were sent, such as the trace of a request: it follows each value to where the value is
/// handled.
///
/// A value that waits is delivered by another thread, by a job of an actor or by a timer, whose task-local values are not
/// those of the sender. Register what is to follow values once, at the start of the program:
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
/// It is captured where a value is left for somebody else: in the queue of a subject, in every operator that buffers,
/// delays, schedules or combines, in subjects that replay, in a future, and for an actor. It is bound around the delivery
/// of the value, also if there was none, so that the context of the thread that delivers is never seen. A value that is
/// delivered on its sender's own call stack has its context already, and costs nothing.
///
/// | signal | its context |
/// | --- | --- |
/// | a value that combines others | that of the value that completes it |
/// | an array of values that a timer ends | that of its last value |
/// | a value of a timer, a retry, a publisher that follows another | that of the subscription |
/// | the first value of a `CurrentValueSubject` | that of the subscriber |
/// | a completion | that in which it was sent; that of the subscription if an operator makes it, and that of a later subscriber if it is replayed |
/// | a request, a cancellation | that of the caller |
///
/// A loop over `values` keeps the context of its own task. Send it along where it is needed:
///
/// ```swift
/// for await (order, context) in orders.map({ ($0, StreamContext.current) }).values {
///   context.run { handle(order) }
/// }
/// ```
///
/// What is registered follows the values of streams that are subscribed from then on, and of subjects that get a subscriber
/// from then on. It cannot be unregistered. With one task-local, a value that waits takes about 900 instructions more if it
/// was left under the same context as the one before it, and 2,100 otherwise.
public struct StreamContext: Sendable {
  private let snapshot: ContextSnapshot?

  /// The context of the caller, as far as it has been registered.
  public static var current: StreamContext { StreamContext(snapshot: .captured()) }

  /// Lets the value of a task-local follow each value of a stream.
  ///
  /// - Parameter local: The task-local. Further registrations of the same one have no effect.
  @inlinable
  public static func carry<Value: Sendable>(_ local: TaskLocal<Value>) {
    ContextCarrier.register(
      ObjectIdentifier(local), get: { local.get() }, bind: { local.withValue($0, operation: $1) })
  }

  /// Lets a context of another kind than task-locals follow each value of a stream.
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
  ///   - capture: A closure that returns the present context. It is called on the thread that leaves a value for another.
  ///   - restore: A closure that is called with a context and a closure, which it calls once, at once, and under that
  ///     context. It is called on the thread that delivers.
  @inlinable
  public static func carry<Value: Sendable>(
    capture: @escaping @Sendable () -> Value, restore: @escaping @Sendable (Value, () -> Void) -> Void
  ) {
    ContextCarrier.register(nil, get: capture, bind: restore)
  }

  /// Calls a closure under this context.
  ///
  /// - Parameter body: The closure.
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
