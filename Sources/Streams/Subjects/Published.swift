/// A property that publishes its values.
///
///     final class Model: ObservableObject {
///       @Published var query = ""
///     }
///     model.$query.sink { print($0) }
///
/// The publisher `$query` starts every subscriber with the current value, and sends a new one before the property
/// changes: inside the delivery the property still has the old value. It is for properties of classes. Getting and
/// setting is safe from any thread. A value that is set while another is being delivered is delivered after that one;
/// the property has it as soon as the setter returns.
@propertyWrapper
public struct Published<Value> {
  let storage: PublishedStorage<Value>

  /// Makes a property with its first value.
  public init(wrappedValue: Value) { storage = PublishedStorage(wrappedValue) }

  /// Makes a property with its first value.
  public init(initialValue: Value) { self.init(wrappedValue: initialValue) }

  /// The values of the property.
  ///
  /// Setting it gives the property the value that the other property has at that moment, as if that were assigned. The
  /// property keeps its publisher, with its subscribers and the streams that are assigned to it, and is not tied to the
  /// other one.
  public var projectedValue: Publisher {
    mutating get { Publisher(storage: storage) }
    set { storage.takeValue(of: newValue.storage, owner: nil) }
  }

  /// Not to be used: the property must belong to a class.
  @available(*, unavailable, message: "@Published is only available on properties of classes")
  public var wrappedValue: Value {
    get { stopProgram("@Published is only available on properties of classes") }
    set { stopProgram("@Published is only available on properties of classes") }
  }

  /// The value of the property of an object.
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
  ) -> Value {
    get { object[keyPath: storageKeyPath].storage.value }
    set { object[keyPath: storageKeyPath].storage.set(newValue, owner: object) }
  }

  /// The publisher of the property of an object.
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

  /// The values of a property: the current one, then each new one before the property changes.
  ///
  /// A subscriber that wants nothing yet gets the newest value once it asks. It finishes never.
  public struct Publisher: Streams.Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Value

    /// This publisher cannot fail.
    public typealias Failure = Never

    @usableFromInline let broadcast: Broadcast<Value, Never>
    let storage: PublishedStorage<Value>

    init(storage: PublishedStorage<Value>) {
      self.storage = storage
      broadcast = storage.broadcast
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
      broadcast.subscribe(subscriber)
    }
  }
}

extension Publisher where Failure == Never {
  /// Assigns every value to a published property.
  ///
  ///     load().assign(to: &model.$results)
  ///
  /// The stream ends with the object that the property belongs to; nothing has to be kept, and the object is not
  /// retained. Where this is called on an actor, the property is set on that actor, as with `sink`; elsewhere, or with
  /// `isolation: nil`, wherever the publisher sends from.
  ///
  /// - Parameters:
  ///   - published: The publisher of the property.
  ///   - isolation: The actor that the property belongs to; that of the caller.
  public func assign(
    to published: inout Published<Output>.Publisher, isolation: isolated (any Actor)? = #isolation
  ) {
    let subscriber = PublishedSubscriber(published.storage)
    if let isolation { subscribe(subscriber, on: isolation) } else { subscribe(subscriber) }
    published.storage.keep(AnyCancellable(inlet: subscriber.inlet))
  }
}

/// What is behind a published property.
final class PublishedStorage<Value>: Locked<PublishedState> {
  let broadcast: Broadcast<Value, Never>

  init(_ value: Value) {
    broadcast = Broadcast(current: value, keepsSettled: true)
    super.init(PublishedState())
  }

  /// What the property reads as: the value before the one that is being delivered.
  var value: Value { broadcast.settledValue! }

  /// Announces the change to the owner's subscribers, then sends the value.
  func set(_ value: Value, owner: AnyObject?) {
    willChange(owner)?.send()
    broadcast.sendNewest(value)
  }

  /// Sets the value that another property has; does nothing if that is the same one, as when a stream is assigned to it.
  func takeValue(of other: PublishedStorage, owner: AnyObject?) {
    if other !== self { set(other.value, owner: owner) }
  }

  /// Remembers the object, so that values that are assigned by a stream are announced too.
  func belongs(to owner: AnyObject) {
    let (_, _) = withLock { state -> (AnyObject?, AnyObject?) in
      let earlier = state.owner
      if earlier !== owner { state.owner = owner }
      return (earlier, owner)
    }
  }

  /// Keeps a stream that assigns to the property.
  func keep(_ cancellable: AnyCancellable) { withLock { $0.cancellables.append(cancellable) } }

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
  var cancellables: [AnyCancellable] = []
}

/// Assigns to a published property without keeping it alive.
private final class PublishedSubscriber<Value>: Subscriber {
  typealias Failure = Never
  let inlet = Inlet()
  private weak var storage: PublishedStorage<Value>?

  init(_ storage: PublishedStorage<Value>) { self.storage = storage }

  func receive(subscription: any Subscription) {
    if inlet.connect(subscription) { subscription.request(.unlimited) }
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    if inlet.isConnected { storage?.set(input, owner: nil) }
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) { inlet.finish() }
}

// Unchecked: what changes is behind the lock of a broadcast, and values cross threads as with subjects.
extension Published.Publisher: @unchecked Sendable where Value: Sendable {}
