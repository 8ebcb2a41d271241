/// A subscriber that attaches a subject to a publisher.
@usableFromInline @_fixed_layout
final class SubjectSubscriber<S: Subject>: Subscriber {
  @usableFromInline let subject: S
  @usableFromInline let inlet = SubjectInlet()

  @inlinable
  init(_ subject: S) { self.subject = subject }

  @inlinable
  func receive(subscription: any Subscription) {
    if inlet.connect(subscription) { subject.send(subscription: inlet) }
  }

  @inlinable
  func receive(_ input: S.Output) -> Subscribers.Demand {
    if inlet.isForwarding { subject.send(input) }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<S.Failure>) {
    if inlet.finish() { subject.send(completion: completion) }
  }
}

/// The subscription that a subject stores while it is attached to a publisher. It is connected from then on until the
/// publisher ends or is detached.
@usableFromInline
final class SubjectInlet: Inlet {}
