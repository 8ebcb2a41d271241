import Dispatch
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import SuiteSupport
import Testing

/// A public subscriber, or a method that attaches one, as a subscriber that `ConformanceChecks` can drive.
struct SubscriberEntry: CustomTestStringConvertible, @unchecked Sendable {
  let name: String
  let violations: @MainActor () -> [ConformanceViolation]

  var testDescription: String { name }
}

/// The catalog of the public subscribers. Operators are subscribers, too: they are in ``OperatorCatalog``.
enum SubscriberCatalog {
  /// Receives the subscriber that a method attaches, and sends it nothing.
  private final class Outlet<Failure: Error>: Publisher {
    typealias Output = Int

    private(set) var subscriber: AnySubscriber<Int, Failure>?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Failure {
      self.subscriber = AnySubscriber(subscriber)
    }
  }

  /// Whether a stream has ended, as its closures have been told.
  private final class Ending {
    var hasEnded = false
  }

  private final class Model {
    var value = 0
    @Published var published = 0
  }

  /// An entry for a method. A stream that cannot fail receives no failure, and its end is seen only if it is reported.
  private static func attached<Failure: Error>(
    _ name: String, failure: Failure?, reportsEnd: Bool = true, settle: @escaping @MainActor () -> Void = {},
    _ attach: @escaping @MainActor (Outlet<Failure>, Ending) -> any Cancellable
  ) -> SubscriberEntry {
    SubscriberEntry(name: name) {
      var ending = Ending()
      var cancellables: [any Cancellable] = []
      defer { for cancellable in cancellables { cancellable.cancel() } }
      return ConformanceChecks.subscriber(
        values: [1, 2, 3], failure: failure, hasEnded: reportsEnd ? { _ in ending.hasEnded } : nil,
        settle: { MainActor.assumeIsolated { settle() } }
      ) {
        ending = Ending()
        let outlet = Outlet<Failure>()
        MainActor.assumeIsolated { cancellables.append(attach(outlet, ending)) }
        MainActor.assumeIsolated { settle() }
        return outlet.subscriber!
      }
    }
  }

  private static func subject<S: Subject>(
    _ name: String, _ make: @escaping @MainActor () -> S
  ) -> SubscriberEntry where S.Output == Int, S.Failure == TestError {
    attached(name, failure: TestError.first) { outlet, ending in
      let subject = make()
      let cancellable = subject.sink(
        isolation: nil, receiveCompletion: { _ in ending.hasEnded = true }, receiveValue: { _ in })
      return both(outlet.subscribe(subject), cancellable)
    }
  }

  private static func relay<R: Relay>(_ name: String, _ make: @escaping @MainActor () -> R) -> SubscriberEntry
  where R.Output == Int {
    attached(name, failure: Never?.none, reportsEnd: false) { outlet, _ in outlet.subscribe(make()) }
  }

  private static func values(_ policy: ValuesPolicy) -> SubscriberEntry {
    let scheduler = DispatchQueue.test
    let name = "values(\(policy))"
    return attached(name, failure: TestError.first, settle: { scheduler.run() }) { outlet, ending in
      OnOneThread(base: outlet.values(policy)).publisher(on: scheduler).sink(
        isolation: nil, receiveCompletion: { _ in ending.hasEnded = true }, receiveValue: { _ in })
    }
  }

  private static func both(_ first: any Cancellable, _ second: any Cancellable) -> any Cancellable {
    AnyCancellable {
      first.cancel()
      second.cancel()
    }
  }

  static let all: [SubscriberEntry] =
    [
      SubscriberEntry(name: "Subscribers.Sink") {
        var hasEnded = false
        return ConformanceChecks.subscriber(values: [1, 2, 3], failure: TestError.first, hasEnded: { _ in hasEnded }) {
          hasEnded = false
          return Subscribers.Sink<Int, TestError>(receiveCompletion: { _ in hasEnded = true }, receiveValue: { _ in })
        }
      },
      SubscriberEntry(name: "Subscribers.Assign") {
        ConformanceChecks.subscriber(values: [1, 2, 3], hasEnded: { $0.object == nil }) {
          Subscribers.Assign(object: Model(), keyPath: \.value)
        }
      },
      SubscriberEntry(name: "AnySubscriber") {
        ConformanceChecks.subscriber(values: [1, 2, 3], failure: TestError.first) {
          AnySubscriber(Subscribers.Sink<Int, TestError>(receiveCompletion: { _ in }, receiveValue: { _ in }))
        }
      },
      attached("sink(receiveCompletion:receiveValue:)", failure: TestError.first) { outlet, ending in
        outlet.sink(isolation: nil, receiveCompletion: { _ in ending.hasEnded = true }, receiveValue: { _ in })
      },
      attached("sink(receiveValue:)", failure: Never?.none, reportsEnd: false) { outlet, _ in
        outlet.sink(isolation: nil) { _ in }
      },
      attached("sink of the main actor", failure: TestError.first) { outlet, ending in
        outlet.sink(receiveCompletion: { _ in ending.hasEnded = true }, receiveValue: { _ in })
      },
      attached("sink(with:)", failure: TestError.first) { outlet, ending in
        outlet.sink(
          with: ending, receiveCompletion: { ending, _ in ending.hasEnded = true }, receiveValue: { _, _ in })
      },
      attached("assign(to:on:)", failure: Never?.none, reportsEnd: false) { outlet, _ in
        outlet.assign(to: \.value, on: Model(), isolation: nil)
      },
      attached("assign(to:on:) of the main actor", failure: Never?.none, reportsEnd: false) { outlet, _ in
        outlet.assign(to: \.value, on: Model())
      },
      attached("assign(to: &published)", failure: Never?.none, reportsEnd: false) { outlet, _ in
        let model = Model()
        outlet.assign(to: &model.$published)
        return AnyCancellable { withExtendedLifetime(model) {} }
      },
      subject("PassthroughSubject") { PassthroughSubject() },
      subject("CurrentValueSubject") { CurrentValueSubject(0) },
      subject("ReplaySubject") { ReplaySubject(bufferSize: 2) },
      relay("PassthroughRelay") { PassthroughRelay() },
      relay("CurrentValueRelay") { CurrentValueRelay(0) },
      relay("ReplayRelay") { ReplayRelay(bufferSize: 2) },
    ] + [.unbuffered, .bounded(2), .unbounded, .oldest(2), .newest(2)].map(values)
}
