internal import Synchronization

/// A subscriber behind two closures, so engines don't need to know its type.
///
/// The closures capture nothing. They're created where the subscriber's type is known, so they call specialized code.
@usableFromInline @_fixed_layout
package class Receiver {
  /// Takes the element at an address and sends it to the subscriber.
  @usableFromInline package typealias ReceiveElement = (Receiver, UnsafeMutableRawPointer) -> Subscribers.Demand
  @usableFromInline package typealias ReceiveEvent = (Receiver, ReceiverEvent) -> Void

  @usableFromInline package final let receiveElement: ReceiveElement
  /// Calls the subscriber with the subscription or the completion.
  @usableFromInline package final let receiveEvent: ReceiveEvent

  @inlinable
  package init(receiveElement: @escaping ReceiveElement, receiveEvent: @escaping ReceiveEvent) {
    self.receiveElement = receiveElement
    self.receiveEvent = receiveEvent
  }

  /// The subscriber, for inspection.
  var inspected: Any { self }

  /// The receiver that holds the subscriber, for inspection.
  var origin: AnyObject { self }

  /// The subscriber's own link.
  var link: CountedUpstreamLink? { nil }

  /// Returns a receiver that counts the values, for a broadcast that is observed.
  func counted() -> Receiver { self }

  /// The number of values sent, if they're counted.
  var sentCount: Int? { nil }
}

/// A signal other than a value.
@usableFromInline @frozen
package enum ReceiverEvent {
  /// The subscription, which comes first. Not retained, because the sender holds it.
  case subscription(Unmanaged<Engine>)
  case completion(Subscribers.Completion<any Error>)

  @inlinable
  package func send<Downstream: Subscriber>(to subscriber: Downstream) {
    switch self {
    case .subscription(let engine):
      subscriber.declareUpstreamSerial()
      subscriber.receive(subscription: engine.takeUnretainedValue())
    case .completion(.finished): subscriber.receive(completion: .finished)
    case .completion(.failure(let error)): subscriber.receive(completion: .failure(converted(error)))
    }
  }
}

@usableFromInline @_fixed_layout
package final class SubscriberReceiver<Downstream: Subscriber>: Receiver {
  @usableFromInline package let subscriber: Downstream

  @inlinable @inline(__always)
  package init(_ subscriber: Downstream) {
    self.subscriber = subscriber
    super.init(
      receiveElement: {
        unsafeDowncast($0, to: SubscriberReceiver.self).subscriber.receive(
          ElementLayout.take(Downstream.Input.self, from: $1))
      },
      receiveEvent: { $1.send(to: unsafeDowncast($0, to: SubscriberReceiver.self).subscriber) })
  }

  override var inspected: Any { subscriber }

  override var link: CountedUpstreamLink? { subscriber._upstreamLink?.link }
}

extension SubscriberReceiver: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .sends(name: nil, to: Downstream.self) }
}
