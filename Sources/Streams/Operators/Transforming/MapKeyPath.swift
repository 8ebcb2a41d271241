extension Publisher {
  /// Passes on one property of every value.
  ///
  ///     ["a", "bcd"].publisher.map(\.count)   // 1 3
  ///
  /// ![Marble diagram of map with a key path](diagram-map-keyPath)
  @inlinable
  public __consuming func map<T>(_ keyPath: KeyPath<Output, T>) -> Publishers.MapKeyPath<Self, T> {
    Publishers.MapKeyPath(upstream: self, keyPath: keyPath)
  }

  /// Passes on two properties of every value, as a tuple.
  @inlinable
  public __consuming func map<T0, T1>(
    _ keyPath0: KeyPath<Output, T0>, _ keyPath1: KeyPath<Output, T1>
  ) -> Publishers.MapKeyPath2<Self, T0, T1> {
    Publishers.MapKeyPath2(upstream: self, keyPath0: keyPath0, keyPath1: keyPath1)
  }

  /// Passes on three properties of every value, as a tuple.
  @inlinable
  public __consuming func map<T0, T1, T2>(
    _ keyPath0: KeyPath<Output, T0>, _ keyPath1: KeyPath<Output, T1>, _ keyPath2: KeyPath<Output, T2>
  ) -> Publishers.MapKeyPath3<Self, T0, T1, T2> {
    Publishers.MapKeyPath3(upstream: self, keyPath0: keyPath0, keyPath1: keyPath1, keyPath2: keyPath2)
  }
}

extension Publishers {
  /// The publisher of `map(_:)`.
  @frozen
  public struct MapKeyPath<Upstream: Publisher, Output>: Publisher {
    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// The property that is passed on.
    public let keyPath: KeyPath<Upstream.Output, Output>

    /// Makes the publisher.
    @inlinable
    public init(upstream: Upstream, keyPath: KeyPath<Upstream.Output, Output>) {
      self.upstream = upstream
      self.keyPath = keyPath
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let keyPath = keyPath
      upstream.subscribe(MapSubscriber(subscriber) { $0[keyPath: keyPath] })
    }
  }

  /// The publisher of ``Publisher/map(_:_:)``.
  @frozen
  public struct MapKeyPath2<Upstream: Publisher, Output0, Output1>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = (Output0, Output1)

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// A property that is passed on.
    public let keyPath0: KeyPath<Upstream.Output, Output0>

    /// A property that is passed on.
    public let keyPath1: KeyPath<Upstream.Output, Output1>

    /// Makes the publisher.
    @inlinable
    public init(
      upstream: Upstream, keyPath0: KeyPath<Upstream.Output, Output0>, keyPath1: KeyPath<Upstream.Output, Output1>
    ) {
      self.upstream = upstream
      self.keyPath0 = keyPath0
      self.keyPath1 = keyPath1
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let (first, second) = (keyPath0, keyPath1)
      upstream.subscribe(MapSubscriber(subscriber) { ($0[keyPath: first], $0[keyPath: second]) })
    }
  }

  /// The publisher of ``Publisher/map(_:_:_:)``.
  @frozen
  public struct MapKeyPath3<Upstream: Publisher, Output0, Output1, Output2>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = (Output0, Output1, Output2)

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// A property that is passed on.
    public let keyPath0: KeyPath<Upstream.Output, Output0>

    /// A property that is passed on.
    public let keyPath1: KeyPath<Upstream.Output, Output1>

    /// A property that is passed on.
    public let keyPath2: KeyPath<Upstream.Output, Output2>

    /// Makes the publisher.
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

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let (first, second, third) = (keyPath0, keyPath1, keyPath2)
      upstream.subscribe(
        MapSubscriber(subscriber) { ($0[keyPath: first], $0[keyPath: second], $0[keyPath: third]) })
    }
  }
}
