import Dispatch
import Foundation
import StreamSchedulers
import Streams
import Testing

/// Tests of operators that are nested so deeply at run time that a stack frame for each would not fit; see rule 22 of
/// the contract.
///
/// Only the innermost publisher sends a value, because each value passes through every level.
struct DepthTests {
  private let depth = 20_000

  private func sum(_ publisher: AnyPublisher<Int, Never>) -> Int? {
    var sum = 0
    var hasFinished = false
    let cancellable = publisher.sink { _ in
      hasFinished = true
    } receiveValue: {
      sum += $0
    }
    cancellable.cancel()
    return hasFinished ? sum : nil
  }

  @Test func `nested appends run without growing the stack`() {
    var publisher = Just(1).eraseToAnyPublisher()
    for _ in 0..<depth { publisher = publisher.append(Empty()).eraseToAnyPublisher() }

    #expect(sum(publisher) == 1)
  }

  @Test func `nested prepends run without growing the stack`() {
    var publisher = Just(1).eraseToAnyPublisher()
    for _ in 0..<depth { publisher = publisher.prepend(Empty()).eraseToAnyPublisher() }

    #expect(sum(publisher) == 1)
  }

  @Test func `a recursive flatMap runs without growing the stack`() {
    func countdown(_ number: Int) -> AnyPublisher<Int, Never> {
      if number == 0 { return Just(1).eraseToAnyPublisher() }
      return Just(number - 1).flatMap { countdown($0) }.eraseToAnyPublisher()
    }

    #expect(sum(countdown(depth)) == 1)
  }

  @Test func `a recursive catch runs without growing the stack`() {
    func attempt(_ number: Int) -> AnyPublisher<Int, TestError> {
      if number == 0 { return Just(1).setFailureType(to: TestError.self).eraseToAnyPublisher() }
      return Fail(error: TestError.first).catch { _ in attempt(number - 1) }.eraseToAnyPublisher()
    }

    #expect(sum(attempt(depth).replaceError(with: 0).eraseToAnyPublisher()) == 1)
  }

  @Test func `a recursive append runs without growing the stack`() {
    func count(_ number: Int) -> AnyPublisher<Int, Never> {
      if number == 0 { return Just(1).eraseToAnyPublisher() }
      return Empty().append(Deferred { count(number - 1) }).eraseToAnyPublisher()
    }

    #expect(sum(count(depth)) == 1)
  }

  @Test func `nested merges, buffers and switches run without growing the stack`() {
    var publisher = Just(1).eraseToAnyPublisher()
    for _ in 0..<depth / 3 {
      publisher = publisher.merge(with: Empty()).eraseToAnyPublisher()
      publisher = publisher.buffer(size: 1, prefetch: .byRequest, whenFull: .dropNewest).eraseToAnyPublisher()
      publisher = publisher.map { Just($0) }.switchToLatest().eraseToAnyPublisher()
    }

    #expect(sum(publisher) == 1)
  }

  @Test func `a recursive custom publisher runs without growing the stack`() {
    #expect(sum(Countdown(number: depth).eraseToAnyPublisher()) == 1)
  }

  @Test func `retries run without growing the stack`() {
    var count = 0
    let failing = Deferred {
      count += 1
      return Fail<Int, TestError>(error: TestError.first)
    }

    #expect(sum(failing.retry(depth).replaceError(with: 1).eraseToAnyPublisher()) == 1)
    #expect(count == depth + 1)
  }

  @Test func `requests of one value during each delivery run without growing the stack`() {
    final class OneByOne: Subscriber {
      typealias Input = Int
      typealias Failure = Never
      var count = 0
      var subscription: (any Subscription)?

      func receive(subscription: any Subscription) {
        self.subscription = subscription
        subscription.request(.max(1))
      }

      func receive(_ input: Int) -> Subscribers.Demand {
        count += 1
        subscription?.request(.max(1))
        return .none
      }

      func receive(completion: Subscribers.Completion<Never>) {}
    }
    let subscriber = OneByOne()
    (0..<depth).publisher.map { $0 }.merge(with: Empty()).prefix(depth).subscribe(subscriber)

    #expect(subscriber.count == depth)
  }
}

/// Sends 1 after the given number of empty publishers, without an erased publisher in between.
private struct Countdown: Publisher {
  typealias Output = Int
  typealias Failure = Never
  let number: Int

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    if number == 0 { return Just(1).receive(subscriber: subscriber) }
    Empty().append(Countdown(number: number - 1)).receive(subscriber: subscriber)
  }
}

/// Tests of chains of operators of time on an immediate scheduler: they behave the same at every depth.
struct TimedDepthTests {
  typealias Stream = AnyPublisher<Int, Never>

  enum Timed: String, CaseIterable, CustomTestStringConvertible {
    case receive, delay, timeout, throttle, debounce, collect

    var testDescription: String { rawValue }

    func callAsFunction(_ upstream: Stream, on scheduler: some Scheduler<DispatchQueue.SchedulerTimeType>) -> Stream {
      switch self {
      case .receive: upstream.receive(on: scheduler).eraseToAnyPublisher()
      case .delay: upstream.delay(for: .seconds(1), scheduler: scheduler).eraseToAnyPublisher()
      case .timeout: upstream.timeout(.seconds(1), scheduler: scheduler).eraseToAnyPublisher()
      case .throttle: upstream.throttle(for: .seconds(1), scheduler: scheduler, latest: true).eraseToAnyPublisher()
      case .debounce: upstream.debounce(for: .seconds(1), scheduler: scheduler).eraseToAnyPublisher()
      case .collect: upstream.collect(.byTime(scheduler, .seconds(1))).map { $0[0] }.eraseToAnyPublisher()
      }
    }
  }

  private func chain(_ timed: [Timed], _ source: Stream, on scheduler: some Scheduler<DispatchQueue.SchedulerTimeType>)
    -> Stream
  {
    timed.reduce(source) { $1($0, on: scheduler) }
  }

  @Test(arguments: Timed.allCases, [63, 64, 65, 66, 130, 1_000])
  func `delivers every value`(timed: Timed, depth: Int) {
    let operators = Array(repeating: timed, count: depth)
    let scheduler = DispatchQueue.immediate

    #expect(log(chain(operators, Just(1).eraseToAnyPublisher(), on: scheduler)) == ["1", "finished"])
    #expect(
      log(chain(operators, [1, 2, 3].publisher.eraseToAnyPublisher(), on: scheduler)) == ["1", "2", "3", "finished"])
    let subject = PassthroughSubject<Int, Never>()
    let recorder = record(chain(operators, subject.eraseToAnyPublisher(), on: scheduler))
    for number in 1...3 { subject.send(number) }
    subject.send(completion: .finished)
    #expect(recorder.log == ["1", "2", "3", "finished"])
  }

  @Test func `delivers every value through mixed operators`() {
    var generator = SystemRandomNumberGenerator()
    for depth in stride(from: 60, through: 200, by: 7) {
      let operators = (0..<depth).map { _ in Timed.allCases.randomElement(using: &generator)! }
      let stream = chain(operators, [1, 2].publisher.eraseToAnyPublisher(), on: DispatchQueue.immediate)

      #expect(log(stream) == ["1", "2", "finished"], "\(operators.map(\.rawValue))")
    }
  }

  @Test func `delivers every value of nested switches`() {
    // With the larger frames of unoptimized code or a sanitizer, the room on the stack beyond which attaching is put off ends
    // earlier.
    let isSanitized = ProcessInfo.processInfo.environment["STREAMS_SANITIZER"] != nil
    #if DEBUG
      let depths = isSanitized ? [1, 16] : [1, 63, 64, 65]
    #else
      let depths = [1, 63, 64, 65] + (isSanitized ? [] : [130])
    #endif
    for depth in depths {
      var stream = [1, 2].publisher.eraseToAnyPublisher()
      for _ in 0..<depth {
        stream = stream.map { [$0, $0 + 10].publisher.first() }.switchToLatest().eraseToAnyPublisher()
      }
      #expect(log(stream) == ["1", "2", "finished"])
    }
  }

  @Test(arguments: Timed.allCases, [192, 400, 20_000])
  func `is cancelled and released at any depth`(timed: Timed, depth: Int) {
    let subject = PassthroughSubject<Int, Never>()
    var cancelCount = 0
    let source = subject.handleEvents(receiveCancel: { cancelCount += 1 }).eraseToAnyPublisher()
    let operators = Array(repeating: timed, count: depth)
    weak var witness: TestObject?
    do {
      let object = TestObject()
      witness = object
      chain(operators, source, on: DispatchQueue.test).sink { _ in _ = object }.cancel()
    }

    #expect(cancelCount == 1)
    #expect(witness == nil)
  }

  @Test func `erased subscribers are released at any depth`() {
    struct Wrapper: Subscriber {
      let inner: AnySubscriber<Int, Never>
      let object: TestObject
      var combineIdentifier: CombineIdentifier { inner.combineIdentifier }
      func receive(subscription: any Subscription) { inner.receive(subscription: subscription) }
      func receive(_ input: Int) -> Subscribers.Demand { inner.receive(input) }
      func receive(completion: Subscribers.Completion<Never>) { inner.receive(completion: completion) }
    }
    var witnesses: [() -> TestObject?] = []
    do {
      var subscriber = AnySubscriber<Int, Never>(receiveValue: { _ in .none })
      for _ in 0..<20_000 {
        let object = TestObject()
        witnesses.append { [weak object] in object }
        subscriber = AnySubscriber(Wrapper(inner: subscriber, object: object))
      }
      withExtendedLifetime(subscriber) {}
    }

    #expect(witnesses.allSatisfy { $0() == nil })
  }
}
