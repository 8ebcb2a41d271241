internal import Synchronization

/// A subscriber behind two closures, so that engines know no types.
///
/// The closures capture nothing. They are created where the subscriber's type is known, so they call specialized code.
@usableFromInline @_fixed_layout
package class ByteReceiver {
  /// Takes the element at an address.
  @usableFromInline package typealias ReceiveElement = (ByteReceiver, UnsafeMutableRawPointer) -> Subscribers.Demand
  @usableFromInline package typealias ReceiveEvent = (ByteReceiver, ReceiverEvent<any Error>) -> Void

  @usableFromInline package final let receiveElement: ReceiveElement
  /// Calls the subscriber with the subscription or the completion.
  @usableFromInline package final let receiveEvent: ReceiveEvent

  @inlinable
  package init(receiveElement: @escaping ReceiveElement, receiveEvent: @escaping ReceiveEvent) {
    self.receiveElement = receiveElement
    self.receiveEvent = receiveEvent
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
package final class SubscriberByteReceiver<Downstream: Subscriber>: ByteReceiver {
  @usableFromInline package let subscriber: Downstream

  @inlinable @inline(never) @_optimize(size)
  package init(_ subscriber: Downstream) {
    self.subscriber = subscriber
    super.init(
      receiveElement: {
        unsafeDowncast($0, to: SubscriberByteReceiver.self).subscriber.receive(
          ElementLayout.take(Downstream.Input.self, from: $1))
      },
      receiveEvent: {
        let subscriber = unsafeDowncast($0, to: SubscriberByteReceiver.self).subscriber
        switch $1 {
        case .subscription(let gate):
          subscriber.declareUpstreamSerial()
          subscriber.receive(subscription: gate.takeUnretainedValue())
        case .completion(.finished): subscriber.receive(completion: .finished)
        case .completion(.failure(let error)): subscriber.receive(completion: .failure(converted(error)))
        }
      })
  }

  override var inspected: Any { subscriber }

  override var link: CountedUpstreamLink? { subscriber._upstreamLink?.link }
}

extension SubscriberByteReceiver: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .sends(name: nil, to: Downstream.self) }
}
