#if canImport(ObjectiveC)
  // Key-value observing needs the Objective-C runtime. This file has been type-checked against handwritten declarations
  // of it, and hasn't been run on Apple's platforms yet.
  public import Foundation
  internal import StreamSchedulers
  public import Streams

  extension _KeyValueCodingAndObserving where Self: NSObject {
    /// Observes a property with key-value observing, and publishes its values.
    ///
    /// ```swift
    /// player.publisher(for: \.rate).sink { print($0) }.store(in: &cancellables)
    /// ```
    ///
    /// See ``NSObject/KeyValueObservingPublisher`` for demand, delivery and cancellation. The publisher never finishes.
    ///
    /// - Parameters:
    ///   - keyPath: The property to observe.
    ///   - options: The values to send: `.initial` for the current value, and `.prior` for the value before each change
    ///     as well.
    /// - Complexity: One observer for each subscriber, and O(1) for each value.
    public func publisher<Value>(
      for keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [.initial, .new]
    ) -> NSObject.KeyValueObservingPublisher<Self, Value> {
      NSObject.KeyValueObservingPublisher(object: self, keyPath: keyPath, options: options)
    }
  }

  extension NSObject {
    /// A publisher that observes a property with key-value observing and sends its values. It never finishes.
    ///
    /// - Demand: each subscriber has its own. The newest value is buffered until the subscriber requests a value.
    /// - Delivery: on the thread that changes the property. The initial value is delivered on the thread that
    ///   subscribes, and a buffered value on the thread that requests it.
    /// - Cancellation: `cancel()` removes the observer from the object before returning.
    /// - Cost: an observer for each subscriber. The observer retains the object.
    public struct KeyValueObservingPublisher<Subject: NSObject, Value>: Publisher, Equatable {
      /// A value of the property.
      public typealias Output = Value

      /// Observing never fails.
      public typealias Failure = Never

      public let object: Subject
      public let keyPath: KeyPath<Subject, Value>
      public let options: NSKeyValueObservingOptions

      /// Creates a publisher that sends a property's values.
      public init(object: Subject, keyPath: KeyPath<Subject, Value>, options: NSKeyValueObservingOptions) {
        self.object = object
        self.keyPath = keyPath
        self.options = options
      }

      public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
        // Observing may send the first value before the subscriber is attached, so the subject keeps it.
        let subject = CurrentValueSubject<Value?, Never>(nil)
        let handedOver = UnsafeTransfer((subject: subject, keyPath: keyPath))
        let observer = object.observe(keyPath, options: options) { object, change in
          // Without `.new`, the change doesn't have a new value. A prior change has the old value.
          let value = change.isPrior ? change.oldValue : change.newValue
          handedOver.value.subject.send(value ?? object[keyPath: handedOver.value.keyPath])
        }
        subject.compactMap { $0 }.subscribe(
          ExternalSourceSubscriber("publisher(for:)", subscriber) { [object] in
            withExtendedLifetime(object) { observer.invalidate() }
          })
      }

      /// Returns whether both publishers observe the same property of the same object with the same options.
      public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.object === rhs.object && lhs.keyPath == rhs.keyPath && lhs.options == rhs.options
      }

      /// Publishes a `Void` value for each change of the property, without an initial one.
      public func didChange() -> Publishers.Map<Self, Void> {
        let silent = options.subtracting([.initial, .prior, .new, .old])
        return Self(object: object, keyPath: keyPath, options: silent).map { _ in }
      }
    }
  }
#else
  public import Foundation
  public import Streams

  extension NSObjectProtocol where Self: NSObject {
    @available(
      *, unavailable,
      message: """
        this platform has no key-value observing, which needs the Objective-C runtime; declare the property @Published and \
        use its projection, such as object.$name, or send the values through a CurrentValueSubject
        """
    )
    @_alwaysEmitIntoClient
    public func publisher<Value>(
      for keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [.initial, .new]
    ) -> AnyPublisher<Value, Never> { explain() }
  }

  /// The options of `publisher(for:options:)`, with which the compiler also explains a call that passes options.
  @available(
    *, unavailable, message: "this platform has no key-value observing, which needs the Objective-C runtime"
  )
  public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The value after a change.
    public static let new = Self(rawValue: 1)

    /// The value before a change.
    public static let old = Self(rawValue: 2)

    /// The current value.
    public static let initial = Self(rawValue: 4)

    /// A notification before each change, in addition to the one after it.
    public static let prior = Self(rawValue: 8)
  }
#endif
