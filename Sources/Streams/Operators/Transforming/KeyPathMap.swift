// The compiler tries overloads in the order in which their files are compiled, which is alphabetical. These overloads come
// before the `map` in `Map.swift`. Otherwise, chains with key paths take up to a hundred times as long to type-check.

extension Publisher {
  /// Publishes each value's property at a key path.
  ///
  ///     ["a", "bcd"].publisher.map(\.count)   // 1 3
  ///
  /// ![The source publishes a and bcd and finishes; the result publishes 1 and 3 and finishes.](diagram-map-keyPath)
  ///
  /// Demand, completion and cancellation pass through unchanged.
  ///
  /// - Parameter keyPath: The key path of the property to publish.
  @inlinable
  public __consuming func map<T>(_ keyPath: KeyPath<Output, T>) -> Publishers.MapKeyPath<Self, T> {
    Publishers.MapKeyPath(upstream: self, keyPath: keyPath)
  }

  /// Publishes each value's properties at two key paths as a tuple.
  ///
  /// It's otherwise like ``map(_:)->Publishers.MapKeyPath<Self,T>``.
  @inlinable
  public __consuming func map<T0, T1>(
    _ keyPath0: KeyPath<Output, T0>, _ keyPath1: KeyPath<Output, T1>
  ) -> Publishers.MapKeyPath2<Self, T0, T1> {
    Publishers.MapKeyPath2(upstream: self, keyPath0: keyPath0, keyPath1: keyPath1)
  }

  /// Publishes each value's properties at three key paths as a tuple.
  ///
  /// It's otherwise like ``map(_:)->Publishers.MapKeyPath<Self,T>``.
  @inlinable
  public __consuming func map<T0, T1, T2>(
    _ keyPath0: KeyPath<Output, T0>, _ keyPath1: KeyPath<Output, T1>, _ keyPath2: KeyPath<Output, T2>
  ) -> Publishers.MapKeyPath3<Self, T0, T1, T2> {
    Publishers.MapKeyPath3(upstream: self, keyPath0: keyPath0, keyPath1: keyPath1, keyPath2: keyPath2)
  }
}

extension Publishers {
  /// The publisher that `map(_:)` returns.
  @frozen
  public struct MapKeyPath<Upstream: Publisher, Output>: Publisher {
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let keyPath: KeyPath<Upstream.Output, Output>

    @inlinable
    public init(upstream: Upstream, keyPath: KeyPath<Upstream.Output, Output>) {
      self.upstream = upstream
      self.keyPath = keyPath
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let keyPath = keyPath
      upstream.subscribe(MapSubscriber(subscriber) { $0[keyPath: keyPath] })
    }
  }

  /// The publisher that ``Publisher/map(_:_:)`` returns.
  @frozen
  public struct MapKeyPath2<Upstream: Publisher, Output0, Output1>: Publisher {
    public typealias Output = (Output0, Output1)
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let keyPath0: KeyPath<Upstream.Output, Output0>
    public let keyPath1: KeyPath<Upstream.Output, Output1>

    @inlinable
    public init(
      upstream: Upstream, keyPath0: KeyPath<Upstream.Output, Output0>, keyPath1: KeyPath<Upstream.Output, Output1>
    ) {
      self.upstream = upstream
      self.keyPath0 = keyPath0
      self.keyPath1 = keyPath1
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let (first, second) = (keyPath0, keyPath1)
      upstream.subscribe(MapSubscriber(subscriber) { ($0[keyPath: first], $0[keyPath: second]) })
    }
  }

  /// The publisher that ``Publisher/map(_:_:_:)`` returns.
  @frozen
  public struct MapKeyPath3<Upstream: Publisher, Output0, Output1, Output2>: Publisher {
    public typealias Output = (Output0, Output1, Output2)
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let keyPath0: KeyPath<Upstream.Output, Output0>
    public let keyPath1: KeyPath<Upstream.Output, Output1>
    public let keyPath2: KeyPath<Upstream.Output, Output2>

    @inlinable
    public init(
      upstream: Upstream, keyPath0: KeyPath<Upstream.Output, Output0>, keyPath1: KeyPath<Upstream.Output, Output1>,
      keyPath2: KeyPath<Upstream.Output, Output2>
    ) {
      self.upstream = upstream
      self.keyPath0 = keyPath0
      self.keyPath1 = keyPath1
      self.keyPath2 = keyPath2
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let (first, second, third) = (keyPath0, keyPath1, keyPath2)
      upstream.subscribe(
        MapSubscriber(subscriber) { ($0[keyPath: first], $0[keyPath: second], $0[keyPath: third]) })
    }
  }
}
