import Streams
import Workloads

extension StreamsWorkloads {
  /// The workloads with closures that are opaque to the compiler.
  static let opaqueClosures: [Workload: Cell] = [
    .opaqueSequence: .work { count in
      let operators = Operators()
      return total(operators.applied(to: (0..<count).publisher)) {}
    },
    .opaqueSubject: .work { count in subject(count, subscribers: 1) },
    .opaqueSubject10: .work { count in subject(count, subscribers: 10) },
    .opaqueCurrentValue: .work { count in
      let subject = CurrentValueSubject<Int, Never>(0)
      return total(subject) { for value in 0..<count { subject.send(value) } }
    },
    .opaqueErasedMaps: .work { count in
      let subject = PassthroughSubject<Int, Never>()
      let mapped =
        subject
        .map(OpaqueClosures.adding(1)).eraseToAnyPublisher()
        .map(OpaqueClosures.adding(2)).eraseToAnyPublisher()
        .map(OpaqueClosures.adding(3)).eraseToAnyPublisher()
        .map(OpaqueClosures.adding(4)).eraseToAnyPublisher()
        .map(OpaqueClosures.adding(-5)).eraseToAnyPublisher()
      return total(mapped) { for value in 0..<count { subject.send(value) } }
    },
    .opaqueSubscribeCancel: .work { count in
      let sum = Sum()
      let receiver = OpaqueClosures.adding(to: sum)
      let operators = Operators()
      let subject = PassthroughSubject<Int, Never>()
      for _ in 0..<count { operators.applied(to: subject).sink(receiveValue: receiver).cancel() }
      return sum.value
    },
  ]

  /// The chain of three operators that the workloads share.
  private struct Operators {
    let first = OpaqueClosures.adding(1)
    let isIncluded = OpaqueClosures.like(0)
    let last = OpaqueClosures.multiplying(by: 3)

    @inline(__always)
    func applied<P: Publisher<Int, Never>>(to publisher: P)
      -> Publishers.Map<Publishers.Filter<Publishers.Map<P, Int>>, Int>
    {
      publisher.map(first).filter(isIncluded).map(last)
    }
  }

  private static func subject(_ count: Int, subscribers: Int) -> Int {
    let sum = Sum()
    let receiver = OpaqueClosures.adding(to: sum)
    let operators = Operators()
    let subject = PassthroughSubject<Int, Never>()
    let cancellables = (0..<subscribers).map { _ in operators.applied(to: subject).sink(receiveValue: receiver) }
    for value in 0..<count { subject.send(value) }
    for cancellable in cancellables { cancellable.cancel() }
    return sum.value
  }

  /// Returns the sum of the values that a publisher sends while a closure runs.
  private static func total<P: Publisher<Int, Never>>(_ publisher: P, _ work: () -> Void) -> Int {
    let sum = Sum()
    let cancellable = publisher.sink(receiveValue: OpaqueClosures.adding(to: sum))
    work()
    cancellable.cancel()
    return sum.value
  }
}
