/// A property wrapper that publishes each value of the property.
///
///     final class Model: ObservableObject {
///       @Published var query = ""
///     }
///     model.$query.sink { print($0) }
///
/// The publisher `$query` sends the current value to each new subscriber, then each new value before the property changes.
/// During the delivery, the property still has the old value, so use the value that your closure receives. If you set the
/// property during another delivery, the property changes immediately, and the new value is delivered after the earlier one.
/// You can get and set the property from any thread. It must belong to a class.
@propertyWrapper
public struct Published<Value> {
  let storage: PublishedStorage<Value>

  /// Creates a property with an initial value.
  ///
  /// - Parameter wrappedValue: The initial value.
  public init(wrappedValue: Value) { storage = PublishedStorage(wrappedValue) }

  /// Creates a property with an initial value.
  ///
  /// - Parameter initialValue: The initial value.
  public init(initialValue: Value) { self.init(wrappedValue: initialValue) }

  /// The publisher of the property's values.
  ///
  /// If you set it to another property's publisher, this property takes that property's current value, but keeps its own
  /// publisher, its subscribers and the streams assigned to it.
  public var projectedValue: Publisher {
    mutating get { Publisher(storage: storage) }
    set { storage.takeValue(of: newValue.storage, owner: nil) }
  }

  /// Unavailable, because the property must belong to a class.
  @available(*, unavailable, message: "@Published is only available on properties of classes")
  public var wrappedValue: Value {
    get { stopProgram("@Published is only available on properties of classes") }
    set { stopProgram("@Published is only available on properties of classes") }
  }

  /// The value of an object's property.
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
  ) -> Value {
    get { object[keyPath: storageKeyPath].storage.value }
    set { object[keyPath: storageKeyPath].storage.set(newValue, owner: object) }
  }

  /// The publisher of an object's property.
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    projected wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Publisher>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
  ) -> Publisher {
    get {
      let storage = object[keyPath: storageKeyPath].storage
      storage.belongs(to: object)
      return Publisher(storage: storage)
    }
    set { object[keyPath: storageKeyPath].storage.takeValue(of: newValue.storage, owner: object) }
  }

  /// A publisher that sends the current value of a property, then each new value before the property changes.
  ///
  /// A subscriber without demand receives the newest value once it requests one. The publisher never finishes.
  public struct Publisher: Streams.Publisher {
    public typealias Output = Value
    public typealias Failure = Never

    @usableFromInline let broadcast: Broadcast<Value, Never>
    let storage: PublishedStorage<Value>

    init(storage: PublishedStorage<Value>) {
      self.storage = storage
      broadcast = storage.broadcast
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: __owned S) where S.Input == Value, S.Failure == Never {
      broadcast.subscribe(subscriber)
    }
  }
}

extension Publisher where Failure == Never {
  /// Assigns each value to a published property.
  ///
  ///     titles.assign(to: &model.$title)
  ///
  /// There's no cancellable to store, and the stream doesn't retain the object. It requests unlimited demand, and is cancelled
  /// when the object has been deallocated and nothing retains the property's publisher. On an actor, this method sets the
  /// property on that actor. Otherwise, or with `isolation: nil`, it's set on the thread that sends the value.
  ///
  /// - Parameters:
  ///   - published: The publisher of the property.
  ///   - isolation: The actor that the property belongs to. Defaults to the caller's actor.
  /// - Complexity: O(1) for each value, plus the work of the property's subscribers.
  public func assign(
    to published: inout Published<Output>.Publisher, isolation: isolated (any Actor)? = #isolation
  ) {
    let subscriber = PublishedSubscriber(published.storage)
    if let isolation { subscribe(subscriber, on: isolation) } else { subscribe(subscriber) }
    published.storage.keep(subscriber.link)
  }
}

final class PublishedStorage<Value>: Locked<PublishedState> {
  let broadcast: Broadcast<Value, Never>

  init(_ value: Value) {
    broadcast = Broadcast(current: value, isPublished: true)
    super.init(PublishedState())
  }

  deinit { StreamObserver.noteOrphaned(broadcast.core) }

  /// The value of the property: the newest one that all subscribers have received or that was set during a delivery.
  var value: Value { broadcast.valueOfProperty }

  /// Announces the change through the owner's `objectWillChange`, then sends the value.
  func set(_ value: Value, owner: AnyObject?) {
    willChange(owner)?.send()
    broadcast.sendBeforeChange(value)
  }

  /// Sets this property to another one's value. Does nothing for the same property, whose publisher `assign(to:)` writes back.
  func takeValue(of other: PublishedStorage, owner: AnyObject?) {
    if other !== self { set(other.value, owner: owner) }
  }

  /// Remembers the object, so values that a stream assigns are announced too.
  func belongs(to owner: AnyObject) {
    let (_, _) = withLock { state -> (AnyObject?, AnyObject?) in
      let earlier = state.owner
      if earlier !== owner { state.owner = owner }
      return (earlier, owner)
    }
  }

  /// Stores the link of a stream that assigns to the property.
  func keep(_ link: UpstreamLink) {
    let cancellable = AnyCancellable(link: link)
    _ = withLock { $0.assignments.append((link, cancellable)) { !$0.link.isForwarding } }
  }

  private func willChange(_ owner: AnyObject?) -> ObservableObjectPublisher? {
    let (known, generation, remembered) = withLock { ($0.willChange, $0.generation, $0.owner) }
    if let known { return known }
    guard let owner = owner ?? remembered else { return nil }
    let (found, newGeneration) = ObservedObjects.shared.existingPublisher(for: owner, since: generation)
    withLock { state in
      state.generation = newGeneration
      state.willChange = found
    }
    return found
  }
}

struct PublishedState {
  weak var owner: AnyObject?
  var willChange: ObservableObjectPublisher?
  var generation = 0
  var assignments: [(link: UpstreamLink, cancellable: AnyCancellable)] = []
}

/// A subscriber that assigns to a published property without keeping the property alive.
private final class PublishedSubscriber<Value>: Subscriber {
  typealias Failure = Never
  let link = UpstreamLink()
  private weak var storage: PublishedStorage<Value>?

  init(_ storage: PublishedStorage<Value>) { self.storage = storage }

  func receive(subscription: any Subscription) {
    if link.connect(subscription) { subscription.request(.unlimited) }
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    if link.isForwarding { storage?.set(input, owner: nil) }
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) { link.finish() }
}

extension PublishedSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .ends }
}

// Unchecked: a broadcast's lock protects mutable state. Values cross threads when several threads set the property.
extension Published.Publisher: @unchecked Sendable where Value: Sendable {}
