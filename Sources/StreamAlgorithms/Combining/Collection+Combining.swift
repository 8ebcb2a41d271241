public import Streams

extension Collection where Element: Publisher {
  /// Merges all publishers in the collection into one, which publishes their values as they arrive.
  ///
  ///     rooms.map(\.messages).merge()
  ///
  /// Demand, completion and failure work as in `Publisher/merge(with:)`. For an empty collection, the stream finishes
  /// immediately.
  ///
  /// - Complexity: O(*n*) for each subscriber, where *n* is the number of publishers, and O(1) for each value.
  @inlinable @_disfavoredOverload
  public func merge() -> Publishers.MergeMany<Element> { Publishers.MergeMany(self) }

  /// Combines the first values from all publishers into an array in the collection's order, then the second values, and
  /// so on.
  ///
  ///     files.map { load($0) }.zip()
  ///
  /// ![a publishes 1 and 2 and finishes; b publishes 3 and 4 and is cancelled; c publishes 5 and 6 and is cancelled; the result publishes 135 and 246 and finishes.](diagram-zip-many)
  ///
  /// Demand, completion and failure work as in ``/Streams/Publisher/zip(_:)``. For an empty collection, the stream finishes
  /// immediately. A value is buffered until every other publisher has sent its corresponding value. For each publisher, the
  /// operator buffers no more values than the number of arrays that downstream has requested.
  ///
  /// - Complexity: O(*n*) for each array, where *n* is the number of publishers.
  @inlinable @_disfavoredOverload
  public func zip() -> ZipManyPublisher<Element> { ZipManyPublisher(self) }

  /// Combines the latest values from all publishers into an array in the collection's order whenever any publisher sends a
  /// value.
  ///
  ///     sensors.map(\.temperature).combineLatest()
  ///
  /// ![a publishes 1 and 2 and finishes; b publishes 3 and 4 and finishes; c publishes 5 and finishes; the result publishes 135, 235 and 245 and finishes.](diagram-combineLatest-many)
  ///
  /// Demand, completion and failure work as in ``/Streams/Publisher/combineLatest(_:)``. For an empty collection, the stream
  /// finishes immediately.
  ///
  /// - Complexity: O(*n*) for each array, where *n* is the number of publishers.
  @inlinable @_disfavoredOverload
  public func combineLatest() -> CombineLatestManyPublisher<Element> {
    CombineLatestManyPublisher(self)
  }
}

extension Publisher {
  /// Combines values from this publisher and from a collection of `others` into arrays, like
  /// ``/Streams/Publisher/zip(_:)``.
  ///
  /// This publisher's value comes first in each array. Creating an array takes O(*n*) time, where *n* is the number of
  /// publishers.
  ///
  ///     first.zip(with: [second, updates])
  @inlinable @_disfavoredOverload
  public __consuming func zip<Others: Collection<Self>>(with others: Others) -> ZipManyPublisher<Self> {
    ZipManyPublisher([self] + others)
  }

  /// Combines the latest values from this publisher and from a collection of `others` into arrays, like
  /// ``/Streams/Publisher/combineLatest(_:)``.
  ///
  /// This publisher's value comes first in each array. Creating an array takes O(*n*) time, where *n* is the number of
  /// publishers.
  ///
  ///     first.combineLatest(with: [second, updates])
  @inlinable @_disfavoredOverload
  public __consuming func combineLatest<Others: Collection<Self>>(with others: Others)
    -> CombineLatestManyPublisher<Self>
  {
    CombineLatestManyPublisher([self] + others)
  }

  /// Merges this publisher with a collection of others, like
  /// ``/Streams/Publisher/merge(with:)->Publishers.Merge<Self,P>``.
  ///
  ///     first.merge(with: [second, updates])
  @inlinable @_disfavoredOverload
  public __consuming func merge<Others: Collection<Self>>(with others: Others) -> Publishers.MergeMany<Self> {
    Publishers.MergeMany([self] + others)
  }

  /// Combines values from this publisher and from a collection of others into arrays, like
  /// ``zip(with:)->ZipManyPublisher<Self>``, where the others can have a different type.
  @inlinable @_disfavoredOverload
  public __consuming func zip<Others: Collection>(with others: Others) -> AnyPublisher<[Output], Failure>
  where Others.Element: Publisher<Output, Failure> { erased(with: others).zip().eraseToAnyPublisher() }

  /// Combines values from this publisher and from several others into arrays, like ``zip(with:)->ZipManyPublisher<Self>``,
  /// where the others can have a different type.
  @inlinable @_disfavoredOverload
  public __consuming func zip<Other: Publisher>(with others: Other...) -> AnyPublisher<[Output], Failure>
  where Other.Output == Output, Other.Failure == Failure { erased(with: others).zip().eraseToAnyPublisher() }

  /// Combines the latest values from this publisher and from a collection of others into arrays, like
  /// ``combineLatest(with:)->CombineLatestManyPublisher<Self>``, where the others can have a different type.
  @inlinable @_disfavoredOverload
  public __consuming func combineLatest<Others: Collection>(with others: Others) -> AnyPublisher<[Output], Failure>
  where Others.Element: Publisher<Output, Failure> { erased(with: others).combineLatest().eraseToAnyPublisher() }

  /// Combines the latest values from this publisher and from several others into arrays, like
  /// ``combineLatest(with:)->CombineLatestManyPublisher<Self>``, where the others can have a different type.
  @inlinable @_disfavoredOverload
  public __consuming func combineLatest<Other: Publisher>(with others: Other...) -> AnyPublisher<[Output], Failure>
  where Other.Output == Output, Other.Failure == Failure { erased(with: others).combineLatest().eraseToAnyPublisher() }
}

/// The publisher that `zip()` returns for a collection.
@frozen
public struct ZipManyPublisher<Upstream: Publisher>: Publisher {
  public typealias Output = [Upstream.Output]
  public typealias Failure = Upstream.Failure

  @usableFromInline let publishers: [Upstream]

  @inlinable
  package init<S: Swift.Sequence>(_ publishers: S) where S.Element == Upstream { self.publishers = Array(publishers) }

  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    if publishers.count <= SlotSet.capacity {
      return ZipGroup(publishers[...]).receive(subscriber: subscriber)
    }
    joined(publishers, { ZipGroup($0) }, { ZipGroup($0) }).receive(subscriber: subscriber)
  }
}

/// The publisher that `combineLatest()` returns for a collection.
@frozen
public struct CombineLatestManyPublisher<Upstream: Publisher>: Publisher {
  public typealias Output = [Upstream.Output]
  public typealias Failure = Upstream.Failure

  @usableFromInline let publishers: [Upstream]

  @inlinable
  package init<S: Swift.Sequence>(_ publishers: S) where S.Element == Upstream { self.publishers = Array(publishers) }

  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    if publishers.count <= SlotSet.capacity {
      return LatestGroup(publishers[...]).receive(subscriber: subscriber)
    }
    joined(publishers, { LatestGroup($0) }, { LatestGroup($0) }).receive(subscriber: subscriber)
  }
}

extension ZipManyPublisher: Equatable where Upstream: Equatable {}
extension CombineLatestManyPublisher: Equatable where Upstream: Equatable {}

// An engine identifies its sources by the bits of a word. If there are more sources than bits, they're combined in groups, and
// the groups are combined in turn. The result is the same, because the groups together wait for the same values as a single
// engine would.

/// A zip of no more publishers than one engine supports.
@usableFromInline @frozen
struct ZipGroup<Upstream: Publisher>: Publisher {
  @usableFromInline typealias Output = [Upstream.Output]
  @usableFromInline typealias Failure = Upstream.Failure
  @usableFromInline let publishers: ArraySlice<Upstream>

  @inlinable
  init(_ publishers: ArraySlice<Upstream>) { self.publishers = publishers }

  @inlinable
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    if publishers.isEmpty { return subscriber.receiveOnly(.finished) }
    let engine = ZipEngine(
      SubscriberReceiver(subscriber), ElementLayout(Output.self),
      Array(repeating: ElementLayout(Upstream.Output.self), count: publishers.count)
    ) {
      ElementLayout.write($0.map { ElementLayout.take(Upstream.Output.self, from: $0) }, to: $1)
    }
    for (slot, publisher) in publishers.enumerated() { engine.attach(publisher, slot: slot) }
  }
}

/// A `combineLatest` of no more publishers than one engine supports.
@usableFromInline @frozen
struct LatestGroup<Upstream: Publisher>: Publisher {
  @usableFromInline typealias Output = [Upstream.Output]
  @usableFromInline typealias Failure = Upstream.Failure
  @usableFromInline let publishers: ArraySlice<Upstream>

  @inlinable
  init(_ publishers: ArraySlice<Upstream>) { self.publishers = publishers }

  @inlinable
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    if publishers.isEmpty { return subscriber.receiveOnly(.finished) }
    let engine = CombineLatestEngine(
      SubscriberReceiver(subscriber), ElementLayout(Output.self),
      Array(repeating: ElementLayout(Upstream.Output.self), count: publishers.count)
    ) {
      ElementLayout.write($0.map { ElementLayout.read(Upstream.Output.self, from: $0) }, to: $1)
    }
    for (slot, publisher) in publishers.enumerated() { engine.attach(publisher, slot: slot) }
  }
}

/// Combines more publishers than one group supports: in groups, then in larger groups, until only one is left.
@inlinable @inline(never)
func joined<Upstream: Publisher, Group: Publisher, Larger: Publisher>(
  _ publishers: [Upstream], _ group: (ArraySlice<Upstream>) -> Group,
  _ larger: (ArraySlice<AnyPublisher<[Upstream.Output], Upstream.Failure>>) -> Larger
) -> AnyPublisher<[Upstream.Output], Upstream.Failure>
where
  Group.Output == [Upstream.Output], Group.Failure == Upstream.Failure, Larger.Output == [[Upstream.Output]],
  Larger.Failure == Upstream.Failure
{
  var joined = publishers.groups.map { AnyPublisher(group($0)) }
  while joined.count > 1 {
    joined = joined.groups.map { AnyPublisher(Publishers.Map(upstream: larger($0), transform: flattened)) }
  }
  return joined[0]
}

extension Array {
  /// The elements in groups that are small enough for one engine.
  @inlinable
  var groups: [ArraySlice<Element>] {
    var groups: [ArraySlice<Element>] = []
    var start = 0
    while start < count {
      let end = Swift.min(start + SlotSet.capacity, count)
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

extension ZipManyPublisher: Sendable where Upstream: Sendable {}
extension CombineLatestManyPublisher: Sendable where Upstream: Sendable {}
