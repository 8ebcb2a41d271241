import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Differences from Combine that the article "From Combine" states.
@Suite
struct DifferenceTests {
  private let scheduler = DispatchQueue.test

  @Test func `a value sent during a delivery waits until every subscriber has the previous one`() {
    let subject = PassthroughSubject<Int, Never>()
    var log: [String] = []
    let first = subject.sink {
      log.append("first \($0)")
      if $0 == 1 { subject.send(2) }
    }
    let second = subject.sink { log.append("second \($0)") }
    subject.send(1)
    #expect(log == ["first 1", "second 1", "first 2", "second 2"])
    _ = (first, second)
  }

  @Test func `a subject delivers to subscribers in the order in which they subscribed`() {
    let subject = PassthroughSubject<Void, Never>()
    var log: [Int] = []
    let cancellables = (0..<100).map { number in subject.sink { log.append(number) } }
    withExtendedLifetime(cancellables) { subject.send() }
    #expect(log == Array(0..<100))
  }

  @Test func `a cancellation before the subscription arrives is remembered`() {
    let subject = PassthroughSubject<Int, Never>()
    var (log, others): ([Int], [Int]) = ([], [])
    let cancellable = subject.subscribe(on: scheduler).sink { log.append($0) }
    let other = subject.subscribe(on: scheduler).sink { others.append($0) }
    cancellable.cancel()
    scheduler.run()
    subject.send(1)
    #expect(log == [])
    #expect(others == [1])
    other.cancel()
  }

  @Test func `cancellation drops pending values, even after upstream has finished`() {
    var log: [Int] = []
    let delayed = [1, 2].publisher.delay(for: .seconds(1), scheduler: scheduler).sink { log.append($0) }
    let received = [1, 2].publisher.receive(on: scheduler).sink { log.append($0) }
    #expect(scheduler.pendingCount == 2)
    delayed.cancel()
    received.cancel()
    scheduler.run()
    #expect(log == [])
  }

  @Test func `cancelled operators have nothing scheduled`() {
    let subject = PassthroughSubject<Int, Never>()
    let cancellables = [
      subject.delay(for: .seconds(3600), scheduler: scheduler).sink { _ in },
      subject.debounce(for: .seconds(3600), scheduler: scheduler).sink { _ in },
      subject.timeout(.seconds(3600), scheduler: scheduler).sink { _ in },
    ]
    subject.send(1)
    subject.send(2)
    scheduler.advance()
    #expect(scheduler.pendingCount == 3)
    for cancellable in cancellables { cancellable.cancel() }
    scheduler.assertIdle()
  }

  @Test func `debounce has at most one action scheduled`() {
    let subject = PassthroughSubject<Int, Never>()
    var log: [Int] = []
    let cancellable = subject.debounce(for: .seconds(1), scheduler: scheduler).sink { log.append($0) }
    for number in 1...1000 {
      subject.send(number)
      scheduler.advance(by: .milliseconds(1))
      #expect(scheduler.pendingCount == 1)
    }
    scheduler.run()
    #expect(log == [1000])
    cancellable.cancel()
  }

  @Test func `receive(on:) a concurrent queue preserves order`() async {
    let received = Log<Int>()
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let cancellable = (0..<1000).publisher.receive(on: queue).sink { received.append($0) }
    #expect(await received.first(1000) == Array(0..<1000))
    cancellable.cancel()
  }

  @Test func `operators on a sequence run on demand`() {
    var calls = 0
    let publisher = (1...).publisher.map { number in
      calls += 1
      return number * 2
    }
    #expect(calls == 0)
    var log: [Int] = []
    let cancellable = publisher.prefix(2).sink { log.append($0) }
    #expect(log == [2, 4])
    #expect(calls == 2)
    cancellable.cancel()
  }

  @Test func `awaiting a throwing future ends when the task is cancelled`() async {
    let future = Future<Int, ServerFailure> { _ in }
    let task = Task { try await future.value }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
