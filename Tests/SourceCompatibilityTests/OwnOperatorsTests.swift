import Combine
import Foundation
import Testing

// A program's own operators, written because Combine lacks them, take precedence over those of Streams with the same name.

extension Publisher {
  fileprivate func withLatestFrom<P: Publisher>(_ other: P) -> AnyPublisher<String, Failure>
  where P.Failure == Failure {
    own
  }

  fileprivate func withLatest<P: Publisher>(from other: P) -> AnyPublisher<String, Failure> where P.Failure == Failure {
    own
  }

  fileprivate func flatMapLatest<P: Publisher>(_ transform: @escaping (Output) -> P) -> AnyPublisher<String, Failure>
  where P.Failure == Failure { own }

  fileprivate func pairwise() -> AnyPublisher<String, Failure> { own }

  fileprivate func amb<P: Publisher>(with other: P) -> AnyPublisher<String, Failure>
  where P.Output == Output, P.Failure == Failure { own }

  fileprivate func materialize() -> AnyPublisher<String, Failure> { own }

  fileprivate func share(replay count: Int) -> AnyPublisher<String, Failure> { own }

  fileprivate func sample<P: Publisher>(by sampler: P) -> AnyPublisher<String, Failure> where P.Failure == Never { own }

  fileprivate func retry(when decide: @escaping (AnyPublisher<Failure, Never>) -> AnyPublisher<Void, Never>)
    -> AnyPublisher<String, Failure>
  { own }

  fileprivate func mapToVoid() -> AnyPublisher<String, Failure> { own }

  private var own: AnyPublisher<String, Failure> {
    Just("own").setFailureType(to: Failure.self).eraseToAnyPublisher()
  }
}

struct OwnOperatorsTests {
  @Test func `a program's own operators take precedence over those of the same name`() {
    let one = Just(1)
    let failing = PassthroughSubject<Int, URLError>()
    for publisher in [
      one.withLatestFrom(one), one.withLatest(from: one), one.flatMapLatest { Just($0) }, one.pairwise(),
      one.amb(with: one), one.materialize(), one.share(replay: 1), one.sample(by: one), one.mapToVoid(),
    ] {
      var values: [String] = []
      let cancellable = publisher.sink { values.append($0) }
      cancellable.cancel()
      #expect(values == ["own"])
    }
    let retried: AnyPublisher<String, URLError> = failing.retry(when: { $0.map { _ in }.eraseToAnyPublisher() })
    _ = retried
  }
}
