public import Streams

/// A publisher whose values are sent by a closure, at any time and from any thread.
///
/// ```swift
/// let positions = CreatePublisher<Position, LocationError>(bufferSize: 1, whenFull: .dropOldest) { subscriber in
///   let updates = LocationUpdates { subscriber.send($0) }
///   return AnyCancellable { updates.stop() }
/// }
/// ```
///
/// ![producer publishes a, b and c and finishes; producer publishes a and b and is cancelled; subscriber 1 receives a, b and c and finishes; subscriber 2 receives a and b and cancels.](diagram-create)
///
/// The closure runs once for each subscriber, on subscription, and may send immediately. It returns a `Cancellable`. The
/// publisher cancels it when the subscriber cancels, when you send the completion, and when a full buffer ends the stream.
/// Values are delivered in the order in which you send them, on the thread that sends or requests them. While there's no
/// demand, the publisher buffers up to `bufferSize` values. The completion waits for buffered values, unless you create the
/// publisher without a size (see ``init(_:)``). Anything you send after the completion or after cancellation is dropped.
///
/// If your producer can wait for demand, write it as an `AsyncSequence` instead. A sequence's publisher pulls elements only
/// as they're requested.
///
/// - Precondition: `bufferSize` is positive, and `whenFull` isn't `.wait`.
@frozen
public struct CreatePublisher<Output, Failure: Error>: Publisher {
  @usableFromInline let bufferSize: Int
  @usableFromInline let whenFull: OverflowStrategy<Failure>
  @usableFromInline let begin: (Subscriber) -> any Cancellable

  /// Indicates whether the completion waits until the buffered values have been requested.
  @usableFromInline let waitsForDemand: Bool

  /// Creates a publisher whose values are sent by a closure.
  ///
  /// - Parameters:
  ///   - bufferSize: The maximum number of values buffered while there's no demand.
  ///   - whenFull: The strategy for handling a value that doesn't fit.
  ///   - begin: A closure that starts sending values to a subscriber and returns a cancellable that stops sending them.
  @inlinable
  public init(
    bufferSize: Int, whenFull: OverflowStrategy<Failure>,
    _ begin: @escaping (Subscriber) -> any Cancellable
  ) {
    require(
      bufferSize > 0, or: "CreatePublisher(bufferSize:whenFull:) requires a size of at least 1, got \(bufferSize).")
    if case .wait = whenFull {
      stopProgram(
        "CreatePublisher(bufferSize:whenFull:) cannot wait: its closure sends values regardless of demand. Use .dropOldest, "
          + ".dropNewest, .fail or .cancel, or create an AsyncSequence, whose publisher requests elements on demand.")
    }
    self.bufferSize = bufferSize
    self.whenFull = whenFull
    self.begin = begin
    waitsForDemand = true
  }

  /// Creates a publisher whose values are sent by a closure, and whose completion doesn't wait for demand.
  ///
  /// As in CombineExt, the publisher buffers any number of values, and the completion follows the values that have been
  /// requested. Values that haven't been requested by then are dropped. To keep them, use ``init(bufferSize:whenFull:_:)``.
  ///
  /// - Parameter begin: A closure that starts sending values to a subscriber and returns a cancellable that stops sending them.
  @inlinable
  public init(_ begin: @escaping (Subscriber) -> any Cancellable) {
    bufferSize = .max
    whenFull = .dropNewest
    self.begin = begin
    waitsForDemand = false
  }

  @inlinable
  public func receive<S: Streams.Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let receiver = SubscriberReceiver(subscriber)
    let engine = BufferEngine(
      receiver, ElementLayout(Output.self),
      Bound(bufferSize, whenFull, in: "CreatePublisher(bufferSize:whenFull: .wait)"),
      keepsFull: false, keepsAtEnd: waitsForDemand)
    engine.begin(receiver)
    if engine.isOver { return }
    let production = Production()
    engine.connect(production, to: 0)
    let child = Inlet<Output, Failure>(engine)
    production.keep(
      begin(
        Subscriber(
          send: { _ = child.receive($0) },
          end: {
            child.receive(completion: $0)
            production.cancel()
          })))
  }
}

extension CreatePublisher {
  /// The subscriber to which the closure of a ``CreatePublisher`` sends values.
  ///
  /// You may store it. If the values are `Sendable`, you may use it from any thread.
  @frozen
  public struct Subscriber {
    @usableFromInline let sendValue: (Output) -> Void
    @usableFromInline let sendCompletion: (Subscribers.Completion<Failure>) -> Void

    @inlinable
    init(send: @escaping (Output) -> Void, end: @escaping (Subscribers.Completion<Failure>) -> Void) {
      sendValue = send
      sendCompletion = end
    }

    /// Sends a value. If there's no demand, the publisher buffers the value if there's room.
    ///
    /// - Parameter value: The value to send.
    @inlinable
    public func send(_ value: Output) { sendValue(value) }

    /// Ends the stream. The completion follows the buffered values, unless the publisher was created without a buffer size.
    ///
    /// - Parameter completion: The completion, `.finished` or a failure.
    @inlinable
    public func send(completion: Subscribers.Completion<Failure>) { sendCompletion(completion) }
  }
}

// Unchecked: both closures go through an engine's lock. Values cross threads when several threads send them.
extension CreatePublisher.Subscriber: @unchecked Sendable where Output: Sendable {}

/// The subscription of a stream whose values a closure sends. It holds the cancellable that the closure has returned.
@usableFromInline
final class Production: Subscription {
  private struct State {
    var stop: (any Cancellable)?
    var isOver = false
  }

  private let state = Locked(State())

  @usableFromInline
  init() {}

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {}

  @usableFromInline
  func cancel() {
    let stop = state.withLock { state in
      state.isOver = true
      return state.stop.take()
    }
    stop?.cancel()
  }

  /// Stores the cancellable that the closure has returned, or cancels it immediately if the stream has ended.
  @usableFromInline
  func keep(_ stop: any Cancellable) {
    let isOver = state.withLock { state in
      if !state.isOver { state.stop = stop }
      return state.isOver
    }
    if isOver { stop.cancel() }
  }
}

extension Production: InspectedPart {
  package func inspect(_ tell: StreamFact.Tell) {
    tell(.sourceName, 0, StreamFact.Box("Create"))
    if state.withLock({ $0.isOver }) { tell(.over, 0, nil) }
  }
}

// The description is a fixed name, because the closure doesn't have a description of its own.
extension CreatePublisher: CustomStringConvertible {
  /// The publisher's name.
  public var description: String { "Create" }
}
