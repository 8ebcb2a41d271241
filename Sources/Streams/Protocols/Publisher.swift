/// A type that can send a sequence of values over time to one or more subscribers.
///
/// A publisher sends exactly one subscription to each subscriber, then at most as many values as the subscriber
/// has asked for, then at most one completion. Signals to one subscriber never overlap and keep their order; see
/// <doc:Contract>.
///
///     let publisher: some Publisher<Int, Never> = [1, 2, 3].publisher
///     publisher.map { $0 * 10 }.sink { print($0) }   // 10 20 30
public protocol Publisher<Output, Failure> {
  /// The kind of values this publisher sends.
  associatedtype Output

  /// The kind of errors this publisher may fail with; `Never` when it cannot fail.
  associatedtype Failure: Error

  /// Attaches a subscriber. Call `subscribe(_:)` instead; implement this.
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {
  /// Attaches a subscriber, which receives a subscription before anything else.
  @inlinable @inline(__always)
  public func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
    receive(subscriber: subscriber)
  }

  /// Attaches a subject, which sends on to its own subscribers what this publisher sends.
  ///
  /// A ``PassthroughSubject`` asks for nothing until one of its subscribers asks for something, and for everything from
  /// then on. A ``CurrentValueSubject`` asks for everything at once, so that its value is never stale. Cancelling what is
  /// returned detaches the subject. A completion is sent on, too.
  @inlinable
  public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable where S.Output == Output, S.Failure == Failure {
    let subscriber = SubjectSubscriber(subject)
    receive(subscriber: subscriber)
    return AnyCancellable(inlet: subscriber.inlet)
  }
}
