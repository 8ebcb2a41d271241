import Dispatch
import StreamAlgorithms
import StreamInspection
import StreamSchedulers
import Streams
import SuiteSupport
import XCTest

/// What is known of streams that have ended: with which failure, in which call, and because of which operator.
final class EndedStreamXCTests: XCTestCase {
  private let subject = PassthroughSubject<Int, Never>()

  private struct Offline: Error {}

  override func setUp() { StreamInspector.start() }

  override func tearDown() { StreamInspector.stop() }

  private func expect(_ text: String, in diagnosis: String, caller: UInt = #line) {
    guard Self.canLookUpPlaces else { return }
    XCTAssert(diagnosis.contains(text.replacing("AT", with: "EndedStreamXCTests.swift")), diagnosis, line: caller)
  }

  func testAFailureIsNamed() {
    let requests = PassthroughSubject<Int, Offline>()
    let failed = requests.sink(isolation: nil, receiveCompletion: { _ in }, receiveValue: { _ in })
    let line = #line - 1
    requests.send(1)
    requests.send(completion: .failure(Offline()))
    expect(
      "The stream at AT:\(line) failed with Offline after 1 value, in the call at AT:\(line + 3).",
      in: failed.inspection.diagnosis)
    let thrown = subject.tryMap { if $0 > 1 { throw Offline() } }
      .sink(isolation: nil, receiveCompletion: { _ in }, receiveValue: { _ in })
    let place = #line - 2
    subject.send(2)
    expect("failed with Offline before its first value", in: thrown.inspection.diagnosis)
    expect("perhaps because tryMap (AT:\(place)) threw an error.", in: thrown.inspection.diagnosis)
  }

  func testAFailureOfATimeOrOfAllAttempts() {
    let time = DispatchQueue.test
    let late = subject.setFailureType(to: Offline.self)
      .timeout(.seconds(1), scheduler: time, customError: { Offline() })
      .sink(isolation: nil, receiveCompletion: { _ in }, receiveValue: { _ in })
    let line = #line - 2
    time.advance(by: .seconds(1))
    expect("perhaps because the time of timeout (AT:\(line)) was over.", in: late.inspection.diagnosis)
    let tried = Fail<Int, Offline>(error: Offline()).retry(2)
      .sink(isolation: nil, receiveCompletion: { _ in }, receiveValue: { _ in })
    expect("perhaps because retry (AT:\(#line - 2)) made no other attempt.", in: tried.inspection.diagnosis)
  }

  func testAZipEndsWithItsShorterSource() {
    let stream = subject.zip(Just(1)).sink(isolation: nil) { _ in }
    let line = #line - 1
    subject.send(1)
    expect(
      "after 1 value, in the call at AT:\(line + 2), perhaps because a source of zip (AT:\(line)) had finished.",
      in: stream.inspection.diagnosis)
  }

  func testAnOperatorHasDroppedTheValueOfJust() {
    let stream = Just(1).filter { $0 > 1 }.sink(isolation: nil) { _ in }
    let line = #line - 1
    expect("without a value, because filter (AT:\(line)) dropped the value of Just.", in: stream.inspection.diagnosis)
  }

  func testAnOperatorThatIsNotInSightHasReplacedAFailure() {
    let isStrict = true
    let tried: AnyPublisher<Int, Offline> =
      if isStrict {
        subject.tryMap { if $0 > 1 { throw Offline() } else { $0 } }.mapError { _ in Offline() }.eraseToAnyPublisher()
      } else {
        subject.setFailureType(to: Offline.self).eraseToAnyPublisher()
      }
    let replaced: AnyPublisher<Int, Never> =
      if isStrict { tried.catch { _ in Empty<Int, Never>() }.eraseToAnyPublisher() } else {
        tried.replaceError(with: 0).eraseToAnyPublisher()
      }
    let stream = replaced.sink(isolation: nil) { _ in }
    for value in 1...2 { subject.send(value) }
    expect(
      "ended after 1 value, in the call at AT:\(#line - 2), perhaps because catch or replaceError replaced a failure.",
      in: stream.inspection.diagnosis)
  }

  func testARelayThatIsReleasedEndsTheStream() {
    func events() -> AnyPublisher<Int, Never> { PassthroughRelay<Int>().eraseToAnyPublisher() }
    let immediate = events().sink(isolation: nil) { _ in }
    let reason = "because its PassthroughRelay was released. Keep a reference to the relay"
    expect(reason, in: immediate.inspection.diagnosis)
    var relay: CurrentValueRelay<Int>? = CurrentValueRelay(1)
    let stream = relay?.first { $0 > 1 }.sink(isolation: nil) { _ in }
    relay = nil
    let line = #line - 1
    expect(
      "in the call at AT:\(line), because its CurrentValueRelay was released.", in: stream?.inspection.diagnosis ?? "")
  }

  func testAnOwnerThatHasBeenReleasedEndsTheStream() {
    final class Owner {}
    let stream = subject.sink(with: Owner(), isolation: nil) { _, _ in }
    let line = #line - 1
    subject.send(1)
    expect("perhaps because the object passed to sink (AT:\(line)) has been released.", in: stream.inspection.diagnosis)
    let owner = Owner()
    let finished = subject.sink(with: owner, isolation: nil) { _, _ in }
    subject.send(completion: .finished)
    XCTAssertFalse(finished.inspection.diagnosis.contains("released"), finished.inspection.diagnosis)
    withExtendedLifetime(owner) {}
  }

  func testASharedReplayThatHasFailed() {
    let shared = Fail<Int, Offline>(error: Offline()).share(replay: 1)
    let first = shared.sink(isolation: nil, receiveCompletion: { _ in }, receiveValue: { _ in })
    let second = shared.sink(isolation: nil, receiveCompletion: { _ in }, receiveValue: { _ in })
    let line = #line - 1
    expect(
      "share(replay:) had already ended when this stream subscribed to it (AT:\(line)).",
      in: second.inspection.diagnosis)
    first.cancel()
  }

  func testADumpListsStreamsThatHaveEnded() async {
    subject.sink(isolation: nil) { _ in }.cancel()
    let line = #line - 1
    var cancellables: Set<AnyCancellable> = []
    subject.sink(isolation: nil) { _ in }.store(in: &cancellables)
    subject.send(1)
    cancellables.removeAll()
    let state = CurrentValueSubject<Int, Never>(1)
    for await _ in state.values { break }
    let unheard = PassthroughSubject<Int, Never>()
    unheard.send(1)
    guard Self.canLookUpPlaces else { return }
    let dump = StreamInspector.dump()
    expect("The stream at AT:\(line) was cancelled without a value.", in: dump)
    expect("The stream at AT:\(line + 3) was cancelled after 1 value, at AT:\(line + 5).", in: dump)
    expect("The loop at AT:\(line + 7) was left, or its task was cancelled, after 1 value.", in: dump)
    expect("The subject at AT:\(line + 8) was sent 1 value (AT:\(line + 9)) before it had a subscriber.", in: dump)
    withExtendedLifetime(unheard) {}
  }
}
