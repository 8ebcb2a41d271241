import Dispatch
import StreamAlgorithms
import StreamInspection
import StreamSchedulers
import Streams
import XCTest

/// What an inspection knows of the subjects of streams that are observed.
final class ObservedSubjectXCTests: XCTestCase {
  override func setUp() { StreamInspector.start() }

  override func tearDown() { StreamInspector.stop() }

  func testASubjectIsToldWithItsLineAndTheOthersThatTheSameLineCreated() throws {
    try XCTSkipUnless(Self.canLookUpPlaces, "Places cannot be looked up here.")
    let line = #line + 1
    var subjects = (0..<2).map { _ in PassthroughSubject<Int, Never>() }
    let cancellable = subjects[0].sink(isolation: nil) { _ in }
    let inspection = cancellable.inspection
    XCTAssertEqual(inspection.parts.last?.place, "ObservedSubjectXCTests.swift:\(line)")
    XCTAssert(inspection.diagnosis.contains("1 other subject"), inspection.diagnosis)

    subjects.removeLast()
    let alone = cancellable.inspection.diagnosis
    XCTAssertFalse(alone.contains("other subject"), alone)
    cancellable.cancel()
  }

  func testAStreamThatSubscribesAfterTheEndOfASubjectIsToldSo() throws {
    try XCTSkipUnless(Self.canLookUpPlaces, "Places cannot be looked up here.")
    let subject = PassthroughSubject<Int, Never>()
    subject.send(completion: .finished)
    let cancellable = subject.sink(isolation: nil) { _ in }
    let diagnosis = cancellable.inspection.diagnosis
    XCTAssert(diagnosis.hasPrefix("The subject had already ended when this stream subscribed to it"), diagnosis)
    cancellable.cancel()
    let shared = Just(1).share()
    let first = shared.sink(isolation: nil) { _ in }
    let second = shared.map { $0 }.sink(isolation: nil) { _ in }
    let late = second.inspection.diagnosis
    XCTAssert(late.hasPrefix("share() had already ended when this stream subscribed to it"), late)
    for stream in [first, second] { stream.cancel() }
  }

  func testSendersThatWaitForAFirstSubscriberAreAFinding() throws {
    let scheduler = DispatchQueue.test
    let line = #line + 1
    let subject = BoundedSubject<Int, Never>(bounded: 1)
    let found = StreamInspector.findings.count
    for number in 1...3 { Task(on: scheduler) { try await subject.send(number) } }
    scheduler.advance()
    XCTAssertEqual(StreamInspector.findings.count, found + 1)
    let finding = try XCTUnwrap(StreamInspector.findings.last)
    XCTAssert(
      finding.text.hasPrefix("2 senders are waiting for the first subscriber of the BoundedSubject"), finding.text)
    if Self.canLookUpPlaces { XCTAssertEqual(finding.place, "ObservedSubjectXCTests.swift:\(line)") }

    let cancellable = subject.sink(isolation: nil) { _ in }
    XCTAssertEqual(StreamInspector.findings.count, found)
    cancellable.cancel()
    scheduler.advance()
  }
}
