import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import StreamsTestSupport
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

  @Test func `without subscribers, no sender waits`() {
    let subject = BoundedSubject<Int, Never>(bounded: 1)
    let (_, accepted) = send(1...5, to: subject)
    scheduler.advance()
    #expect(accepted() == 5)
    #expect(subject.offer(6))
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
