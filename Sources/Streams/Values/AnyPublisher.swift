extension Publisher {
  /// Hides the type of this publisher.
  ///
  /// Costs one object for each subscriber and one call for each value. Erasing an erased publisher returns it.
  @inlinable
  public __consuming func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }
}

/// A publisher of which only the kinds of values and errors are known.
@frozen
public struct AnyPublisher<Output, Failure: Error>: Publisher, CustomStringConvertible,
  CustomPlaygroundDisplayConvertible
{
  @usableFromInline let box: PublisherBox<Output, Failure>

  /// Hides the type of a publisher.
  @inlinable
  public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    if let erased = publisher as? AnyPublisher<Output, Failure> {
      self = erased
    } else {
      box = ErasedPublisher(publisher)
    }
  }

  /// Attaches a subscriber.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    box.subscribe(AnySubscriber(subscriber))
  }

  /// `AnyPublisher`.
  public var description: String { "AnyPublisher" }

  /// The description.
  public var playgroundDescription: Any { description }
}

/// An erased publisher as it is seen.
@usableFromInline @_fixed_layout
class PublisherBox<Output, Failure: Error> {
  @usableFromInline typealias Attach = (PublisherBox, AnySubscriber<Output, Failure>) -> Void

  /// Attaches a subscriber. The closure captures nothing; it was made where the type of the publisher is known and gets the box
  /// as its argument, so that what it attaches runs specialised.
  @usableFromInline final let attach: Attach

  @inlinable
  init(attach: @escaping Attach) { self.attach = attach }

  // Never inlined: it is there once for each kind of values.
  @inlinable @inline(never)
  final func subscribe(_ subscriber: AnySubscriber<Output, Failure>) {
    if ThreadContext.isDeep {
      ThreadContext.landAttaching { self.attach(self, subscriber) }
    } else {
      attach(self, subscriber)
    }
  }

  /// What is printed for the subscription.
  var subscriptionName: SubscriptionName { "AnyPublisher" }
}

/// Holds an erased publisher.
///
/// Erased publishers may be nested a hundred thousand deep; they are released in a loop.
@usableFromInline @_fixed_layout
final class ErasedPublisher<Base: Publisher>: PublisherBox<Base.Output, Base.Failure> {
  @usableFromInline let base: Landed<Base>

  @inlinable
  init(_ base: Base) {
    self.base = Landed(base)
    super.init { box, subscriber in
      unsafeDowncast(box, to: ErasedPublisher.self).base.content.value.subscribe(subscriber)
    }
  }

  override var subscriptionName: SubscriptionName { SubscriptionName(of: base.content.value) }
}
