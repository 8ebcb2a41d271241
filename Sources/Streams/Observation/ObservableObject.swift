/// An object with a publisher that announces changes before they happen.
///
/// By default, `objectWillChange` sends before any property marked `@Published` changes.
///
///     final class Model: ObservableObject {
///       @Published var name = ""
///     }
public protocol ObservableObject: AnyObject {
  /// The type of the publisher that sends before the object changes.
  associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
  where ObjectWillChangePublisher.Failure == Never

  /// A publisher that sends before the object changes.
  var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
  /// A publisher that sends before a published property changes. It stays the same throughout the object's lifetime.
  public var objectWillChange: ObservableObjectPublisher { ObservedObjects.shared.publisher(for: self) }
}

/// The publisher of an observable object that doesn't supply its own.
public final class ObservableObjectPublisher: Publisher, Sendable {
  /// The type of the values. They announce that the object is about to change, but not how.
  public typealias Output = Void
  public typealias Failure = Never

  @usableFromInline let subject = PassthroughSubject<Void, Never>()

  /// Creates a publisher.
  public init() {}

  /// Notifies the subscribers that the object is about to change.
  public func send() { subject.send(()) }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: __owned S) where S.Input == Void, S.Failure == Never {
    subject.subscribe(subscriber)
  }
}

/// The publishers of the observable objects whose `objectWillChange` has been read.
///
/// The publishers are in a table, because a protocol can't add a stored property. A lookup computes one hash and doesn't use
/// reflection. Objects are held weakly. When the table has doubled since the last cleanup, entries of deallocated objects are
/// removed.
final class ObservedObjects: Locked<ObservedObjects.State>, @unchecked Sendable {
  // Unchecked: the lock protects all state.
  static let shared = ObservedObjects()

  struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var sweepCount = 64
    /// The number of objects ever added, so a property doesn't repeat a failed lookup.
    var generation = 0
  }

  struct Entry {
    weak var object: AnyObject?
    let publisher: ObservableObjectPublisher
  }

  init() { super.init(State()) }

  func publisher(for object: AnyObject) -> ObservableObjectPublisher {
    let (publisher, _) = withLock { state -> (ObservableObjectPublisher, [AnyObject]) in
      // If an object with this identity is still alive, it's the one that the caller holds.
      if let entry = state.entries[ObjectIdentifier(object)], entry.object != nil { return (entry.publisher, []) }
      // Reading a weak reference creates a strong one, which may become the last one and must be released outside the lock.
      var read: [AnyObject] = []
      let publisher = ObservableObjectPublisher()
      state.entries[ObjectIdentifier(object)] = Entry(object: object, publisher: publisher)
      state.generation += 1
      if state.entries.count >= state.sweepCount {
        state.entries = state.entries.filter { entry in
          guard let object = entry.value.object else { return false }
          read.append(object)
          return true
        }
        state.sweepCount = max(64, state.entries.count * 2)
      }
      return (publisher, read)
    }
    return publisher
  }

  /// Returns an object's publisher, if it has one, and the generation for which this result is valid.
  func existingPublisher(for object: AnyObject, since generation: Int) -> (ObservableObjectPublisher?, Int) {
    let (found, newGeneration, _) = withLock { state -> (ObservableObjectPublisher?, Int, AnyObject?) in
      guard state.generation != generation else { return (nil, generation, nil) }
      let entry = state.entries[ObjectIdentifier(object)]
      let existing = entry?.object
      return (existing === object ? entry?.publisher : nil, state.generation, existing)
    }
    return (found, newGeneration)
  }
}
