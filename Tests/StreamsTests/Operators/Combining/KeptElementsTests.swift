import StreamAlgorithms
import Streams
import Testing

/// Elements that an operator keeps when its stream is cancelled are released without its lock: their `deinit` may use the
/// stream.
struct KeptElementsTests {
  private final class Element {
    let onDeinit: () -> Void

    init(_ onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }

    deinit { onDeinit() }
  }

  private typealias Subject = PassthroughSubject<Element, Never>

  enum Operator: CaseIterable {
    case zip, zipOfMany, combineLatest, combineLatestOfMany, withLatest, sample
  }

  private func stream(_ operation: Operator, _ first: Subject, _ second: Subject) -> AnyPublisher<Void, Never> {
    switch operation {
    case .zip: first.zip(second).map { _ in }.eraseToAnyPublisher()
    case .zipOfMany: [first, second].zip().map { _ in }.eraseToAnyPublisher()
    case .combineLatest: first.combineLatest(second).map { _ in }.eraseToAnyPublisher()
    case .combineLatestOfMany: [first, second].combineLatest().map { _ in }.eraseToAnyPublisher()
    case .withLatest: second.withLatest(from: first).map { _ in }.eraseToAnyPublisher()
    case .sample: first.sample(by: second).map { _ in }.eraseToAnyPublisher()
    }
  }

  @Test(arguments: Operator.allCases) func `are released without the lock`(operation: Operator) {
    let (first, second) = (Subject(), Subject())
    let subscriber = Holder()
    stream(operation, first, second).subscribe(subscriber)
    var deinits = 0
    first.send(
      Element {
        subscriber.subscription?.request(.max(1)); deinits += 1
      })
    #expect(deinits == 0)
    subscriber.subscription?.cancel()
    #expect(deinits == 1)
  }

  /// A subscriber that keeps its subscription.
  private final class Holder: Subscriber {
    var subscription: (any Subscription)?

    func receive(subscription: any Subscription) {
      self.subscription = subscription
      subscription.request(.max(1))
    }

    func receive(_ input: Void) -> Subscribers.Demand { .none }
    func receive(completion: Subscribers.Completion<Never>) {}
  }
}
