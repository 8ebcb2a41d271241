// Operators on a sequence that result in a sequence of the same kind and don't attach an operator, and operators whose result a
// collection provides without iteration.
//
// They don't call anything that could have side effects or run forever. All other operators on a sequence are the general ones
// and are lazy. Combine's operators iterate over the whole sequence when you apply them.

extension Publishers.Sequence where Failure == Never {
  /// Changes the failure type to match a publisher that can fail.
  @_alwaysEmitIntoClient
  public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.Sequence<Elements, E> {
    Publishers.Sequence<Elements, E>(sequence: sequence, looksAhead: looksAhead)
  }
}

extension Publishers.Sequence where Elements: RangeReplaceableCollection {
  /// Appends the specified values to the sequence.
  @_alwaysEmitIntoClient
  public func append(_ elements: Output...) -> Publishers.Sequence<Elements, Failure> { append(elements) }

  /// Appends the elements of another collection in O(*n*), where *n* is the total number of elements.
  @_alwaysEmitIntoClient
  public func append<C: RangeReplaceableCollection>(
    _ elements: C
  ) -> Publishers.Sequence<Elements, Failure> where C.Element == Output {
    Publishers.Sequence(sequence: sequence + elements, looksAhead: looksAhead)
  }

  /// Appends the elements of another publisher of the same type.
  @_alwaysEmitIntoClient
  public func append(_ publisher: Publishers.Sequence<Elements, Failure>) -> Publishers.Sequence<Elements, Failure> {
    append(publisher.sequence)
  }

  /// Prepends the specified values to the sequence.
  @_alwaysEmitIntoClient
  public func prepend(_ elements: Output...) -> Publishers.Sequence<Elements, Failure> { prepend(elements) }

  /// Prepends the elements of another collection in O(*n*), where *n* is the total number of elements.
  @_alwaysEmitIntoClient
  public func prepend<C: RangeReplaceableCollection>(
    _ elements: C
  ) -> Publishers.Sequence<Elements, Failure> where C.Element == Output {
    var all = Elements(elements)
    all.append(contentsOf: sequence)
    return Publishers.Sequence(sequence: all, looksAhead: looksAhead)
  }

  /// Prepends the elements of another publisher of the same type.
  @_alwaysEmitIntoClient
  public func prepend(_ publisher: Publishers.Sequence<Elements, Failure>) -> Publishers.Sequence<Elements, Failure> {
    prepend(publisher.sequence)
  }
}

extension Publishers.Sequence where Elements: Collection {
  /// Drops all elements and finishes, without computing any of them.
  @_alwaysEmitIntoClient
  public func ignoreOutput() -> Empty<Output, Failure> { Empty() }
}

extension Publishers.Sequence where Elements: LazyCollectionProtocol {
  /// Drops all elements and publishes only the completion. The elements are still computed.
  ///
  /// - Complexity: O(*n*) for each subscriber, where *n* is the number of elements.
  @_alwaysEmitIntoClient
  public func ignoreOutput() -> Publishers.IgnoreOutput<Self> { Publishers.IgnoreOutput(upstream: self) }
}

extension Publishers.Sequence where Elements: BidirectionalCollection {
  /// A publisher that sends the elements in reverse order, through a view that doesn't copy them.
  @_alwaysEmitIntoClient
  var reversed: Publishers.Sequence<ReversedCollection<Elements>, Failure> {
    Publishers.Sequence<ReversedCollection<Elements>, Failure>(sequence: sequence.reversed(), looksAhead: looksAhead)
  }

  /// Publishes the last element.
  ///
  /// A subscription gets the element directly from the end and stores it until downstream requests it.
  @_alwaysEmitIntoClient
  public func last() -> Publishers.First<Publishers.Sequence<ReversedCollection<Elements>, Failure>> {
    reversed.first()
  }

  /// Publishes the last element that satisfies a predicate.
  ///
  /// A subscription searches from the end, so the predicate isn't called for elements before the matching one, which waits for
  /// demand.
  ///
  /// - Complexity: O(*n*) for each subscriber, where *n* is the number of elements.
  @_alwaysEmitIntoClient
  public func last(
    where predicate: @escaping (Output) -> Bool
  ) -> Publishers.FirstWhere<Publishers.Sequence<ReversedCollection<Elements>, Failure>> {
    reversed.first(where: predicate)
  }
}

extension Publishers.Sequence where Elements: RandomAccessCollection {
  /// Publishes the number of elements, without computing any of them.
  @_alwaysEmitIntoClient
  public func count() -> Result<Int, Failure>.Publisher { Result<Int, Failure>.Publisher(.success(sequence.count)) }

  /// Drops the given number of elements, without computing them.
  ///
  /// - Precondition: `count` isn't negative.
  @_alwaysEmitIntoClient
  public func dropFirst(_ count: Int = 1) -> Publishers.Sequence<Elements.SubSequence, Failure> {
    requireNotNegative(count, in: "dropFirst(_:)", "a count")
    return Publishers.Sequence<Elements.SubSequence, Failure>(
      sequence: sequence.dropFirst(count), looksAhead: looksAhead)
  }

  /// Publishes the element at a position, if there's one, and finishes.
  ///
  /// The elements before the position aren't computed. As in Combine, there's no element at a negative position.
  @_alwaysEmitIntoClient
  public func output(at index: Int) -> Publishers.Output<Publishers.Sequence<Elements.SubSequence, Failure>> {
    index < 0 ? output(in: 0..<0) : output(in: index...index)
  }

  /// Publishes the elements at a range of positions and finishes together with the last one.
  ///
  /// The elements before the range aren't computed.
  ///
  /// - Precondition: The range doesn't begin below zero.
  @_alwaysEmitIntoClient
  public func output<R: RangeExpression>(
    in range: R
  ) -> Publishers.Output<Publishers.Sequence<Elements.SubSequence, Failure>> where R.Bound == Int {
    let positions = range.positions
    return Publishers.Output(upstream: dropFirst(positions.lowerBound), range: 0..<positions.count)
  }
}

extension Publishers.Sequence where Elements: RandomAccessCollection, Failure == Never {
  /// Publishes the number of elements, without computing any of them.
  @_alwaysEmitIntoClient
  public func count() -> Just<Int> { Just(sequence.count) }
}

extension Publishers.Sequence where Elements: RangeExpression, Elements.Bound == Elements.Element {
  /// Publishes whether a value is one of the elements, without iterating over the range.
  @_alwaysEmitIntoClient
  public func contains(_ output: Output) -> Result<Bool, Failure>.Publisher {
    Result<Bool, Failure>.Publisher(.success(sequence ~= output))
  }
}
