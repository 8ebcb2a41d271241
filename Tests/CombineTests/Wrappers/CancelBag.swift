import Combine
import XCTest

final class CancelBag {
  fileprivate(set) var subscriptions = Set<AnyCancellable>()

  func cancel() {
    subscriptions.forEach { $0.cancel() }
    subscriptions.removeAll()
  }

  func collect(@Builder _ cancellables: () -> [AnyCancellable]) {
    subscriptions.formUnion(cancellables())
  }

  @resultBuilder
  struct Builder {
    static func buildBlock(_ cancellables: AnyCancellable...) -> [AnyCancellable] {
      return cancellables
    }
  }

  static func += (bag: CancelBag, cancellable: AnyCancellable) {
    bag.subscriptions.insert(cancellable)
  }
}

extension AnyCancellable {
  func store(in cancelBag: CancelBag) {
    cancelBag.subscriptions.insert(self)
  }
}

extension Cancellable {
  func store(in dictionary: inout [String: AnyCancellable], key: String) {
    dictionary[key] = AnyCancellable(self)
  }
}

/// Something that can be observed without Combine in its interface.
protocol Observer: AnyObject {
  func valueDidChange(_ value: Int)
}

final class Observable {
  private let subject = CurrentValueSubject<Int, Never>(0)
  private let bag = CancelBag()

  func add(_ observer: Observer) {
    bag += subject.dropFirst().sink { [weak observer] in observer?.valueDidChange($0) }
  }

  func set(_ value: Int) { subject.send(value) }
}

final class CancelBagTests: XCTestCase, Observer {
  private var observed: [Int] = []

  func valueDidChange(_ value: Int) { observed.append(value) }

  func testCollect() {
    let bag = CancelBag()
    let subject = PassthroughSubject<Int, Never>()
    var values = [Int]()
    bag.collect {
      subject.sink { values.append($0) }
      subject.map { -$0 }.sink { values.append($0) }
    }
    subject.filter { $0 > 1 }.sink { values.append($0 * 100) }.store(in: bag)
    XCTAssertEqual(bag.subscriptions.count, 3)
    subject.send(1)
    XCTAssertEqual(values.sorted(), [-1, 1])
    bag.cancel()
    subject.send(2)
    XCTAssertEqual(values.count, 2)
  }

  func testObservers() {
    let observable = Observable()
    observable.add(self)
    observable.set(1)
    observable.set(2)
    XCTAssertEqual(observed, [1, 2])
  }

  func testKeyedCancellables() {
    var tasks: [String: AnyCancellable] = [:]
    var cancelled: [String] = []
    let subject = PassthroughSubject<Void, Never>()
    for name in ["a", "b", "b"] {
      subject.handleEvents(receiveCancel: { cancelled.append(name) })
        .sink { _ in }
        .store(in: &tasks, key: name)
    }
    XCTAssertEqual(cancelled, ["b"])
    tasks["a"] = nil
    XCTAssertEqual(cancelled, ["b", "a"])
  }
}
