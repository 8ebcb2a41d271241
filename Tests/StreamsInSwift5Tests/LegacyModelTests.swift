import Dispatch
import Foundation
import StreamSchedulers
import StreamTesting
import Streams
import Testing

// Code in Swift 5 mode that was not changed for Swift 6: its sinks are still isolated to their actor.

@MainActor
final class LegacyModel: ObservableObject {
  @Published var text = ""
  var log: [String] = [] { didSet { MainActor.assertIsolated() } }
  private var cancellables: Set<AnyCancellable> = []

  init(_ publisher: AnyPublisher<String, Never>) {
    publisher.sink { [weak self] in self?.log.append($0) }.store(in: &cancellables)
    publisher.assign(to: &$text)
  }
}

actor LegacyCounter {
  var count = 0
  private var cancellables: Set<AnyCancellable> = []
  private var continuation: CheckedContinuation<Void, Never>?

  func start(_ subjects: [PassthroughSubject<Int, Never>]) {
    for subject in subjects {
      subject.sink { value in
        self.count += value
        if self.count == 20_000 { self.continuation?.resume() }
      }
      .store(in: &cancellables)
    }
  }

  func end() async {
    if count < 20_000 { await withCheckedContinuation { continuation = $0 } }
  }
}

@Suite struct LegacyModelTests {
  @MainActor @Test func valuesFromElsewhereArriveOnTheMainActor() async {
    let subject = PassthroughSubject<String, Never>()
    let model = LegacyModel(subject.eraseToAnyPublisher())
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        for text in ["a", "b", "c"] { subject.send(text) }
        continuation.resume()
      }
    }
    await Task { @MainActor in }.value
    #expect(model.log == ["a", "b", "c"])
    #expect(model.text == "c")
  }

  @Test func anActorLosesNothingOfWhatTwoThreadsSend() async {
    let subjects = [PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>()]
    let counter = LegacyCounter()
    await counter.start(subjects)
    for subject in subjects {
      DispatchQueue.global().async {
        for _ in 0..<10_000 { subject.send(1) }
      }
    }
    await counter.end()
    let count = await counter.count
    #expect(count == 20_000)
  }

  @MainActor @Test func aModelIsDrivenByATestSchedulerAsBefore() {
    let scheduler = DispatchQueue.test
    let subject = PassthroughSubject<String, Never>()
    let model = LegacyModel(
      subject.debounce(for: .milliseconds(300), scheduler: scheduler).eraseToAnyPublisher())
    subject.send("swift")
    scheduler.advance(by: .milliseconds(300))
    #expect(model.text == "swift")
  }

  @Test func aPromiseIsStoredInAPlainProperty() {
    var promise: ((Result<Int, Never>) -> Void)?
    let future = Future<Int, Never> { promise = $0 }
    var received: [Int] = []
    let cancellable = future.sink { received.append($0) }
    promise?(.success(1))
    #expect(received == [1])
    cancellable.cancel()
  }
}
