import Combine
import Foundation
import XCTest

/// The form of a sign-up screen. The view binds to the `@Published` properties.
final class SignUpViewModel<S: Scheduler>: ObservableObject {
  // Input
  @Published var username: String = ""
  @Published var password: String = ""
  @Published var passwordAgain: String = ""
  @Published var acceptsTerms = false

  // Output
  @Published var usernameMessage = ""
  @Published var passwordMessage = ""
  @Published var isValid = false

  enum PasswordCheck {
    case valid, empty, noMatch, notStrongEnough
  }

  private let scheduler: S
  private let usernameAvailable: (String, @escaping (Bool) -> Void) -> Void
  private var cancellableSet: Set<AnyCancellable> = []

  private var isUsernameValidPublisher: AnyPublisher<String?, Never> {
    return
      $username
      .debounce(for: .milliseconds(500), scheduler: scheduler)
      .removeDuplicates()
      .flatMap { username in
        return Future { promise in
          self.usernameAvailable(username) { available in
            promise(.success(available ? username : nil))
          }
        }
      }
      .eraseToAnyPublisher()
  }

  private var isPasswordEmptyPublisher: AnyPublisher<Bool, Never> {
    $password
      .removeDuplicates()
      .map { $0.isEmpty }
      .eraseToAnyPublisher()
  }

  private var arePasswordsEqualPublisher: AnyPublisher<Bool, Never> {
    Publishers.CombineLatest($password, $passwordAgain)
      .debounce(for: .milliseconds(200), scheduler: scheduler)
      .map { password, passwordAgain in password == passwordAgain }
      .eraseToAnyPublisher()
  }

  private var isPasswordStrongPublisher: AnyPublisher<Bool, Never> {
    $password.map { $0.count >= 8 }.eraseToAnyPublisher()
  }

  private var passwordPublisher: AnyPublisher<PasswordCheck, Never> {
    Publishers.CombineLatest3(isPasswordEmptyPublisher, arePasswordsEqualPublisher, isPasswordStrongPublisher)
      .map { isEmpty, areEqual, isStrong in
        if isEmpty { return .empty }
        if !areEqual { return .noMatch }
        return isStrong ? .valid : .notStrongEnough
      }
      .eraseToAnyPublisher()
  }

  init(scheduler: S, usernameAvailable: @escaping (String, @escaping (Bool) -> Void) -> Void) {
    self.scheduler = scheduler
    self.usernameAvailable = usernameAvailable

    let username = isUsernameValidPublisher.share()
    let password = passwordPublisher.share()

    username
      .receive(on: ImmediateScheduler.shared)
      .map { $0 == nil ? "Username is taken" : "" }
      .assign(to: \.usernameMessage, on: self)
      .store(in: &cancellableSet)

    password
      .map { check -> String in
        switch check {
        case .empty: return "Password must not be empty"
        case .noMatch: return "Passwords don't match"
        case .notStrongEnough: return "Password not strong enough"
        default: return ""
        }
      }
      .assign(to: \.passwordMessage, on: self)
      .store(in: &cancellableSet)

    Publishers.CombineLatest4($acceptsTerms, username, password, $username)
      .map { accepts, name, check, typed in
        accepts && name != nil && check == .valid && name == typed
      }
      .removeDuplicates()
      .assign(to: \.isValid, on: self)
      .store(in: &cancellableSet)
  }

  deinit {
    cancellableSet.forEach { $0.cancel() }
  }
}

final class SignUpViewModelTests: XCTestCase {
  private let scheduler = DispatchQueue.test

  private func makeViewModel() -> SignUpViewModel<TestSchedulerOf<DispatchQueue>> {
    SignUpViewModel(scheduler: scheduler) { name, completion in
      completion(name != "root")
    }
  }

  func testValidForm() {
    let sut = makeViewModel()
    sut.username = "frodo"
    sut.password = "precious!"
    sut.passwordAgain = "precious!"
    sut.acceptsTerms = true
    XCTAssertFalse(sut.isValid)

    scheduler.advance(by: .milliseconds(499))
    XCTAssertFalse(sut.isValid)
    scheduler.advance(by: .milliseconds(1))
    XCTAssertTrue(sut.isValid)
    XCTAssertEqual(sut.usernameMessage, "")
    XCTAssertEqual(sut.passwordMessage, "")

    sut.username = "sam"
    XCTAssertFalse(sut.isValid)
  }

  func testTakenUsername() {
    let sut = makeViewModel()
    sut.username = "root"
    scheduler.advance(by: .seconds(1))
    XCTAssertEqual(sut.usernameMessage, "Username is taken")
  }

  func testPasswordMessages() {
    let sut = makeViewModel()
    scheduler.advance(by: .milliseconds(200))
    XCTAssertEqual(sut.passwordMessage, "Password must not be empty")
    sut.password = "short"
    scheduler.advance(by: .milliseconds(200))
    XCTAssertEqual(sut.passwordMessage, "Passwords don't match")
    sut.passwordAgain = "short"
    scheduler.advance(by: .milliseconds(200))
    XCTAssertEqual(sut.passwordMessage, "Password not strong enough")
  }

  func testOnTheMainRunLoop() {
    let sut = SignUpViewModel(scheduler: RunLoop.main) { _, completion in completion(true) }
    let valid = expectation(description: "form becomes valid")
    let cancellable = sut.$isValid.filter { $0 }.sink { _ in valid.fulfill() }
    sut.username = "frodo"
    sut.password = "precious!"
    sut.passwordAgain = "precious!"
    sut.acceptsTerms = true
    waitForExpectations(timeout: 30)
    cancellable.cancel()
    XCTAssertEqual(sut.passwordMessage, "")
  }
}
