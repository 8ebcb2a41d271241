/// Something that goes on and can be stopped.
public protocol Cancellable {
  /// Stops it. Calling this again, or from another thread, or from inside a delivery, is allowed and does no harm.
  func cancel()
}

extension Cancellable {
  /// Keeps this in a collection, where it is cancelled when the collection lets go of it.
  @inlinable
  public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
    collection.append(AnyCancellable(self))
  }

  /// Keeps this in a set, where it is cancelled when the set lets go of it.
  @inlinable
  public func store(in set: inout Set<AnyCancellable>) {
    set.insert(AnyCancellable(self))
  }
}
