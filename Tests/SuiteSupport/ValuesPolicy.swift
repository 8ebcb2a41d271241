internal import StreamAlgorithms
package import Streams

/// What a loop over the values of a publisher keeps: nothing, as `values` does, or what `values(bounded:whenFull:)` does.
package enum ValuesPolicy: Hashable, Sendable {
  case unbuffered
  case bounded(Int)
  case unbounded
  case oldest(Int)
  case newest(Int)

  package static let all: [Self] = [.unbuffered, .bounded(1), .bounded(4), .unbounded, .oldest(2), .newest(2)]
}

extension Publisher {
  /// The values as an asynchronous sequence. None that is lost is reported.
  package func values(_ policy: ValuesPolicy) -> AsyncPublisher<Self> {
    switch policy {
    case .unbuffered: AsyncPublisher(self, buffering: .none)
    case .bounded(let count): values(bounded: count, whenFull: .wait)
    case .unbounded: values(bounded: .max, whenFull: .dropNewest)
    case .oldest(let count): values(bounded: count, whenFull: .dropNewest)
    case .newest(let count): values(bounded: count, whenFull: .dropOldest)
    }
  }
}
