import StreamInspection
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
    XCTAssert(diagnosis.contains("had already ended when this stream subscribed to it"), diagnosis)
    cancellable.cancel()
  }
}
