extension Publisher {
  /// Returns a type-erased version of this publisher.
  ///
  ///     let results: AnyPublisher<String, Never> = $query.map { $0.uppercased() }.eraseToAnyPublisher()
  ///
  /// Demand, completion and cancellation pass through unchanged. Erasure costs one object for the publisher, one for each
  /// subscriber, and one call for each value. Erasing an erased publisher returns the same publisher.
  @inlinable
  public __consuming func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }
}

/// A type-erased publisher that exposes only its output and failure types.
///
///     func search(_ query: String) -> AnyPublisher<[String], Never> {
///       Just([query]).eraseToAnyPublisher()
///     }
@frozen
public struct AnyPublisher<Output, Failure: Error>: Publisher, CustomStringConvertible,
  CustomPlaygroundDisplayConvertible
{
  @usableFromInline let box: PublisherBox<Output, Failure>

  /// Creates a publisher that erases another publisher's type. An erased publisher isn't wrapped again.
  ///
  /// - Parameter publisher: The publisher to erase.
  @inlinable
  public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    if let erased = publisher as? AnyPublisher<Output, Failure> {
      self = erased
    } else {
      box = ErasedPublisher(publisher)
    }
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    box.subscribe(AnySubscriber(subscriber))
  }

  /// `AnyPublisher`.
  public var description: String { "AnyPublisher" }

  /// The description, for a playground.
  public var playgroundDescription: Any { description }
}

/// The interface of an erased publisher.
@usableFromInline @_fixed_layout
class PublisherBox<Output, Failure: Error> {
  @usableFromInline typealias Attach = (PublisherBox, AnySubscriber<Output, Failure>) -> Void

  /// A closure that attaches a subscriber. It captures nothing. It's created where the publisher's type is known, so it runs
  /// specialized code.
  @usableFromInline final let attach: Attach

  @inlinable
  init(attach: @escaping Attach) { self.attach = attach }

  // Never inlined, because one copy for each kind of value is enough.
  @inlinable @inline(never)
  final func subscribe(_ subscriber: AnySubscriber<Output, Failure>) {
    switch ThreadState.enterErased() {
    case .ground:
      attach(self, subscriber)
      ThreadState.leaveGround()
    case .low: attach(self, subscriber)
    case .aboveEngines: trampoline(subscriber)
    case .high: trampolineSignals(subscriber)
    }
  }

  @usableFromInline @inline(never)
  final func trampoline(_ subscriber: AnySubscriber<Output, Failure>) {
    ThreadState.trampolineAttaching { self.attach(self, subscriber) }
  }

  /// Attaches a subscriber and sends its signals through a trampoline, because there may be no engine that bounds the stack.
  @usableFromInline @inline(never)
  final func trampolineSignals(_ subscriber: AnySubscriber<Output, Failure>) {
    trampoline(AnySubscriber(TrampolineSubscriber(subscriber)))
  }

  var subscriptionName: SubscriptionName { "AnyPublisher" }
}

/// A box that holds the erased publisher.
///
/// It's released in a loop, because erased publishers may be nested a hundred thousand levels deep.
@usableFromInline @_fixed_layout
final class ErasedPublisher<Base: Publisher>: PublisherBox<Base.Output, Base.Failure> {
  @usableFromInline let base: ThreadState.IterativelyReleased<Base>

  @inlinable
  init(_ base: Base) {
    self.base = ThreadState.IterativelyReleased(base)
    super.init { box, subscriber in
      unsafeDowncast(box, to: ErasedPublisher.self).base.content.value.subscribe(subscriber)
    }
  }

  override var subscriptionName: SubscriptionName { SubscriptionName(of: base.content.value) }
}
