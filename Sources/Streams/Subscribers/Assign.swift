extension Publisher where Failure == Never {
  /// Assigns every value to a property of an object.
  ///
  ///     publisher.assign(to: \.title, on: label)
  ///
  /// It requests unlimited demand. The object is retained until the stream ends or is cancelled. Where this is called on an
  /// actor, the property is set on that actor, as with `sink`; elsewhere, or with `isolation: nil`, wherever the publisher
  /// sends from.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - object: The object that has it.
  ///   - isolation: The actor that the object belongs to; that of the caller.
  /// - Returns: A cancellable that keeps the stream alive; the stream is cancelled when it is released.
  @inlinable
  public func assign<Root>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root, isolation: isolated (any Actor)? = #isolation
  ) -> AnyCancellable {
    let assign = Subscribers.Assign(object: object, keyPath: keyPath)
    if let isolation { subscribe(assign, on: isolation) } else { subscribe(assign) }
    return AnyCancellable(assign)
  }
}

extension Subscribers {
  /// A subscriber that asks for everything and assigns it to a property.
  @_fixed_layout
  public final class Assign<Root, Input>: Subscriber, Cancellable, CustomStringConvertible, CustomReflectable,
    CustomPlaygroundDisplayConvertible
  {
    /// It takes no publisher that may fail.
    public typealias Failure = Never

    /// The property.
    public let keyPath: ReferenceWritableKeyPath<Root, Input>

    @usableFromInline let target: Locked<Root?>
    @usableFromInline let inlet = Inlet()

    /// The object; `nil` when the stream has ended or was cancelled.
    public var object: Root? { target.withLock { $0 } }

    /// Makes a subscriber; attach it with `subscribe(_:)`.
    @inlinable
    public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
      self.keyPath = keyPath
      target = Locked(object)
    }

    /// Asks for everything.
    public func receive(subscription: any Subscription) {
      if inlet.connect(subscription) { subscription.request(.unlimited) }
    }

    /// Sets the property, unless the stream has ended.
    public func receive(_ value: Input) -> Subscribers.Demand {
      if inlet.isConnected, let object { object[keyPath: keyPath] = value }
      return .none
    }

    /// Lets go of the object.
    public func receive(completion: Subscribers.Completion<Never>) {
      if inlet.finish() { release() }
    }

    /// Cancels the stream and lets go of the object.
    public func cancel() {
      inlet.cancel()
      release()
    }

    private func release() { _ = target.withLock { $0.take() } }

    /// `Assign` and the type of the object.
    public var description: String { "Assign \(Root.self)" }

    /// Shows the object and the property.
    public var customMirror: Mirror { Mirror(self, children: ["object": object as Any, "keyPath": keyPath]) }

    /// The description.
    public var playgroundDescription: Any { description }
  }
}
