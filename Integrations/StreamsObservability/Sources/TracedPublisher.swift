public import Streams
public import Tracing

extension Publisher {
  /// Creates a span around the delivery of each value.
  ///
  /// ```swift
  /// orders.receive(on: queue).traced("handle order") { span, order in
  ///   span.attributes["order"] = order.number
  /// }.sink { book($0) }
  /// ```
  ///
  /// The span is a child of the span in whose context the value arrives. With
  /// ``StreamAlgorithms/StreamContext/carryServiceContext()``, that's the context in which the value was sent. While the span
  /// is open, its context is current. It then follows the value downstream, so the spans of `map(maxTasks:)` behind this
  /// operator are its children.
  ///
  /// The span ends when downstream has received the value. If an operator downstream keeps the value for later, such as
  /// `receive(on:)`, `buffer` or `map(maxTasks:)`, the span ends as soon as the value is kept. Put this operator after those
  /// whose waiting time you don't want to measure, and before the code that you do. To measure asynchronous work, call
  /// `withSpan` in the closure of `map(maxTasks:)`.
  ///
  /// Demand, completion and cancellation pass through unchanged and have no span. A tracer without a backend costs little more
  /// than the call.
  ///
  /// - Parameters:
  ///   - operationName: The name of each span.
  ///   - kind: The kind of each span.
  ///   - tracer: The tracer that creates the spans. If it's `nil`, the tracer of the `InstrumentationSystem` does.
  ///   - annotate: A closure that sets the attributes of a value's span.
  /// - Returns: A publisher that publishes the same values.
  public func traced(
    _ operationName: String, ofKind kind: SpanKind = .internal, tracer: (any Tracer)? = nil,
    annotate: ((any Span, Output) -> Void)? = nil
  ) -> TracedPublisher<Self> {
    TracedPublisher(upstream: self, operationName: operationName, kind: kind, tracer: tracer, annotate: annotate)
  }
}

/// The publisher that ``Streams/Publisher/traced(_:ofKind:tracer:annotate:)`` returns.
public struct TracedPublisher<Upstream: Publisher>: Publisher {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  /// The publisher whose values get spans.
  public let upstream: Upstream

  /// The name of each span.
  public let operationName: String

  /// The kind of each span.
  public let kind: SpanKind

  /// The tracer that creates the spans, if it isn't the tracer of the `InstrumentationSystem`.
  public let tracer: (any Tracer)?

  /// A closure that sets the attributes of a value's span.
  public let annotate: ((any Span, Output) -> Void)?

  /// Creates the publisher.
  ///
  /// - Parameters:
  ///   - upstream: The publisher whose values get spans.
  ///   - operationName: The name of each span.
  ///   - kind: The kind of each span.
  ///   - tracer: The tracer that creates the spans. If it's `nil`, the tracer of the `InstrumentationSystem` does.
  ///   - annotate: A closure that sets the attributes of a value's span.
  public init(
    upstream: Upstream, operationName: String, kind: SpanKind = .internal, tracer: (any Tracer)? = nil,
    annotate: ((any Span, Output) -> Void)? = nil
  ) {
    self.upstream = upstream
    self.operationName = operationName
    self.kind = kind
    self.tracer = tracer
    self.annotate = annotate
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(TracedSubscriber(downstream: subscriber, publisher: self))
  }
}

/// Delivers each value in a span of its own.
private struct TracedSubscriber<Upstream: Publisher, Downstream: Subscriber>: Subscriber
where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
  let downstream: Downstream
  let publisher: TracedPublisher<Upstream>

  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }

  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    let tracer = publisher.tracer ?? InstrumentationSystem.tracer
    return tracer.withAnySpan(publisher.operationName, ofKind: publisher.kind) { span in
      publisher.annotate?(span, input)
      return downstream.receive(input)
    }
  }

  func receive(completion: Subscribers.Completion<Downstream.Failure>) { downstream.receive(completion: completion) }
}
