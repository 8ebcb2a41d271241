import Combine
import Foundation
import XCTest

@propertyWrapper
struct UserDefault<Value> {
  let key: String
  let defaultValue: Value
  var container: UserDefaults = .standard
  private let publisher = PassthroughSubject<Value, Never>()

  init(key: String, defaultValue: Value, container: UserDefaults = .standard) {
    self.key = key
    self.defaultValue = defaultValue
    self.container = container
  }

  var wrappedValue: Value {
    get {
      return container.object(forKey: key) as? Value ?? defaultValue
    }
    set {
      container.set(newValue, forKey: key)
      publisher.send(newValue)
    }
  }

  var projectedValue: AnyPublisher<Value, Never> {
    return publisher.eraseToAnyPublisher()
  }
}

/// Announces changes of a stored value to the object that has it, as `@Published` does.
@propertyWrapper
struct Stored<Value> {
  private let key: String
  private let initial: Value
  private let container: UserDefaults
  private let subject: CurrentValueSubject<Value, Never>

  init(wrappedValue: Value, _ key: String, container: UserDefaults) {
    self.key = key
    self.initial = wrappedValue
    self.container = container
    self.subject = .init(container.object(forKey: key) as? Value ?? wrappedValue)
  }

  @available(*, unavailable, message: "@Stored belongs in a class")
  var wrappedValue: Value {
    get { fatalError() }
    set { fatalError() }
  }

  var projectedValue: CurrentValueSubject<Value, Never> { subject }

  static subscript<Owner: ObservableObject>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    get { owner[keyPath: storage].subject.value }
    set {
      (owner.objectWillChange as? ObservableObjectPublisher)?.send()
      let stored = owner[keyPath: storage]
      stored.container.set(newValue, forKey: stored.key)
      stored.subject.value = newValue
    }
  }
}

private let suite = UserDefaults(suiteName: "CombineTests.UserDefault")!

final class Preferences: ObservableObject {
  @UserDefault(key: "launches", defaultValue: 0, container: suite) var launches: Int
  @Stored("nickname", container: suite) var nickname = "nobody"
  @Published var theme = "light"
}

final class UserDefaultTests: XCTestCase {
  private var cancellables = [AnyCancellable]()

  override func setUp() {
    super.setUp()
    ["launches", "nickname"].forEach(suite.removeObject(forKey:))
  }

  func testProjectedPublisher() {
    let preferences = Preferences()
    var values = [Int]()
    preferences.$launches.sink { values.append($0) }.store(in: &cancellables)
    preferences.launches += 1
    preferences.launches += 1
    XCTAssertEqual(values, [1, 2])
    XCTAssertEqual(Preferences().launches, 2)
  }

  func testStoredAnnouncesChanges() {
    let preferences = Preferences()
    var before = [String]()
    var names = [String]()
    preferences.objectWillChange.sink { before.append(preferences.nickname) }.store(in: &cancellables)
    preferences.$nickname.sink { names.append($0) }.store(in: &cancellables)
    preferences.nickname = "Bo"
    preferences.theme = "dark"
    XCTAssertEqual(before, ["nobody", "Bo"])
    XCTAssertEqual(names, ["nobody", "Bo"])
    XCTAssertEqual(Preferences().nickname, "Bo")
  }
}
