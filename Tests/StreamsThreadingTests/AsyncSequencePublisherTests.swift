import Dispatch
import Foundation
import Observation
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Asynchronous sequences as publishers. Their tasks run in the virtual time of a test scheduler.
@MainActor
@Suite
struct AsyncSequencePublisherTests {
  private let scheduler = DispatchQueue.test

  // MARK: Values and completions

  @Test func `publishes the elements and finishes`() {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let recorder = record(stream.publisher(on: scheduler))
    scheduler.advance()
    continuation.yield(1)
    continuation.yield(2)
    scheduler.advance()
    #expect(recorder.log == ["1", "2"])
    continuation.finish()
    scheduler.advance()
    #expect(recorder.log == ["1", "2", "finished"])
    scheduler.assertIdle()
  }

  @Test func `cannot fail if the sequence cannot throw`() {
    var values: [Int] = []
    let stream = AsyncStream { continuation in
      for number in 1...3 { continuation.yield(number) }
      continuation.finish()
    }
    let cancellable = stream.publisher(on: scheduler).sink { values.append($0) }
    scheduler.advance()
    #expect(values == [1, 2, 3])
    withExtendedLifetime(cancellable) {}
  }

  @Test func `fails with the error that the sequence throws`() {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
    let recorder = record(stream.publisher(on: scheduler))
    continuation.yield(1)
    continuation.finish(throwing: TestError.second)
    scheduler.advance()
    #expect(recorder.log == ["1", "second"])
  }

  @Test func `keeps the sequence's failure type`() {
    let source = PassthroughSubject<Int, TestError>()
    let values = source.values
    let publisher: AsyncSequencePublisher<AsyncPublisher<PassthroughSubject<Int, TestError>>> =
      values.publisher(on: scheduler)
    let recorder: SignalRecorder<Int, TestError> = record(publisher)
    scheduler.advance()
    source.send(completion: .failure(.first))
    scheduler.advance()
    #expect(recorder.failures == [.first])
  }

  @Test func `takes an executor, which can be omitted`() {
    let recorder = record([1, 2, 3].publisher.values.publisher(executorPreference: scheduler.taskExecutor))
    scheduler.advance()
    #expect(recorder.log == ["1", "2", "3", "finished"])
    scheduler.withVirtualWorld {
      let recorder = record([1, 2, 3].publisher.values.publisher)
      scheduler.advance()
      #expect(recorder.log == ["1", "2", "3", "finished"])
    }
  }

  @Test func `values of values.publisher returns the same values`() async {
    var all: [Int] = []
    for await value in [1, 2, 3].publisher.values.publisher.values { all.append(value) }
    #expect(all == [1, 2, 3])
  }

  // MARK: Demand

  @Test func `starts with the first request, and pulls the requested elements`() {
    let sequence = CountedSequence()
    let recorder = record(sequence.publisher(on: scheduler), .none)
    scheduler.advance()
    #expect(recorder.subscriptions.count == 1)
    #expect(sequence.iterators == 0)

    recorder.request(.max(2))
    #expect(sequence.iterators == 0)
    scheduler.advance()
    #expect(recorder.values == [1, 2])
    #expect(sequence.iterators == 1)
    #expect(sequence.pulls == 2)

    recorder.request(.max(1))
    recorder.request(.max(1))
    scheduler.advance()
    #expect(recorder.values == [1, 2, 3, 4])
    #expect(sequence.pulls == 4)
    recorder.cancel()
    scheduler.advance()
    scheduler.assertIdle()
  }

  @Test func `adds requests and the demand that receive(_:) returns`() {
    let sequence = CountedSequence()
    let recorder = record(sequence.publisher(on: scheduler), .none)
    recorder.onValue = { [unowned recorder] value in
      if value == 1 { recorder.request(.max(2)) }
      return value == 2 ? .max(3) : .none
    }
    recorder.request(.max(1))
    scheduler.advance()
    #expect(recorder.values == [1, 2, 3, 4, 5, 6])
    #expect(sequence.pulls == 6)
    recorder.cancel()
  }

  @Test func `delivers values requested in receive(subscription:) after it has returned`() {
    let sequence = CountedSequence(count: 3)
    let recorder = SignalRecorder<Int, Never>(.none)
    recorder.onSubscription = { subscription in
      subscription.request(.unlimited)
      // Advancing time in here delivers nothing.
      scheduler.advance()
      #expect(recorder.values == [])
    }
    sequence.publisher(on: scheduler).subscribe(recorder)
    scheduler.advance()
    #expect(recorder.log == ["1", "2", "3", "finished"])
  }

  @Test func `creates an iterator for every subscriber`() {
    let sequence = CountedSequence(count: 2)
    let publisher = sequence.publisher(on: scheduler)
    let recorders = [record(publisher), record(publisher)]
    scheduler.advance()
    for recorder in recorders { #expect(recorder.log == ["1", "2", "finished"]) }
    #expect(sequence.iterators == 2)
  }

  // MARK: Cancellation

  @Test func `cancellation cancels the task, and nothing is delivered afterwards`() {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let terminations = Locker<[String]>([])
    continuation.onTermination = { termination in terminations.change { $0.append("\(termination)") } }
    let recorder = record(stream.publisher(on: scheduler))
    continuation.yield(1)
    scheduler.advance()
    recorder.cancel()
    #expect(terminations.value == ["cancelled"])
    continuation.yield(2)
    scheduler.advance()
    #expect(recorder.log == ["1"])
    scheduler.assertIdle()
  }

  @Test func `cancellation cancels the task, however often values were requested`() {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let terminations = Locker<[String]>([])
    continuation.onTermination = { termination in terminations.change { $0.append("\(termination)") } }
    let recorder = record(stream.publisher(on: scheduler), .max(1))
    continuation.yield(1)
    scheduler.advance()
    recorder.request(.max(1))
    scheduler.advance()
    recorder.cancel()
    #expect(terminations.value == ["cancelled"])
    scheduler.advance()
    #expect(recorder.log == ["1"])
    scheduler.assertIdle()
  }

  @Test func `a task that runs at once, and in which the stream is cancelled, is cancelled`() {
    let (source, continuation) = AsyncStream.makeStream(of: Int.self)
    let silent = AsyncStream<Int>.makeStream()
    let isCancelled = Locker(false)
    let recorder = SignalRecorder<Int, Never>()
    nonisolated(unsafe) let subscriber = recorder
    let waiting = source.map { value in
      subscriber.cancel()
      for await _ in silent.stream {}
      isCancelled.change { $0 = Task.isCancelled }
      return value
    }
    continuation.yield(1)
    let executor = EagerExecutor()
    waiting.publisher(executorPreference: executor).subscribe(recorder)
    executor.runKept()
    #expect(isCancelled.value)
    #expect(recorder.log == [])
  }

  @Test func `an element that arrives after cancellation is dropped`() {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let recorder = record(stream.publisher(on: scheduler))
    scheduler.advance()
    continuation.yield(0)
    scheduler.advance()
    continuation.yield(1)
    recorder.cancel()
    scheduler.advance()
    #expect(recorder.log == ["0"])
  }

  @Test func `is cancelled while a value is being delivered, or before the task begins`() {
    let sequence = CountedSequence()
    let early = record(sequence.publisher(on: scheduler))
    early.cancel()
    scheduler.advance()
    #expect(sequence.iterators == 0)

    let recorder = record(sequence.publisher(on: scheduler))
    recorder.onValue = { [unowned recorder] _ in
      recorder.cancel()
      return .max(1)
    }
    scheduler.advance()
    #expect(recorder.log == ["1"])
    #expect(sequence.pulls == 1)
    scheduler.assertIdle()
  }

  @Test func `a task that waits for demand ends on cancellation`() {
    let sequence = CountedSequence()
    let recorder = record(sequence.publisher(on: scheduler), .max(1))
    scheduler.advance()
    recorder.cancel()
    scheduler.advance()
    recorder.request(.max(1))
    scheduler.advance()
    #expect(recorder.log == ["1"])
    #expect(sequence.token == nil)
  }

  // MARK: Lifetimes

  @Test func `releases the subscriber on cancellation, even if the sequence never returns`() {
    weak var subscriber: SignalRecorder<Int, Never>?
    var subscription: (any Subscription)?
    do {
      let recorder = record(StubbornSequence().publisher(on: scheduler))
      subscriber = recorder
      subscription = recorder.subscription
      scheduler.advance()
    }
    #expect(subscriber != nil)
    subscription?.cancel()
    #expect(subscriber == nil)
  }

  @Test func `releases everything at the end`() {
    for fails in [false, true] {
      weak var subscriber: SignalRecorder<Int, any Error>?
      weak var token: TestObject?
      var subscription: (any Subscription)?
      do {
        let recorder = record(CountedSequence(count: 2, fails: fails).failing.publisher(on: scheduler))
        subscriber = recorder
        subscription = recorder.subscription
        scheduler.advance()
        #expect(recorder.log == ["1", "2", fails ? "first" : "finished"])
        token = nil
      }
      #expect(subscriber == nil)
      #expect(token == nil)
      withExtendedLifetime(subscription) {}
    }
  }

  // MARK: Executors

  @Test func `runs on the thread that requests first and advances virtual time`() {
    let recorder = record(CountedSequence(count: 3).publisher, .none)
    scheduler.schedule { recorder.request(.unlimited) }
    scheduler.advance()
    #expect(recorder.log == ["1", "2", "3", "finished"])
    #expect(scheduler.foreignEnqueueCount == 0)
  }

  @Test func `runs in a virtual world`() {
    scheduler.withVirtualWorld {
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      let recorder = record(stream.publisher.map { @Sendable in $0 * 10 }, on: scheduler)
      scheduler.at(1) { continuation.yield(1) }
      scheduler.at(2) { continuation.finish() }
      scheduler.advance(by: 1)
      #expect(recorder.log == ["10@1"])
      scheduler.advance(by: 1)
      #expect(recorder.log == ["10@1", "finished@2"])
    }
  }

  // MARK: Round trips

  @Test func `values.publisher publishes the values of the first publisher`() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = record(subject.values(bounded: 2, whenFull: .wait).publisher(on: scheduler))
    scheduler.advance()
    for number in 1...5 {
      subject.send(number)
      scheduler.advance()
    }
    subject.send(completion: .finished)
    scheduler.advance()
    #expect(recorder.log == ["1", "2", "3", "4", "5", "finished"])
  }

  @Test func `cancellation of values.publisher cancels the first publisher`() {
    let source = HandoverSource()
    let recorder = record(source.values.publisher(on: scheduler), .max(2))
    scheduler.advance()
    #expect(source.log.value == ["max(1)"])
    recorder.cancel()
    #expect(source.log.value == ["max(1)", "cancel"])
    scheduler.advance()
    #expect(source.log.value == ["max(1)", "cancel"])
  }

  @Test func `publishes the values of Observations`() {
    let model = Model()
    scheduler.withVirtualWorld {
      let recorder = record(Observations { model.number }.publisher)
      scheduler.advance()
      #expect(recorder.values == [1])
      model.number = 2
      scheduler.advance()
      model.number = 3
      scheduler.advance()
      #expect(recorder.values == [1, 2, 3])
      recorder.cancel()
      scheduler.advance()
    }
  }
}

// `notifications(named:)` is not part of Foundation on Linux; the sequence of messages is.
extension AsyncSequencePublisherTests {
  @Test func `publishes the messages of a notification center`() {
    let center = NotificationCenter()
    let player = Player()
    scheduler.withVirtualWorld {
      let recorder = record(center.messages(of: player, for: Score.self).publisher.map(\.points))
      scheduler.advance()
      for points in 1...3 { center.post(Score(points: points), subject: player) }
      scheduler.advance()
      #expect(recorder.values == [1, 2, 3])
      recorder.cancel()
      scheduler.advance()
      center.post(Score(points: 4), subject: player)
      scheduler.advance()
      #expect(recorder.values == [1, 2, 3])
    }
  }
}

private final class Player: Sendable {}

private struct Score: NotificationCenter.AsyncMessage {
  typealias Subject = Player

  static var name: Notification.Name { Notification.Name("score") }
  let points: Int
}

@Observable @MainActor
private final class Model {
  var number = 1
}

/// Threads that send and cancel while tasks deliver.
@Suite(.ownThread, .serialized)
struct AsyncSequencePublisherRaces {
  @Test func `delivers every element, one after another`() {
    let count = 5_000
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let witness = Witness<Int, Never>(.max(1), more: .max(1))
    stream.publisher.subscribe(witness)
    onThreads(2) { thread in
      for number in 0..<count { continuation.yield(number * 2 + thread) }
    }
    continuation.finish()
    #expect(witness.wait())
    #expect(witness.received.count == count * 2)
    for parity in 0...1 { #expect(witness.received.filter { $0 % 2 == parity } == (0..<count).map { $0 * 2 + parity }) }
    #expect(!witness.hasOverlapped)
    #expect(witness.completionCount == 1)
  }

  @Test func `loses and doubles no requests of other threads`() {
    let sequence = CountedSequence()
    let witness = Witness<Int, Never>(.max(1), expecting: 2_001)
    sequence.publisher.subscribe(witness)
    onThreads(2) { _ in
      for _ in 0..<1_000 { witness.subscription?.request(.max(1)) }
    }
    #expect(witness.wait())
    witness.cancel()
    #expect(witness.received == Array(1...2_001))
  }

  @Test func `can be cancelled at any time`() {
    race(rounds: 500) {
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      let witness = Witness<Int, Never>()
      stream.publisher.subscribe(witness)
      return (witness, continuation)
    } _: { witness, _ in
      witness.cancel()
    } and: { _, continuation in
      for number in 0..<5 { continuation.yield(number) }
      continuation.finish()
    } check: { witness, _ in
      #expect(!witness.hasOverlapped)
    }
  }
}

// MARK: Support

/// The numbers from 1 on, without suspension; it counts its iterators and their calls.
private struct CountedSequence: AsyncSequence, Sendable {
  typealias Element = Int
  typealias Failure = Never

  struct State {
    var iterators = 0
    var pulls = 0
    weak var token: TestObject?
  }

  let state = Locker(State())
  var count = Int.max
  var fails = false

  var iterators: Int { state.value.iterators }
  var pulls: Int { state.value.pulls }
  /// Exists as long as an iterator.
  var token: TestObject? { state.value.token }

  struct Iterator: AsyncIteratorProtocol {
    let sequence: CountedSequence
    let token: TestObject
    var last = 0

    mutating func next() async -> Int? { await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
      sequence.state.change { $0.pulls += 1 }
      if last == sequence.count { return nil }
      last += 1
      return last
    }
  }

  func makeAsyncIterator() -> Iterator {
    let token = TestObject()
    state.change {
      $0.iterators += 1
      $0.token = token
    }
    return Iterator(sequence: self, token: token)
  }

  /// The same sequence, which can fail at the end.
  var failing: AsyncThrowingStream<Int, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
    for number in 1...count { continuation.yield(number) }
    continuation.finish(throwing: fails ? TestError.first : nil)
    return stream
  }
}

/// An executor that runs its first job before `enqueue(_:)` returns, and keeps the others.
private final class EagerExecutor: TaskExecutor {
  private let kept = Locker<[UnownedJob]?>(nil)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    var isFirst = false
    kept.change { jobs in
      isFirst = jobs == nil
      jobs = isFirst ? [] : (jobs ?? []) + [job]
    }
    if isFirst { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  func runKept() {
    var jobs: [UnownedJob] = []
    kept.change {
      jobs = $0 ?? []
      $0 = []
    }
    for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

/// A sequence that never returns and ignores cancellation.
private struct StubbornSequence: AsyncSequence, Sendable {
  struct Iterator: AsyncIteratorProtocol {
    mutating func next() async -> Int? {
      await withUnsafeContinuation { (_: UnsafeContinuation<Int?, Never>) in }
    }
  }

  typealias Failure = Never

  func makeAsyncIterator() -> Iterator { Iterator() }
}

/// A publisher that sends nothing, and records its requests.
private struct HandoverSource: Publisher, Sendable {
  typealias Output = Int
  typealias Failure = Never

  let log = Locker<[String]>([])

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    subscriber.receive(subscription: Noting(log: log))
  }

  private struct Noting: Subscription {
    let log: Locker<[String]>
    let combineIdentifier = CombineIdentifier()

    func request(_ demand: Subscribers.Demand) { log.change { $0.append("\(demand)") } }
    func cancel() { log.change { $0.append("cancel") } }
  }
}
