/// The subscriptions of a varying number of sources. The sources' slots begin with 1.
///
/// A slot combines an entry's number and a generation, so a signal from a source that has ended finds its slot closed. An entry
/// becomes free when its source has ended and none of its elements are waiting.
package struct SourceTable: ~Copyable {
  package struct Entry {
    package var source = SingleSource()
    /// The number of sources that have occupied the entry before.
    package var generation: UInt32 = 0
    package var waiting: Int32 = 0

    package init() {}
  }

  package var entries: [Entry]
  /// The indices of free entries.
  package var free: [Int32] = []
  /// The number of open slots.
  package var liveCount: Int

  /// Creates a table with open slots from 1 to `count`.
  package init(count: Int = 0) {
    entries = Array(repeating: Entry(), count: count)
    liveCount = count
  }

  // The lower half of a slot's bits is the entry's number, starting with 1. The upper half is the generation.
  @inline(__always) package static var entryBits: Int { Int.bitWidth / 2 }
  @inline(__always) package static var entryMask: Int { 1 << entryBits - 1 }

  @inline(__always)
  package static func generation(of slot: Int) -> UInt32 { UInt32(truncatingIfNeeded: (slot >> entryBits) & entryMask) }

  /// Returns the index of a slot's entry, or `nil` once the entry has been reused. The slot may already be closed.
  @inline(__always)
  package func index(of slot: Int) -> Int? {
    let index = (slot & Self.entryMask) &- 1
    guard index >= 0, index < entries.count, entries[index].generation == Self.generation(of: slot) else {
      return nil
    }
    return index
  }

  @inline(__always)
  package func isOpen(_ slot: Int) -> Bool { index(of: slot).map { entries[$0].source.isLive } ?? false }

  package mutating func open() -> Int {
    liveCount += 1
    guard let index = free.popLast().map(Int.init) else {
      entries.append(Entry())
      return entries.count
    }
    entries[index].source = SingleSource()
    let generation = Self.generation(of: (Int(entries[index].generation) + 1) << Self.entryBits)
    entries[index].generation = generation
    return Int(generation) << Self.entryBits | index + 1
  }

  package func subscription(of slot: Int) -> SubscriptionObject? {
    index(of: slot).flatMap { entries[$0].source.subscription }
  }

  /// Stores a source's subscription. Returns the demand to request, or `nil` to cancel the subscription.
  package mutating func connected(
    _ subscription: SubscriptionObject, to slot: Int, requesting demand: Subscribers.Demand
  )
    -> Subscribers.Demand?
  {
    index(of: slot).flatMap { entries[$0].source.connected(subscription, requesting: demand) }
  }

  /// Closes an open slot whose source has ended. Returns whether the slot's entry is free now.
  @inline(__always)
  package mutating func close(_ slot: Int, _ reaction: inout Reaction) -> Bool {
    guard let index = index(of: slot), entries[index].source.ended(&reaction) else { return false }
    liveCount -= 1
    return removeEndedSource(at: index)
  }

  private mutating func removeEndedSource(at index: Int) -> Bool {
    guard !entries[index].source.isLive, entries[index].waiting == 0 else { return false }
    free.append(Int32(index))
    return true
  }

  /// Counts an element that starts waiting.
  package mutating func addWaiting(_ slot: Int) { if let index = index(of: slot) { entries[index].waiting += 1 } }

  /// Stops counting an element that no longer waits. Returns whether its source's entry is free now.
  package mutating func removeWaiting(_ slot: Int) -> Bool {
    guard let index = index(of: slot), entries[index].waiting > 0 else { return false }
    entries[index].waiting -= 1
    return removeEndedSource(at: index)
  }

  package func request(_ demand: Subscribers.Demand, _ reaction: inout Reaction) {
    for entry in entries { reaction.request(demand, from: entry.source.subscription) }
  }

  /// Cancels every source and closes every slot.
  package mutating func cancel(_ reaction: inout Reaction) {
    var all = SourceTable()
    swap(&all, &self)
    for entry in all.entries { reaction.cancel(entry.source.subscription) }
  }

  /// Reports the attached sources in a bounded number of entries, because a large table may have few sources left.
  package func tell(_ tell: StreamFact.Tell, from first: Int) {
    var told = 0
    for entry in entries.prefix(16 * StreamFact.maxReportedSources) where entry.source.subscription != nil {
      if told == StreamFact.maxReportedSources { break }
      tell(.upstream, first + told, entry.source.subscription)
      told += 1
    }
    if told == StreamFact.maxReportedSources || entries.count > 16 * StreamFact.maxReportedSources, told < liveCount {
      tell(.others, liveCount - told, nil)
    }
  }
}
