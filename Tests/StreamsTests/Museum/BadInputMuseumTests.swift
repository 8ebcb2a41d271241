import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import SuiteSupport
import Testing

/// Bugs of other reactive libraries: bad input.
struct BadInputMuseumTests {
  private let source = ManualSource<Int, TestError>()

  /// ReactiveX/RxJava#3675, #3677
  ///
  /// Chosen here: a negative count, and a group of none, stop the program.
  @Test(.exits) func `a stream with a count of zero or less never ended`() async {
    #expect(log(source.prefix(0)) == ["finished"])
    #expect(source.subscriberCount == 0)
    #expect(log([1].publisher.dropFirst(0)) == ["1", "finished"])
    await #expect(processExitsWith: .failure) { _ = PassthroughSubject<Int, Never>().prefix(-1) }
    await #expect(processExitsWith: .failure) { _ = PassthroughSubject<Int, Never>().dropFirst(-1) }
    await #expect(processExitsWith: .failure) { _ = PassthroughSubject<Int, Never>().collect(0) }
  }

  /// ReactiveX/RxSwift#1873; ReactiveX/RxJava#6360
  @Test func `a large capacity was allocated in advance`() {
    let strategy = Publishers.BufferingStrategy<TestError>.dropNewest
    for prefetch in [Publishers.PrefetchStrategy.keepFull, .byRequest] {
      let buffered = record(source.buffer(size: .max, prefetch: prefetch, whenFull: strategy), .none)
      source.send(1)
      source.finish()
      buffered.request(.max(1))
      #expect(buffered.log == ["1", "finished"])
    }
    let collected = record(source.collect(.max), .max(2))
    source.send(1)
    source.finish()
    #expect(collected.log == ["[1]", "finished"])
    #expect(log((1...3).publisher.prefix(.max)) == ["1", "2", "3", "finished"])
    #expect(log((1...3).publisher.dropFirst(.max)) == ["finished"])
    #expect(collect((1...3).publisher.flatMap(maxPublishers: .max(.max)) { Just($0) }) == [1, 2, 3])
  }

  /// OpenCombine/OpenCombine#110, #92
  ///
  /// Operators that handle each value on its own forward a second subscription to the sink, which cancels it.
  @Test func `a second subscription was accepted, and what came after the completion was delivered`() {
    let streams: [(name: String, build: (DoubleSource) -> AnyPublisher<Int, TestError>)] = [
      ("map", { $0.map { $0 }.eraseToAnyPublisher() }),
      ("prefix", { $0.prefix(5).eraseToAnyPublisher() }),
      ("scan", { $0.scan(0) { $1 }.eraseToAnyPublisher() }),
      ("flatMap", { $0.flatMap { Just($0).setFailureType(to: TestError.self) }.eraseToAnyPublisher() }),
      ("merge", { $0.merge(with: Empty()).eraseToAnyPublisher() }),
      ("buffer", { $0.buffer(size: 5, prefetch: .byRequest, whenFull: .dropNewest).eraseToAnyPublisher() }),
      ("append", { $0.append(Empty()).eraseToAnyPublisher() }),
      ("retry", { $0.retry(0).eraseToAnyPublisher() }),
      ("share", { $0.share().eraseToAnyPublisher() }),
    ]
    for (name, build) in streams {
      let source = DoubleSource()
      var received: [String] = []
      let cancellable = build(source).sink(isolation: nil) {
        received.append("\($0)")
      } receiveValue: {
        received.append("\($0)")
      }
      source.begin()
      #expect(source.second.cancelCount == 1, "\(name)")
      #expect(source.first.cancelCount == 0, "\(name)")
      source.send(1)
      source.finish()
      source.send(2)
      source.finish()
      #expect(received == ["1", "finished"], "\(name)")
      cancellable.cancel()
    }
  }

  /// A publisher that sends two subscriptions, and goes on after its completion.
  private final class DoubleSource: Publisher {
    typealias Output = Int
    typealias Failure = TestError

    let (first, second) = (ManualSource<Int, TestError>(), ManualSource<Int, TestError>())
    private var subscriber: AnySubscriber<Int, TestError>?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
      self.subscriber = AnySubscriber(subscriber)
    }

    func begin() {
      subscriber?.receive(subscription: first.subscription)
      subscriber?.receive(subscription: second.subscription)
    }

    func send(_ value: Int) { _ = subscriber?.receive(value) }
    func finish() { subscriber?.receive(completion: .finished) }
  }
}
