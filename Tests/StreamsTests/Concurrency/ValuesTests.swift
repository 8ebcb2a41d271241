import Dispatch
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import SuiteSupport
import Testing

/// The values of a publisher as an asynchronous sequence. Tasks run in a virtual world, where each step can be checked.
@MainActor
@Suite
struct ValuesTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()
  private let log = TextLog()

  /// Iterates in a task, records the results, and runs the task as far as possible.
  @discardableResult
  private func iterate<P: Publisher>(_ values: AsyncPublisher<P>) -> Task<Void, Never> {
    let task = Task {
      do {
        for try await value in values { log.append("\(value)") }
        log.append("end")
      } catch {
        log.append("\(error)")
      }
    }
    scheduler.advance()
    return task
  }

  // MARK: Values and completions

  @Test func `returns the values in order, without try if the publisher cannot fail`() async {
    var values: [Int] = []
    for await value in [1, 2, 3].publisher.values { values.append(value) }
    #expect(values == [1, 2, 3])
  }

  @Test func `returns without waiting what has arrived, and no failure`() async throws {
    let subject = PassthroughSubject<Int, TestError>()
    var iterator = subject.values(bounded: 2, whenFull: .dropOldest).makeAsyncIterator()
    #expect(iterator.nextIfAvailable() == nil)
    for number in 1...3 { subject.send(number) }
    #expect(iterator.nextIfAvailable() == 2)
    subject.send(completion: .failure(.first))
    #expect(iterator.nextIfAvailable() == 3)
    #expect(iterator.nextIfAvailable() == nil)
    await #expect(throws: TestError.first) { try await iterator.next() }
    #expect(iterator.nextIfAvailable() == nil)
  }

  @Test func `requests a value that nothing keeps, once, without waiting`() async throws {
    var iterator = source.values.makeAsyncIterator()
    #expect(iterator.nextIfAvailable() == nil)
    #expect(iterator.nextIfAvailable() == nil)
    #expect(source.requests == [.max(1)])
    source.send(1)
    #expect(iterator.nextIfAvailable() == 1)
    var numbers = [1, 2].publisher.values.makeAsyncIterator()
    #expect([numbers.nextIfAvailable(), numbers.nextIfAvailable(), numbers.nextIfAvailable()] == [1, 2, nil])
  }

  @Test(arguments: ValuesPolicy.all)
  func `always returns nil after the completion`(_ policy: ValuesPolicy) async {
    var iterator = Just(1).values(policy).makeAsyncIterator()
    #expect(await iterator.next() == 1)
    for _ in 0..<3 { #expect(await iterator.next() == nil) }
  }

  @Test(arguments: ValuesPolicy.all)
  func `throws a failure once, after the values, with its type`(_ policy: ValuesPolicy) async {
    var iterator = Record(output: [1], completion: .failure(TestError.first)).values(policy)
      .makeAsyncIterator()
    do throws(TestError) {
      #expect(try await iterator.next() == 1)
      _ = try await iterator.next()
      Issue.record("did not throw")
    } catch {
      #expect(error == .first)
    }
    for _ in 0..<3 { #expect(try! await iterator.next() == nil) }
  }

  @Test func `throws a failure after all buffered values`() async throws {
    var iterator = source.values(bounded: .max, whenFull: .dropNewest).makeAsyncIterator()
    for number in 1...3 { source.send(number) }
    source.fail(.second)
    for number in 1...3 { #expect(try await iterator.next() == number) }
    await #expect(throws: TestError.second) { try await iterator.next(isolation: MainActor.shared) }
    #expect(try await iterator.next() == nil)
  }

  @Test func `a waiting task receives the next value or the completion`() {
    scheduler.withVirtualWorld {
      iterate(source.values)
      source.send(1)
      scheduler.advance()
      source.send(2)
      scheduler.advance()
      #expect(log.all == ["1", "2"])
      source.finish()
      scheduler.advance()
      #expect(log.all == ["1", "2", "end"])
    }
  }

  @Test func `a waiting task receives the failure`() {
    scheduler.withVirtualWorld {
      iterate(source.values)
      source.fail(.first)
      scheduler.advance()
    }
    #expect(log.all == ["first"])
  }

  @Test func `a nil value does not end the sequence`() async {
    var values: [Int?] = []
    for await value in [1, nil, 3].publisher.values { values.append(value) }
    #expect(values == [1, nil, 3])
  }

  @Test func `values need not be Sendable`() async {
    final class Box { var number = 1 }
    for await box in [Box(), Box()].publisher.values { box.number += 1 }
    var iterator = Just(Box()).values.makeAsyncIterator()
    #expect(await iterator.next()?.number == 1)
  }

  // MARK: Demand

  @Test func `subscribes when the iterator is created, and requests a value when one is awaited`() {
    scheduler.withVirtualWorld {
      let values = source.values
      #expect(source.subscriberCount == 0)
      var iterator = values.makeAsyncIterator()
      #expect(source.subscriberCount == 1)
      #expect(source.requests == [])
      Task {
        while let value = try await iterator.next() {
          log.append("\(value)")
          try await scheduler.sleep(for: 1)
        }
      }
      scheduler.advance()
      #expect(source.requests == [.max(1)])
      source.send(1)
      scheduler.advance()
      #expect(log.all == ["1"])
      #expect(source.requests == [.max(1)])
      scheduler.advance(by: 1)
      #expect(source.requests == [.max(1), .max(1)])
    }
  }

  @Test func `a value delivered during its request is returned at once`() {
    scheduler.withVirtualWorld {
      Task {
        for await value in (1...100).publisher.values { log.append("\(value)") }
      }
      #expect(scheduler.step())
      #expect(log.all.count == 100)
    }
  }

  @Test func `a subject drops values that are not awaited, unless they are buffered`() {
    scheduler.withVirtualWorld {
      let subject = PassthroughSubject<Int, Never>()
      let kept = TextLog()
      for (values, log) in [(subject.values, log), (subject.values(bounded: .max, whenFull: .dropNewest), kept)] {
        Task {
          for await value in values {
            log.append("\(value)")
            try await scheduler.sleep(for: 1)
          }
        }
      }
      scheduler.advance()
      for number in 1...3 { subject.send(number) }
      scheduler.advance(by: 2)
      #expect(log.all == ["1"])
      #expect(kept.all == ["1", "2", "3"])
    }
  }

  @Test func `a CurrentValueSubject replays its current value`() async {
    let subject = CurrentValueSubject<Int, Never>(1)
    var iterator = subject.values.makeAsyncIterator()
    #expect(await iterator.next() == 1)
    subject.send(2)
    subject.send(3)
    #expect(await iterator.next() == 3)
  }

  @Test(arguments: [(1, 1), (2, 1), (3, 2), (4, 2), (16, 8)])
  func `bounded requests its buffer size, and half when half are consumed`(_ count: Int, _ half: Int) async throws {
    var iterator = source.values(bounded: count, whenFull: .wait).makeAsyncIterator()
    #expect(source.requests == [.max(count)])
    for number in 0..<count { source.send(number) }
    for number in 0..<count {
      #expect(try await iterator.next() == number)
      #expect(source.requests.count == 1 + (number + 1) / half)
    }
    #expect(source.requests.dropFirst().allSatisfy { $0 == .max(half) })
  }

  @Test func `bounded also requests more while a task waits`() {
    scheduler.withVirtualWorld {
      iterate(source.values(bounded: 4, whenFull: .wait))
      for number in 1...100 {
        source.send(number)
        scheduler.advance()
      }
      #expect(log.all == (1...100).map { "\($0)" })
      // Demand that is returned for a delivered value is not a separate request.
      #expect(source.requests == [.max(4)])
      #expect(source.demand == .max(104))
    }
  }

  @Test func `bounded lets upstream run ahead by its buffer size, and loses no value`() async {
    var pulled = 0
    let numbers = (1...100).lazy.map { number in
      pulled = number
      return number
    }
    var taken = 0
    for await number in numbers.publisher.values(bounded: 8, whenFull: .wait) {
      taken += 1
      #expect(number == taken)
      #expect(pulled - taken <= 8)
    }
    #expect(taken == 100)
  }

  @Test(arguments: [ValuesPolicy.unbounded, .oldest(2), .newest(2)])
  func `other policies request unlimited demand when they subscribe`(_ policy: ValuesPolicy) {
    let iterator = source.values(policy).makeAsyncIterator()
    #expect(source.requests == [.unlimited])
    withExtendedLifetime(iterator) {}
  }

  @Test func `each policy buffers its values`() async {
    let kept: [(ValuesPolicy, [Int])] = [
      (.unbounded, [1, 2, 3, 4, 5]), (.oldest(2), [1, 2]), (.newest(2), [4, 5]), (.oldest(5), [1, 2, 3, 4, 5]),
      (.newest(1), [5]),
    ]
    for (policy, expected) in kept {
      let subject = PassthroughSubject<Int, Never>()
      let iterator = subject.values(policy).makeAsyncIterator()
      for number in 1...5 { subject.send(number) }
      subject.send(completion: .finished)
      var values: [Int] = []
      var rest = iterator
      while let value = await rest.next() { values.append(value) }
      #expect(values == expected, "\(policy)")
    }
  }

  // MARK: Cancellation

  @Test(arguments: ValuesPolicy.all)
  func `cancellation of a waiting task ends the loop and cancels upstream once`(_ policy: ValuesPolicy) {
    scheduler.withVirtualWorld {
      let task = iterate(source.values(policy))
      task.cancel()
      #expect(source.cancelCount == 1)
      source.ignoresCancellation = true
      source.send(1)
      scheduler.advance()
      #expect(log.all == ["end"])
      #expect(source.cancelCount == 1)
    }
  }

  @Test(arguments: ValuesPolicy.all)
  func `a task that is already cancelled receives nothing`(_ policy: ValuesPolicy) {
    scheduler.withVirtualWorld {
      Task {
        for try await value in source.values(policy) { log.append("\(value)") }
        log.append("end")
      }.cancel()
      scheduler.advance()
      #expect(log.all == ["end"])
      #expect(source.cancelCount == 1)
      #expect(source.requests.count <= 1)
    }
  }

  @Test func `cancellation of the task drops buffered values and a failure`() {
    scheduler.withVirtualWorld {
      var iterator = source.values(bounded: .max, whenFull: .dropNewest).makeAsyncIterator()
      source.send(1)
      source.send(2)
      source.fail(.first)
      let task = Task {
        log.append("\(try await iterator.next() as Int?)")
        withUnsafeCurrentTask { $0?.cancel() }
        for _ in 0..<2 { log.append("\(try await iterator.next() as Int?)") }
      }
      scheduler.advance()
      #expect(log.all == ["Optional(1)", "nil", "nil"])
      withExtendedLifetime(task) {}
    }
  }

  @Test(arguments: ValuesPolicy.all)
  func `leaving the loop cancels upstream once`(_ policy: ValuesPolicy) {
    scheduler.withVirtualWorld {
      Task {
        for try await value in source.values(policy) {
          log.append("\(value)")
          if value == 2 { break }
        }
        log.append("left")
      }
      for number in 1...3 {
        scheduler.advance()
        source.send(number)
      }
      scheduler.advance()
      #expect(log.all == ["1", "2", "left"])
      #expect(source.cancelCount == 1)
    }
  }

  @Test func `releasing the iterator cancels upstream once`() {
    var iterator: AsyncPublisher<ManualSource<Int, TestError>>.Iterator? = source.values.makeAsyncIterator()
    let copy = iterator
    iterator = nil
    #expect(source.cancelCount == 0)
    _ = consume copy
    #expect(source.cancelCount == 1)
  }

  @Test func `upstream is not cancelled after it has completed`() async throws {
    do {
      var iterator = source.values(bounded: .max, whenFull: .dropNewest).makeAsyncIterator()
      #expect(source.subscriberCount == 1)
      source.finish()
      #expect(try await iterator.next() == nil)
    }
    #expect(source.cancelCount == 0)
  }

  @Test func `each iterator has its own subscription`() async throws {
    let subject = PassthroughSubject<Int, Never>()
    let values = subject.values(bounded: .max, whenFull: .dropNewest)
    var one = values.makeAsyncIterator()
    subject.send(1)
    var other = values.makeAsyncIterator()
    subject.send(2)
    #expect(await one.next() == 1)
    #expect(await other.next() == 2)
    #expect(await one.next() == 2)
  }

  // MARK: Subscriptions

  @Test func `a late subscription receives the request of a waiting task`() {
    scheduler.withVirtualWorld {
      let late = LateSource()
      iterate(late.values)
      let subscription = NotedSubscription()
      late.subscriber?.receive(subscription: subscription)
      #expect(subscription.log == ["max(1)"])
      _ = late.subscriber?.receive(7)
      scheduler.advance()
      #expect(log.all == ["7"])
    }
  }

  @Test func `a second subscription is cancelled without effect`() async throws {
    var iterator = source.values(bounded: .max, whenFull: .dropNewest).makeAsyncIterator()
    let second = NotedSubscription()
    let late = LateSource()
    let lateIterator = late.values.makeAsyncIterator()
    late.subscriber?.receive(subscription: NotedSubscription())
    late.subscriber?.receive(subscription: second)
    #expect(second.log == ["cancel"])
    source.send(1)
    #expect(try await iterator.next() == 1)
    withExtendedLifetime(lateIterator) {}
  }

  @Test func `a subscription that arrives after cancellation is cancelled`() {
    let late = LateSource()
    _ = late.values.makeAsyncIterator()
    let subscription = NotedSubscription()
    late.subscriber?.receive(subscription: subscription)
    #expect(subscription.log == ["cancel"])
  }

  // MARK: Lifetimes

  @Test(arguments: ValuesPolicy.all)
  func `retains nothing after the loop`(_ policy: ValuesPolicy) {
    weak var value: TestObject?
    weak var captured: TestObject?
    let subject = PassthroughSubject<TestObject, Never>()
    scheduler.withVirtualWorld {
      do {
        let object = TestObject()
        captured = object
        let values = subject.map { [object] in
          withExtendedLifetime(object) {}
          return $0
        }.values(policy)
        Task {
          for await _ in values { break }
        }
      }
      scheduler.advance()
      do {
        let object = TestObject()
        value = object
        subject.send(object)
        subject.send(object)
      }
      #expect(captured != nil)
      scheduler.advance()
      #expect(value == nil)
      #expect(captured == nil)
    }
  }

  @Test func `a cancelled task releases buffered values while the iterator exists`() {
    weak var value: TestObject?
    let subject = PassthroughSubject<TestObject, Never>()
    var iterator = subject.values(bounded: .max, whenFull: .dropNewest).makeAsyncIterator()
    do {
      let object = TestObject()
      value = object
      subject.send(object)
    }
    #expect(value != nil)
    scheduler.withVirtualWorld {
      Task {
        withUnsafeCurrentTask { $0?.cancel() }
        _ = await iterator.next()
      }
      scheduler.advance()
    }
    #expect(value == nil)
    withExtendedLifetime(iterator) {}
  }

  @Test func `a value that is dropped from the buffer may send from its deinit`() async {
    final class Bomb {
      let action: () -> Void
      init(_ action: @escaping () -> Void) { self.action = action }
      deinit { action() }
    }
    let subject = PassthroughSubject<Bomb, Never>()
    var count = 0
    for policy in [ValuesPolicy.newest(1), .oldest(1)] {
      var iterator: AsyncPublisher<PassthroughSubject<Bomb, Never>>.Iterator? =
        subject.values(policy).makeAsyncIterator()
      for _ in 0..<3 {
        subject.send(
          Bomb {
            count += 1
            if count < 20 { subject.send(Bomb {}) }
          })
      }
      #expect(await iterator?.next() != nil)
      iterator = nil
    }
    #expect(count == 6)
  }

  // MARK: Mistakes

  @Test(.exits) func `two tasks that await one iterator stop the program with a message`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await MainActor.run {
        let scheduler = DispatchQueue.test
        scheduler.withVirtualWorld {
          let subject = PassthroughSubject<Int, Never>()
          let iterator = subject.values.makeAsyncIterator()
          for _ in 0..<2 {
            Task {
              var copy = iterator
              _ = await copy.next()
            }
          }
          scheduler.advance()
        }
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Two tasks are awaiting the next value from the same iterator of a publisher's values."))
  }

  @Test(.exits) func `a bound of zero stops the program with a message`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Just(1).values(bounded: 0, whenFull: .dropOldest)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("values(bounded:whenFull:) requires a bound of at least 1, got 0."))
  }

  // MARK: As in Combine

  @Test func `types have Combine's names`() async throws {
    var iterator: AsyncPublisher<Just<Int>>.Iterator = AsyncPublisher(Just(1)).makeAsyncIterator()
    #expect(await iterator.next() == 1)
    let failing: AsyncThrowingPublisher<Fail<Int, TestError>> = Fail(error: TestError.first).values
    await #expect(throws: TestError.first) { for try await _ in failing {} }
    func needsSendable(_: some Sendable) {}
    needsSendable(Just(1).values)
    for await value in [4].publisher.values.map({ $0 * 2 }) { #expect(value == 8) }
  }
}

// MARK: In virtual time

extension ValuesTests {
  @Test func `in a virtual world each value has been processed when advance() returns`() {
    scheduler.withVirtualWorld {
      let subject = PassthroughSubject<Int, Never>()
      Task { for await value in subject.values { log.append("\(value)") } }
      for number in 1...3 {
        scheduler.schedule(after: scheduler.now.advanced(by: .seconds(number))) { subject.send(number) }
      }
      for number in 1...3 {
        scheduler.advance(by: 1)
        #expect(log.all.count == number)
      }
      subject.send(completion: .finished)
      scheduler.advance()
      scheduler.assertIdle()
    }
  }

  @Test(arguments: ValuesPolicy.all)
  func `on a scheduler each value has been processed when advance() returns`(_ policy: ValuesPolicy) {
    let subject = PassthroughSubject<Int, Never>()
    let log = Locker<[Int]>([])
    Task(on: scheduler) { for await value in subject.values(policy) { log.change { $0.append(value) } } }
    scheduler.advance()
    for number in 1...5 {
      subject.send(number)
      scheduler.advance()
      #expect(log.value.count == number)
    }
    #expect(scheduler.foreignEnqueueCount == 0)
    subject.send(completion: .finished)
    scheduler.advance()
    scheduler.assertIdle()
  }

  /// The number of jobs that a loop on an actor needs to receive a value for which it waits.
  private func jobs(_ values: some AsyncSequence<Int, Never>, _ send: (Int) -> Void) -> Int {
    var sum = 0
    let task = Task {
      for await value in values {
        MainActor.assertIsolated()
        sum += value
      }
    }
    scheduler.advance()
    send(7)
    var count = 0
    while scheduler.step() { count += 1 }
    #expect(sum == 7)
    task.cancel()
    scheduler.advance()
    return count
  }

  @Test func `a loop on an actor stays there, with no more jobs than a loop over an AsyncStream`() {
    scheduler.withVirtualWorld {
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      let subject = PassthroughSubject<Int, Never>()
      let jobsOfStream = jobs(stream) { continuation.yield($0) }
      #expect(jobs(subject.values) { subject.send($0) } <= jobsOfStream)
      #expect(jobs(subject.values(bounded: .max, whenFull: .dropNewest)) { subject.send($0) } <= jobsOfStream)
      #expect(jobs(subject.values(bounded: 2, whenFull: .wait)) { subject.send($0) } <= jobsOfStream)
    }
  }
}

// MARK: Support

@MainActor
private final class TextLog {
  private(set) var all: [String] = []

  func append(_ text: String) { all.append(text) }
}

/// A publisher whose subscription a test sends by hand.
private final class LateSource: Publisher {
  typealias Output = Int
  typealias Failure = Never

  private(set) var subscriber: AnySubscriber<Int, Never>?

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    self.subscriber = AnySubscriber(subscriber)
  }
}

private final class NotedSubscription: Subscription {
  private(set) var log: [String] = []

  func request(_ demand: Subscribers.Demand) { log.append("\(demand)") }
  func cancel() { log.append("cancel") }
}
