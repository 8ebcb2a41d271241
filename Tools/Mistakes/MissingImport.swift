// Expected diagnostics stand in the line of the mistake, regardless of its length.
// swift-format-ignore-file
import Dispatch
import StreamSchedulers
import Streams

actor Account {}

/// Operators of a module that this file doesn't import.
func algorithms(_ ints: AnyPublisher<Int, Never>, _ strings: AnyPublisher<String, Never>, _ account: Account, _ queue: DispatchQueue) async throws {
  _ = ints.withLatest(from: strings)  // expect: add `import StreamAlgorithms`
  _ = ints.withLatest(from: strings) { $0 + $1.count }  // expect: add `import StreamAlgorithms`
  _ = ints.map { $0 + 1 }.pairwise().map { $0.0 + $0.1 }  // expect: add `import StreamAlgorithms`
  _ = ints.flatMapLatest { Just($0) }.sink { print($0) }  // expect: add `import StreamAlgorithms`
  _ = ints.flatMapLatest { try await load($0) }  // expect: add `import StreamAlgorithms`
  _ = ints.map(maxTasks: 2) { try await load($0) }  // expect: add `import StreamAlgorithms`
  _ = ints.flatMap(maxTasks: 2) { try await load($0) }  // expect: add `import StreamAlgorithms`
  _ = ints.share(replay: 1)  // expect: add `import StreamAlgorithms`
  _ = ints.receive(on: account)  // expect: add `import StreamAlgorithms`
  _ = ints.groupBy({ $0 % 2 }, maxGroups: 2, bufferSize: 1)  // expect: add `import StreamAlgorithms`
  _ = ints.delay(subscription: .seconds(1), scheduler: queue)  // expect: add `import StreamAlgorithms`
  _ = ints.finish(when: strings)  // expect: add `import StreamAlgorithms`
  _ = ints.repeat(2)  // expect: add `import StreamAlgorithms`
  _ = ints.race(with: ints)  // expect: add `import StreamAlgorithms`
  _ = Future { try await load(1) }  // expect: add `import StreamAlgorithms`
  _ = Deferred { try await load(1) }  // expect: add `import StreamAlgorithms`
  _ = AsyncStream<Int> { $0.finish() }.publisher  // expect: add `import StreamAlgorithms`
  try await ints.run { _ = try await load($0) }  // expect: add `import StreamAlgorithms`
}

func load(_ number: Int) async throws -> Int { number }

extension Array {
  func pairs() -> Int { zip(self, self).reduce(0) { count, _ in count + 1 } }
}

extension Publisher {
  func withLatest<P: Publisher>(from other: P, or: Int) -> Int { 1 }
  func pairwise(_ number: Int) -> Int { number }
  func checkpoint(_ name: String) -> Int { 2 }
}

/// A program's own operators take precedence.
func own(_ ints: AnyPublisher<Int, Never>) -> Int {
  ints.withLatest(from: ints, or: 1) + ints.pairwise(1) + ints.checkpoint("a")
}
