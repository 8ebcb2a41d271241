// In an extension of a collection, the lookup of `zip(first, second)` finds the collection's methods and goes no further. So
// `zip()` hides the standard library's function, even in files that don't import this module. These overloads replace that
// function.

extension Collection {
  /// Calls the standard library's function, which ``zip()`` hides in extensions of collections.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  @inlinable
  public func zip<First: Sequence, Second: Sequence>(
    _ first: First, _ second: Second
  ) -> Zip2Sequence<First, Second> {
    Swift.zip(first, second)
  }

  /// Calls the standard library's function, which ``zip()`` hides in static functions in extensions of collections.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  @inlinable
  public static func zip<First: Sequence, Second: Sequence>(
    _ first: First, _ second: Second
  ) -> Zip2Sequence<First, Second> {
    Swift.zip(first, second)
  }
}
