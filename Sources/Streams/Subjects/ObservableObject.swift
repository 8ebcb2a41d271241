/// An object that says when it is about to change.
///
/// `objectWillChange` sends before any property that is marked `@Published` changes.
///
///     final class Model: ObservableObject {
///       @Published var name = ""
///     }
public protocol ObservableObject: AnyObject {
  /// What says that the object is about to change.
  associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
  where ObjectWillChangePublisher.Failure == Never

  /// A publisher that sends before the object changes.
  var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
  /// A publisher that sends before a published property changes; the same one as long as the object lives.
  public var objectWillChange: ObservableObjectPublisher { ObservedObjects.shared.publisher(for: self) }
}

/// The publisher that an observable object has when it does not bring its own.
public final class ObservableObjectPublisher: Publisher, Sendable {
  /// It sends that something is about to change, and not what.
  public typealias Output = Void

  /// This publisher cannot fail.
  public typealias Failure = Never

  @usableFromInline let subject = PassthroughSubject<Void, Never>()

  /// Makes a publisher.
  public init() {}

  /// Says that the object is about to change.
  public func send() { subject.send(()) }

  /// Attaches a subscriber.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
    subject.subscribe(subscriber)
  }
}

/// The publishers of the observable objects that were asked for theirs.
///
/// A table beside the objects, since a protocol cannot add a stored property. Looking one up is one hash, with no walk
/// over the object's properties. Objects are held weakly; entries whose object is gone are swept when the table has
/// doubled since the last time.
final class ObservedObjects: Locked<ObservedObjects.State>, @unchecked Sendable {
  // Unchecked: all state is behind the lock.
  static let shared = ObservedObjects()

  struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var sweepCount = 64
    /// Counts the objects that were ever added, so that a property need not look for one again and again.
    var generation = 0
  }

  struct Entry {
    weak var object: AnyObject?
    let publisher: ObservableObjectPublisher
  }

  init() { super.init(State()) }

  func publisher(for object: AnyObject) -> ObservableObjectPublisher {
    let (publisher, _) = withLock { state -> (ObservableObjectPublisher, [AnyObject]) in
      // A weak reference that is read is a strong one for a moment; it dies outside the lock, should it be the last.
      var read: [AnyObject] = []
      if let entry = state.entries[ObjectIdentifier(object)], let existing = entry.object {
        read.append(existing)
        if existing === object { return (entry.publisher, read) }
      }
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

  /// The publisher of an object, if it was asked for, and the generation for which that is true.
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
