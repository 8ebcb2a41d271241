import Streams
import Testing

struct FutureTests {
  @Test func `runs its closure at once and once`() {
    var runs = 0
    let future = Future<Int, Never> { promise in
      runs += 1
      promise(.success(runs))
    }
    #expect(runs == 1)
    #expect(collect(future) + collect(future) == [1, 1])
    #expect(runs == 1)
  }

  @Test func `sends its value and finishes when it is fulfilled`() {
    var fulfil: Future<Int, Never>.Promise?
    let future = Future<Int, Never> { fulfil = $0 }
    let recorder = record(future)
    #expect(recorder.log == [])

    fulfil?(.success(1))
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `fails when its promise fails`() {
    #expect(log(Future<Int, TestError> { $0(.failure(.first)) }) == ["first"])
  }

  @Test func `keeps the first result of a promise that is called twice`() {
    let future = Future<Int, TestError> { promise in
      promise(.success(1))
      promise(.success(2))
      promise(.failure(.first))
    }
    #expect(log(future) == ["1", "finished"])
  }

  @Test func `a value waits until it is asked for`() {
    let recorder = record(Future<Int, Never> { $0(.success(1)) }, .none)
    #expect(recorder.log == [])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `a failure does not wait`() {
    #expect(record(Future<Int, TestError> { $0(.failure(.first)) }, .none).log == ["first"])
  }

  @Test func `serves subscribers in the order in which they came`() {
    var fulfil: Future<Int, Never>.Promise?
    let future = Future<Int, Never> { fulfil = $0 }
    var order: [Int] = []
    let cancellables = (0..<20).map { number in future.sink { _ in order.append(number) } }
    fulfil?(.success(1))
    #expect(order == Array(0..<20))
    withExtendedLifetime(cancellables) {}
  }

  @Test func `sends nothing to a subscriber that has cancelled`() {
    var fulfil: Future<Int, Never>.Promise?
    let future = Future<Int, Never> { fulfil = $0 }
    let recorder = record(future)
    recorder.cancel()
    fulfil?(.success(1))
    #expect(recorder.log == [])
  }

  @Test func `stays pending when its promise is released uncalled`() {
    let recorder = record(Future<Int, Never> { _ in })
    #expect(recorder.log == [])
    #expect(recorder.subscriptions.count == 1)
  }

  @Test func `lets go of a subscriber that cancels`() {
    let future = Future<Int, Never> { _ in }
    weak var released: TestObject?
    do {
      let object = TestObject()
      released = object
      let cancellable = future.sink { [object] _ in _ = object }
      cancellable.cancel()
    }
    #expect(released == nil)
    withExtendedLifetime(future) {}
  }

  @Test func `its value is that of a future that was fulfilled before`() async throws {
    #expect(await Future<Int, Never> { $0(.success(1)) }.value == 1)
    #expect(try await Future<Int, TestError> { $0(.success(2)) }.value == 2)
  }

  @Test func `its value throws the failure`() async {
    await #expect(throws: TestError.first) { try await Future<Int, TestError> { $0(.failure(.first)) }.value }
  }

  @Test func `its value waits for the promise`() async {
    nonisolated(unsafe) var fulfil: Future<Int, Never>.Promise?
    let future = Future<Int, Never> { fulfil = $0 }
    async let value = future.value
    await Task.yield()
    fulfil?(.success(1))
    #expect(await value == 1)
  }

  @Test func `its value throws when the task is cancelled, other than Combine, which waits for ever`() async {
    let future = Future<Int, TestError> { _ in }
    let task = Task { try await future.value }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
