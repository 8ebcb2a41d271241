import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams
import Workloads

extension StreamsWorkloads {
  /// The operators that combine, time and group streams and have a value path of their own.
  static let beyondCombine: [Workload: Cell] = [
    .withLatest: .work { count in
      let (values, other) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      return total(values.withLatest(from: other).map { $0.0 &+ $0.1 }) {
        other.send(0)
        for value in 0..<count { values.send(value) }
      }
    },
    // One element is a value and the sample that takes it.
    .sample: .work { count in
      let (values, sampler) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Void, Never>())
      return total(values.sample(by: sampler)) {
        for value in 0..<count {
          values.send(value)
          sampler.send()
        }
      }
    },
    .race: .work { count in
      let (first, second) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      return total(first.race(with: second)) { for value in 0..<count { first.send(value) } }
    },
    .zipMany: .work { count in
      let subjects = [PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>()]
      return total(subjects.zip().map { $0[0] &+ $0[1] }) {
        for value in 0..<count {
          subjects[0].send(value)
          subjects[1].send(value)
        }
      }
    },
    .pausableBuffer: .work { count in
      let values = PassthroughSubject<Int, Never>()
      let isRunning = CurrentValueSubject<Bool, Never>(true)
      return total(values.pausable(runningWhile: isRunning, buffering: 16, whenFull: .dropOldest)) {
        for value in 0..<count { values.send(value) }
      }
    },
    .rateLimit: .work { count in
      let values = PassthroughSubject<Int, Never>()
      return total(
        values.rateLimit(
          .max, per: .seconds(1), scheduler: DispatchQueue.immediate, queueSize: 1, whenFull: .dropNewest)
      ) { for value in 0..<count { values.send(value) } }
    },
    .bufferBy: .work { count in
      let (values, boundary) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Void, Never>())
      return total(values.buffer(by: boundary, maxCount: 10).map { $0.reduce(0, &+) }) {
        for value in 0..<count { values.send(value) }
        boundary.send()
      }
    },
    .groupBy: .work { count in
      let values = PassthroughSubject<Int, Never>()
      return total(values.groupBy({ $0 & 7 }, maxGroups: 8, bufferSize: 1).flatMap { $0 }) {
        for value in 0..<count { values.send(value) }
      }
    },
  ]

  /// Returns the sum of the values that a publisher sends while a closure runs.
  private static func total(_ publisher: some Publisher<Int, Never>, _ work: () -> Void) -> Int {
    let sum = Sum()
    let cancellable = publisher.sink { sum.add($0) }
    work()
    cancellable.cancel()
    return sum.value
  }
}
