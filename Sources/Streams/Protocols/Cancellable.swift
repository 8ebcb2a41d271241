/// A type for an activity that you can cancel.
public protocol Cancellable {
  /// Cancels the activity.
  ///
  /// You can call this method more than once, from any thread, and while a value is being delivered.
  func cancel()
}

extension Cancellable {
  /// Stores this cancellable in a collection, which cancels it when it releases the element.
  ///
  /// - Parameter collection: The collection to which the cancellable is appended.
  @inlinable
  public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
    collection.append(AnyCancellable(self))
  }

  /// Stores this cancellable in a set, which cancels it when it releases the element.
  ///
  /// - Parameter set: The set into which the cancellable is inserted.
  @inlinable
  public func store(in set: inout Set<AnyCancellable>) {
    set.insert(AnyCancellable(self))
  }
}
