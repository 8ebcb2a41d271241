import Combine
import Testing

@MainActor
protocol LocationManagerDelegate: AnyObject {
  func locationManager(_ manager: LocationManager, didChange status: LocationManager.Status)
  func locationManager(_ manager: LocationManager, didFail error: any Error)
}

@MainActor
final class LocationManager {
  enum Status: Sendable {
    case notDetermined, denied, authorized
  }

  weak var delegate: (any LocationManagerDelegate)?
  private(set) var status = Status.notDetermined

  func answer(_ status: Status) {
    self.status = status
    delegate?.locationManager(self, didChange: status)
  }

  func fail(_ error: any Error) { delegate?.locationManager(self, didFail: error) }
}

@MainActor
final class PermissionService {
  struct Failure: Error, Equatable {}

  private let manager: LocationManager
  private let statusSubject: CurrentValueSubject<LocationManager.Status, Never>
  private let failureSubject = PassthroughSubject<Never, Failure>()

  let isAuthorized: AnyPublisher<Bool, Never>

  init(manager: LocationManager) {
    self.manager = manager
    statusSubject = .init(manager.status)
    isAuthorized =
      statusSubject
      .filter { $0 != .notDetermined }
      .map { $0 == .authorized }
      .removeDuplicates()
      .eraseToAnyPublisher()
    manager.delegate = self
  }

  /// One answer, or the failure that came first.
  func request() -> some Publisher<Bool, Failure> {
    isAuthorized
      .setFailureType(to: Failure.self)
      .merge(with: failureSubject.map { _ -> Bool in })
      .first()
  }
}

extension PermissionService: LocationManagerDelegate {
  func locationManager(_ manager: LocationManager, didChange status: LocationManager.Status) {
    statusSubject.send(status)
  }

  func locationManager(_ manager: LocationManager, didFail error: any Error) {
    failureSubject.send(completion: .failure(Failure()))
  }
}

@MainActor
struct PermissionServiceTests {
  let manager = LocationManager()

  @Test func `an answer ends the request`() {
    let service = PermissionService(manager: manager)
    var answers: [Bool] = []
    var completions: [Subscribers.Completion<PermissionService.Failure>] = []
    let cancellable = service.request()
      .sink {
        completions.append($0)
      } receiveValue: {
        answers.append($0)
      }
    #expect(answers.isEmpty)
    manager.answer(.denied)
    manager.answer(.authorized)
    #expect(answers == [false])
    #expect(completions == [.finished])
    cancellable.cancel()
  }

  @Test func `an error fails the request`() {
    let service = PermissionService(manager: manager)
    var completions: [Subscribers.Completion<PermissionService.Failure>] = []
    let cancellable = service.request()
      .sink(receiveCompletion: { completions.append($0) }, receiveValue: { _ in Issue.record("answered") })
    manager.fail(CancellationError())
    #expect(completions == [.failure(.init())])
    cancellable.cancel()
  }

  @Test func `later subscribers see the last status alone`() {
    let service = PermissionService(manager: manager)
    manager.answer(.denied)
    manager.answer(.authorized)
    var values: [Bool] = []
    service.isAuthorized.sink { values.append($0) }.cancel()
    #expect(values == [true])
  }
}
