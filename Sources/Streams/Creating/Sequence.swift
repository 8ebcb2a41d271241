extension Sequence {
  /// A publisher that sends the sequence's elements.
  ///
  ///     [1, 2, 3].publisher.sink { print($0) }   // 1 2 3
  @inlinable
  public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(sequence: self) }
}

extension Publishers {
  /// A publisher that sends the elements of a sequence.
  ///
  /// ![The result publishes 1, 2 and 3 and finishes.](diagram-sequence)
  ///
  /// Each unit of demand pulls one element, so the sequence may be infinite, and its side effects occur only as elements are
  /// requested. Each subscriber gets its own iterator. For a collection that isn't lazy, the publisher pulls one element ahead.
  /// It finishes together with the last element, without further demand, or immediately if the collection is empty. For any other
  /// sequence, it finds the end only when one more element is requested.
  ///
  /// If you cancel during a delivery, the publisher stops before it pulls the next element. Operators on this publisher are
  /// lazy, with one exception: if the sequence is a range-replaceable collection, such as an array, `append` and `prepend` copy
  /// all elements when you pass values, another such collection, or a publisher of the same type. Combine's operators run
  /// through the whole sequence when you apply them.
  @frozen
  public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
    public typealias Output = Elements.Element

    public let sequence: Elements

    /// Indicates whether the publisher pulls elements ahead of requests, to finish together with the last element.
    @usableFromInline let looksAhead: Bool

    /// Creates a publisher that sends the elements of a sequence.
    ///
    /// - Parameter sequence: The sequence whose elements the publisher sends.
    @inlinable
    public init(sequence: Elements) {
      // The casts take longer than sending a few elements. Most sequences are arrays, which the compiler recognizes. With
      // overloads of `publisher` for collections, the compiler took up to 20 times as long to find a mistake in a chain whose
      // closure uses `publisher`.
      let looksAhead =
        Elements.self == [Elements.Element].self
        || (Elements.self is any Collection.Type && !(Elements.self is any LazySequenceProtocol.Type))
      self.init(sequence: sequence, looksAhead: looksAhead)
    }

    @inlinable
    init(sequence: Elements, looksAhead: Bool) {
      self.sequence = sequence
      self.looksAhead = looksAhead
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      SequenceSource(sequence.makeIterator(), subscriber, looksAhead: looksAhead).begin()
    }
  }
}

extension Publishers.Sequence: Equatable where Elements: Equatable {}
extension Publishers.Sequence: Sendable where Elements: Sendable {}

/// Pulls elements from a sequence for one subscriber, on one thread at a time.
///
/// No field is an optional of a generic parameter's type, because destroying it would look up its type at run time.
@usableFromInline @_fixed_layout
final class SequenceSource<Iterator: IteratorProtocol, Downstream: Subscriber>
where Downstream.Input == Iterator.Element {
  // Exclusive: belongs to the thread that produces. The demand source admits one thread at a time, even if the sequence itself
  // requests more.
  @usableFromInline let downstream: Downstream
  /// The failure at the end, if the sequence ends with one. It's an object because destroying a completion stored here would look
  /// up its type for each subscription.
  @usableFromInline let failure: Constant<Downstream.Failure>?
  @usableFromInline let looksAhead: Bool
  @usableFromInline @exclusivity(unchecked) var iterator: Iterator
  /// A box for the element pulled ahead. It's created when an element has to wait for a request.
  @usableFromInline @exclusivity(unchecked) var waiting: WaitingElement<Iterator.Element>?

  @inlinable
  init(
    _ iterator: Iterator, _ downstream: Downstream, looksAhead: Bool,
    failure: Constant<Downstream.Failure>? = nil
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
    downstream.declareUpstreamSerial()
    let demandSource = DemandSource(isHeld: true, of: self) { self.produce($0) }
    downstream.receive(subscription: demandSource)
    if demandSource.hasDemand {
      // Production continues immediately, so the element doesn't need to be stored.
      produce(demandSource, ahead)
    } else {
      keep(ahead)
      demandSource.begin()
    }
  }

  @inlinable
  func produce(_ demandSource: DemandSource, _ first: Iterator.Element? = nil) {
    // The iterator is a local variable while elements are flowing, so that the optimizer can keep it in registers.
    var iterator = iterator
    var ahead = first
    while let batch = demandSource.nextBatch() {
      if let waiting, ahead == nil { ahead = waiting.take() }
      var demand = batch
      if demand == .unlimited {
        if let element = ahead.take() { _ = downstream.receive(element) }
        while !demandSource.isOver {
          guard let element = iterator.next() else { return finish(demandSource) }
          _ = downstream.receive(element)
        }
      } else {
        while !demandSource.isOver, demand.spend() {
          guard let element = ahead.take() ?? iterator.next() else { return finish(demandSource) }
          demand += downstream.receive(element)
        }
      }
      if looksAhead, !demandSource.isOver, ahead == nil {
        ahead = iterator.next()
        if ahead == nil { return finish(demandSource) }
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
    if let failure { return .failure(failure.value) }
    return .finished
  }

  @inlinable
  func finish(_ demandSource: DemandSource) {
    if demandSource.finish() { downstream.receive(completion: completion) }
  }
}

extension SequenceSource: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .iterates(Iterator.self, to: Downstream.self) }
}

/// An element that is waiting for demand.
@usableFromInline @_fixed_layout
final class WaitingElement<Element> {
  // Exclusive: belongs to the thread that produces.
  @usableFromInline @exclusivity(unchecked) var element: Element?

  @inlinable
  init() {}

  @inlinable
  func take() -> Element? { element.take() }
}
