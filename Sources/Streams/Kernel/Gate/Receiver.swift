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
}
