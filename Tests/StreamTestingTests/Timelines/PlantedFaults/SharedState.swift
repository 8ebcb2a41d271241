import StreamTesting
import Streams

extension Publisher where Output: Equatable {
  /// Publishes the values that differ from the previous one.
  fileprivate func changes(isFaulty: Bool) -> AnyPublisher<Output, Failure> {
    func makeFilter() -> some Publisher<Output, Failure> {
      var previous: Output?
      return filter { value in
        defer { previous = value }
        return value != previous
      }
    }
    // The fault: all subscribers of the publisher share the previous value.
    return isFaulty ? makeFilter().eraseToAnyPublisher() : Deferred { makeFilter() }.eraseToAnyPublisher()
  }
}

extension PlantedFault {
  /// After ReactiveCocoa/ReactiveSwift#771.
  ///
  /// Shown by `a` before the screen is left, and `a` after it is entered again.
  static var sharedState: Self {
    PlantedFault("the operator that remembers values of an earlier subscription", origin: "museum 66") { isFaulty in
      .lettersAndCancellation { letters, cancellation, scheduler in
        let changes = letters.changes(isFaulty: isFaulty)
        let first = scheduler.record(changes)
        let firstReference = scheduler.record(letters.removeDuplicates())
        var second = first
        var secondReference = firstReference
        scheduler.schedule(at: cancellation) {
          first.cancel()
          firstReference.cancel()
          second = scheduler.record(changes)
          secondReference = scheduler.record(letters.removeDuplicates())
        }
        scheduler.run()
        try claim(first.events, equals: firstReference.events, "the first subscriber receives the changes")
        try claim(second.events, equals: secondReference.events, "the second subscriber receives the changes")
      }
    }
  }
}
