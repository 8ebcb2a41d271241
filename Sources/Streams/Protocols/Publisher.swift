/// A type that delivers a sequence of values over time to one or more subscribers.
///
/// A publisher sends each subscriber exactly one subscription, then at most as many values as the subscriber has requested,
/// then at most one completion. Calls to a subscriber stay in order and never overlap. For the full rules, see <doc:Contract>.
/// Unless an operator states another complexity, it takes O(1) time for each value, or amortized O(1) if it stores values.
///
///     let publisher: some Publisher<Int, Never> = [1, 2, 3].publisher
///     publisher.map { $0 * 10 }.sink { print($0) }   // 10 20 30
public protocol Publisher<Output, Failure> {
  /// The type of the values that this publisher sends.
  associatedtype Output

  /// The type of the errors that this publisher can fail with. Use `Never` if it can't fail.
  associatedtype Failure: Error

  /// Attaches a subscriber.
  ///
  /// Implement this method in your own publishers. To attach a subscriber, call `subscribe(_:)` instead.
  ///
  /// - Parameter subscriber: The subscriber to attach.
  // Owned, here and below, so that a source can store the subscriber without making a copy, which it would release again. Other
  // publishers don't need this modifier.
  func receive<S: Subscriber>(subscriber: __owned S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {
  /// Attaches a subscriber, which receives a subscription before anything else.
  ///
  /// - Parameter subscriber: The subscriber to attach.
  @inlinable @inline(__always)
  public func subscribe<S: Subscriber>(_ subscriber: __owned S) where S.Input == Output, S.Failure == Failure {
    receive(subscriber: subscriber)
  }

  /// Attaches a subject, which forwards this publisher's values and completion to its own subscribers.
  ///
  ///     let latest = CurrentValueSubject<Int, Never>(0)
  ///     prices.subscribe(latest).store(in: &cancellables)
  ///
  /// A ``PassthroughSubject`` doesn't request anything until one of its subscribers requests values. It then requests unlimited
  /// demand. A ``CurrentValueSubject`` requests unlimited demand immediately, so its value is never stale.
  ///
  /// - Parameter subject: The subject to attach.
  /// - Returns: A cancellable that detaches the subject.
  /// - Complexity: O(1), plus the publisher's own work.
  @inlinable
  public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable where S.Output == Output, S.Failure == Failure {
    let subscriber = SubjectSubscriber(subject)
    receive(subscriber: subscriber)
    return AnyCancellable(link: subscriber.link)
  }
}
