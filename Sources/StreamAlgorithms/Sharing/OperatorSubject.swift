public import Streams

/// An operator's replay subject. Inspections name it after its role in the operator.
@usableFromInline @_fixed_layout
final class OperatorSubject<Output, Failure: Error>: Subject {
  @usableFromInline let broadcast: Broadcast<Output, Failure>
  @usableFromInline let operatorName: OperatorName

  @inlinable
  init(_ name: OperatorName, bufferSize: Int) {
    broadcast = Broadcast(keeping: bufferSize)
    operatorName = name
  }

  @inlinable
  func send(_ value: Output) { broadcast.send(value) }

  @inlinable
  func send(completion: Subscribers.Completion<Failure>) { broadcast.send(completion: completion) }

  @inlinable
  func send(subscription: any Subscription) { broadcast.addUpstream(subscription) }

  @inlinable @inline(__always)
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    broadcast.subscribe(subscriber, of: self)
  }
}

extension OperatorSubject: NamedSubject {
  @usableFromInline package var name: String { operatorName.text }
}

// Unchecked: the lock of `broadcast` guards all state. Values cross threads when several threads send them.
extension OperatorSubject: @unchecked Sendable where Output: Sendable {}
