// Operators on a sequence that make a sequence of the same kind, with nothing attached in between, and those whose answer a
// collection knows without running through its elements.
//
// They call nothing that could have side effects or no end; all other operators on a sequence are the ones that every
// publisher has, and are lazy, other than in Combine, where they run through the whole sequence when applied.

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

extension Publishers.Sequence where Elements: Collection {
  /// Finishes at once, without making an element.
  @inlinable
  public func ignoreOutput() -> Empty<Output, Failure> { Empty() }
}

extension Publishers.Sequence where Elements: LazyCollectionProtocol {
  /// Leaves out all elements, which are made nevertheless, and passes on only how the stream ends.
  @inlinable
  public func ignoreOutput() -> Publishers.IgnoreOutput<Self> { Publishers.IgnoreOutput(upstream: self) }
}

extension Publishers.Sequence where Elements: BidirectionalCollection {
  /// The elements from the last to the first, which are not run through for this.
  @inlinable
  var reversed: Publishers.Sequence<ReversedCollection<Elements>, Failure> {
    Publishers.Sequence<ReversedCollection<Elements>, Failure>(sequence: sequence.reversed(), looksAhead: looksAhead)
  }

  /// Sends the last element.
  ///
  /// It is found from the end, when it is asked for.
  @inlinable
  public func last() -> Publishers.First<Publishers.Sequence<ReversedCollection<Elements>, Failure>> {
    reversed.first()
  }

  /// Sends the last element that a closure accepts.
  ///
  /// It is searched for from the end, when it is asked for, so that the closure sees no element before it.
  @inlinable
  public func last(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    where predicate: @escaping (Output) -> Bool
  ) -> Publishers.FirstWhere<Publishers.Sequence<ReversedCollection<Elements>, Failure>> {
    reversed.first(where: isolation.checking(predicate, fileID, filePath, line, column))
  }
}

extension Publishers.Sequence where Elements: RandomAccessCollection {
  /// Sends the number of elements, without making one.
  @inlinable
  public func count() -> Result<Int, Failure>.Publisher { Result<Int, Failure>.Publisher(.success(sequence.count)) }

  /// Leaves out the first so many elements and sends the others.
  ///
  /// The elements that are left out are not made.
  ///
  /// - Precondition: `count` is not negative.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Publishers.Sequence<Elements.SubSequence, Failure> {
    requireNotNegative(count, in: "dropFirst")
    return Publishers.Sequence<Elements.SubSequence, Failure>(
      sequence: sequence.dropFirst(count), looksAhead: looksAhead)
  }

  /// Sends the element at a position, and finishes with it; finishes without one when there is none.
  ///
  /// The elements before it are not made.
  ///
  /// - Precondition: `index` is not negative.
  @inlinable
  public func output(at index: Int) -> Publishers.Output<Publishers.Sequence<Elements.SubSequence, Failure>> {
    requireNotNegative(index, in: "output", label: "at: ")
    return output(in: index...index)
  }

  /// Sends the elements at some positions, and finishes together with the last of them.
  ///
  /// The elements before them are not made.
  ///
  /// - Precondition: the range does not begin below zero.
  @inlinable
  public func output<R: RangeExpression>(
    in range: R
  ) -> Publishers.Output<Publishers.Sequence<Elements.SubSequence, Failure>> where R.Bound == Int {
    let positions = range.positions
    return Publishers.Output(upstream: dropFirst(positions.lowerBound), range: 0..<positions.count)
  }
}

extension Publishers.Sequence where Elements: RandomAccessCollection, Failure == Never {
  /// Sends the number of elements, without making one.
  @inlinable
  public func count() -> Just<Int> { Just(sequence.count) }
}

extension Publishers.Sequence where Elements: RangeExpression, Elements.Bound == Elements.Element {
  /// Sends whether a value is one of the elements, which a range knows without running through them.
  @inlinable
  public func contains(_ output: Output) -> Result<Bool, Failure>.Publisher {
    Result<Bool, Failure>.Publisher(.success(sequence ~= output))
  }
}
