import Combine
import Foundation
import Testing

enum AsyncError: Error {
  case finishedWithoutValue
}

struct UncheckedSendable<Value>: @unchecked Sendable {
  let value: Value
}

extension Future where Output: Sendable, Failure == any Error {
  convenience init(operation: @escaping @Sendable () async throws -> Output) {
    self.init { promise in
      let promise = UncheckedSendable(value: promise)
      Task {
        do {
          promise.value(.success(try await operation()))
        } catch {
          promise.value(.failure(error))
        }
      }
    }
  }
}

extension Publisher where Output: Sendable {
  func asyncMap<T: Sendable>(
    _ transform: @escaping @Sendable (Output) async -> T
  ) -> Publishers.FlatMap<Future<T, Never>, Self> where Failure == Never {
    flatMap(maxPublishers: .max(1)) { value in
      Future { promise in
        let promise = UncheckedSendable(value: promise)
        Task { promise.value(.success(await transform(value))) }
      }
    }
  }

  func singleOutput() async throws -> Output {
    var cancellable: AnyCancellable?
    var didReceiveValue = false
    return try await withCheckedThrowingContinuation { continuation in
      cancellable = first().sink(
        receiveCompletion: { completion in
          switch completion {
          case .failure(let error):
            continuation.resume(throwing: error)
          case .finished:
            if !didReceiveValue {
              continuation.resume(throwing: AsyncError.finishedWithoutValue)
            }
          }
          cancellable?.cancel()
        },
        receiveValue: { value in
          didReceiveValue = true
          continuation.resume(returning: value)
        })
    }
  }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
  var publisher: AnyPublisher<Element, any Error> {
    Deferred {
      let subject = PassthroughSubject<Element, any Error>()
      let box = UncheckedSendable(value: subject)
      let task = Task {
        do {
          for try await element in self { box.value.send(element) }
          box.value.send(completion: .finished)
        } catch {
          box.value.send(completion: .failure(error))
        }
      }
      return subject.handleEvents(receiveCancel: { task.cancel() })
    }
    .eraseToAnyPublisher()
  }
}

struct AsyncBridgeTests {
  @Test func `for await runs over a sequence`() async {
    var collected: [Int] = []
    for await value in (1...3).publisher.map({ $0 * $0 }).values {
      collected.append(value)
    }
    #expect(collected == [1, 4, 9])
  }

  @Test func `for try await throws the failure`() async {
    let publisher = [1, 2].publisher.setFailureType(to: URLError.self)
      .append(Fail(error: URLError(.badURL)))
    var collected: [Int] = []
    await #expect(throws: URLError(.badURL)) {
      for try await value in publisher.values { collected.append(value) }
    }
    #expect(collected == [1, 2])
  }

  @Test func `a future has a value`() async throws {
    let fine = Future<Int, Never> { $0(.success(5)) }
    #expect(await fine.value == 5)
    let failing = Future<Int, any Error> { promise in promise(.failure(URLError(.cancelled))) }
    await #expect(throws: URLError.self) { try await failing.value }
    let bridged = Future { await Task { 6 }.value }
    #expect(try await bridged.value == 6)
  }

  @Test func `async transforms keep the order`() async {
    var words: [String] = []
    let publisher = [3, 1, 2].publisher.asyncMap { number -> String in
      await Task.yield()
      return String(repeating: "x", count: number)
    }
    for await word in publisher.values { words.append(word) }
    #expect(words == ["xxx", "x", "xx"])
  }

  @Test func `the single output is the first or an error`() async throws {
    #expect(try await [8, 9].publisher.singleOutput() == 8)
    await #expect(throws: AsyncError.finishedWithoutValue) { try await Empty<Int, Never>().singleOutput() }
    await #expect(throws: URLError.self) {
      try await Fail<Int, URLError>(error: URLError(.badURL)).singleOutput()
    }
  }

  @Test func `an async stream becomes a publisher`() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    [1, 2, 3].forEach { continuation.yield($0) }
    continuation.finish()
    var all: [[Int]] = []
    for try await values in stream.publisher.collect().values { all.append(values) }
    #expect(all == [[1, 2, 3]])
  }

  @Test func `a buffered subject loses nothing`() async {
    let subject = PassthroughSubject<Int, Never>()
    let values: AsyncPublisher<Publishers.Buffer<PassthroughSubject<Int, Never>>> =
      subject.buffer(size: 10, prefetch: .byRequest, whenFull: .dropOldest).values
    var iterator = values.makeAsyncIterator()
    (1...3).forEach(subject.send)
    subject.send(completion: .finished)
    var received: [Int] = []
    while let value = await iterator.next() { received.append(value) }
    #expect(received == [1, 2, 3])
  }
}
