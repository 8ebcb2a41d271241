import Combine
import Testing

/// Overloads that a program adds to operators, each with a parameter that has a default value, and implements with the
/// operator itself. Swift prefers the candidate with fewer omitted parameters, so they would call themselves if the
/// operators had more parameters than Combine's.
extension Publisher {
  fileprivate func map<T>(_ transform: @escaping (Output) -> T, label: String = "") -> AnyPublisher<T, Failure> {
    map(transform).eraseToAnyPublisher()
  }

  fileprivate func filter(
    _ isIncluded: @escaping (Output) -> Bool, label: String = ""
  ) -> AnyPublisher<Output, Failure> {
    filter(isIncluded).eraseToAnyPublisher()
  }

  fileprivate func scan<T>(
    _ initial: T, label: String = "", _ next: @escaping (T, Output) -> T
  ) -> AnyPublisher<T, Failure> {
    scan(initial, next).eraseToAnyPublisher()
  }

  fileprivate func first(
    where predicate: @escaping (Output) -> Bool, label: String = ""
  ) -> AnyPublisher<Output, Failure> {
    first(where: predicate).eraseToAnyPublisher()
  }

  fileprivate func flatMap<P: Publisher<Output, Failure>>(
    _ transform: @escaping (Output) -> P, label: String = ""
  ) -> AnyPublisher<Output, Failure> {
    flatMap(maxPublishers: .unlimited, transform).eraseToAnyPublisher()
  }

  fileprivate func `catch`<P: Publisher<Output, Never>>(
    _ handler: @escaping (Failure) -> P, label: String = ""
  ) -> AnyPublisher<Output, Never> {
    self.catch(handler).eraseToAnyPublisher()
  }

  fileprivate func removeDuplicates(
    by isSame: @escaping (Output, Output) -> Bool, label: String = ""
  ) -> AnyPublisher<Output, Failure> {
    removeDuplicates(by: isSame).eraseToAnyPublisher()
  }

  fileprivate func reduce<T>(
    _ initial: T, label: String = "", _ next: @escaping (T, Output) -> T
  ) -> AnyPublisher<T, Failure> {
    reduce(initial, next).eraseToAnyPublisher()
  }

  fileprivate func zip<P: Publisher, T>(
    _ other: P, label: String = "", _ transform: @escaping (Output, P.Output) -> T
  ) -> AnyPublisher<T, Failure> where P.Failure == Failure {
    zip(other, transform).eraseToAnyPublisher()
  }
}

/// `sink` has a parameter with a default value more than Combine's, so an overload passes it to be unambiguous.
extension Publisher where Failure == Never {
  fileprivate func sink(
    label: String = "", isolation: isolated (any Actor)? = #isolation, receiveValue: @escaping (Output) -> Void
  ) -> AnyCancellable {
    sink(isolation: isolation, receiveValue: receiveValue)
  }
}

@Suite struct OverloadTests {
  @Test func `overloads with a parameter that has a default value call the operators`() {
    var received: [Int] = []
    let numbers = [1, 2, 2, 3].publisher.eraseToAnyPublisher()
    let doubled = numbers.map({ $0 * 2 }, label: "double")
    let large = doubled.filter({ $0 > 2 }, label: "large")
    let distinct = large.removeDuplicates(by: { $0 == $1 }, label: "distinct")
    let sums = distinct.scan(0, label: "sum") { $0 + $1 }
    let inner = sums.flatMap({ Just($0).eraseToAnyPublisher() }, label: "inner")
    let caught = inner.setFailureType(to: (any Error).self).catch({ _ in Empty<Int, Never>() }, label: "none")
    let chain = caught.zip(numbers, label: "pair") { $0 * 100 + $1 }
    let cancellable = chain.sink(label: "all") { received.append($0) }
    #expect(received == [401, 1002])
    cancellable.cancel()
  }

  @Test func `overloads of operators that publish one value call the operators`() {
    var received: [Int] = []
    let numbers = [1, 2, 2, 3].publisher.eraseToAnyPublisher()
    let first = numbers.first(where: { $0 > 1 }, label: "first").sink(label: "first") { received.append($0) }
    let sum = numbers.reduce(0, label: "sum") { $0 + $1 }.sink(label: "sum") { received.append($0) }
    #expect(received == [2, 8])
    first.cancel()
    sum.cancel()
  }
}
