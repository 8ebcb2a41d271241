extension Collection where Element: Publisher {
  /// Merges all publishers of the collection into one, which publishes their values as they arrive.
  ///
  ///     rooms.map(\.messages).merge()
  ///
  /// Demand, completion and failure are as for `Publisher/merge(with:)`. For an empty collection, the stream finishes
  /// immediately.
  ///
  /// - Returns: A publisher of the values of all publishers.
  /// - Complexity: O(*n*) for each subscriber, where *n* is the number of publishers, and O(1) for each value.
  @inlinable
  public func merge() -> Publishers.MergeMany<Element> { Publishers.MergeMany(self) }

  /// Combines the first values of all publishers of the collection into an array, then the second values, and so on.
  ///
  ///     files.map { load($0) }.zip()
  ///
  /// ![a publishes 1 and 2 and finishes; b publishes 3 and 4 and is cancelled; c publishes 5 and 6 and is cancelled; the result publishes 135 and 246 and finishes.](diagram-zip-many)
  ///
  /// Demand, completion and failure are as for ``Publisher/zip(_:)``. For an empty collection, the stream finishes
  /// immediately. A value is buffered until every other publisher has sent its own; for each publisher, no more values
  /// are buffered than downstream has requested arrays.
  ///
  /// - Returns: A publisher of arrays, with the elements in the order of the collection.
  /// - Complexity: O(*n*) for each array, where *n* is the number of publishers.
  @inlinable
  public func zip() -> ExtendedPublishers.ZipMany<Element> { ExtendedPublishers.ZipMany(self) }

  /// Combines the latest values of all publishers of the collection into an array whenever one of them sends a value.
  ///
  ///     sensors.map(\.temperature).combineLatest()
  ///
  /// ![a publishes 1 and 2 and finishes; b publishes 3 and 4 and finishes; c publishes 5 and finishes; the result publishes 135, 235 and 245 and finishes.](diagram-combineLatest-many)
  ///
  /// Demand, completion and failure are as for ``Publisher/combineLatest(_:)``. For an empty collection, the stream
  /// finishes immediately.
  ///
  /// - Returns: A publisher of arrays, with the elements in the order of the collection.
  /// - Complexity: O(*n*) for each array, where *n* is the number of publishers.
  @inlinable
  public func combineLatest() -> ExtendedPublishers.CombineLatestMany<Element> {
    ExtendedPublishers.CombineLatestMany(self)
  }
}

extension Publisher {
  /// Combines the values of this publisher and of a collection of others into arrays.
  ///
  /// Demand, completion and failure are as for ``Publisher/zip(_:)``.
  ///
  /// - Parameter others: The other publishers.
  /// - Returns: A publisher of arrays, with this publisher's values first.
  /// - Complexity: O(*n*) for each array, where *n* is the number of publishers.
  @inlinable @_disfavoredOverload
  public __consuming func zip<Others: Collection<Self>>(with others: Others) -> ExtendedPublishers.ZipMany<Self> {
    ExtendedPublishers.ZipMany([self] + others)
  }

  /// Combines the latest values of this publisher and of a collection of others into arrays.
  ///
  /// Demand, completion and failure are as for ``Publisher/combineLatest(_:)``.
  ///
  /// - Parameter others: The other publishers.
  /// - Returns: A publisher of arrays, with this publisher's values first.
  /// - Complexity: O(*n*) for each array, where *n* is the number of publishers.
  @inlinable @_disfavoredOverload
  public __consuming func combineLatest<Others: Collection<Self>>(with others: Others)
    -> ExtendedPublishers.CombineLatestMany<Self>
  {
    ExtendedPublishers.CombineLatestMany([self] + others)
  }

  /// Merges this publisher with a collection of others, and publishes their values as they arrive.
  ///
  /// Demand, completion and failure are as for `Publisher/merge(with:)`.
  ///
  /// - Parameter others: The other publishers.
  /// - Returns: A publisher of the values of all publishers.
  /// - Complexity: O(*n*) for each subscriber, where *n* is the number of publishers, and O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func merge<Others: Collection<Self>>(with others: Others) -> Publishers.MergeMany<Self> {
    Publishers.MergeMany([self] + others)
  }

  /// Combines the values of this publisher and of a collection of others into arrays.
  ///
  /// Demand, completion and failure are as for ``Publisher/zip(_:)``.
  ///
  /// - Parameter others: The other publishers, of a type of their own.
  /// - Returns: A publisher of arrays, with this publisher's values first.
  /// - Complexity: O(*n*) for each array, where *n* is the number of publishers.
  @inlinable @_disfavoredOverload
  public __consuming func zip<Others: Collection>(with others: Others) -> AnyPublisher<[Output], Failure>
  where Others.Element: Publisher<Output, Failure> { erased(with: others).zip() }

  /// Combines the values of this publisher and of several others into arrays.
  ///
  /// Demand, completion and failure are as for ``Publisher/zip(_:)``.
  ///
  /// - Parameter others: The other publishers, of a type of their own.
  /// - Returns: A publisher of arrays, with this publisher's values first.
  /// - Complexity: O(*n*) for each array, where *n* is the number of publishers.
  @inlinable @_disfavoredOverload
  public __consuming func zip<Other: Publisher>(with others: Other...) -> AnyPublisher<[Output], Failure>
  where Other.Output == Output, Other.Failure == Failure { erased(with: others).zip() }

  /// Combines the latest values of this publisher and of a collection of others into arrays.
  ///
  /// Demand, completion and failure are as for ``Publisher/combineLatest(_:)``.
  ///
  /// - Parameter others: The other publishers, of a type of their own.
  /// - Returns: A publisher of arrays, with this publisher's values first.
  /// - Complexity: O(*n*) for each array, where *n* is the number of publishers.
  @inlinable @_disfavoredOverload
  public __consuming func combineLatest<Others: Collection>(with others: Others) -> AnyPublisher<[Output], Failure>
  where Others.Element: Publisher<Output, Failure> { erased(with: others).combineLatest() }

  /// Combines the latest values of this publisher and of several others into arrays.
  ///
  /// Demand, completion and failure are as for ``Publisher/combineLatest(_:)``.
  ///
  /// - Parameter others: The other publishers, of a type of their own.
  /// - Returns: A publisher of arrays, with this publisher's values first.
  /// - Complexity: O(*n*) for each array, where *n* is the number of publishers.
  @inlinable @_disfavoredOverload
  public __consuming func combineLatest<Other: Publisher>(with others: Other...) -> AnyPublisher<[Output], Failure>
  where Other.Output == Output, Other.Failure == Failure { erased(with: others).combineLatest() }
}

extension ExtendedPublishers {
  /// The publisher of `zip()` of a collection.
  @frozen
  public struct ZipMany<Upstream: Publisher>: Publisher {
    /// The type of the values that this publisher sends.
    public typealias Output = [Upstream.Output]

    /// The type of the errors with which this publisher may fail.
    public typealias Failure = Upstream.Failure

    /// The publishers whose values are combined.
    public let publishers: [Upstream]

    /// Creates the publisher.
    ///
    /// - Parameter publishers: The publishers whose values are combined.
    @inlinable
    public init<S: Swift.Sequence>(_ publishers: S) where S.Element == Upstream { self.publishers = Array(publishers) }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      if publishers.count <= Engine.combiningCapacity {
        return ZipGroup(publishers[...]).receive(subscriber: subscriber)
      }
      ZipGroup.joined(publishers).receive(subscriber: subscriber)
    }
  }

  /// The publisher of `combineLatest()` of a collection.
  @frozen
  public struct CombineLatestMany<Upstream: Publisher>: Publisher {
    /// The type of the values that this publisher sends.
    public typealias Output = [Upstream.Output]

    /// The type of the errors with which this publisher may fail.
    public typealias Failure = Upstream.Failure

    /// The publishers whose latest values are combined.
    public let publishers: [Upstream]

    /// Creates the publisher.
    ///
    /// - Parameter publishers: The publishers whose latest values are combined.
    @inlinable
    public init<S: Swift.Sequence>(_ publishers: S) where S.Element == Upstream { self.publishers = Array(publishers) }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      if publishers.count <= Engine.combiningCapacity {
        return LatestGroup(publishers[...]).receive(subscriber: subscriber)
      }
      LatestGroup.joined(publishers).receive(subscriber: subscriber)
    }
  }
}

extension ExtendedPublishers.ZipMany: Equatable where Upstream: Equatable {}
extension ExtendedPublishers.CombineLatestMany: Equatable where Upstream: Equatable {}

// A machine (an engine's state machine) identifies its sources by the bits of a word. A larger number of sources is
// combined in groups, and these in groups in turn. The result is the same: the whole waits for whatever a group waits
// for.

/// A zip of as many publishers as one engine supports.
@usableFromInline @frozen
struct ZipGroup<Upstream: Publisher>: Publisher {
  @usableFromInline typealias Output = [Upstream.Output]
  @usableFromInline typealias Failure = Upstream.Failure
  @usableFromInline let publishers: ArraySlice<Upstream>

  @inlinable
  init(_ publishers: ArraySlice<Upstream>) { self.publishers = publishers }

  /// Combines more publishers than one group supports.
  @inlinable @inline(never)
  static func joined(_ publishers: [Upstream]) -> AnyPublisher<Output, Failure> {
    var joined: [AnyPublisher<Output, Failure>] = []
    for group in publishers.groups { joined.append(AnyPublisher(ZipGroup(group))) }
    while joined.count > 1 {
      var larger: [AnyPublisher<Output, Failure>] = []
      for group in joined.groups {
        larger.append(AnyPublisher(Publishers.Map(upstream: ZipGroup<_>(group), transform: flattened)))
      }
      joined = larger
    }
    return joined[0]
  }

  @inlinable
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    if publishers.isEmpty { return subscriber.receiveOnly(.finished) }
    let places = QueueStores<Upstream.Output>(count: publishers.count)
    let engine = Engine.zip(count: publishers.count)
    let combining = Combining(subscriber, in: engine) { places.take() }
    for (slot, publisher) in publishers.enumerated() { combining.attach(publisher, places.stores[slot], .init(slot)) }
  }
}

/// The latest values of as many publishers as one engine supports.
@usableFromInline @frozen
struct LatestGroup<Upstream: Publisher>: Publisher {
  @usableFromInline typealias Output = [Upstream.Output]
  @usableFromInline typealias Failure = Upstream.Failure
  @usableFromInline let publishers: ArraySlice<Upstream>

  @inlinable
  init(_ publishers: ArraySlice<Upstream>) { self.publishers = publishers }

  /// Combines more publishers than one group supports.
  @inlinable @inline(never)
  static func joined(_ publishers: [Upstream]) -> AnyPublisher<Output, Failure> {
    var joined: [AnyPublisher<Output, Failure>] = []
    for group in publishers.groups { joined.append(AnyPublisher(LatestGroup(group))) }
    while joined.count > 1 {
      var larger: [AnyPublisher<Output, Failure>] = []
      for group in joined.groups {
        larger.append(AnyPublisher(Publishers.Map(upstream: LatestGroup<_>(group), transform: flattened)))
      }
      joined = larger
    }
    return joined[0]
  }

  @inlinable
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    if publishers.isEmpty { return subscriber.receiveOnly(.finished) }
    let places = NewestStores<Upstream.Output>(count: publishers.count)
    let engine = Engine.latest(count: publishers.count)
    let combining = Combining(subscriber, in: engine) { places.peek() }
    for (slot, publisher) in publishers.enumerated() { combining.attach(publisher, places.stores[slot], .init(slot)) }
  }
}

// Objects, because the closures of inlined code may capture nothing else.

/// The stores of zipped sources of one type.
@usableFromInline @_fixed_layout
final class QueueStores<Element> {
  @usableFromInline let stores: [QueueStore<Element>]

  @inlinable
  init(count: Int) {
    var stores: [QueueStore<Element>] = []
    for _ in 0..<count { stores.append(QueueStore()) }
    self.stores = stores
  }

  /// Removes and returns the oldest element of each slot.
  @inlinable
  func take() -> [Element] {
    var elements: [Element] = []
    elements.reserveCapacity(stores.count)
    for store in stores { elements.append(store.take()) }
    return elements
  }
}

/// The stores of sources of one type whose latest values are combined.
@usableFromInline @_fixed_layout
final class NewestStores<Element> {
  @usableFromInline let stores: [NewestStore<Element>]

  @inlinable
  init(count: Int) {
    var stores: [NewestStore<Element>] = []
    for _ in 0..<count { stores.append(NewestStore()) }
    self.stores = stores
  }

  /// Returns the latest element of each slot.
  @inlinable
  func peek() -> [Element] {
    var elements: [Element] = []
    elements.reserveCapacity(stores.count)
    for store in stores { elements.append(store.peek()) }
    return elements
  }
}

extension Array {
  /// The elements in groups that one engine supports.
  @inlinable
  var groups: [ArraySlice<Element>] {
    var groups: [ArraySlice<Element>] = []
    var start = 0
    while start < count {
      let end = Swift.min(start + Engine.combiningCapacity, count)
      groups.append(self[start..<end])
      start = end
    }
    return groups
  }
}

@inlinable
func flattened<Element>(_ arrays: [[Element]]) -> [Element] {
  var elements: [Element] = []
  for array in arrays { elements.append(contentsOf: array) }
  return elements
}

extension Engine {
  /// The maximum number of sources that one engine can zip, or whose latest values it can combine.
  @usableFromInline
  static var combiningCapacity: Int { FixedSources.SlotSet.capacity }
}

extension ExtendedPublishers.ZipMany: Sendable where Upstream: Sendable {}
extension ExtendedPublishers.CombineLatestMany: Sendable where Upstream: Sendable {}
