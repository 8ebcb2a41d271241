internal import Synchronization

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

  /// The receiver that holds the subscriber, for the inspection.
  var origin: AnyObject { self }

  /// The subscriber's own link.
  var link: CountedUpstreamLink? { nil }
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
      receiveEvent: {
        let receiver = unsafeDowncast($0, to: CountingReceiver.self).receiver
        receiver.receiveEvent(receiver, $1)
      })
  }

  var count: Int { counter.load(ordering: .relaxed) }

  override var inspected: Any { receiver.inspected }
  override var origin: AnyObject { receiver }
  override var link: CountedUpstreamLink? { receiver.link }
}
