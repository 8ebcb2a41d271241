public import Dispatch
public import Logging
public import ServiceLifecycle
public import StreamAlgorithms
internal import StreamSchedulers
public import Streams

/// A service that runs a stream until it ends.
///
/// ```swift
/// let orders = BoundedSubject<Order, Never>(bounded: 100)
/// let service = StreamService("orders") { stop in
///   orders.finish(when: stop).map(maxTasks: 16) { await store($0) }
/// }
/// try await ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm], logger: logger).run()
/// ```
///
/// The service subscribes when the group starts it. It requests unlimited demand and drops the values that leave the stream, so
/// do the work in the stream's operators. ``run()`` returns when the stream finishes and throws the stream's failure.
///
/// A graceful shutdown doesn't end the stream by itself. Your closure receives a publisher named `stop`, which publishes one
/// value when the shutdown is triggered, even if that was before you subscribed. Pass it to `finish(when:)` or
/// `drain(when:within:scheduler:options:through:lost:)`. The group then waits until the values sent before have arrived. You
/// may subscribe to `stop` any number of times, on any thread. It delivers its value on a thread of the concurrency pool, never
/// inside the group's own locks.
///
/// If the task that runs the service is cancelled, the stream is cancelled and ``run()`` throws a `CancellationError`. A group
/// cancels its services when another one fails, or when the shutdown takes longer than its `maximumGracefulShutdownDuration`.
///
/// The stream ends with a sink, so a `StreamInspector` lists it. Its last operator is a checkpoint with the name of the
/// service.
public struct StreamService: Service, CustomStringConvertible {
  /// The name of the service.
  public let name: String

  private let subscribe: @Sendable (_ stop: AnyPublisher<Void, Never>, StreamExecution) -> Void

  /// Creates a service that runs the stream that a closure returns.
  ///
  /// - Parameters:
  ///   - name: The name of the service, which the group logs and the inspector shows.
  ///   - stream: A closure that receives the publisher that stops the stream and returns the stream. It's called each time the
  ///     service is run, in the task that runs it.
  public init<Stream: Publisher>(
    _ name: String, _ stream: @escaping @Sendable (_ stop: AnyPublisher<Void, Never>) -> Stream
  ) where Stream: SendableMetatype {
    self.name = name
    subscribe = { stop, execution in execution.run(stream(stop).checkpoint(name)) }
  }

  /// Creates a service whose stream has a limited time to deliver its values after a graceful shutdown.
  ///
  /// ```swift
  /// StreamService("lines", stoppingWithin: .seconds(5), logger: logger) {
  ///   socket.lines
  /// } through: { lines in
  ///   lines.buffer(bounded: 1_000, whenFull: .wait).map(maxTasks: 16) { await store($0) }
  /// }
  /// ```
  ///
  /// The shutdown cancels the source, and the values already sent pass through the operators. If they don't arrive within the
  /// interval, they're dropped, and ``run()`` returns. If values were lost, because the time has elapsed or because a subject
  /// has refused them, one warning with their number is logged. Its metadata has the keys `stream` and `lost`. For how they're
  /// counted, see `drain(when:within:scheduler:options:through:lost:)`.
  ///
  /// If the source is a `BoundedSubject`, write it directly in the closure, so that the overload for it is chosen. A bounded
  /// subject that's cancelled would drop the values that are waiting in it, although `send` has returned for them.
  ///
  /// - Parameters:
  ///   - name: The name of the service.
  ///   - limit: The time within which values already sent must arrive.
  ///   - scheduler: The scheduler that measures the time.
  ///   - logger: The logger that receives the warning.
  ///   - source: A closure that returns the source, called each time the service is run.
  ///   - operators: A closure that puts operators after the source, called each time the service is run.
  public init<Source: Publisher, Stream: Publisher, Context: Scheduler & Sendable>(
    _ name: String, stoppingWithin limit: Context.SchedulerTimeType.Stride,
    scheduler: Context = DispatchQueue.global(), logger: Logger,
    _ source: @escaping @Sendable () -> Source,
    through operators: @escaping @Sendable (AnyPublisher<Source.Output, Source.Failure>) -> Stream
  )
  where
    Source: SendableMetatype, Stream: SendableMetatype, Context: SendableMetatype,
    Context.SchedulerTimeType.Stride: Sendable
  {
    self.init(name) { stop in
      source().drain(when: stop, within: limit, scheduler: scheduler, through: operators) { count in
        Self.log(lost: count, of: name, to: logger)
      }
    }
  }

  /// Creates a service whose bounded subject has a limited time to deliver its values after a graceful shutdown.
  ///
  /// ```swift
  /// StreamService("orders", stoppingWithin: .seconds(5), logger: logger) {
  ///   orders
  /// } through: { orders in
  ///   orders.map(maxTasks: 16) { await store($0) }
  /// }
  /// ```
  ///
  /// The shutdown completes the subject, so the values that it has accepted pass through the operators. If they don't arrive
  /// within the interval, the stream is cancelled, and ``run()`` returns. One warning is logged, whose metadata has the keys
  /// `stream` and `lost`: the number of values that the subject has accepted since it was subscribed, less those that have left
  /// the operators. It's exact if the operators publish exactly one value for each one that they receive.
  ///
  /// - Parameters:
  ///   - name: The name of the service.
  ///   - limit: The time within which accepted values must arrive.
  ///   - scheduler: The scheduler that measures the time.
  ///   - logger: The logger that receives the warning.
  ///   - subject: A closure that returns the subject, called each time the service is run.
  ///   - operators: A closure that puts operators after the subject, called each time the service is run.
  public init<Output, Failure: Error, Stream: Publisher, Context: Scheduler & Sendable>(
    _ name: String, stoppingWithin limit: Context.SchedulerTimeType.Stride,
    scheduler: Context = DispatchQueue.global(), logger: Logger,
    _ subject: @escaping @Sendable () -> BoundedSubject<Output, Failure>,
    through operators: @escaping @Sendable (AnyPublisher<Output, Failure>) -> Stream
  ) where Stream: SendableMetatype, Context: SendableMetatype, Context.SchedulerTimeType.Stride: Sendable {
    self.init(name) { stop in
      let subject = subject()
      let tally = Tally()
      let end = stop.delay(for: limit, scheduler: scheduler).handleEvents(receiveOutput: { tally.isLate = true })
      return operators(TalliedPublisher(upstream: subject.finish(when: stop), tally: tally).eraseToAnyPublisher())
        .handleEvents(receiveOutput: { _ in tally.deliver() })
        .prefix(untilOutputFrom: end)
        .handleEvents(receiveCompletion: { _ in
          if tally.isLate { Self.log(lost: tally.inside, of: name, to: logger) }
        })
    }
  }

  private static func log(lost count: Int, of name: String, to logger: Logger) {
    if count == 0 { return }
    logger.warning(
      "\(count) \(count == 1 ? "value" : "values") of the stream \(name) didn't arrive before it stopped.",
      metadata: ["stream": "\(name)", "lost": "\(count)"])
  }

  /// Runs the stream until it ends.
  ///
  /// It works outside a `ServiceGroup` too. There's no graceful shutdown then, unless a surrounding task has one.
  ///
  /// - Throws: The failure of the stream, or a `CancellationError` if the task is cancelled first. When it throws that, a
  ///   thread may still be in the stream's code, such as a closure of `map`.
  public func run() async throws {
    // Its task inherits the shutdown of this task. Releasing the future cancels that task.
    let shutdown = Future<Void, any Error> { try await gracefulShutdown() }
    let execution = StreamExecution()
    try await withTaskCancellationHandler {
      try await execution.end {
        subscribe(shutdown.catch { _ in Empty(completeImmediately: false) }.eraseToAnyPublisher(), execution)
      }
    } onCancel: {
      execution.cancel()
    }
  }

  /// The name of the service.
  public var description: String { name }
}
