/// A type-erased subscriber that exposes only its input and failure types.
///
///     let printer = AnySubscriber<Int, Never>(Subscribers.Sink(receiveCompletion: { _ in }, receiveValue: { print($0) }))
///     numbers.subscribe(printer)
@frozen
public struct AnySubscriber<Input, Failure: Error>: Subscriber, CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  /// The identifier of the erased subscriber, or a new one for closures.
  public let combineIdentifier: CombineIdentifier

  /// The link of the erased subscriber, if it has one.
  public let _upstreamLink: SubscriberLink?

  @usableFromInline let receiveSubscription: (any Subscription) -> Void
  @usableFromInline let receiveValue: (Input) -> Subscribers.Demand
  @usableFromInline let receiveCompletion: (Subscribers.Completion<Failure>) -> Void

  /// Creates a subscriber that erases another subscriber's type. An erased subscriber isn't wrapped again.
  ///
  /// - Parameter subscriber: The subscriber to erase.
  @inlinable
  public init<S: Subscriber>(_ subscriber: S) where S.Input == Input, S.Failure == Failure {
    if let erased = subscriber as? AnySubscriber<Input, Failure> {
      self = erased
    } else {
      // Each closure captures only one object, so it doesn't need a context of its own.
      let box = SubscriberBox(subscriber)
      combineIdentifier = subscriber.combineIdentifier
      _upstreamLink = subscriber._upstreamLink
      receiveSubscription = { box.receive(subscription: $0) }
      receiveValue = { box.subscriber.receive($0) }
      receiveCompletion = { box.subscriber.receive(completion: $0) }
    }
  }

  /// Creates a subscriber that forwards its values and the completion to a subject.
  ///
  /// - Parameter subject: The subject to attach.
  @inlinable
  public init<S: Subject>(_ subject: S) where S.Output == Input, S.Failure == Failure {
    self.init(SubjectSubscriber(subject))
  }

  /// Creates a subscriber from closures.
  ///
  /// - Parameters:
  ///   - receiveSubscription: A closure that receives the subscription.
  ///   - receiveValue: A closure that receives each value and returns the number of additional values to request. Without it,
  ///     the subscriber doesn't request additional values.
  ///   - receiveCompletion: A closure that receives the completion.
  @inlinable
  public init(
    receiveSubscription: ((any Subscription) -> Void)? = nil,
    receiveValue: ((Input) -> Subscribers.Demand)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil
  ) {
    combineIdentifier = CombineIdentifier()
    _upstreamLink = nil
    self.receiveSubscription = { subscription in
      // There's no subscriber to answer the query with.
      if type(of: subscription) != BaseQuery.self { receiveSubscription?(subscription) }
    }
    self.receiveValue = receiveValue ?? { _ in .none }
    self.receiveCompletion = receiveCompletion ?? { _ in }
  }

  /// Forwards the subscription to the erased subscriber.
  @inlinable
  public func receive(subscription: any Subscription) { receiveSubscription(subscription) }

  /// Forwards a value to the erased subscriber.
  ///
  /// - Returns: The demand that the erased subscriber returns.
  @inlinable
  public func receive(_ value: Input) -> Subscribers.Demand { receiveValue(value) }

  /// Forwards the completion to the erased subscriber.
  @inlinable
  public func receive(completion: Subscribers.Completion<Failure>) { receiveCompletion(completion) }

  /// The description of the erased subscriber, `Subject` for a subject, or `Anonymous AnySubscriber` for closures.
  public var description: String { base.map { "\($0)" } ?? "Anonymous AnySubscriber" }

  /// The mirror of the erased subscriber if that subscriber customizes its mirror, otherwise an empty one.
  public var customMirror: Mirror {
    guard let base, let reflectable = base as? any CustomReflectable else { return Mirror(self, children: [:]) }
    return reflectable.customMirror
  }

  /// The playground description of the erased subscriber if that subscriber customizes it, otherwise the description.
  public var playgroundDescription: Any {
    guard let base, let displayed = base as? any CustomPlaygroundDisplayConvertible else { return description }
    return displayed.playgroundDescription
  }

  /// The erased subscriber, or `nil` if this was created from closures.
  package var base: (any Subscriber)? {
    let query = BaseQuery()
    receiveSubscription(query)
    return query.answer
  }
}

extension SubjectSubscriber: CustomStringConvertible {
  @usableFromInline package var description: String { "Subject" }
}

/// A query for the erased subscriber, sent as a subscription, so it doesn't slow down values. A closure for it would make every
/// erased subscriber larger.
@usableFromInline
final class BaseQuery: Subscription {
  @usableFromInline var answer: (any Subscriber)?

  init() {}

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {}

  @usableFromInline
  func cancel() {}
}

/// A box that holds the erased subscriber.
///
/// Its property is a constant, so values pass through without copying the subscriber.
@usableFromInline @_fixed_layout
final class SubscriberBox<S: Subscriber> {
  @usableFromInline let held: ThreadState.IterativelyReleased<S>

  @inlinable
  init(_ subscriber: S) { held = ThreadState.IterativelyReleased(subscriber) }

  @inlinable
  var subscriber: S {
    @inline(__always)
    _read { yield held.content.value }
  }

  /// Forwards a subscription or answers a query.
  @inlinable @inline(__always)
  func receive(subscription: any Subscription) {
    if type(of: subscription) == BaseQuery.self { return answer(subscription) }
    subscriber.receive(subscription: subscription)
  }

  @usableFromInline @inline(never)
  func answer(_ query: any Subscription) { (query as? BaseQuery)?.answer = subscriber }
}
