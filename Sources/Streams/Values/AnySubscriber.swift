/// A subscriber of which only the kinds of values and errors are known.
@frozen
public struct AnySubscriber<Input, Failure: Error>: Subscriber, CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  /// What tells this subscriber from others.
  public let combineIdentifier: CombineIdentifier

  /// That of the subscriber.
  public let _inlet: SubscriberInlet?

  @usableFromInline let receiveSubscription: (any Subscription) -> Void
  @usableFromInline let receiveValue: (Input) -> Subscribers.Demand
  @usableFromInline let receiveCompletion: (Subscribers.Completion<Failure>) -> Void

  /// Hides the type of a subscriber.
  @inlinable
  public init<S: Subscriber>(_ subscriber: S) where S.Input == Input, S.Failure == Failure {
    if let erased = subscriber as? AnySubscriber<Input, Failure> {
      self = erased
    } else {
      // The closures hold one object, which needs no memory of their own.
      let box = SubscriberBox(subscriber)
      combineIdentifier = subscriber.combineIdentifier
      _inlet = subscriber._inlet
      receiveSubscription = { box.receive(subscription: $0) }
      receiveValue = { box.subscriber.receive($0) }
      receiveCompletion = { box.subscriber.receive(completion: $0) }
    }
  }

  /// Makes a subscriber that sends into a subject what it receives.
  @inlinable
  public init<S: Subject>(_ subject: S) where S.Output == Input, S.Failure == Failure {
    self.init(SubjectSubscriber(subject))
  }

  /// Makes a subscriber of closures; without a closure for values it asks for none.
  @inlinable
  public init(
    receiveSubscription: ((any Subscription) -> Void)? = nil,
    receiveValue: ((Input) -> Subscribers.Demand)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil
  ) {
    combineIdentifier = CombineIdentifier()
    _inlet = nil
    self.receiveSubscription = { subscription in
      // Closures have nothing to answer with.
      if type(of: subscription) != BaseQuery.self { receiveSubscription?(subscription) }
    }
    self.receiveValue = receiveValue ?? { _ in .none }
    self.receiveCompletion = receiveCompletion ?? { _ in }
  }

  /// Passes the subscription on.
  @inlinable
  public func receive(subscription: any Subscription) { receiveSubscription(subscription) }

  /// Passes a value on.
  @inlinable
  public func receive(_ value: Input) -> Subscribers.Demand { receiveValue(value) }

  /// Passes the completion on.
  @inlinable
  public func receive(completion: Subscribers.Completion<Failure>) { receiveCompletion(completion) }

  /// The description of the subscriber that this one was made of; `Subject` when that is a subject, and
  /// `Anonymous AnySubscriber` when this was made of closures.
  public var description: String { base.map { "\($0)" } ?? "Anonymous AnySubscriber" }

  /// What the subscriber that this one was made of shows of itself, if it says what.
  public var customMirror: Mirror {
    guard let base, let reflectable = base as? any CustomReflectable else { return Mirror(self, children: [:]) }
    return reflectable.customMirror
  }

  /// What the subscriber that this one was made of is in a playground; its description if it does not say what.
  public var playgroundDescription: Any {
    guard let base, let displayed = base as? any CustomPlaygroundDisplayConvertible else { return description }
    return displayed.playgroundDescription
  }

  /// The subscriber that this one was made of, unless it was made of closures.
  private var base: (any Subscriber)? {
    let query = BaseQuery()
    receiveSubscription(query)
    return query.answer
  }
}

extension SubjectSubscriber: CustomStringConvertible {
  @usableFromInline var description: String { "Subject" }
}

/// Asks an erased subscriber what it was made of. It goes the way of a subscription, because that is not the way of values: a
/// closure more would make every erased subscriber larger.
@usableFromInline
final class BaseQuery: Subscription {
  @usableFromInline var answer: (any Subscriber)?

  init() {}

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {}

  @usableFromInline
  func cancel() {}
}

/// Holds an erased subscriber.
///
/// It is a constant, so that a value passes through without a copy.
@usableFromInline @_fixed_layout
final class SubscriberBox<S: Subscriber> {
  @usableFromInline let held: Landed<S>

  @inlinable
  init(_ subscriber: S) { held = Landed(subscriber) }

  @inlinable
  var subscriber: S {
    @inline(__always)
    _read { yield held.content.value }
  }

  /// Passes a subscription on, or answers what is asked instead.
  @inlinable @inline(__always)
  func receive(subscription: any Subscription) {
    if type(of: subscription) == BaseQuery.self { return answer(subscription) }
    subscriber.receive(subscription: subscription)
  }

  @usableFromInline @inline(never)
  func answer(_ query: any Subscription) { (query as? BaseQuery)?.answer = subscriber }
}
