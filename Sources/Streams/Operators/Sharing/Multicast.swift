extension Publisher {
  /// Sends what this publisher sends to many subscribers through a subject that the closure makes.
  ///
  /// ![Marble diagram of multicast](diagram-multicast)
  ///
  /// Nothing is sent before ``ConnectablePublisher/connect()``, or ``ConnectablePublisher/autoconnect()``. The closure is
  /// called once, for the first subscriber or connection. The kind of subject decides what upstream is asked for when it
  /// is connected: a ``CurrentValueSubject`` asks for everything, a ``PassthroughSubject`` waits for a subscriber that asks.
  @inlinable
  public __consuming func multicast<S: Subject>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ createSubject: @escaping () -> S
  ) -> Publishers.Multicast<Self, S>
  where S.Output == Output, S.Failure == Failure {
    Publishers.Multicast(
      upstream: self, createSubject: isolation.checking(createSubject, fileID, filePath, line, column))
  }

  /// Sends what this publisher sends to many subscribers through a subject.
  ///
  /// Nothing is sent before ``ConnectablePublisher/connect()``, or ``ConnectablePublisher/autoconnect()``.
  @inlinable
  public __consuming func multicast<S: Subject>(subject: S) -> Publishers.Multicast<Self, S>
  where S.Output == Output, S.Failure == Failure {
    multicast { subject }
  }
}

extension Publishers {
  /// The publisher of `multicast(_:)` and ``Publisher/multicast(subject:)``.
  @_fixed_layout
  public final class Multicast<Upstream: Publisher, SubjectType: Subject>: ConnectablePublisher
  where SubjectType.Output == Upstream.Output, SubjectType.Failure == Upstream.Failure {
    /// The type of value this publisher publishes.
    public typealias Output = Upstream.Output

    /// The type of error this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are sent to many.
    public let upstream: Upstream

    /// What makes the subject.
    public let createSubject: () -> SubjectType

    @usableFromInline let made = Locked<SubjectType?>(nil)

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, createSubject: @escaping () -> SubjectType) {
      self.upstream = upstream
      self.createSubject = createSubject
    }

    /// The subject. The closure runs outside the lock: of two that are made at the same time one is dropped.
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
      subject.subscribe(subscriber)
    }

    /// Attaches the subject to upstream, until what is returned is cancelled or let go of.
    @inlinable
    public func connect() -> any Cancellable { upstream.subscribe(subject) }
  }
}

extension Publishers.Multicast {
  /// Attaches the subject to upstream, and hands over before that what stops it.
  @inlinable
  public func connect(handingOver keep: (any Cancellable) -> Void) {
    let subscriber = SubjectSubscriber(subject)
    keep(AnyCancellable(inlet: subscriber.inlet))
    upstream.subscribe(subscriber)
  }
}

// Unchecked: what changes is behind the lock of a broadcast, and values cross threads as with subjects.
extension Publishers.Multicast: @unchecked Sendable where Upstream: Sendable, SubjectType: Sendable, Output: Sendable {}
