#if canImport(ObjectiveC)
  // Key-value observing needs the Objective-C runtime. This file has been type-checked against declarations of it that were
  // written by hand; it has not been run on Apple's platforms yet.
  public import Foundation
  internal import StreamSchedulers
  public import Streams

  extension _KeyValueCodingAndObserving where Self: NSObject {
    /// Publishes the values of a property that key-value observing can observe.
    ///
    /// ```swift
    /// player.publisher(for: \.rate).sink { print($0) }.store(in: &cancellables)
    /// ```
    ///
    /// ``NSObject/KeyValueObservingPublisher`` says the rest.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - options: When values are sent: `.initial` for the present one, `.prior` for the one before each change as well.
    public func publisher<Value>(
      for keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [.initial, .new]
    ) -> NSObject.KeyValueObservingPublisher<Self, Value> {
      NSObject.KeyValueObservingPublisher(object: self, keyPath: keyPath, options: options)
    }
  }

  extension NSObject {
    /// A publisher of the values of a property that key-value observing can observe. It never ends.
    ///
    /// - Demand: each subscriber has its own. Of the values for which a subscriber has not asked, the newest is kept.
    /// - Delivery: on the thread that changes the property.
    /// - Cancellation: the observer has been removed from the object when `cancel()` returns.
    /// - Cost: an observer for each subscriber, which keeps the object.
    public struct KeyValueObservingPublisher<Subject: NSObject, Value>: Publisher, Equatable {
      /// A value of the property.
      public typealias Output = Value

      /// Observing does not fail.
      public typealias Failure = Never

      /// The object that has the property.
      public let object: Subject

      /// The property.
      public let keyPath: KeyPath<Subject, Value>

      /// When values are sent.
      public let options: NSKeyValueObservingOptions

      /// Makes a publisher of the values of a property.
      public init(object: Subject, keyPath: KeyPath<Subject, Value>, options: NSKeyValueObservingOptions) {
        self.object = object
        self.keyPath = keyPath
        self.options = options
      }

      /// Attaches a subscriber.
      public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
        // Observing may send the first value before the subscriber is there: the subject keeps it.
        let subject = CurrentValueSubject<Value?, Never>(nil)
        let handedOver = HandedOver((subject: subject, keyPath: keyPath))
        let observer = object.observe(keyPath, options: options) { object, change in
          // Without `.new` the change has no value, and before a change the value is the old one.
          let value = change.isPrior ? change.oldValue : change.newValue
          handedOver.value.subject.send(value ?? object[keyPath: handedOver.value.keyPath])
        }
        let observation = Observation { [object] in withExtendedLifetime(object) { observer.invalidate() } }
        observation.publisher(subject.compactMap { $0 }).receive(subscriber: subscriber)
      }

      /// Whether both are publishers of the same property of the same object, with the same options.
      public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.object === rhs.object && lhs.keyPath == rhs.keyPath && lhs.options == rhs.options
      }

      /// Publishes that the property has changed, without its values, and without the present one at the beginning.
      public func didChange() -> Publishers.Map<Self, Void> {
        let silent = options.subtracting([.initial, .prior, .new, .old])
        return Self(object: object, keyPath: keyPath, options: silent).map { _ in }
      }
    }
  }
#endif
