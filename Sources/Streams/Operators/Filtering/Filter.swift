extension Publisher {
  /// Publishes the values that satisfy a predicate.
  ///
  ///     [1, 2, 3].publisher.filter { $0 > 1 }   // 2 3
  ///
  /// ![The source publishes 1, 2 and 3 and finishes; the result publishes 2 and 3 and finishes.](diagram-filter)
  ///
  /// A dropped value doesn't use up demand: the operator requests another in its place. Completion and cancellation pass
  /// through unchanged.
  ///
  /// - Parameter isIncluded: A closure that returns whether to publish a value.
  @inlinable
  public __consuming func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Filter<Self> {
    Publishers.Filter(upstream: self, isIncluded: isIncluded)
  }

  /// Publishes the values that satisfy a throwing predicate.
  ///
  /// ![The source publishes 1, 2 and x and is cancelled; the result publishes 2 and fails.](diagram-tryFilter)
  ///
  /// It's like ``filter(_:)``, but a thrown error cancels upstream and becomes the failure.
  @inlinable
  public __consuming func tryFilter(_ isIncluded: @escaping (Output) throws -> Bool) -> Publishers.TryFilter<Self> {
    Publishers.TryFilter(upstream: self, isIncluded: isIncluded)
  }
}

extension Publishers {
  /// The publisher that `filter(_:)` returns.
  @frozen
  public struct Filter<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let isIncluded: (Upstream.Output) -> Bool

    @usableFromInline let name: OperatorName?

    @inlinable
    public init(upstream: Upstream, isIncluded: @escaping (Upstream.Output) -> Bool) {
      self.init(upstream, isIncluded, as: nil)
    }

    @inlinable
    package init(_ upstream: Upstream, _ isIncluded: @escaping (Upstream.Output) -> Bool, as name: OperatorName?) {
      self.upstream = upstream
      self.isIncluded = isIncluded
      self.name = name
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(FilterSubscriber(subscriber, isIncluded, name))
    }
  }

  /// The publisher that `tryFilter(_:)` returns.
  @frozen
  public struct TryFilter<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = any Error

    public let upstream: Upstream
    public let isIncluded: (Upstream.Output) throws -> Bool

    @inlinable
    public init(upstream: Upstream, isIncluded: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.isIncluded = isIncluded
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(TryFilterStage(isIncluded), subscriber))
    }
  }
}

// Disfavored, like every overload that combines two operators in one. This way, the compiler doesn't try both overloads at each
// step of a chain unless something requires these types. Trying both would take time that's exponential in the chain's length.
extension Publishers.Filter {
  /// Adds a predicate to this filter.
  @inlinable @_disfavoredOverload
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Filter<Upstream> {
    let first = self.isIncluded
    return Publishers.Filter(upstream: upstream) { first($0) && isIncluded($0) }
  }

  /// Adds a throwing predicate to this filter.
  @inlinable @_disfavoredOverload
  public func tryFilter(_ isIncluded: @escaping (Output) throws -> Bool) -> Publishers.TryFilter<Upstream> {
    let first = self.isIncluded
    return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
  }
}

extension Publishers.TryFilter {
  /// Adds a predicate to this filter.
  @inlinable @_disfavoredOverload
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.TryFilter<Upstream> {
    tryFilter(isIncluded)
  }

  /// Adds a predicate to this filter.
  @inlinable @_disfavoredOverload
  public func tryFilter(_ isIncluded: @escaping (Output) throws -> Bool) -> Publishers.TryFilter<Upstream> {
    let first = self.isIncluded
    return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
  }
}

@usableFromInline @frozen
struct FilterSubscriber<Downstream: Subscriber>: PassthroughSubscriber {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline let downstream: Downstream
  @usableFromInline let isIncluded: (Downstream.Input) -> Bool
  @usableFromInline package let flow: FlowCounter?

  @inlinable
  init(_ downstream: Downstream, _ isIncluded: @escaping (Downstream.Input) -> Bool, _ name: OperatorName?) {
    self.downstream = downstream
    (self.isIncluded, flow) =
      RuntimeFeatures.isAny || name != nil ? FlowCounter.counting(isIncluded, name) : (isIncluded, nil)
  }

  @inlinable @inline(__always)
  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    isIncluded(input) ? downstream.receive(input) : .max(1)
  }
}

extension FilterSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .passes("filter", to: Downstream.self) }
}

@usableFromInline @frozen
struct TryFilterStage<Input>: Stage {
  @usableFromInline static var name: String { "tryFilter" }

  @usableFromInline let isIncluded: (Input) throws -> Bool

  @inlinable
  init(_ isIncluded: @escaping (Input) throws -> Bool) { self.isIncluded = isIncluded }

  @inlinable
  func receive(_ input: Input) throws -> Verdict<Input> { try isIncluded(input) ? .emit(input) : .skip }
}
