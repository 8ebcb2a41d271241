package import Synchronization

/// The hook through which the module `StreamInspection` observes streams: which ones begin and end, and how many values pass.
///
/// While nothing is observed, creating a sink or a loop over `values` costs one check, and a sink's values cost none.
package final class StreamObserver: Sendable {
  let began: @Sendable (AnyObject) -> UInt32
  let ended: @Sendable (TimedCounter) -> Void
  let ending: @Sendable (UInt32, (any Error.Type)?) -> Void
  let made: @Sendable (AnyObject) -> Void
  let released: @Sendable (AnyObject) -> Void
  let orphaned: @Sendable (AnyObject) -> Void
  let late: @Sendable (AnyObject) -> Void
  let unheard: @Sendable (AnyObject, AnyObject) -> Void
  let lost: @Sendable (AnyObject) -> Void

  /// Creates an observer, which has to be installed. Its closures must not retain the objects that they receive.
  ///
  /// - Parameters:
  ///   - began: Handles the creation of a sink or a loop. Returns a number, other than 0, that identifies it.
  ///   - ended: Handles the end of a sink or a loop. Receives its counter, which holds the number that identifies it.
  ///   - ending: Handles a failure, given the type of the error, or a cancellation, before the end. Receives the number that
  ///     identifies the sink or the loop.
  ///   - made: Handles the creation of a subject's subscriber list, or of a future.
  ///   - released: Handles the release of a subject's subscriber list, or of a future.
  ///   - orphaned: Handles the release of the object that has a published property, given the property's subscriber list.
  ///   - late: Handles a subscription to a subject that has already ended. Receives the subscriber's receiver.
  ///   - unheard: Handles senders that begin to wait for a subject's first subscriber. Receives the senders, which tell how
  ///     many wait, and the subject's subscriber list.
  ///   - lost: Handles a value sent to a subject that hasn't had a subscriber and doesn't keep values. Receives the subject's
  ///     subscriber list.
  package init(
    began: @escaping @Sendable (AnyObject) -> UInt32, ended: @escaping @Sendable (TimedCounter) -> Void,
    ending: @escaping @Sendable (UInt32, (any Error.Type)?) -> Void,
    made: @escaping @Sendable (AnyObject) -> Void, released: @escaping @Sendable (AnyObject) -> Void,
    orphaned: @escaping @Sendable (AnyObject) -> Void,
    late: @escaping @Sendable (AnyObject) -> Void, unheard: @escaping @Sendable (AnyObject, AnyObject) -> Void,
    lost: @escaping @Sendable (AnyObject) -> Void
  ) {
    self.began = began
    self.ended = ended
    self.ending = ending
    self.made = made
    self.released = released
    self.orphaned = orphaned
    self.late = late
    self.unheard = unheard
    self.lost = lost
  }

  // The installed object is never released.
  private static let installed = Atomic<Unmanaged<StreamObserver>?>(nil)

  /// The observer that has been installed, if there's one, whether or not streams are observed now.
  static var ever: StreamObserver? { installed.load(ordering: .acquiring)?.takeUnretainedValue() }

  static var current: StreamObserver? { RuntimeFeatures.includes(.observed) ? ever : nil }

  /// Tells the observer that a subject or a future has been created, if streams are observed.
  static func noteMade(_ object: AnyObject) {
    if RuntimeFeatures.includes(.observed) { ever?.made(object) }
  }

  /// Tells the observer that a subject or a future is being released, if streams are observed.
  static func noteReleased(_ object: AnyObject) {
    if RuntimeFeatures.includes(.observed) { ever?.released(object) }
  }

  /// Tells the observer that the object with a published property has been released, if streams are observed.
  static func noteOrphaned(_ subscribers: AnyObject) {
    if RuntimeFeatures.includes(.observed) { ever?.orphaned(subscribers) }
  }

  /// Installs the process's observer. Only the first call has an effect.
  package static func install(_ observer: StreamObserver) {
    let new = Unmanaged.passRetained(observer)
    if !installed.compareExchange(expected: nil, desired: new, ordering: .acquiringAndReleasing).exchanged {
      new.release()
    }
  }

  /// Starts or stops observing the streams that begin from now on.
  package static func observes(_ isOn: Bool) { RuntimeFeatures.set(.observed, isOn) }

  /// The time in milliseconds since observation began, which the observer sets.
  package static let time = Atomic<UInt32>(0)
}

/// The features that a program turns on at run time, stored in one byte that's checked with one load.
@usableFromInline
package enum RuntimeFeatures: UInt8 {
  /// Contexts follow values.
  case contexts = 1
  case observed = 2

  private static let bits = Atomic<UInt8>(0)

  /// Indicates whether any feature is on.
  @usableFromInline
  package static var isAny: Bool { bits.load(ordering: .relaxed) != 0 }

  @inline(__always)
  static func includes(_ extra: RuntimeFeatures) -> Bool { bits.load(ordering: .relaxed) & extra.rawValue != 0 }

  static func set(_ extra: RuntimeFeatures, _ isOn: Bool) {
    while true {
      let old = bits.load(ordering: .relaxed)
      let new = isOn ? old | extra.rawValue : old & ~extra.rawValue
      if bits.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent).exchanged { return }
    }
  }
}

/// A counter of the values that arrive at a sink or a loop. It also notes when the last one arrived.
@usableFromInline
package class TimedCounter {
  /// The number of values. They arrive one at a time, but another thread may read the number.
  package final let count = Atomic<UInt>(0)
  /// The time at which the last value arrived, in milliseconds since observation began.
  package final let last = Atomic<UInt32>(0)
  /// The number that the observer has given to the sink or the loop.
  package final let entry: UInt32

  init(_ entry: UInt32) { self.entry = entry }

  /// Counts a value that has just arrived at a loop.
  @usableFromInline @inline(never)
  final func noteValue() {
    note()
    noteTime()
  }

  @inline(__always)
  final func note() { count.store(count.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

  final func noteCancellation() { StreamObserver.ever?.ending(entry, nil) }

  final func note<Failure>(_ completion: Subscribers.Completion<Failure>) {
    if case .failure(let error) = completion { StreamObserver.ever?.ending(entry, type(of: error as any Error)) }
  }

  @inline(__always)
  final func noteTime() { last.store(StreamObserver.time.load(ordering: .relaxed), ordering: .relaxed) }

  /// Tells numbers, rather than this object, which must not outlive the sink.
  final func tell(_ tell: StreamFact.Tell) {
    tell(.counted, Int(entry), nil)
    tell(.received, Int(bitPattern: count.load(ordering: .relaxed)), nil)
    tell(.lastReceived, Int(last.load(ordering: .relaxed)), nil)
  }

  deinit { StreamObserver.ever?.ended(self) }
}
