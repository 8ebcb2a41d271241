/// A subscriber that attaches a subject to a publisher.
@usableFromInline @_fixed_layout
final class SubjectSubscriber<S: Subject>: Subscriber {
  @usableFromInline let subject: S
  @usableFromInline let inlet = Inlet()

  @inlinable
  init(_ subject: S) { self.subject = subject }

  @inlinable
  func receive(subscription: any Subscription) {
    if inlet.connect(subscription) { subject.send(subscription: inlet) }
  }

  @inlinable
  func receive(_ input: S.Output) -> Subscribers.Demand {
    if inlet.isConnected { subject.send(input) }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<S.Failure>) {
    if inlet.finish() { subject.send(completion: completion) }
  }
}
