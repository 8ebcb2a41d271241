import Dispatch
import StreamSchedulers
import Streams
import SuiteSupport
import Testing

/// Operators release what belongs to others when they don't hold their locks, because that may run code of a user.
struct ReleasedWithoutLockTests {
  /// A source that only its subscriber keeps, apart from what sends its signals.
  private final class Upstream: Subscription {
    private let onDeinit: () -> Void

    init(_ onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }

    deinit { onDeinit() }

    func request(_ demand: Subscribers.Demand) {}
    func cancel() {}
  }

  private final class Source: Publisher {
    typealias Output = Int
    typealias Failure = Never
    private(set) var subscriber: AnySubscriber<Int, Never>?
    var onRelease: () -> Void = {}

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
      self.subscriber = AnySubscriber(subscriber)
      subscriber.receive(subscription: Upstream { [unowned self] in onRelease() })
    }
  }

  @Test func `the only source of an operator may request more when its subscription is released`() {
    let source = Source()
    let scheduler = DispatchQueue.test
    let recorder = record(source.receive(on: scheduler), .none)
    var releases = 0
    source.onRelease = {
      recorder.request(.max(1))
      releases += 1
    }
    _ = source.subscriber?.receive(1)
    source.subscriber?.receive(completion: .finished)
    #expect(releases == 1)
    scheduler.advance()
    #expect(recorder.log == ["1", "finished"])
  }
}
