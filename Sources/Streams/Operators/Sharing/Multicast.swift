extension Publisher {
  /// Shares one subscription among many subscribers through a subject that a closure creates.
  ///
  ///     let latest = prices.multicast { CurrentValueSubject(0) }.autoconnect()
  ///
  /// ![The source publishes a, b and c and finishes; connect() is called: ✓; subscriber 1 receives a, b and c and finishes; subscriber 2 receives b and c and finishes.](diagram-multicast)
  ///
  /// The operator doesn't subscribe to upstream until you call ``ConnectablePublisher/connect()``, directly or with
  /// ``ConnectablePublisher/autoconnect()``. The closure is called for the first subscriber or connection. If several threads
  /// subscribe or connect at the same time, each may call it, and only one subject is kept. Once connected, a
  /// ``CurrentValueSubject`` requests unlimited demand from upstream, while a ``PassthroughSubject`` waits until a subscriber
  /// requests something. Cancel the connection to cancel upstream.
  ///
  /// - Parameter createSubject: A closure that returns the subject.
  /// - Complexity: O(*n*) for each value, where *n* is the number of subscribers.
  @inlinable
  public __consuming func multicast<S: Subject>(_ createSubject: @escaping () -> S) -> Publishers.Multicast<Self, S>
  where S.Output == Output, S.Failure == Failure {
    Publishers.Multicast(upstream: self, createSubject: createSubject)
  }

  /// Shares one subscription among many subscribers through a given `subject`, like ``multicast(_:)``.
  ///
  ///     let shared = numbers.multicast(subject: PassthroughSubject())
  ///     shared.sink { print($0) }.store(in: &cancellables)
  ///     shared.connect().store(in: &cancellables)
  @inlinable
  public __consuming func multicast<S: Subject>(subject: S) -> Publishers.Multicast<Self, S>
  where S.Output == Output, S.Failure == Failure {
    multicast { subject }
  }
}

extension Publishers {
  /// The publisher that `multicast(_:)` and ``Publisher/multicast(subject:)`` return.
  @_fixed_layout
  public final class Multicast<Upstream: Publisher, SubjectType: Subject>: ConnectablePublisher
  where SubjectType.Output == Upstream.Output, SubjectType.Failure == Upstream.Failure {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream

    public let createSubject: () -> SubjectType

    @usableFromInline let made = Locked<SubjectType?>(nil)

    /// In debug builds, reports if nothing has connected this publisher.
    @usableFromInline let watch = ConnectionWatch.made(for: Upstream.self)

    @inlinable
    public init(upstream: Upstream, createSubject: @escaping () -> SubjectType) {
      self.upstream = upstream
      self.createSubject = createSubject
    }

    /// The subject. The closure runs outside the lock.
    @inlinable
    var subject: SubjectType {
      if let subject = made.withLock({ $0 }) { return subject }
      let new = createSubject()
      return made.withLock { subject in
        if subject == nil { subject = new }
        return subject!
      }
    }

    /// Attaches a subscriber to the subject.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      watch?.noteSubscriber()
      subject.subscribe(ConnectableSubscriber(subscriber))
    }

    /// Attaches the subject to upstream.
    ///
    /// - Returns: The connection, which lasts until it's cancelled or released.
    @inlinable
    public func connect() -> any Cancellable {
      watch?.noteConnection()
      return upstream.subscribe(subject)
    }
  }
}

/// Forwards everything from a connectable publisher's subject. Its type tells an inspection that the subject must be connected.
@usableFromInline @frozen
struct ConnectableSubscriber<Downstream: Subscriber>: PassthroughSubscriber {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline let downstream: Downstream

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }

  @inlinable @inline(__always)
  func receive(_ input: Downstream.Input) -> Subscribers.Demand { downstream.receive(input) }
}

extension ConnectableSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .connects(to: Downstream.self) }
}

extension Publishers.Multicast: CancellableFirstConnectable {
  package func connect(handingOver keep: (any Cancellable) -> Void) {
    watch?.noteConnection()
    let subscriber = SubjectSubscriber(subject)
    keep(AnyCancellable(link: subscriber.link))
    upstream.subscribe(subscriber)
  }
}

// Unchecked: locks protect the mutable state. Values cross threads, as in subjects.
extension Publishers.Multicast: @unchecked Sendable where Upstream: Sendable, SubjectType: Sendable, Output: Sendable {}
