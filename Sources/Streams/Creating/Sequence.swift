extension Sequence {
  /// A publisher that sends the elements of the sequence.
  ///
  ///     [1, 2, 3].publisher.sink { print($0) }   // 1 2 3
  @inlinable
  public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(sequence: self) }
}

extension Publishers {
  /// A publisher that sends the elements of a sequence.
  ///
  /// The sequence is pulled by demand, one element for each unit, so it may be infinite and its side effects happen
  /// only as far as somebody asks; every subscriber gets an iterator of its own. It finishes together with the last
  /// element, without being asked for another one, and at once when it is empty, if the sequence is a collection that is
  /// not lazy; of any other sequence the end is only known when one more element is asked for.
  ///
  /// Cancelling from inside a delivery stops it before the next element is pulled. Operators on this are lazy, other
  /// than in Combine, where they run through the whole sequence at once.
  public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Elements.Element

    /// What is sent.
    public let sequence: Elements

    /// Makes a publisher of the elements of a sequence.
    @inlinable
    public init(sequence: Elements) { self.sequence = sequence }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      SequenceSource(sequence, subscriber, completion: .finished).begin()
    }
  }
}

extension Publishers.Sequence: Equatable where Elements: Equatable {}
extension Publishers.Sequence: Sendable where Elements: Sendable {}

/// Pulls a sequence for one subscriber. Used by one thread at a time, which its pump sees to.
@usableFromInline
final class SequenceSource<Elements: Sequence, Downstream: Subscriber> where Downstream.Input == Elements.Element {
  @usableFromInline let downstream: Downstream
  @usableFromInline let completion: Subscribers.Completion<Downstream.Failure>
  @usableFromInline let looksAhead: Bool
  @usableFromInline @exclusivity(unchecked) var iterator: Elements.Iterator
  @usableFromInline @exclusivity(unchecked) var ahead: Elements.Element?

  @inlinable
  init(_ sequence: Elements, _ downstream: Downstream, completion: Subscribers.Completion<Downstream.Failure>) {
    self.downstream = downstream
    self.completion = completion
    iterator = sequence.makeIterator()
    looksAhead = sequence is any Collection && !(sequence is any LazySequenceProtocol)
  }

  @inlinable @inline(__always)
  func begin() {
    if looksAhead { ahead = iterator.next() }
    if looksAhead, ahead == nil {
      downstream.receive(subscription: Subscriptions.empty)
      downstream.receive(completion: completion)
    } else {
      downstream.receive(subscription: Pump { self.produce($0) })
    }
  }

  @inlinable
  func produce(_ pump: Pump) {
    // The iterator is a local while elements flow, so that the optimiser can keep it in registers.
    var iterator = iterator
    while let batch = pump.nextBatch() {
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
    }
  }

  @inlinable
  func finish(_ pump: Pump) {
    if pump.finish() { downstream.receive(completion: completion) }
  }
}
