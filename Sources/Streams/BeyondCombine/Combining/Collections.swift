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
  public __consuming func zip<Others: Collection<Self>>(with others: Others) -> Publishers.ZipMany<Self> {
    Publishers.ZipMany([self] + others)
  }

  /// Puts the newest values of this publisher and of others together in arrays, this publisher's first.
  @inlinable @_disfavoredOverload
  public __consuming func combineLatest<Others: Collection<Self>>(with others: Others)
    -> Publishers.CombineLatestMany<Self>
  {
    Publishers.CombineLatestMany([self] + others)
  }

  /// Passes on the values of this publisher and of others as they come.
  @inlinable @_disfavoredOverload
  public __consuming func merge<Others: Collection<Self>>(with others: Others) -> Publishers.MergeMany<Self> {
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

    /// Creates the publisher.
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
    /// The kind of values this publisher sends.
    public typealias Output = [Upstream.Output]

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publishers whose newest values are put together.
    public let publishers: [Upstream]

    /// Creates the publisher.
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

  /// Makes one publisher of more than a group can take.
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
    let places = QueueSlots<Upstream.Output>(count: publishers.count)
    let engine = Engine.zip(count: publishers.count)
    let combining = Combining(subscriber, in: engine) { places.take() }
    for (slot, publisher) in publishers.enumerated() { combining.attach(publisher, places.slots[slot], slot) }
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

  /// Makes one publisher of more than a group can take.
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
    let places = NewestSlots<Upstream.Output>(count: publishers.count)
    let engine = Engine.latest(count: publishers.count)
    let combining = Combining(subscriber, in: engine) { places.peek() }
    for (slot, publisher) in publishers.enumerated() { combining.attach(publisher, places.slots[slot], slot) }
  }
}

// Objects, because closures of what is inlined may capture nothing else.

/// The slots of as many sources of one type as are zipped.
@usableFromInline @_fixed_layout
final class QueueSlots<Element> {
  @usableFromInline let slots: [QueueSlot<Element>]

  @inlinable
  init(count: Int) {
    var slots: [QueueSlot<Element>] = []
    for _ in 0..<count { slots.append(QueueSlot()) }
    self.slots = slots
  }

  /// Removes the oldest element of each.
  @inlinable
  func take() -> [Element] {
    var elements: [Element] = []
    elements.reserveCapacity(slots.count)
    for slot in slots { elements.append(slot.take()) }
    return elements
  }
}

/// The slots of as many sources of one type as have their newest values combined.
@usableFromInline @_fixed_layout
final class NewestSlots<Element> {
  @usableFromInline let slots: [NewestSlot<Element>]

  @inlinable
  init(count: Int) {
    var slots: [NewestSlot<Element>] = []
    for _ in 0..<count { slots.append(NewestSlot()) }
    self.slots = slots
  }

  /// Returns the newest element of each.
  @inlinable
  func peek() -> [Element] {
    var elements: [Element] = []
    elements.reserveCapacity(slots.count)
    for slot in slots { elements.append(slot.peek()) }
    return elements
  }
}

extension Array {
  /// Its elements, in groups that one engine can take.
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
  /// How many sources can be zipped, or have their newest values combined, by one engine.
  @usableFromInline
  static var combiningCapacity: Int { SlotSet.capacity }
}

extension Publishers.ZipMany: Sendable where Upstream: Sendable {}
extension Publishers.CombineLatestMany: Sendable where Upstream: Sendable {}
