import Testing

@testable import Streams

// `@testable`: one test looks at who waits for a future, which nothing public shows.

struct FutureTests {
  @Test func `calls its closure once, at creation`() {
    var runs = 0
    let future = Future<Int, Never> { promise in
      runs += 1
      promise(.success(runs))
    }
    #expect(runs == 1)
    #expect(collect(future) + collect(future) == [1, 1])
    #expect(runs == 1)
  }

  @Test func `publishes its value and finishes when it is fulfilled`() {
    var fulfill: Future<Int, Never>.Promise?
    let future = Future<Int, Never> { fulfill = $0 }
    let recorder = record(future)
    #expect(recorder.log == [])

    fulfill?(.success(1))
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `fails when its promise is called with a failure`() {
    #expect(log(Future<Int, TestError> { $0(.failure(.first)) }) == ["first"])
  }

  @Test func `keeps the first result when its promise is called twice`() {
    let future = Future<Int, TestError> { promise in
      promise(.success(1))
      promise(.success(2))
      promise(.failure(.first))
    }
    #expect(log(future) == ["1", "finished"])
  }

  @Test func `holds its value until it is requested`() {
    let recorder = record(Future<Int, Never> { $0(.success(1)) }, .none)
    #expect(recorder.log == [])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `fails without demand`() {
    #expect(record(Future<Int, TestError> { $0(.failure(.first)) }, .none).log == ["first"])
  }

  @Test func `serves subscribers in the order of their subscriptions`() {
    var fulfill: Future<Int, Never>.Promise?
    let future = Future<Int, Never> { fulfill = $0 }
    var order: [Int] = []
    let cancellables = (0..<20).map { number in future.sink { _ in order.append(number) } }
    fulfill?(.success(1))
    #expect(order == Array(0..<20))
    withExtendedLifetime(cancellables) {}
  }

  @Test func `publishes nothing after cancellation`() {
    var fulfill: Future<Int, Never>.Promise?
    let future = Future<Int, Never> { fulfill = $0 }
    let (recorder, other) = (record(future), record(future))
    recorder.cancel()
    fulfill?(.success(1))
    #expect(recorder.log == [])
    #expect(other.log == ["1", "finished"])
  }

  @Test func `stays pending when its promise is released without a call`() {
    let recorder = record(Future<Int, Never> { _ in })
    #expect(recorder.log == [])
    #expect(recorder.subscriptions.count == 1)
  }

  @Test func `releases a subscriber that cancels`() {
    let future = Future<Int, Never> { _ in }
    weak var released: TestObject?
    var count = 0
    do {
      let object = TestObject()
      released = object
      let cancellable = future.handleEvents(receiveSubscription: { _ in count += 1 }).sink { [object] _ in _ = object }
      cancellable.cancel()
    }
    #expect(count == 1)
    #expect(released == nil)
    withExtendedLifetime(future) {}
  }

  @Test func `value returns the result of a future that is already fulfilled`() async throws {
    #expect(await Future<Int, Never> { $0(.success(1)) }.value == 1)
    #expect(try await Future<Int, TestError> { $0(.success(2)) }.value == 2)
  }

  @Test func `value throws the failure`() async {
    await #expect(throws: TestError.first) { try await Future<Int, TestError> { $0(.failure(.first)) }.value }
  }

  @Test func `value waits for the promise`() async {
    nonisolated(unsafe) var fulfill: Future<Int, Never>.Promise?
    let future = Future<Int, Never> { fulfill = $0 }
    async let value = future.value
    await Task.yield()
    fulfill?(.success(1))
    #expect(await value == 1)
  }

  @Test func `value throws when the task is cancelled, unlike Combine, which waits forever`() async {
    let future = Future<Int, TestError> { _ in }
    let task = Task { try await future.value }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a loop over the values of a future that is never fulfilled ends when the task is cancelled`() async {
    let future = Future<Int, Never> { _ in }
    let task = Task {
      var values: [Int] = []
      for await value in future.values { values.append(value) }
      return values
    }
    task.cancel()
    #expect(await task.value == [])
  }

  @Test func `a failure that comes while the subscription is received follows it`() {
    var log: [String] = []
    var promise: Future<Int, TestError>.Promise?
    Future { promise = $0 }.subscribe(
      AnySubscriber(
        receiveSubscription: { _ in
          promise?(.failure(.first))
          log.append("subscription")
        }, receiveCompletion: { _ in log.append("completion") }))

    #expect(log == ["subscription", "completion"])
  }

  @Test func `a subscriber that cancels while it receives the subscription does not wait any more`() {
    let future = Future<Int, TestError> { _ in }
    future.subscribe(AnySubscriber(receiveSubscription: { $0.cancel() }))

    #expect(future.fulfillment.withLock { $0.waiting.isEmpty })
  }
}
