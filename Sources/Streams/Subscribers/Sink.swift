extension Publisher {
  /// Calls closures for every value and for the completion.
  ///
  /// It asks for everything at once. The closures run wherever the publisher sends from; put `receive(on:)` before this
  /// to choose. They are let go of when the stream ends or is cancelled.
  ///
  ///     [1, 2].publisher.sink { print("end", $0) } receiveValue: { print($0) }   // 1 2 end finished
  ///
  /// - Returns: What keeps the stream alive: it is cancelled when this is let go of.
  @inlinable @inline(__always)
  public func sink(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void, receiveValue: @escaping (Output) -> Void
  ) -> AnyCancellable {
    let inlet = Gate()
    subscribe(ClosureSubscriber(inlet, receiveCompletion, receiveValue))
    return AnyCancellable(inlet: inlet)
  }
}

extension Publisher where Failure == Never {
  /// Calls a closure for every value.
  ///
  /// It asks for everything at once. The closure runs wherever the publisher sends from; put `receive(on:)` before this
  /// to choose. It is let go of when the stream ends or is cancelled.
  ///
  /// - Returns: What keeps the stream alive: it is cancelled when this is let go of.
  @inlinable @inline(__always)
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    let inlet = Gate()
    subscribe(ValueSubscriber(inlet, receiveValue))
    return AnyCancellable(inlet: inlet)
  }
}

extension Subscribers {
  /// A subscriber that asks for everything and calls closures.
  @_fixed_layout
  public final class Sink<Input, Failure: Error>: Subscriber, Cancellable, CustomStringConvertible {
    /// What is called with every value.
    public let receiveValue: (Input) -> Void

    /// What is called at the end.
    public let receiveCompletion: (Subscribers.Completion<Failure>) -> Void

    @usableFromInline let inlet = Inlet()

    /// Makes a sink; attach it with `subscribe(_:)`.
    @inlinable
    public init(
      receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void, receiveValue: @escaping (Input) -> Void
    ) {
      self.receiveCompletion = receiveCompletion
      self.receiveValue = receiveValue
    }

    /// Asks for everything.
    @inlinable
    public func receive(subscription: any Subscription) {
      if inlet.connect(subscription) { subscription.request(.unlimited) }
    }

    /// Calls the closure, unless the stream has ended.
    @inlinable
    public func receive(_ value: Input) -> Subscribers.Demand {
      if inlet.isConnected { receiveValue(value) }
      return .none
    }

    /// Calls the closure, unless the stream has ended.
    @inlinable
    public func receive(completion: Subscribers.Completion<Failure>) {
      if inlet.finish() { receiveCompletion(completion) }
    }

    /// Cancels the stream, also one that is attached later.
    @inlinable
    public func cancel() { inlet.cancel() }

    /// `Sink`.
    public var description: String { "Sink" }
  }
}

/// What the two `sink` methods attach. A value, which is part of the object of whoever it is attached to.
@usableFromInline
protocol SinkSubscriber: Subscriber {
  var inlet: Gate { get }
  var receiveValue: (Input) -> Void { get }
}

extension SinkSubscriber {
  @inlinable
  var combineIdentifier: CombineIdentifier { CombineIdentifier(inlet) }

  @inlinable
  var _inlet: SubscriberInlet? { SubscriberInlet(inlet) }

  @inlinable
  func receive(subscription: any Subscription) {
    if inlet.connect(subscription) { subscription.request(.unlimited) }
  }

  @inlinable @inline(__always)
  func receive(_ value: Input) -> Subscribers.Demand {
    if inlet.isConnected { receiveValue(value) }
    return .none
  }
}

/// Calls closures for the values and the completion.
@usableFromInline @frozen
struct ClosureSubscriber<Input, Failure: Error>: SinkSubscriber {
  @usableFromInline let inlet: Gate
  @usableFromInline let receiveCompletion: (Subscribers.Completion<Failure>) -> Void
  @usableFromInline let receiveValue: (Input) -> Void

  @inlinable
  init(
    _ inlet: Gate, _ receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
    _ receiveValue: @escaping (Input) -> Void
  ) {
    self.inlet = inlet
    self.receiveCompletion = receiveCompletion
    self.receiveValue = receiveValue
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    if inlet.finish() { receiveCompletion(completion) }
  }
}

/// Calls a closure for the values.
@usableFromInline @frozen
struct ValueSubscriber<Input>: SinkSubscriber {
  @usableFromInline typealias Failure = Never
  @usableFromInline let inlet: Gate
  @usableFromInline let receiveValue: (Input) -> Void

  @inlinable
  init(_ inlet: Gate, _ receiveValue: @escaping (Input) -> Void) {
    self.inlet = inlet
    self.receiveValue = receiveValue
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Never>) { inlet.finish() }
}
