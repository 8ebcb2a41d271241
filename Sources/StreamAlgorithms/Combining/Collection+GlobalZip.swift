// In an extension of a collection, `zip(first, second)` finds the methods of the collection and looks no further. There
// `zip()` hides the function of the standard library, even in files that don't import this module. These overloads replace
// it.

extension Collection {
  /// Returns the result of the standard library's function, for extensions of collections, in which ``zip()`` hides it.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  @inlinable
  public func zip<First: Sequence, Second: Sequence>(
    _ first: First, _ second: Second
  ) -> Zip2Sequence<First, Second> {
    Swift.zip(first, second)
  }

  /// Returns the result of the standard library's function, for static functions in extensions of collections, in which
  /// ``zip()`` hides it.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  @inlinable
  public static func zip<First: Sequence, Second: Sequence>(
    _ first: First, _ second: Second
  ) -> Zip2Sequence<First, Second> {
    Swift.zip(first, second)
  }
}
