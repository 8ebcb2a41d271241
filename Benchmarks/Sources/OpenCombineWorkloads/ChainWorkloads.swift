import OpenCombine
import Workloads

extension OpenCombineWorkloads {
  /// Long chains of operators with different closures, because the compiler merges equal ones into one function.
  static let chains: [Workload: Cell] = [
    .chain6: .work { count in six(count) },
    .chain8: .work { count in eight(count) },
    .chain12: .work { count in twelve(count) },
    .engines2: .substitute(note: noMerge) { count in twoEngines(count) },
    .engines4: .substitute(note: noMerge) { count in fourEngines(count) },
  ]

  private static let noMerge = """
    flatMap over the two type-erased publishers, because OpenCombine 0.14 has no merge
    """

  private struct Odd: Error {}

  private static func six(_ count: Int) -> Int {
    let subject = PassthroughSubject<Int, Never>()
    let chain =
      subject
      .map { $0 &+ 1 }
      .filter { $0 != 3 }
      .scan(0) { $0 &+ $1 }
      .removeDuplicates()
      .map { $0 &* 3 }
      .filter { $0 != 7 }
    return total(count, subject, chain)
  }

  // Split into several statements, because the type checker gives up on very long ones.

  private static func eight(_ count: Int) -> Int {
    let subject = PassthroughSubject<Int, Never>()
    let first =
      subject
      .map { $0 &+ 1 }
      .filter { $0 != 3 }
      .scan(0) { $0 &+ $1 }
      .removeDuplicates()
    let second =
      first
      .map { $0 &* 3 }
      .filter { $0 != 7 }
      .scan(1) { $0 ^ $1 }
      .removeDuplicates()
    return total(count, subject, second)
  }

  private static func twelve(_ count: Int) -> Int {
    let subject = PassthroughSubject<Int, Never>()
    let first =
      subject
      .map { $0 &+ 1 }
      .filter { $0 != 3 }
      .scan(0) { $0 &+ $1 }
      .removeDuplicates()
    let second =
      first
      .map { $0 &* 3 }
      .filter { $0 != 7 }
      .scan(1) { $0 ^ $1 }
      .removeDuplicates()
    let third =
      second
      .map { $0 &- 5 }
      .filter { $0 != 11 }
      .scan(2) { $0 &- $1 }
      .removeDuplicates()
    return total(count, subject, third)
  }

  private static func twoEngines(_ count: Int) -> Int {
    let (subject, other) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    return total(count, subject, engines(subject, other))
  }

  private static func fourEngines(_ count: Int) -> Int {
    let (subject, other) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let chain = engines(subject, other)
      .map { Just($0 &+ 2) }
      .switchToLatest()
      .tryMap { value in
        if value == -1 { throw Odd() }
        return value &* 7
      }
      .catch { _ in Just(0) }
    return total(count, subject, chain)
  }

  private static func engines(
    _ subject: PassthroughSubject<Int, Never>, _ other: PassthroughSubject<Int, Never>
  )
    -> Publishers.RemoveDuplicates<
      Publishers.Scan<
        Publishers.FlatMap<AnyPublisher<Int, Never>, Publishers.Sequence<[AnyPublisher<Int, Never>], Never>>, Int
      >
    >
  {
    let first =
      subject
      .map { $0 &+ 1 }
      .flatMap { Just($0 &* 3) }
      .filter { $0 != 7 }
    return [first.eraseToAnyPublisher(), other.eraseToAnyPublisher()].publisher
      .flatMap { $0 }
      .scan(0) { $0 &+ $1 }
      .removeDuplicates()
  }

  /// Returns the sum of a chain's output when the given number of values are sent into it.
  private static func total<P: Publisher>(
    _ count: Int, _ subject: PassthroughSubject<Int, Never>, _ chain: P
  ) -> Int where P.Output == Int, P.Failure == Never {
    let sum = Sum()
    let cancellable = chain.sink { sum.add($0) }
    for value in 0..<count { subject.send(value) }
    cancellable.cancel()
    return sum.value
  }
}
