import Combine
import Foundation
import XCTest

extension Notification.Name {
  static let keyboardWillShow = Notification.Name("KeyboardWillShow")
  static let keyboardWillHide = Notification.Name("KeyboardWillHide")
  static let didLogin = Notification.Name("didLogin")
}

final class KeyboardResponder: ObservableObject {
  @Published private(set) var currentHeight: CGFloat = 0
  private var cancellable: AnyCancellable?

  private let willShow: NotificationCenter.Publisher
  private let willHide: NotificationCenter.Publisher

  init(center: NotificationCenter = .default) {
    willShow = center.publisher(for: .keyboardWillShow)
    willHide = NotificationCenter.Publisher(center: center, name: .keyboardWillHide, object: nil)

    cancellable = Publishers.Merge(
      willShow.compactMap { $0.userInfo?["frame"] as? CGRect }.map { $0.height },
      willHide.map { _ in CGFloat(0) }
    )
    .subscribe(on: ImmediateScheduler.shared)
    .assign(to: \.currentHeight, on: self)
  }
}

#if canImport(ObjectiveC)
  final class Player: NSObject {
    @objc dynamic var rate: Float = 0
  }
#endif

final class NotificationTests: XCTestCase {
  private final class Session {}

  private var subscriptions = Set<AnyCancellable>()

  func testKeyboard() {
    let center = NotificationCenter()
    let keyboard = KeyboardResponder(center: center)
    center.post(
      name: .keyboardWillShow, object: nil,
      userInfo: ["frame": CGRect(x: 0, y: 0, width: 320, height: 216)])
    XCTAssertEqual(keyboard.currentHeight, 216)
    center.post(name: .keyboardWillHide, object: nil)
    XCTAssertEqual(keyboard.currentHeight, 0)
  }

  func testObjectIsFiltered() {
    let mine = Session(), other = Session()
    var names: [String] = []
    NotificationCenter.default.publisher(for: .didLogin, object: mine)
      .compactMap { $0.userInfo?["user"] as? String }
      .sink { names.append($0) }
      .store(in: &subscriptions)
    NotificationCenter.default.post(name: .didLogin, object: other, userInfo: ["user": "eve"])
    NotificationCenter.default.post(name: .didLogin, object: mine, userInfo: ["user": "bob"])
    XCTAssertEqual(names, ["bob"])
    subscriptions.removeAll()
    NotificationCenter.default.post(name: .didLogin, object: mine, userInfo: ["user": "kim"])
    XCTAssertEqual(names, ["bob"])
  }

  func testKeyPath() {
    var objects: [Session?] = []
    let session = Session()
    NotificationCenter.default.publisher(for: .didLogin)
      .map(\.object)
      .map { $0 as? Session }
      .first()
      .sink(receiveValue: { objects.append($0) })
      .store(in: &subscriptions)
    NotificationCenter.default.post(Notification(name: .didLogin, object: session))
    XCTAssertTrue(objects.first.flatMap { $0 } === session)
  }

  func testPublishersOfAFileThatImportsFoundationAlone() {
    let center = NotificationCenter()
    var changes = 0
    basketChanges(in: center).sink { _ in changes += 1 }.store(in: &subscriptions)
    center.post(name: .basketChanged, object: nil)
    XCTAssertEqual(changes, 1)
    XCTAssertEqual(ticks(every: 2).interval, 2)
  }

  func testKeyValueObserving() {
    #if canImport(ObjectiveC)
      let player = Player()
      var rates = [Float]()
      let publisher: NSObject.KeyValueObservingPublisher<Player, Float> = player.publisher(
        for: \.rate, options: [.initial, .new])
      publisher.sink { rates.append($0) }.store(in: &subscriptions)
      player.rate = 1
      XCTAssertEqual(rates, [0, 1])
    #endif
  }
}
