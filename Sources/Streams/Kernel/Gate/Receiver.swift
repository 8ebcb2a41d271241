internal import Synchronization

/// A subscriber behind one closure call, so that the code upstream is compiled once for each type of element, whatever
/// follows downstream.
///
/// The closures capture nothing. They are created where the subscriber's type is known, so they call specialized code.
@usableFromInline @_fixed_layout
class Receiver<Input, Failure: Error> {
  @usableFromInline typealias ReceiveValue = (Receiver, Input) -> Subscribers.Demand
  @usableFromInline typealias ReceiveCompletion = (Receiver, Subscribers.Completion<Failure>) -> Void

  @usableFromInline final let receiveValue: ReceiveValue
  @usableFromInline final let receiveCompletion: ReceiveCompletion

  @inlinable
  init(receiveValue: @escaping ReceiveValue, receiveCompletion: @escaping ReceiveCompletion) {
    self.receiveValue = receiveValue
    self.receiveCompletion = receiveCompletion
  }

  /// The subscriber, for the inspection.
  var inspected: Any { self }

  /// The receiver that holds the subscriber, for the inspection.
  var origin: AnyObject { self }

  /// The subscriber's own link.
  var link: CountedUpstreamLink? { nil }
}

/// A receiver with its subscriber.
@usableFromInline @_fixed_layout
final class SubscriberReceiver<Downstream: Subscriber>: Receiver<Downstream.Input, Downstream.Failure> {
  @usableFromInline let subscriber: Downstream

  @inlinable @inline(never)
  init(_ subscriber: Downstream) {
    self.subscriber = subscriber
    super.init(
      receiveValue: { unsafeDowncast($0, to: SubscriberReceiver.self).subscriber.receive($1) },
      receiveCompletion: { unsafeDowncast($0, to: SubscriberReceiver.self).subscriber.receive(completion: $1) })
  }

  override var inspected: Any { subscriber }

  override var link: CountedUpstreamLink? { subscriber._upstreamLink?.link }
}

/// A receiver that counts the values, made while streams are observed.
final class CountingReceiver<Input, Failure: Error>: Receiver<Input, Failure> {
  private let counter = Atomic(0)
  private let receiver: Receiver<Input, Failure>

  init(_ receiver: Receiver<Input, Failure>) {
    self.receiver = receiver
    super.init(
      receiveValue: {
        let own = unsafeDowncast($0, to: CountingReceiver.self)
        // The values are serial. Another thread may read.
        own.counter.store(own.counter.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        return own.receiver.receiveValue(own.receiver, $1)
      },
      receiveCompletion: {
        let receiver = unsafeDowncast($0, to: CountingReceiver.self).receiver
        receiver.receiveCompletion(receiver, $1)
      })
  }

  var count: Int { counter.load(ordering: .relaxed) }

  override var inspected: Any { receiver.inspected }
  override var origin: AnyObject { receiver }
  override var link: CountedUpstreamLink? { receiver.link }
}
