/// Operators on a sequence that make a sequence of the same kind: nothing is attached in between.
///
/// They run through nothing that could have side effects or no end; all other operators on a sequence are the ones that
/// every publisher has, and are lazy, other than in Combine, where they run through the whole sequence when applied.
extension Publishers.Sequence where Failure == Never {
  /// Gives the publisher a kind of errors, so that it fits beside one that can fail.
  @inlinable
  public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.Sequence<Elements, E> {
    Publishers.Sequence<Elements, E>(sequence: sequence, looksAhead: looksAhead)
  }
}

extension Publishers.Sequence where Elements: RangeReplaceableCollection {
  /// Sends the elements and then some others.
  @inlinable
  public func append(_ elements: Output...) -> Publishers.Sequence<Elements, Failure> { append(elements) }

  /// Sends the elements and then those of another collection.
  @inlinable
  public func append<C: RangeReplaceableCollection>(
    _ elements: C
  ) -> Publishers.Sequence<Elements, Failure> where C.Element == Output {
    Publishers.Sequence(sequence: sequence + elements, looksAhead: looksAhead)
  }

  /// Sends the elements and then those of another publisher of the same kind.
  @inlinable
  public func append(_ publisher: Publishers.Sequence<Elements, Failure>) -> Publishers.Sequence<Elements, Failure> {
    append(publisher.sequence)
  }

  /// Sends some elements and then those of this publisher.
  @inlinable
  public func prepend(_ elements: Output...) -> Publishers.Sequence<Elements, Failure> { prepend(elements) }

  /// Sends the elements of another collection and then those of this publisher.
  @inlinable
  public func prepend<C: RangeReplaceableCollection>(
    _ elements: C
  ) -> Publishers.Sequence<Elements, Failure> where C.Element == Output {
    var all = Elements(elements)
    all.append(contentsOf: sequence)
    return Publishers.Sequence(sequence: all, looksAhead: looksAhead)
  }

  /// Sends the elements of another publisher of the same kind and then those of this one.
  @inlinable
  public func prepend(_ publisher: Publishers.Sequence<Elements, Failure>) -> Publishers.Sequence<Elements, Failure> {
    prepend(publisher.sequence)
  }
}
