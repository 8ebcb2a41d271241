internal import Streams
internal import Synchronization

/// The sinks that began while streams were being inspected: an entry of 16 bytes for each live one.
final class Registry: @unchecked Sendable {
  // Unchecked: the lock protects all state.

  static let shared = Registry()

  /// The time and the place at which a part was created.
  struct Made {
    let time: UInt32
    let place: CallSiteID
  }

  /// An entry for a live sink. A free entry refers to the next free one.
  fileprivate struct Entry {
    /// The address of the sink's object, which isn't retained. Its memory is valid while this entry exists and the lock
    /// is held, because the sink's release waits for the lock to remove the entry.
    var sink: UInt
    var time: UInt32
    var place: UInt32
  }

  struct State {
    fileprivate var entries: [Entry] = []
    fileprivate var firstFree: UInt32 = 0
    fileprivate var count = 0
    /// The places that created subjects and futures. A subject's key is the address of its subscriber list.
    fileprivate var sources: [UInt64: UInt32] = [:]
    /// The sinks that have ended recently, the last one at the end.
    fileprivate var ended: [EndedSink] = []
    /// How live sinks that are about to end do so, keyed by the number of the entry: the type of the error, or `nil` for a
    /// cancellation.
    fileprivate var endings: [UInt32: (any Error.Type)?] = [:]
    /// The events that haven't been taken yet, or `nil` if none are recorded, and the number of lost events.
    fileprivate var events: [InspectionEvent]?
    fileprivate var lostEvents = 0

    fileprivate mutating func note(_ event: @autoclosure () -> InspectionEvent) {
      guard let count = events?.count else { return }
      if count < 10_000 { events?.append(event()) } else { lostEvents += 1 }
    }
    /// The most recent subscriptions to subjects that had already ended.
    fileprivate var late: [LateSubscription] = []
    /// The senders that waited for a subject's first subscriber, keyed by the address of the subject's subscriber list.
    fileprivate var unheard: [UInt64: UnheardSenders] = [:]
    /// The published properties whose objects have been released, by the address of the subscriber list.
    fileprivate var orphans: Set<UInt64> = []
    /// The values that were sent to a subject before it had a subscriber, keyed by the address of the subscriber list.
    fileprivate var lost: [UInt64: LostValues] = [:]
  }

  /// The number of values that were sent to a subject before its first subscriber arrived, and the call that sent the first
  /// one.
  struct LostValues: CustomStringConvertible {
    fileprivate(set) var count = 0
    let place: CallSiteID

    /// The number, and the place of the first one if it's known.
    var description: String {
      let place = CallSites.shared.place(of: place).map { count == 1 ? " (\($0))" : " (the first at \($0))" } ?? ""
      return "\(numberOfValues(count))\(place)"
    }
  }

  /// The senders that began to wait before their subject had a subscriber.
  struct UnheardSenders {
    fileprivate(set) weak var senders: AnyObject?
    let since: UInt32
  }

  /// A subscription to a subject that had already ended.
  struct LateSubscription {
    let place: CallSiteID
    let subscriber: Any.Type
  }

  struct EndedSink {
    let id: UInt64
    let made: Made
    let time: UInt32
    let count: UInt64
    /// Indicates whether the sink was cancelled, or the loop left.
    let isCancelled: Bool
    let isLoop: Bool
    /// The type of the error with which the stream failed.
    let failure: (any Error.Type)?
    /// The call in which the sink ended.
    let site: CallSiteID

    /// Indicates whether the sink ended as soon as it began, as far as the clock tells.
    var isImmediate: Bool { time == made.time }
  }

  private let state = Locked(State())

  /// The maximum number of ended sinks to remember.
  private static let remembered = 64

  var observer: StreamObserver {
    StreamObserver(
      began: began, ended: ended, ending: ending, made: made, released: released, orphaned: orphaned, late: late,
      unheard: unheard, lost: lost)
  }

  private init() {}

  // MARK: Streams

  @Sendable private func began(_ sink: AnyObject) -> UInt32 {
    let address = UInt(bitPattern: ObjectIdentifier(sink))
    let new = Entry(
      sink: address, time: StreamObserver.time.load(ordering: .relaxed), place: CallSites.shared.note().rawValue)
    return state.withLock { state in
      state.count += 1
      state.note(InspectionEvent(.began, at: CallSiteID(rawValue: new.place)))
      if state.firstFree != 0 {
        let entry = state.firstFree
        state.firstFree = state.entries[Int(entry) - 1].place
        state.entries[Int(entry) - 1] = new
        return entry
      }
      state.entries.append(new)
      return UInt32(state.entries.count)
    }
  }

  @Sendable private func ending(_ entry: UInt32, _ failure: (any Error.Type)?) {
    state.withLock { $0.endings[entry] = .some(failure) }
  }

  @Sendable private func ended(_ counter: TimedCounter) {
    let now = StreamObserver.time.load(ordering: .relaxed)
    let count = UInt64(counter.count.load(ordering: .relaxed))
    let site = CallSites.shared.note()
    state.withLock { state in
      let entry = state.entries[Int(counter.entry) - 1]
      state.entries[Int(counter.entry) - 1] = Entry(sink: 0, time: 0, place: state.firstFree)
      state.firstFree = counter.entry
      state.count -= 1
      let ending = state.endings.removeValue(forKey: counter.entry)
      let lifetime = Double(now &- entry.time) / 1_000
      state.note(InspectionEvent(.ended(received: count, after: lifetime), at: CallSiteID(rawValue: entry.place)))
      if state.ended.count == Self.remembered { state.ended = Array(state.ended.suffix(Self.remembered / 2)) }
      state.ended.append(
        EndedSink(
          id: UInt64(entry.sink), made: Made(time: entry.time, place: CallSiteID(rawValue: entry.place)), time: now,
          count: count, isCancelled: ending.map { $0 == nil } ?? false, isLoop: type(of: counter) == TimedCounter.self,
          failure: ending ?? nil, site: site))
    }
  }

  @Sendable private func made(_ source: AnyObject) {
    let place = CallSites.shared.note().rawValue
    let id = UInt64(UInt(bitPattern: ObjectIdentifier(source)))
    state.withLock { $0.sources[id] = place }
  }

  @Sendable private func released(_ source: AnyObject) {
    let id = UInt64(UInt(bitPattern: ObjectIdentifier(source)))
    _ = state.withLock { state in
      state.unheard.removeValue(forKey: id)
      state.orphans.remove(id)
      state.lost.removeValue(forKey: id)
      return state.sources.removeValue(forKey: id)
    }
  }

  @Sendable private func orphaned(_ subscribers: AnyObject) {
    let id = UInt64(UInt(bitPattern: ObjectIdentifier(subscribers)))
    state.withLock { _ = $0.orphans.insert(id) }
  }

  @Sendable private func late(_ receiver: AnyObject) {
    let new = LateSubscription(place: CallSites.shared.note(), subscriber: type(of: receiver))
    state.withLock { state in
      if state.late.count == Self.remembered { state.late = Array(state.late.suffix(Self.remembered / 2)) }
      state.late.append(new)
    }
  }

  @Sendable private func unheard(_ senders: AnyObject, _ subscribers: AnyObject) {
    let id = UInt64(UInt(bitPattern: ObjectIdentifier(subscribers)))
    let since = StreamObserver.time.load(ordering: .relaxed)
    state.withLock { state in
      if state.unheard[id] == nil { state.unheard[id] = UnheardSenders(senders: senders, since: since) }
    }
  }

  @Sendable private func lost(_ subscribers: AnyObject) {
    let id = UInt64(UInt(bitPattern: ObjectIdentifier(subscribers)))
    // Only the call that sent the first value is noted.
    if state.withLock({ $0.lost[id]?.count += 1 }) == nil {
      let place = CallSites.shared.note()
      state.withLock { $0.lost[id, default: LostValues(place: place)].count += 1 }
    }
  }

  // MARK: Reading

  /// Returns the values that were sent to a subject before its first subscriber arrived, given the address of the
  /// subscriber list.
  func lostValues(ofSubject id: UInt64) -> LostValues? { state.withLock { $0.lost[id] } }

  /// Returns whether the object that has a published property has been released, given the address of the subscriber list.
  func isOrphan(_ id: UInt64) -> Bool { state.withLock { $0.orphans.contains(id) } }

  /// The values that were sent to subjects before their first subscribers arrived.
  var lostValues: [(subject: UInt64, LostValues)] { state.withLock { $0.lost.map { ($0, $1) } } }

  /// The senders that waited for a subject's first subscriber, which may have arrived since then.
  var unheardSenders: [(subject: UInt64, UnheardSenders)] { state.withLock { $0.unheard.map { ($0, $1) } } }

  /// The most recent subscriptions to subjects that had already ended.
  var lateSubscriptions: [LateSubscription] { state.withLock { $0.late } }

  func made(_ entry: UInt32) -> Made? {
    state.withLock { state in
      guard entry > 0, Int(entry) <= state.entries.count, state.entries[Int(entry) - 1].sink != 0 else { return nil }
      let entry = state.entries[Int(entry) - 1]
      return Made(time: entry.time, place: CallSiteID(rawValue: entry.place))
    }
  }

  /// Returns the place that created a subject or a future, given the address of its state.
  func place(ofSource id: UInt64) -> CodeLine? {
    let place = state.withLock { $0.sources[id] }
    return place.flatMap { CallSites.shared.place(of: CallSiteID(rawValue: $0)) }
  }

  /// Returns the other live subjects that the same line created. None are returned for a program with very many places.
  func twins(ofSubject id: UInt64) -> [UInt64] {
    let sources = state.withLock { $0.sources }
    let sites = Set(sources.values)
    guard let site = sources[id], sites.count <= 200, let place = CallSites.shared.place(of: CallSiteID(rawValue: site))
    else { return [] }
    let twins = sites.filter { CallSites.shared.place(of: CallSiteID(rawValue: $0)) == place }
    return sources.filter { $0.key != id && twins.contains($0.value) }.map(\.key)
  }

  /// Starts or stops recording events. Stopping drops the recorded events. Starting twice keeps them.
  func keepsEvents(_ isOn: Bool) { state.withLock { $0.events = isOn ? $0.events ?? [] : nil } }

  /// Removes and returns the recorded events.
  func takeEvents() -> [InspectionEvent] {
    state.withLock { state in
      guard var events = state.events else { return [] }
      if state.lostEvents > 0 { events.append(InspectionEvent(.lost(state.lostEvents), at: .unknown)) }
      (state.events, state.lostEvents) = ([], 0)
      return events
    }
  }

  /// The number of live sinks.
  var count: Int { state.withLock { $0.count } }

  /// The sinks that have ended recently, the last one at the end.
  var endedSinks: [EndedSink] { state.withLock { $0.ended } }

  func endedSink(_ id: UInt64) -> EndedSink? { endedSinks.last { $0.id == id } }

  /// Calls a closure with each live sink, one after another, until the closure returns false. Sinks may begin and end
  /// during these calls.
  func forEach(_ body: (LiveRoot) -> Bool) {
    var position = 0
    while true {
      // The sink is retained under the lock, and released outside of it.
      let sink: AnyObject? = state.withLock { state in
        while position < state.entries.count {
          defer { position += 1 }
          if let sink = state.entries[position].liveSink { return sink }
        }
        return nil
      }
      guard let sink, body(LiveRoot(sink)) else { return }
    }
  }

  /// Calls a closure with up to 100 live streams, until the closure returns false. The closure's second argument reads up to 16
  /// parts of the stream.
  func forEachStream(_ body: (LiveRoot, _ read: () -> [Node]) -> Bool) {
    var count = 0
    forEach { root in
      count += 1
      return body(root, { StreamReader(root, limit: 16).nodes }) && count < 100
    }
  }

  /// Returns the sink at an address, if it's still alive and began at the given time.
  func root(_ id: UInt64, madeAt time: UInt32) -> LiveRoot? {
    // The sink is retained under the lock, and released outside of it.
    let sink: AnyObject? = state.withLock { state in
      for entry in state.entries where UInt64(entry.sink) == id && entry.time == time { return entry.liveSink }
      return nil
    }
    return sink.map { LiveRoot($0) }
  }

  /// Forgets everything except live sinks and recorded events.
  func forget() {
    state.withLock { state in
      state.sources = [:]
      state.ended = []
      state.late = []
      state.unheard = [:]
      state.orphans = []
      state.lost = [:]
    }
  }
}

extension Registry.Entry {
  /// The sink, if there's one that isn't being released. This property must be read under the lock.
  fileprivate var liveSink: AnyObject? {
    guard let address = UnsafeRawPointer(bitPattern: sink) else { return nil }
    // Safe: see `sink`. The strong reference keeps a sink alive until the weak one has been read. If the sink is being
    // released, the weak reference is `nil`, and the strong one doesn't have any effect.
    let object = Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
    weak let live = object
    return withExtendedLifetime(object) { live }
  }
}

/// A live sink, and the facts that it has reported.
struct LiveRoot {
  let id: UInt64
  let type: Any.Type
  let facts: Facts
  /// The place that created the sink, if it's known.
  var place: CodeLine? {
    facts.counter.flatMap { Registry.shared.made($0.entry) }.flatMap { CallSites.shared.place(of: $0.place) }
  }

  /// The name of the checkpoint directly before the sink.
  var checkpoint: String? { facts.checkpoint }

  // Keeps the sink alive while it's read.
  private let sink: AnyObject

  fileprivate init(_ sink: AnyObject) {
    self.sink = sink
    id = UInt64(UInt(bitPattern: ObjectIdentifier(sink)))
    (type, facts) = (Swift.type(of: sink), Facts(of: sink))
  }
}
