import Combine
import XCTest

// What people write to get publishers out of UIKit's controls.

class Control: NSObject {
  struct Event: OptionSet, Hashable {
    let rawValue: Int
    static let touchUpInside = Event(rawValue: 1 << 0)
    static let valueChanged = Event(rawValue: 1 << 1)
  }

  private var targets: [(target: AnyObject, action: () -> Void, event: Event)] = []

  func addTarget(_ target: AnyObject, event: Event, action: @escaping () -> Void) {
    targets.append((target, action, event))
  }

  func removeTarget(_ target: AnyObject) {
    targets.removeAll { $0.target === target }
  }

  func sendActions(for event: Event) {
    targets.filter { $0.event.contains(event) }.forEach { $0.action() }
  }

  var targetCount: Int { targets.count }
}

class TextField: Control {
  var text = "" { didSet { sendActions(for: .valueChanged) } }
}

extension Combine.Publishers {
  struct ControlEvent<C: Control>: Publisher {
    typealias Output = C
    typealias Failure = Never

    private let control: C
    private let event: Control.Event

    init(control: C, event: Control.Event) {
      self.control = control
      self.event = event
    }

    func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
      let subscription = Subscription(subscriber: subscriber, control: control, event: event)
      subscriber.receive(subscription: subscription)
    }
  }
}

extension Combine.Publishers.ControlEvent {
  // Shadows the protocol of the same name.
  private final class Subscription<S: Subscriber>: Combine.Subscription where S.Input == C {
    private var subscriber: S?
    weak private var control: C?

    init(subscriber: S, control: C, event: Control.Event) {
      self.subscriber = subscriber
      self.control = control
      control.addTarget(self, event: event) { [weak self] in self?.processControlEvent() }
    }

    func request(_ demand: Subscribers.Demand) {}

    func cancel() {
      subscriber = nil
      control?.removeTarget(self)
    }

    private func processControlEvent() {
      guard let control = control else { return }
      _ = subscriber?.receive(control)
    }
  }
}

protocol CombineCompatible {}
extension Control: CombineCompatible {}
extension CombineCompatible where Self: Control {
  func publisher(for event: Control.Event) -> Combine.Publishers.ControlEvent<Self> {
    .init(control: self, event: event)
  }
}

extension TextField {
  var textPublisher: AnyPublisher<String, Never> {
    publisher(for: .valueChanged).map(\.text).prepend(text).eraseToAnyPublisher()
  }
}

// MARK: - Subscribers

final class IntSubscriber: Subscriber {
  typealias Input = Int
  typealias Failure = Never

  private(set) var received: [Int] = []
  private(set) var completion: Subscribers.Completion<Never>?

  func receive(subscription: Combine.Subscription) {
    subscription.request(.max(2))
  }

  func receive(_ input: Int) -> Subscribers.Demand {
    received.append(input)
    switch input {
    case 1: return .max(1)
    default: return .none
    }
  }

  func receive(completion: Subscribers.Completion<Never>) {
    self.completion = completion
  }
}

struct Logger<Failure: Error>: Subscriber, Cancellable {
  final class Storage {
    var lines: [String] = []
    var subscription: Combine.Subscription?
  }

  let combineIdentifier = CombineIdentifier()
  let storage = Storage()

  func receive(subscription: Combine.Subscription) {
    storage.subscription = subscription
    subscription.request(.unlimited)
  }

  func receive(_ input: String) -> Subscribers.Demand {
    storage.lines.append(input)
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    if case .finished = completion { storage.lines.append("-") }
  }

  func cancel() {
    storage.subscription?.cancel()
    storage.subscription = nil
  }
}

final class ControlPublisherTests: XCTestCase {
  func testTaps() {
    let button = Control()
    var taps = 0
    var cancellable: AnyCancellable? = button.publisher(for: .touchUpInside).sink { _ in taps += 1 }
    button.sendActions(for: .touchUpInside)
    button.sendActions(for: .valueChanged)
    XCTAssertEqual(taps, 1)
    XCTAssertEqual(button.targetCount, 1)
    cancellable?.cancel()
    cancellable = nil
    XCTAssertEqual(button.targetCount, 0)
  }

  func testTextPublisher() {
    let field = TextField()
    let logger = Logger<Never>()
    field.textPublisher.subscribe(logger)
    field.text = "a"
    field.text = "ab"
    logger.cancel()
    field.text = "abc"
    XCTAssertEqual(logger.storage.lines, ["", "a", "ab"])
    XCTAssertEqual(field.targetCount, 0)
  }

  func testDemand() {
    let subscriber = IntSubscriber()
    (1...6).publisher.subscribe(subscriber)
    XCTAssertEqual(subscriber.received, [1, 2, 3])
    XCTAssertNil(subscriber.completion)

    let few = IntSubscriber()
    (1...2).publisher.receive(subscriber: few)
    XCTAssertEqual(few.completion, .finished)
    XCTAssertNotEqual(few.combineIdentifier, subscriber.combineIdentifier)
  }

  func testSubscribersSink() {
    let sink = Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in })
    let assign = Subscribers.Assign(object: TextField(), keyPath: \.text)
    Just(3).subscribe(sink)
    Just("three").subscribe(assign)
    XCTAssertNil(assign.object)
  }
}
