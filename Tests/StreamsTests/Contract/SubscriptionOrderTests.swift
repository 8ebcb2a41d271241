import Streams
import SuiteSupport
import Testing

/// Tests of the time between the subscription and the first value; rules 10 and 16 of the contract.
struct SubscriptionOrderTests {
  /// A subscriber that requests unlimited demand, or cancels, while it receives its subscription.
  private final class Witness: Subscriber {
    typealias Input = Int
    typealias Failure = TestError
    let cancels: Bool
    var log: [String] = []

    init(cancels: Bool = false) { self.cancels = cancels }

    func receive(subscription: any Subscription) {
      log.append("[")
      subscription.request(.unlimited)
      if cancels { subscription.cancel() }
      log.append("]")
    }

    func receive(_ input: Int) -> Subscribers.Demand {
      log.append("\(input)")
      return .none
    }

    func receive(completion: Subscribers.Completion<TestError>) {
      log.append(completion == .finished ? "end" : "failure")
    }
  }

  private let ready: [AnyPublisher<Int, TestError>] = [
    Just(1).setFailureType(to: TestError.self).eraseToAnyPublisher(),
    [1].publisher.setFailureType(to: TestError.self).eraseToAnyPublisher(),
    Optional(1).publisher.setFailureType(to: TestError.self).eraseToAnyPublisher(),
    Result<Int, TestError>.success(1).publisher.eraseToAnyPublisher(),
    Future<Int, TestError> { $0(.success(1)) }.eraseToAnyPublisher(),
    [1].publisher.setFailureType(to: TestError.self).map { $0 }.filter { _ in true }.scan(0, +).eraseToAnyPublisher(),
    Just(1).setFailureType(to: TestError.self).append(Empty()).eraseToAnyPublisher(),
    [1].publisher.reduce(0, +).setFailureType(to: TestError.self).eraseToAnyPublisher(),
    Record(output: [1], completion: Subscribers.Completion<TestError>.finished).eraseToAnyPublisher(),
  ]

  private let over: [AnyPublisher<Int, TestError>] = [
    Empty().eraseToAnyPublisher(), Fail(error: .first).eraseToAnyPublisher(),
    Optional<Int>.none.publisher.setFailureType(to: TestError.self).eraseToAnyPublisher(),
    Result<Int, TestError>.failure(.first).publisher.eraseToAnyPublisher(),
    [Int]().publisher.setFailureType(to: TestError.self).eraseToAnyPublisher(),
    Just(1).setFailureType(to: TestError.self).prefix(0).eraseToAnyPublisher(),
    Publishers.MergeMany([AnyPublisher<Int, TestError>]()).eraseToAnyPublisher(),
    {
      let subject = PassthroughSubject<Int, TestError>()
      subject.send(completion: .failure(.first))
      return subject.eraseToAnyPublisher()
    }(),
  ]

  @Test func `values requested in receive(subscription:) come after it returns, unlike Combine`() {
    for publisher in ready {
      let witness = Witness()
      publisher.subscribe(witness)

      #expect(witness.log == ["[", "]", "1", "end"])
    }
  }

  @Test func `a completed publisher sends nothing if it is cancelled in receive(subscription:), unlike Combine`() {
    for publisher in over + ready {
      let witness = Witness(cancels: true)
      publisher.subscribe(witness)

      #expect(witness.log == ["[", "]"])
    }
  }

  @Test(.exits) func `a publisher that sends a value while a closure processes another stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let source = ManualSource<Int, TestError>()
      let cancellable = source.scan(0) { sum, value in
        if value < 3 { source.send(value + 1) }
        return sum + value
      }.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      source.send(1)
      cancellable.cancel()
    }

    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("must not overlap"))
  }

  @Test func `an operator's subscription precedes that of its upstream, except for buffer`() {
    func subscriptions<P: Publisher>(_ make: (Publishers.HandleEvents<Just<Int>>) -> P) -> [String] {
      var log: [String] = []
      let upstream = Just(1).handleEvents(receiveSubscription: { _ in log.append("upstream") })
      record(make(upstream).handleEvents(receiveSubscription: { _ in log.append("downstream") }))
      return log
    }
    #expect(subscriptions { $0.append(2) } == ["downstream", "upstream"])
    #expect(subscriptions { $0.zip(Just(2)) } == ["downstream", "upstream"])
    #expect(subscriptions { $0.setFailureType(to: TestError.self).retry(1) } == ["downstream", "upstream"])
    #expect(
      subscriptions { $0.buffer(size: 1, prefetch: .byRequest, whenFull: .dropNewest) } == ["upstream", "downstream"])
    #expect(subscriptions { $0.map { $0 } } == ["upstream", "downstream"])
  }

  @Test func `buffer passes its subscription downstream even if upstream has sent none`() {
    struct Silent: Publisher {
      typealias Output = Int
      typealias Failure = Never
      let isSubscribed: () -> Void
      func receive(subscriber: some Subscriber<Int, Never>) { isSubscribed() }
    }
    var log: [String] = []
    let buffer = Silent { log.append("subscribed") }.buffer(size: 1, prefetch: .keepFull, whenFull: .dropOldest)
    record(buffer.handleEvents(receiveSubscription: { _ in log.append("downstream") }))
    #expect(log == ["subscribed", "downstream"])
  }
}
