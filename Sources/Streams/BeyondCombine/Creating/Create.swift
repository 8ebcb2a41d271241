extension Publishers {
  /// A publisher whose values a closure sends, when and from where it likes.
  ///
  /// ```swift
  /// let positions = Publishers.Create<Position, LocationError>(bufferSize: 1, whenFull: .dropOldest) { subscriber in
  ///   let updates = LocationUpdates { subscriber.send($0) }
  ///   return AnyCancellable { updates.stop() }
  /// }
  /// ```
  ///
  /// ![Marble diagram of Create](diagram-create)
  ///
  /// The closure is called once for each subscriber, when that subscribes, and may send at once. What it returns is
  /// cancelled when the subscriber cancels, and when the stream has ended. Values may be sent from any thread, and are
  /// delivered in the order in which they are sent, on the thread that sends, or that asks for them. Those that are not
  /// asked for yet are kept, `bufferSize` of them; `whenFull` says what becomes of one for which there is no room. An
  /// end waits for the values that are kept. After the end, and after cancellation, what is sent is dropped.
  ///
  /// A closure that can wait until values are asked for is better written as an `AsyncSequence`, whose publisher asks
  /// for them.
  ///
  /// - Precondition: `bufferSize` is positive.
  @frozen
  public struct Create<Output, Failure: Error>: Publisher {
    /// How many values are kept that have not been asked for.
    public let bufferSize: Int

    /// What becomes of a value for which there is no room.
    public let whenFull: BufferingStrategy<Failure>

    /// Begins to send to a subscriber, and returns what stops that.
    public let begin: (Subscriber) -> any Cancellable

    /// Creates the publisher.
    @inlinable
    public init(
      bufferSize: Int, whenFull: BufferingStrategy<Failure>, isolation: (any Actor)? = #isolation,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
      _ begin: @escaping (Subscriber) -> any Cancellable
    ) {
      require(
        bufferSize > 0, or: "Create(bufferSize: \(bufferSize)): there must be room for a value. Make it at least one.")
      self.bufferSize = bufferSize
      self.whenFull = whenFull
      self.begin = isolation.checking(begin, fileID, filePath, line, column, "Create")
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable
    public func receive<S: Streams.Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = Engine.buffer(size: bufferSize, prefetch: .byRequest, whenFull.overflow)
      let outlet = engine.makeOutlet(for: subscriber)
      outlet.keep(whenFull.error, for: engine)
      if engine.isOver { return }
      let production = Production()
      engine.connect(production, to: 0)
      let child = BufferSubscriber(engine, outlet)
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
}

extension Publishers.Create {
  /// The subscriber of a ``Publishers/Create``, to which a closure sends.
  ///
  /// It may be kept and used from any thread, if the values may be handed to others. Nothing that comes after the end
  /// has an effect.
  @frozen
  public struct Subscriber {
    @usableFromInline let sendValue: (Output) -> Void
    @usableFromInline let sendCompletion: (Subscribers.Completion<Failure>) -> Void

    @inlinable
    init(send: @escaping (Output) -> Void, end: @escaping (Subscribers.Completion<Failure>) -> Void) {
      sendValue = send
      sendCompletion = end
    }

    /// Sends a value, or keeps it until it is asked for.
    @inlinable
    public func send(_ value: Output) { sendValue(value) }

    /// Ends the stream, after the values that are kept.
    @inlinable
    public func send(completion: Subscribers.Completion<Failure>) { sendCompletion(completion) }
  }
}

// Unchecked: both closures go through the lock of an engine; values cross threads when they are sent from several.
extension Publishers.Create.Subscriber: @unchecked Sendable where Output: Sendable {}

/// The subscription of a stream that a closure sends to, and what stops the closure, once that is there.
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

  /// Keeps what stops the closure, unless it is to be stopped already.
  @usableFromInline
  func keep(_ stop: any Cancellable) {
    let isOver = state.withLock { state in
      if !state.isOver { state.stop = stop }
      return state.isOver
    }
    if isOver { stop.cancel() }
  }
}

// `Create` is what its closure is.
extension Publishers.Create: CustomStringConvertible {
  /// The name of the publisher.
  public var description: String { "Create" }
}
