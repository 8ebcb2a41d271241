/// A type that represents an activity that you can cancel.
///
///     let activity: any Cancellable = numbers.sink { print($0) }
///     activity.cancel()
public protocol Cancellable {
  /// Cancels the activity.
  ///
  /// You can call this method more than once, from any thread, and while a value is being delivered.
  func cancel()
}

extension Cancellable {
  /// Stores this cancellable in a collection. When the collection releases the element, the activity is cancelled.
  ///
  /// - Parameter collection: The collection to append the cancellable to.
  @inlinable
  public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
    collection.append(AnyCancellable(self))
  }

  /// Stores this cancellable in a set. When the set releases the element, the activity is cancelled.
  ///
  /// - Parameter set: The set to insert the cancellable into.
  @inlinable
  public func store(in set: inout Set<AnyCancellable>) {
    set.insert(AnyCancellable(self))
  }
}
