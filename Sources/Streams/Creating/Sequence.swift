extension Sequence {
  /// A publisher that sends the elements of the sequence.
  ///
  ///     [1, 2, 3].publisher.sink { print($0) }   // 1 2 3
  @inlinable
  public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(sequence: self) }
}

// The same for kinds of sequences of which it is known here whether they are looked ahead in; to find out takes longer than
// to send a few elements.

extension Collection {
  /// A publisher that sends the elements of the collection, and finishes together with the last one.
  ///
  ///     [1, 2, 3].publisher.sink { print($0) }   // 1 2 3
  @inlinable
  public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(sequence: self, looksAhead: true) }
}

extension LazyCollectionProtocol {
  /// A publisher that sends the elements of the collection, each made when it is asked for.
  @inlinable
  public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(sequence: self, looksAhead: false) }
}

extension Publishers {
  /// A publisher that sends the elements of a sequence.
  ///
  /// ![Marble diagram of a sequence's publisher](diagram-sequence)
  ///
  /// The sequence is pulled by demand, one element for each unit, so it may be infinite and its side effects happen
  /// only as far as somebody asks; every subscriber gets an iterator of its own. It finishes together with the last
  /// element, without being asked for another one, and at once when it is empty, if the sequence is a collection that is
  /// not lazy; of any other sequence the end is only known when one more element is asked for.
  ///
  /// Cancelling from inside a delivery stops it before the next element is pulled. Operators on this are lazy, other
  /// than in Combine, where they run through the whole sequence at once.
  @frozen
  public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Elements.Element

    /// What is sent.
    public let sequence: Elements

    /// Whether the element after the one that is sent is pulled, so that the end is known.
    @usableFromInline let looksAhead: Bool

    /// Makes a publisher of the elements of a sequence.
    @inlinable
    public init(sequence: Elements) {
      self.init(sequence: sequence, looksAhead: sequence is any Collection && !(sequence is any LazySequenceProtocol))
    }

    @inlinable
    init(sequence: Elements, looksAhead: Bool) {
      self.sequence = sequence
      self.looksAhead = looksAhead
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      SequenceSource(sequence.makeIterator(), subscriber, looksAhead: looksAhead).begin()
    }
  }
}

extension Publishers.Sequence: Equatable where Elements: Equatable {}
extension Publishers.Sequence: Sendable where Elements: Sendable {}

/// Pulls a sequence for one subscriber. Used by one thread at a time, which its pump sees to.
///
/// Its parameters are the types of its fields, and none is an optional of one: to destroy it, those would be looked up.
@usableFromInline @_fixed_layout
final class SequenceSource<Iterator: IteratorProtocol, Downstream: Subscriber>
where Downstream.Input == Iterator.Element {
  // Exclusive: belongs to whoever produces, which the pump lets be one at a time, also when the sequence asks for more itself.
  @usableFromInline let downstream: Downstream
  /// The failure at the end, if that is how it ends. An object: to destroy a completion that is part of this one, its type
  /// would be looked up for every subscription.
  @usableFromInline let failure: SequenceFailure<Downstream.Failure>?
  @usableFromInline let looksAhead: Bool
  @usableFromInline @exclusivity(unchecked) var iterator: Iterator
  /// Where the element waits that was looked ahead at; made when one has to wait for a request.
  @usableFromInline @exclusivity(unchecked) var waiting: WaitingElement<Iterator.Element>?

  @inlinable
  init(
    _ iterator: Iterator, _ downstream: Downstream, looksAhead: Bool,
    failure: SequenceFailure<Downstream.Failure>? = nil
  ) {
    self.downstream = downstream
    self.failure = failure
    self.iterator = iterator
    self.looksAhead = looksAhead
  }

  @inlinable @inline(__always)
  func begin() {
    var ahead: Iterator.Element?
    if looksAhead {
      ahead = iterator.next()
      if ahead == nil { return downstream.receiveOnly(completion) }
    }
    downstream.vouchForUpstream()
    let pump = Pump(isHeld: true) { self.produce($0) }
    downstream.receive(subscription: pump)
    if pump.hasDemand {
      // It goes on at once: the element need not be kept.
      produce(pump, ahead)
    } else {
      keep(ahead)
      pump.begin()
    }
  }

  @inlinable
  func produce(_ pump: Pump, _ first: Iterator.Element? = nil) {
    // The iterator is a local while elements flow, so that the optimiser can keep it in registers.
    var iterator = iterator
    var ahead = first
    while let batch = pump.nextBatch() {
      if let waiting, ahead == nil { ahead = waiting.take() }
      var demand = batch
      if demand == .unlimited {
        if let element = ahead.take() { _ = downstream.receive(element) }
        while !pump.isOver {
          guard let element = iterator.next() else { return finish(pump) }
          _ = downstream.receive(element)
        }
      } else {
        while !pump.isOver, demand.spend() {
          guard let element = ahead.take() ?? iterator.next() else { return finish(pump) }
          demand += downstream.receive(element)
        }
      }
      if looksAhead, !pump.isOver, ahead == nil {
        ahead = iterator.next()
        if ahead == nil { return finish(pump) }
      }
      self.iterator = iterator
      keep(ahead.take())
    }
  }

  @inlinable
  func keep(_ element: Iterator.Element?) {
    guard let element else { return }
    if waiting == nil { waiting = WaitingElement() }
    waiting.unsafelyUnwrapped.element = element
  }

  @inlinable
  var completion: Subscribers.Completion<Downstream.Failure> {
    if let failure { return .failure(failure.error) }
    return .finished
  }

  @inlinable
  func finish(_ pump: Pump) {
    if pump.finish() { downstream.receive(completion: completion) }
  }
}

/// An element that waits until it is asked for.
@usableFromInline @_fixed_layout
final class WaitingElement<Element> {
  // Exclusive: belongs to whoever produces.
  @usableFromInline @exclusivity(unchecked) var element: Element?

  @inlinable
  init() {}

  @inlinable
  func take() -> Element? { element.take() }
}

/// How a recorded sequence fails.
@usableFromInline @_fixed_layout
final class SequenceFailure<Failure: Error> {
  @usableFromInline let error: Failure

  @inlinable
  init?(_ completion: Subscribers.Completion<Failure>) {
    guard case .failure(let error) = completion else { return nil }
    self.error = error
  }
}
