import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import SuiteSupport
import Synchronization
import Testing

/// A subject whose senders wait while it is full.
struct BoundedSubjectTests {
  private let scheduler = DispatchQueue.test

  /// Starts a task that sends values one after the other, and returns the number of those that were accepted.
  private func send(_ values: some Sequence<Int> & Sendable, to subject: BoundedSubject<Int, Never>) -> (
    Task<Void, any Error>, () -> Int
  ) {
    let accepted = Counter()
    let task = Task(on: scheduler) {
      for value in values {
        try await subject.send(value)
        accepted.increment()
      }
    }
    return (task, { accepted.value })
  }

  @Test func `a sender waits while as many values wait as the bound allows`() {
    let subject = BoundedSubject<Int, Never>(bounded: 3)
    let recorder = scheduler.record(subject, demand: .max(1))
    let (_, accepted) = send(1...10, to: subject)
    scheduler.advance()
    #expect(recorder.values == [1] && accepted() == 4)
    recorder.request(.max(2))
    scheduler.advance()
    #expect(recorder.values == [1, 2, 3] && accepted() == 6)
    recorder.request(.unlimited)
    scheduler.advance()
    #expect(recorder.values == Array(1...10) && accepted() == 10)
  }

  @Test func `the slowest subscriber decides until it cancels`() {
    let subject = BoundedSubject<Int, Never>(bounded: 2)
    let (slow, fast) = (scheduler.record(subject, demand: .max(1)), scheduler.record(subject))
    let (_, accepted) = send(1...5, to: subject)
    scheduler.advance()
    #expect(slow.values == [1] && fast.values == [1, 2, 3] && accepted() == 3)
    slow.cancel()
    scheduler.advance()
    #expect(fast.values == [1, 2, 3, 4, 5] && accepted() == 5)
  }

  @Test func `the first subscriber receives what was sent before, and lets the senders that wait continue`() {
    let subject = BoundedSubject<Int, Never>(bounded: 2)
    let (_, accepted) = send(1...5, to: subject)
    scheduler.advance()
    #expect(accepted() == 2)
    #expect(!subject.offer(6))
    let recorder = scheduler.record(subject, demand: .max(1))
    scheduler.advance()
    #expect(recorder.values == [1] && accepted() == 3)
    recorder.request(.unlimited)
    scheduler.advance()
    #expect(recorder.values == [1, 2, 3, 4, 5] && accepted() == 5)
  }

  @Test func `a second subscriber receives nothing that was sent before the first`() {
    let subject = BoundedSubject<Int, Never>(bounded: 2)
    #expect(subject.offer(1) && subject.offer(2))
    let first = scheduler.record(subject, demand: .none)
    let second = scheduler.record(subject)
    first.request(.max(1))
    #expect(subject.offer(3))
    first.request(.unlimited)
    #expect(first.values == [1, 2, 3] && second.values == [3])
  }

  @Test(arguments: [Subscribers.Completion<TestFailure>.finished, .failure(TestFailure())])
  func `a completion before the first subscriber follows what was sent, and lets the senders that wait continue`(
    _ completion: Subscribers.Completion<TestFailure>
  ) {
    let subject = BoundedSubject<Int, TestFailure>(bounded: 2)
    #expect(subject.offer(1) && subject.offer(2))
    let errors = Counter()
    Task(on: scheduler) {
      do { try await subject.send(3) } catch { errors.increment() }
    }
    scheduler.advance()
    #expect(errors.value == 0)
    subject.send(completion: completion)
    scheduler.advance()
    #expect(errors.value == 1)
    let first = scheduler.record(subject, demand: .max(1))
    #expect(first.values == [1] && first.completion == nil)
    first.request(.unlimited)
    #expect(first.values == [1, 2] && first.completion == completion)
    let second = scheduler.record(subject)
    #expect(second.values == [] && second.completion == completion)
  }

  @Test func `a sender that is cancelled while it waits for the first subscriber is not sent`() {
    let subject = BoundedSubject<Int, Never>(bounded: 1)
    let (task, accepted) = send([1, 2], to: subject)
    scheduler.advance()
    task.cancel()
    scheduler.advance()
    let recorder = scheduler.record(subject)
    #expect(subject.offer(3))
    #expect(recorder.values == [1, 3] && accepted() == 1)
  }

  @Test func `finish(when:) completes the subject, so that all it has accepted arrives and later senders stop`() {
    let subject = BoundedSubject<Int, Never>(bounded: 2)
    let stop = PassthroughSubject<Void, Never>()
    let recorder = scheduler.record(subject.finish(when: stop), demand: .max(1))
    let other = scheduler.record(subject)
    let errors = Counter()
    let (_, accepted) = send(1...3, to: subject)
    scheduler.advance()
    stop.send()
    Task(on: scheduler) {
      do { try await subject.send(4) } catch is CancellationError { errors.increment() }
    }
    scheduler.advance()
    #expect(recorder.values == [1] && recorder.completion == nil && errors.value == 1)
    recorder.request(.unlimited)
    #expect(accepted() == 3 && recorder.values == [1, 2, 3] && recorder.completion == .finished)
    #expect(other.values == [1, 2, 3] && other.completion == .finished)
  }

  @Test func `a cancelled finish(when:) cancels its publisher, and the subject continues`() {
    let subject = BoundedSubject<Int, Never>(bounded: 2)
    let stop = scheduler.hot(.next(at: .seconds(2), ()))
    scheduler.record(subject.finish(when: stop)).cancel()
    scheduler.run()
    #expect(stop.subscriptions == [.cancelled(.zero, .zero)])
    #expect(subject.offer(1))
  }

  @Test func `what is sent while the chain of the first subscriber is being attached arrives`() {
    let queue = scheduler
    let never = Empty<Void, Never>(completeImmediately: false)
    let chains: [(String, (BoundedSubject<Int, Never>) -> AnyPublisher<Int, Never>)] = [
      ("subject", { $0.eraseToAnyPublisher() }),
      ("map", { $0.map { $0 }.eraseToAnyPublisher() }),
      ("finish(when:)", { $0.finish(when: never).eraseToAnyPublisher() }),
      ("map(maxTasks:)", { $0.map(maxTasks: 4, on: queue) { $0 }.eraseToAnyPublisher() }),
      ("flatMap(maxTasks:)", { $0.map(maxTasks: 4, by: { $0 }, on: queue) { $0 }.eraseToAnyPublisher() }),
      ("flatMap", { $0.flatMap { Just($0) }.eraseToAnyPublisher() }),
      ("receive(on:)", { $0.receive(on: queue).eraseToAnyPublisher() }),
      ("buffer(bounded:)", { $0.buffer(bounded: 4, whenFull: .wait).eraseToAnyPublisher() }),
      ("buffer", { $0.buffer(size: 4, prefetch: .byRequest, whenFull: .dropOldest).eraseToAnyPublisher() }),
      ("delay", { $0.delay(for: .milliseconds(1), scheduler: queue).eraseToAnyPublisher() }),
      (
        "collect(byTimeOrCount)",
        { $0.collect(.byTimeOrCount(queue, .milliseconds(1), 4)).map { $0.first ?? 0 }.eraseToAnyPublisher() }
      ),
      (
        "rateLimit",
        {
          $0.rateLimit(4, per: .seconds(1), scheduler: queue, queueSize: 4, whenFull: .wait).eraseToAnyPublisher()
        }
      ),
      ("share", { $0.share().eraseToAnyPublisher() }),
      ("values", { $0.values.publisher(on: queue).eraseToAnyPublisher() }),
    ]
    for (name, chain) in chains {
      let subject = BoundedSubject<Int, Never>(bounded: 10)
      var received: [Int] = []
      let cancellable = chain(subject).handleEvents(receiveSubscription: { _ in #expect(subject.offer(1), "\(name)") })
        .sink { received.append($0) }
      scheduler.advance(by: .seconds(1))
      #expect(received == [1], "\(name)")
      cancellable.cancel()
    }
  }

  @Test func `once the last subscriber has left, no sender waits, and values are dropped`() {
    let subject = BoundedSubject<Int, Never>(bounded: 1)
    scheduler.record(subject).cancel()
    let (_, accepted) = send(1...5, to: subject)
    scheduler.advance()
    #expect(accepted() == 5)
    #expect(subject.offer(6))
    #expect(scheduler.record(subject).values == [])
  }

  @Test func `what is kept is released with the subject, or when the first subscriber cancels`() {
    final class Token {}
    weak var token: Token?
    do {
      let subject = BoundedSubject<Token, Never>(bounded: 1)
      do {
        let sent = Token()
        token = sent
        #expect(subject.offer(sent))
      }
      #expect(token != nil)
    }
    #expect(token == nil)
    let subject = BoundedSubject<Token, Never>(bounded: 1)
    do {
      let sent = Token()
      token = sent
      #expect(subject.offer(sent))
    }
    let recorder = scheduler.record(subject, demand: .none)
    #expect(token != nil)
    recorder.cancel()
    #expect(token == nil)
  }

  @Test func `senders continue in the order in which they began to wait`() {
    let subject = BoundedSubject<Int, Never>(bounded: 1)
    let recorder = scheduler.record(subject, demand: .none)
    for value in 1...5 {
      _ = send([value], to: subject)
      scheduler.advance()
    }
    for _ in 1...5 {
      recorder.request(.max(1))
      scheduler.advance()
    }
    #expect(recorder.values == [1, 2, 3, 4, 5])
  }

  @Test func `the value of a sender that is cancelled while it waits is not sent`() {
    let subject = BoundedSubject<Int, Never>(bounded: 1)
    let recorder = scheduler.record(subject, demand: .none)
    let (first, accepted) = send([1, 2], to: subject)
    let (_, acceptedOfOther) = send([3], to: subject)
    let errors = Counter()
    Task(on: scheduler) {
      do { try await first.value } catch is CancellationError { errors.increment() }
    }
    scheduler.advance()
    first.cancel()
    scheduler.advance()
    recorder.request(.unlimited)
    scheduler.advance()
    #expect(recorder.values == [1, 3])
    #expect(accepted() == 1 && acceptedOfOther() == 1 && errors.value == 1)
  }

  @Test func `an offer is refused while a subscriber has no room, or a sender waits`() {
    let subject = BoundedSubject<Int, Never>(bounded: 2)
    let recorder = scheduler.record(subject, demand: .none)
    #expect(subject.offer(1) && subject.offer(2) && !subject.offer(3))
    recorder.request(.max(1))
    #expect(subject.offer(4) && !subject.offer(5))
    recorder.request(.unlimited)
    #expect(recorder.values == [1, 2, 4])
  }

  @Test func `a completion follows the values that wait, and lets senders continue`() {
    let subject = BoundedSubject<Int, Never>(bounded: 2)
    let recorder = scheduler.record(subject, demand: .none)
    let (_, accepted) = send(1...5, to: subject)
    scheduler.advance()
    #expect(accepted() == 2)
    subject.send(completion: .finished)
    scheduler.advance()
    #expect(accepted() == 2 && recorder.completion == nil)
    recorder.request(.unlimited)
    #expect(recorder.values == [1, 2] && recorder.completion == .finished)
    #expect(!subject.offer(6))
    #expect(scheduler.record(subject).completion == .finished)
  }

  @Test func `a subscriber receives what is sent after it has subscribed`() {
    let subject = BoundedSubject<Int, Never>(bounded: 2)
    let first = scheduler.record(subject, demand: .none)
    #expect(subject.offer(1))
    let second = scheduler.record(subject)
    #expect(subject.offer(2))
    first.request(.unlimited)
    #expect(first.values == [1, 2] && second.values == [2])
  }

  @Test func `is released when its last subscriber has cancelled, and not before`() {
    weak var released: BoundedSubject<Int, Never>?
    let cancellable: AnyCancellable
    do {
      let subject = BoundedSubject<Int, Never>(bounded: 1)
      released = subject
      cancellable = subject.sink { _ in }
    }
    #expect(released != nil)
    cancellable.cancel()
    #expect(released == nil)
  }

  @Test func `a subject with a bound conforms`() {
    var subject = BoundedSubject<Int, Never>(bounded: 4)
    var next = 1
    ConformanceChecks.publisher(
      sends: 20,
      settle: {
        while next <= 20, subject.offer(next) { next += 1 }
        if next > 20 { subject.send(completion: .finished) }
      },
      {
        (subject, next) = (BoundedSubject(bounded: 4), 1)
        return subject
      })
  }

  @Test func `many tasks never have more values waiting than the bound, and lose none`() async {
    let subject = BoundedSubject<Int, Never>(bounded: 10)
    let sent = Counter()
    var most = 0
    var values = subject.values.makeAsyncIterator()
    await withTaskGroup { group in
      for number in 0..<4 {
        group.addTask {
          for value in 0..<2_500 {
            try? await subject.send(number * 2_500 + value)
            sent.increment()
          }
        }
      }
      var received: [Int] = []
      while received.count < 10_000, let value = await values.next() {
        received.append(value)
        // A value that was sent may not have been counted yet, so that this is a lower limit of what waits.
        most = max(most, sent.value - received.count)
      }
      #expect(received.sorted() == Array(0..<10_000))
      for number in 0..<4 {
        let own = received.filter { $0 / 2_500 == number }
        #expect(own == own.sorted())
      }
    }
    #expect(most <= 10)
  }

  @Test(.exits) func `a bound below one stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = BoundedSubject<Int, Never>(bounded: 0) }
  }
}

private final class Counter: Sendable {
  private let count = Atomic(0)
  var value: Int { count.load(ordering: .relaxed) }
  func increment() { count.add(1, ordering: .relaxed) }
}
