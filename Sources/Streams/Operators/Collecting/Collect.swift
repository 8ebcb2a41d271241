extension Publisher {
  /// Collects all values and publishes them as a single array when upstream finishes.
  ///
  ///     [1, 2].publisher.collect()   // [1, 2]
  ///
  /// ![The source publishes 1 and 2 and finishes; the result publishes [1, 2] and finishes.](diagram-collect)
  ///
  /// The operator requests unlimited demand from upstream and stores all values. The array, which may be empty, waits for demand.
  /// A failure discards the values and passes through immediately. Cancellation passes through unchanged.
  ///
  /// - Complexity: Amortized O(1) for each value. Memory use is O(*n*), where *n* is the number of values.
  @inlinable
  public __consuming func collect() -> Publishers.Collect<Self> { Publishers.Collect(upstream: self) }

  /// Collects values into arrays of a fixed size.
  ///
  ///     [1, 2, 3].publisher.collect(2)   // [1, 2] [3]
  ///
  /// ![The source publishes 1, 2 and 3 and finishes; the result publishes [1, 2] and [3] and finishes.](diagram-collect-count)
  ///
  /// For each array that downstream requests, the operator requests `count` values from upstream. When upstream finishes, the
  /// operator publishes the remaining values, if any, as a shorter array. A failure discards the remaining values. Cancellation
  /// passes through unchanged.
  ///
  /// - Parameter count: The number of elements in each array except the last. A number that isn't positive stops the program with
  ///   a message.
  @inlinable
  public __consuming func collect(_ count: Int) -> Publishers.CollectByCount<Self> {
    Publishers.CollectByCount(upstream: self, count: count)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/collect()`` returns.
  @frozen
  public struct Collect<Upstream: Publisher>: Publisher {
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream

    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(CollectReduction(), subscriber))
    }
  }

  /// The publisher that `collect(_:)` returns.
  @frozen
  public struct CollectByCount<Upstream: Publisher>: Publisher {
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let count: Int

    @inlinable
    public init(upstream: Upstream, count: Int) {
      require(
        count > 0, or: "collect(_:) requires a count of at least 1, got \(count).")
      self.upstream = upstream
      self.count = count
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(CollectByCountSubscriber<Upstream.Output, _>(count, subscriber))
    }
  }
}

extension Publishers.Collect: Equatable where Upstream: Equatable {}
extension Publishers.CollectByCount: Equatable where Upstream: Equatable {}

@usableFromInline @frozen
struct CollectReduction<Input>: Reduction {
  @usableFromInline static var name: String { "collect" }

  @usableFromInline var elements: [Input] = []
  @usableFromInline var keptContext: ContextSnapshot?

  @inlinable
  init() {}

  @inlinable
  mutating func receive(_ input: Input) throws(Never) -> Bool {
    elements.append(input)
    if RuntimeFeatures.isAny { keptContext = .captured(like: keptContext) }
    return false
  }

  @inlinable
  func result() -> [Input]? { elements }
}

/// Groups values into arrays. Only the value path (the serial calls to `receive`) accesses `group`.
@usableFromInline @_fixed_layout
final class CollectByCountSubscriber<Element, Downstream: Subscriber>: Subscriber where Downstream.Input == [Element] {
  // Exclusive: only the value path accesses `group` and `context`. No foreign code runs while an element is appended or the
  // group is taken.
  @usableFromInline let downstream: Downstream
  @usableFromInline let count: Int
  @usableFromInline let link = UpstreamLink()
  @usableFromInline @exclusivity(unchecked) var group: [Element] = []
  /// The context of the last element in a partial group, if contexts are carried.
  @usableFromInline @exclusivity(unchecked) var context: ContextSnapshot?

  @inlinable
  init(_ count: Int, _ downstream: Downstream) {
    self.count = count
    self.downstream = downstream
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if link.connect(subscription) { downstream.receive(subscription: MultipliedSubscription(link, by: count)) }
  }

  @inlinable
  func receive(_ input: Element) -> Subscribers.Demand {
    guard link.isForwarding else { return .none }
    group.append(input)
    if group.count < count {
      if RuntimeFeatures.isAny { context = .captured(like: context) }
      return .none
    }
    let full = group
    group = []
    return downstream.receive(full) * count
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    guard link.isForwarding else { return }
    if case .finished = completion, !group.isEmpty {
      let rest = group
      group = []
      ContextSnapshot.run(context) { _ = downstream.receive(rest) }
    }
    if link.finish() { downstream.receive(completion: completion) }
  }
}

extension CollectByCountSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .links("collect", to: Downstream.self) }
}

/// A subscription that requests several upstream values for each value that is requested from it.
@usableFromInline @_fixed_layout
final class MultipliedSubscription: Subscription {
  @usableFromInline let link: UpstreamLink
  @usableFromInline let factor: Int

  @inlinable
  init(_ link: UpstreamLink, by factor: Int) {
    self.link = link
    self.factor = factor
  }

  @usableFromInline var combineIdentifier: CombineIdentifier { link.combineIdentifier }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    guard demand.isRequest else { return }
    link.request(demand * factor)
  }

  @usableFromInline
  func cancel() { link.cancel() }
}

extension Publishers.Collect: Sendable where Upstream: Sendable {}
extension Publishers.CollectByCount: Sendable where Upstream: Sendable {}
