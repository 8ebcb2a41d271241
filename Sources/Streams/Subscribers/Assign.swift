extension Publisher where Failure == Never {
  /// Assigns each value to a property of an object.
  ///
  ///     publisher.assign(to: \.title, on: label)
  ///
  /// The subscriber requests unlimited demand and retains the object until the stream ends or is cancelled. If an object assigns
  /// to itself and stores the cancellable, use `assign(to: &$title)` or `sink(with: self)` instead. If you call this method on an
  /// actor, it sets the property on that actor. Otherwise, or with `isolation: nil`, it sets the property on the thread on which
  /// the publisher sends the value.
  ///
  /// - Parameters:
  ///   - keyPath: The key path of the property.
  ///   - object: The object that has the property.
  ///   - isolation: The actor that the object belongs to. Defaults to the caller's actor.
  /// - Returns: A cancellable that keeps the stream alive. Releasing it cancels the stream.
  /// - Complexity: O(1) for each value.
  @inlinable  // Ambiguous with your overload? Remove the default value of its additional parameter.
  public func assign<Root>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root, isolation: isolated (any Actor)? = #isolation
  ) -> AnyCancellable {
    let assign = Subscribers.Assign(object: object, keyPath: keyPath)
    if let isolation { subscribe(assign, on: isolation) } else { subscribe(assign) }
    return AnyCancellable(assign)
  }
}

extension Subscribers {
  /// A subscriber that requests unlimited demand and assigns each value to a property.
  @_fixed_layout
  public final class Assign<Root, Input>: Subscriber, Cancellable, CustomStringConvertible, CustomReflectable,
    CustomPlaygroundDisplayConvertible
  {
    /// The failure type. The publisher can't fail.
    public typealias Failure = Never

    /// The key path of the property.
    public let keyPath: ReferenceWritableKeyPath<Root, Input>

    @usableFromInline let target: Locked<Root?>
    @usableFromInline let link = UpstreamLink()

    /// The object that has the property, or `nil` once the stream has ended or been cancelled.
    public var object: Root? { target.withLock { $0 } }

    /// Creates a subscriber. Attach it with `subscribe(_:)`.
    ///
    /// - Parameters:
    ///   - object: The object that has the property.
    ///   - keyPath: The key path of the property.
    @inlinable
    public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
      self.keyPath = keyPath
      target = Locked(object)
    }

    /// Requests unlimited demand.
    public func receive(subscription: any Subscription) {
      if link.connect(subscription) { subscription.request(.unlimited) }
    }

    /// Sets the property, unless the stream has ended.
    public func receive(_ value: Input) -> Subscribers.Demand {
      if link.isForwarding, let object { object[keyPath: keyPath] = value }
      return .none
    }

    /// Releases the object.
    public func receive(completion: Subscribers.Completion<Never>) {
      if link.finish() { release() }
    }

    /// Cancels the stream and releases the object.
    public func cancel() {
      link.cancel()
      release()
    }

    private func release() { _ = target.withLock { $0.take() } }

    /// `Assign` and the object's type.
    public var description: String { "Assign \(Root.self)" }

    /// A mirror that shows the object and the key path.
    public var customMirror: Mirror { Mirror(self, children: ["object": object as Any, "keyPath": keyPath]) }

    /// The same text as `description`.
    public var playgroundDescription: Any { description }
  }
}

extension Subscribers.Assign: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .ends }
}
