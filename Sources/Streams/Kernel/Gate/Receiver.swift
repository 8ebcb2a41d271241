/// A subscriber behind one closure call, so that the code upstream is compiled once for each type of element, whatever
/// follows downstream.
///
/// The closures capture nothing. They are created where the subscriber's type is known, so they call specialized code.
@usableFromInline @_fixed_layout
package class Receiver<Input, Failure: Error> {
  @usableFromInline package typealias ReceiveValue = (Receiver, Input) -> Subscribers.Demand
  @usableFromInline package typealias ReceiveEvent = (Receiver, ReceiverEvent<Failure>) -> Void

  @usableFromInline package final let receiveValue: ReceiveValue
  /// Calls the subscriber with the subscription or the completion. One closure for both, because each one is code for each
  /// type of subscriber.
  @usableFromInline package final let receiveEvent: ReceiveEvent

  @inlinable
  package init(receiveValue: @escaping ReceiveValue, receiveEvent: @escaping ReceiveEvent) {
    self.receiveValue = receiveValue
    self.receiveEvent = receiveEvent
  }

  /// Receives the subscription.
  @inlinable @inline(__always)
  package final func receive(subscription gate: Gate) { receiveEvent(self, .subscription(.passUnretained(gate))) }

  /// The subscriber, for the inspection.
  var inspected: Any { self }
}

/// What a receiver receives besides values.
@usableFromInline @frozen
package enum ReceiverEvent<Failure: Error> {
  /// The subscription, which comes first. Not retained, because whoever sends it holds it.
  case subscription(Unmanaged<Gate>)
  case completion(Subscribers.Completion<Failure>)
}

/// A receiver with its subscriber.
@usableFromInline @_fixed_layout
package final class SubscriberReceiver<Downstream: Subscriber>: Receiver<Downstream.Input, Downstream.Failure> {
  @usableFromInline package let subscriber: Downstream

  @inlinable @inline(never) @_optimize(size)
  package init(_ subscriber: Downstream) {
    self.subscriber = subscriber
    super.init(
      receiveValue: { unsafeDowncast($0, to: SubscriberReceiver.self).subscriber.receive($1) },
      receiveEvent: {
        let receiver = unsafeDowncast($0, to: SubscriberReceiver.self)
        switch $1 {
        case .subscription(let gate):
          receiver.subscriber.declareUpstreamSerial()
          receiver.subscriber.receive(subscription: gate.takeUnretainedValue())
        case .completion(let completion): receiver.subscriber.receive(completion: completion)
        }
      })
  }

  override var inspected: Any { subscriber }
}
