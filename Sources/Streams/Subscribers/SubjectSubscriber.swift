@usableFromInline @_fixed_layout
package final class SubjectSubscriber<S: Subject>: Subscriber {
  @usableFromInline package let subject: S
  @usableFromInline package let link = SubjectLink()

  @inlinable
  package init(_ subject: S) { self.subject = subject }

  @inlinable @inline(never) @_optimize(size)
  package func receive(subscription: any Subscription) {
    if link.connect(subscription) { subject.send(subscription: link) }
  }

  @inlinable
  package func receive(_ input: S.Output) -> Subscribers.Demand {
    if link.isForwarding { subject.send(input) }
    return .none
  }

  @inlinable
  package func receive(completion: Subscribers.Completion<S.Failure>) {
    if link.finish() { subject.send(completion: completion) }
  }
}

extension SubjectSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .ends }
}

/// The subscription that a subject stores while it's attached to a publisher. It stays connected until the publisher completes
/// or the subject is detached.
@usableFromInline
package final class SubjectLink: UpstreamLink {
  @usableFromInline
  package override init() { super.init() }
}
