extension Publisher {
  /// Stops the program with a message when upstream fails.
  ///
  ///     load().assertNoFailure()
  ///
  /// ![The source publishes a, b and c and finishes; the result publishes a, b and c and finishes.](diagram-assertNoFailure)
  ///
  /// Values, normal completion, demand and cancellation pass through unchanged. A failure stops the program in release builds
  /// too.
  ///
  /// - Parameter prefix: The text that the message begins with.
  @inlinable
  public __consuming func assertNoFailure(
    _ prefix: String = "", file: StaticString = #file, line: UInt = #line
  ) -> Publishers.AssertNoFailure<Self> {
    Publishers.AssertNoFailure(upstream: self, prefix: prefix, file: file, line: line)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/assertNoFailure(_:file:line:)`` returns.
  @frozen
  public struct AssertNoFailure<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Never

    public let upstream: Upstream
    public let prefix: String
    public let file: StaticString
    public let line: UInt

    @inlinable
    public init(upstream: Upstream, prefix: String, file: StaticString, line: UInt) {
      self.upstream = upstream
      self.prefix = prefix
      self.file = file
      self.line = line
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(AssertNoFailureSubscriber<Upstream.Failure, _>(subscriber, prefix, file, line))
    }
  }
}

@usableFromInline @frozen
struct AssertNoFailureSubscriber<Failure: Error, Downstream: Subscriber>: PassthroughSubscriber
where Downstream.Failure == Never {
  @usableFromInline let downstream: Downstream
  @usableFromInline let prefix: String
  @usableFromInline let file: StaticString
  @usableFromInline let line: UInt

  @inlinable
  init(_ downstream: Downstream, _ prefix: String, _ file: StaticString, _ line: UInt) {
    self.downstream = downstream
    self.prefix = prefix
    self.file = file
    self.line = line
  }

  @inlinable
  func receive(_ input: Downstream.Input) -> Subscribers.Demand { downstream.receive(input) }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: downstream.receive(completion: .finished)
    case .failure(let error): stopProgram("\(prefix.isEmpty ? "" : "\(prefix): ")\(error)", file: file, line: line)
    }
  }
}

extension AssertNoFailureSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .passes("assertNoFailure", to: Downstream.self) }
}

extension Publishers.AssertNoFailure: Sendable where Upstream: Sendable {}
