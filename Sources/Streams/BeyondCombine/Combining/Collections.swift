extension Collection where Element: Publisher {
  /// Passes on the values of all publishers of the collection as they come.
  ///
  ///     rooms.map(\.messages).merge()
  ///
  /// `Publisher/merge(with:)` says the rest. Without a publisher it finishes at once.
  @inlinable
  public func merge() -> Publishers.MergeMany<Element> { Publishers.MergeMany(self) }

  /// Puts the first values of all publishers of the collection together in an array, then the second ones, and so on.
  ///
  ///     files.map { load($0) }.zip()
  ///
  /// ![Marble diagram of zip of a collection](diagram-zip-many)
  ///
  /// ``Publisher/zip(_:)`` says the rest. Without a publisher it finishes at once. A value waits until every other
  /// publisher has sent its own: no more wait than downstream has asked for arrays.
  @inlinable
  public func zip() -> Publishers.ZipMany<Element> { Publishers.ZipMany(self) }

  /// Puts the newest values of all publishers of the collection together in an array whenever one of them sends one.
  ///
  ///     sensors.map(\.temperature).combineLatest()
  ///
  /// ![Marble diagram of combineLatest of a collection](diagram-combineLatest-many)
  ///
  /// ``Publisher/combineLatest(_:)`` says the rest. Without a publisher it finishes at once.
  @inlinable
  public func combineLatest() -> Publishers.CombineLatestMany<Element> { Publishers.CombineLatestMany(self) }
}

extension Publisher {
  /// Puts the values of this publisher together with those of others in arrays, this publisher's first.
  @inlinable @_disfavoredOverload
  public func zip<Others: Collection<Self>>(with others: Others) -> Publishers.ZipMany<Self> {
    Publishers.ZipMany([self] + others)
  }

  /// Puts the newest values of this publisher and of others together in arrays, this publisher's first.
  @inlinable @_disfavoredOverload
  public func combineLatest<Others: Collection<Self>>(with others: Others) -> Publishers.CombineLatestMany<Self> {
    Publishers.CombineLatestMany([self] + others)
  }

  /// Passes on the values of this publisher and of others as they come.
  @inlinable @_disfavoredOverload
  public func merge<Others: Collection<Self>>(with others: Others) -> Publishers.MergeMany<Self> {
    Publishers.MergeMany([self] + others)
  }
}

extension Publishers {
  /// The publisher of `zip()` of a collection.
  @frozen
  public struct ZipMany<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = [Upstream.Output]

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publishers whose values are put together.
    public let publishers: [Upstream]

    /// Makes the publisher.
    @inlinable
    public init<S: Swift.Sequence>(_ publishers: S) where S.Element == Upstream { self.publishers = Array(publishers) }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      if publishers.count <= Engine.combiningCapacity {
        return ZipGroup(publishers[...]).receive(subscriber: subscriber)
      }
      let groups = publishers.groups.map { AnyPublisher(ZipGroup($0)) }
      groups.combined { AnyPublisher(ZipGroup($0).map { Array($0.joined()) }) }.receive(subscriber: subscriber)
    }
  }

  /// The publisher of `combineLatest()` of a collection.
  @frozen
  public struct CombineLatestMany<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = [Upstream.Output]

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publishers whose newest values are put together.
    public let publishers: [Upstream]

    /// Makes the publisher.
    @inlinable
    public init<S: Swift.Sequence>(_ publishers: S) where S.Element == Upstream { self.publishers = Array(publishers) }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      if publishers.count <= Engine.combiningCapacity {
        return LatestGroup(publishers[...]).receive(subscriber: subscriber)
      }
      let groups = publishers.groups.map { AnyPublisher(LatestGroup($0)) }
      groups.combined { AnyPublisher(LatestGroup($0).map { Array($0.joined()) }) }.receive(subscriber: subscriber)
    }
  }
}

extension Publishers.ZipMany: Equatable where Upstream: Equatable {}
extension Publishers.CombineLatestMany: Equatable where Upstream: Equatable {}

// A machine knows its sources by the bits of a word. More of them are put together in groups, and these in groups in
// turn, which comes to the same: what a group waits for, the whole waits for.

/// As many publishers as one engine zips.
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
    let slots = publishers.map { _ in QueueSlot<Upstream.Output>() }
    let engine = Engine.zip(count: slots.count)
    let outlet = CombiningOutlet(subscriber, in: engine) { slots.map { $0.take() } }
    for (slot, publisher) in publishers.enumerated() { outlet.attach(publisher, slots[slot], slot, engine) }
  }
}

/// As many publishers as one engine combines the newest values of.
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
    let slots = publishers.map { _ in NewestSlot<Upstream.Output>() }
    let engine = Engine.latest(count: slots.count)
    let outlet = CombiningOutlet(subscriber, in: engine) { slots.map { $0.peek() } }
    for (slot, publisher) in publishers.enumerated() { outlet.attach(publisher, slots[slot], slot, engine) }
  }
}

extension Array {
  /// Its elements, in groups that one engine can take.
  @inlinable
  var groups: [ArraySlice<Element>] {
    stride(from: 0, to: count, by: Engine.combiningCapacity).map {
      self[$0..<Swift.min($0 + Engine.combiningCapacity, count)]
    }
  }

  /// Makes one publisher of many, a group at a time.
  @inlinable
  func combined<Value, Failure: Error>(
    _ combine: (ArraySlice<Element>) -> Element
  ) -> Element where Element == AnyPublisher<[Value], Failure> {
    var publishers = self
    while publishers.count > 1 { publishers = publishers.groups.map(combine) }
    return publishers[0]
  }
}

extension Engine {
  /// How many sources can be zipped, or have their newest values combined, by one engine.
  @usableFromInline
  static var combiningCapacity: Int { SlotSet.capacity }
}

extension Publishers.ZipMany: Sendable where Upstream: Sendable {}
extension Publishers.CombineLatestMany: Sendable where Upstream: Sendable {}
