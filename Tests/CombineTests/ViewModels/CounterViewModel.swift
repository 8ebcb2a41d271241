import Combine
import XCTest

protocol CounterViewModelType: AnyObject {
  var count: Int { get set }
  var countPublisher: Published<Int>.Publisher { get }
}

class CounterViewModel: ObservableObject, CounterViewModelType {
  @Published var count = 0
  @Published private(set) var title: String = ""
  @Published private(set) var isAtLimit = false

  var countPublisher: Published<Int>.Publisher { $count }

  private var cancellables = Set<AnyCancellable>()

  init(limit: Int = 10) {
    $count
      .map { "Count: \($0)" }
      .assign(to: &$title)

    $count
      .map { $0 >= limit }
      .removeDuplicates()
      .assign(to: \.isAtLimit, on: self)
      .store(in: &cancellables)
  }

  func increment() {
    count += 1
  }
}

final class StepCounterViewModel: CounterViewModel {
  @Published var step: Int

  override init(limit: Int = 10) {
    _step = Published(initialValue: 1)
    super.init(limit: limit)
  }

  override func increment() {
    count += step
  }
}

/// Pre-`@Published` style.
final class ProfileModel: ObservableObject {
  let objectWillChange = PassthroughSubject<Void, Never>()

  var name = "" {
    willSet { objectWillChange.send() }
  }

  @Published var nickname = ""
}

final class AppModel: ObservableObject {
  let counter: CounterViewModel
  private var subscription: AnyCancellable?

  init(counter: CounterViewModel) {
    self.counter = counter
    subscription = counter.objectWillChange.sink { [weak self] _ in
      self?.objectWillChange.send()
    }
  }

  func refresh() {
    objectWillChange.send()
  }
}

private class Label {
  var text: String? = nil
  deinit { Label.deinitialized += 1 }
  static var deinitialized = 0
}

final class CounterViewModelTests: XCTestCase {
  private var cancellables: Set<AnyCancellable> = []

  override func tearDown() {
    cancellables.removeAll()
    super.tearDown()
  }

  func testTitleFollowsCount() {
    let viewModel = CounterViewModel()
    XCTAssertEqual(viewModel.title, "Count: 0")
    viewModel.increment()
    XCTAssertEqual(viewModel.title, "Count: 1")
  }

  func testLimit() {
    let viewModel = CounterViewModel(limit: 2)
    var values = [Bool]()
    viewModel.$isAtLimit.sink { values.append($0) }.store(in: &cancellables)
    for _ in 0..<3 { viewModel.increment() }
    XCTAssertEqual(values, [false, true])
  }

  func testObjectWillChangeFiresBeforeTheValueChanges() {
    let viewModel = CounterViewModel()
    var seen = [Int]()
    viewModel.objectWillChange
      .sink { _ in seen.append(viewModel.count) }
      .store(in: &cancellables)
    viewModel.count = 5
    XCTAssertEqual(seen.first, 0)
    XCTAssertEqual(viewModel.count, 5)
  }

  func testPublishedEmitsOnWillSet() {
    let viewModel: CounterViewModelType = CounterViewModel()
    var pairs = [[Int]]()
    viewModel.countPublisher
      .dropFirst()
      .sink { [unowned viewModel] new in pairs.append([viewModel.count, new]) }
      .store(in: &cancellables)
    viewModel.count = 1
    viewModel.count = 2
    XCTAssertEqual(pairs, [[0, 1], [1, 2]])
  }

  func testSubclassPublishesItsOwnProperties() {
    let viewModel = StepCounterViewModel()
    var changes = 0
    viewModel.objectWillChange.sink { changes += 1 }.store(in: &cancellables)
    viewModel.step = 3
    XCTAssertEqual(changes, 1)
    viewModel.increment()
    XCTAssertEqual(viewModel.title, "Count: 3")
    XCTAssertGreaterThan(changes, 1)
  }

  func testNestedObservableObject() {
    let counter = CounterViewModel()
    let app = AppModel(counter: counter)
    var changes = 0
    app.objectWillChange.sink { changes += 1 }.store(in: &cancellables)
    app.refresh()
    XCTAssertEqual(changes, 1)
    counter.increment()
    XCTAssertGreaterThan(changes, 1)
  }

  func testCustomObjectWillChangeIsNotDrivenByPublished() {
    let profile = ProfileModel()
    var changes = 0
    profile.objectWillChange.sink { changes += 1 }.store(in: &cancellables)
    profile.name = "Ada"
    profile.nickname = "Countess"
    XCTAssertEqual(changes, 1)
  }

  func testAssignToKeyPathKeepsTheObject() {
    Label.deinitialized = 0
    let texts = PassthroughSubject<String?, Never>()
    var label: Label? = Label()
    let cancellable = texts.assign(to: \.text, on: label!)
    texts.send("Hello")
    XCTAssertEqual(label?.text, "Hello")
    label = nil
    XCTAssertEqual(Label.deinitialized, 0)
    cancellable.cancel()
    XCTAssertEqual(Label.deinitialized, 1)
  }
}
