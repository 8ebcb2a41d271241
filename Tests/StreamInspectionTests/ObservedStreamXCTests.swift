import Foundation
import StreamInspection
import Streams
import XCTest

/// Streams that are observed. Observing changes the messages of all tests of the process, so that these run one after
/// another, before the others.
final class ObservedStreamXCTests: XCTestCase {
  override func setUp() { StreamInspector.start() }

  override func tearDown() { StreamInspector.stop() }

  func testValuesOfASubjectAreCountedForEachSubscriber() {
    let subject = PassthroughSubject<Int, Never>()
    let first = subject.sink(isolation: nil) { _ in }
    subject.send(1)
    let second = subject.filter { $0 > 2 }.sink(isolation: nil) { _ in }
    StreamInspector.stop()
    for value in 2...3 { subject.send(value) }
    let counts = [first, second].map { cancellable in
      let part = cancellable.inspection.parts[0]
      return [part.count, part.upstreams.first?.count]
    }
    XCTAssertEqual(counts, [[3, 3], [1, 2]])
  }

  @MainActor func testAStreamThatWasNotStoredIsNamedAmongTheEnded() async {
    let planted = PlantedFault.droppedCancellable.plant()
    planted.provoke()
    let finding = StreamInspector.findings.last
    XCTAssert(PlantedFault.droppedCancellable.isAnswered(by: finding?.text ?? ""), finding?.text ?? "")
    if Self.canLookUpPlaces { XCTAssertEqual(finding?.place, "\(planted.file):\(planted.line)") }
    planted.cancellable.cancel()
    planted.cleanUp()
  }

  @MainActor func testAStreamThatCameTooLateAndARetainCycleAreNamed() async {
    for fault in [PlantedFault.lateToShare, .retainCycle] where Self.canLookUpPlaces || fault.name == "retain cycle" {
      let planted = fault.plant()
      planted.provoke()
      let diagnosis = planted.cancellable.inspection.diagnosis
      XCTAssert(fault.isAnswered(by: diagnosis), diagnosis)
      planted.cancellable.cancel()
      planted.cleanUp()
    }
  }

  func testTheDifferenceOfTwoMomentsTellsWhereThereAreMoreStreams() throws {
    let before = StreamInspector.streams
    let subject = PassthroughSubject<Int, Never>()
    let line = #line + 1
    let cancellables = (1...3).map { _ in subject.sink(isolation: nil) { _ in } }
    subject.send(1)
    let now = StreamInspector.streams
    XCTAssertEqual(now.streams.count - before.streams.count, 3)
    XCTAssertEqual(now.streams.suffix(3).map(\.received), [1, 1, 1])
    if Self.canLookUpPlaces {
      let difference = now.difference(from: before)
      XCTAssertEqual(difference.changes.map(\.count), [3])
      XCTAssertEqual(difference.changes.map(\.place), ["ObservedStreamXCTests.swift:\(line)"])
      XCTAssert(difference.description.hasPrefix("3 more from ObservedStreamXCTests.swift:\(line) than "))
      XCTAssert(now.difference(from: now).changes.isEmpty)
    }
    let decoded = try JSONDecoder().decode(LiveStreams.self, from: Data(now.json.utf8))
    XCTAssertEqual(decoded.streams.map(\.id), now.streams.map(\.id))
    XCTAssert(StreamInspector.dump().contains("live streams"))
    XCTAssertNoThrow(try JSONSerialization.jsonObject(with: Data(StreamInspector.dump(as: .json).utf8)))
    cancellables.forEach { $0.cancel() }
    XCTAssertEqual(StreamInspector.streams.streams.count, before.streams.count)
  }

  func testALoopIsListedWithItsPlaceAndItsValuesUntilItEnds() async {
    let before = StreamInspector.streams
    let subject = PassthroughSubject<Int, Never>()
    let line = #line + 1
    var loop = Optional(subject.buffer(size: 4, prefetch: .byRequest, whenFull: .dropNewest).values.makeAsyncIterator())
    let listed = {
      StreamInspector.streams.streams.filter { stream in !before.streams.contains { $0.id == stream.id } }
    }
    XCTAssertEqual(listed().map(\.received), [0])
    if Self.canLookUpPlaces { XCTAssertEqual(listed().map(\.place), ["ObservedStreamXCTests.swift:\(line)"]) }
    subject.send(1)
    let value = await loop?.next()
    XCTAssertEqual(value, 1)
    XCTAssertEqual(listed().map(\.received), [1])
    loop = nil
    XCTAssertEqual(listed().map(\.received), [])
  }

  func testEventsTellOfStreamsThatBeginAndEnd() {
    StreamInspector.stop()
    let hasEnded = expectation(description: "the end of the stream has been told")
    StreamInspector.start { event in
      if case .ended(let received, _) = event.kind, received == 2 { hasEnded.fulfill() }
    }
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.sink(isolation: nil) { _ in }
    subject.send(1)
    subject.send(2)
    cancellable.cancel()
    wait(for: [hasEnded], timeout: 60)
  }
}
