import Foundation
import StreamAlgorithms
import StreamInspection
import Streams
import XCTest

/// The diagnosis calls operators that are made of others as the program does, and counts what they hold. Streams are observed.
final class NamedOperatorXCTests: XCTestCase {
  private let subject = PassthroughSubject<Int, Never>()

  override func setUp() { StreamInspector.start() }

  override func tearDown() { StreamInspector.stop() }

  /// Expects a text in the diagnosis of a stream that has been sent two values, where places of operators are left out, and none
  /// of the given names.
  private func expect(
    _ text: String, without names: [String] = [], of publisher: some Publisher<some Any, Never>, caller: UInt = #line
  ) {
    let cancellable = publisher.sink(isolation: nil) { _ in }
    subject.send(1)
    subject.send(2)
    let diagnosis = cancellable.inspection.diagnosis.replacing(
      /\ \(NamedOperatorXCTests.swift:\d+\)|, in the stream at NamedOperatorXCTests.swift:\d+/, with: "")
    XCTAssert(diagnosis.contains(text), diagnosis, line: caller)
    for name in names {
      XCTAssertFalse("\(cancellable.inspection) \(diagnosis)".contains(name), diagnosis, line: caller)
    }
    cancellable.cancel()
  }

  func testOperatorsThatCollectValuesSayHowManyTheyHold() {
    let chunks = subject.chunked(maxCount: 9) { _, _ in true }
    expect("chunked(maxCount:) holds 2 of 9 values and waits for the others.", without: ["compactMap"], of: chunks)
    expect("chunked(maxCount:) holds 2 of 9 values", of: subject.chunked(maxCount: 9, on: { _ in 0 }))
    expect("nwise(5) holds 2 of 5 values", of: subject.nwise(5))
    expect("collect(5) holds 2 of 5 values", of: subject.collect(5))
    expect("pairwise holds 1 of 2 values", of: subject.dropFirst().pairwise())
    let boundary = PassthroughSubject<Void, Never>()
    expect(
      "buffer(by:maxCount:) holds 2 of 4 values and waits for a boundary from PassthroughSubject<Void, Never>.",
      without: ["merge", "map"], of: subject.buffer(by: boundary, maxCount: 4))
  }

  func testWhatIsHeldAfterASendIsCounted() {
    expect(
      "chunked(maxCount:) holds 1 of 9 values and waits for the others. Before: 1 value delivered",
      of: subject.chunked(maxCount: 9, on: { $0 }))
    expect("Idle: 1 value delivered", of: subject.nwise(2))
    expect("Idle: 1 value delivered", of: subject.chunked(maxCount: 2) { _, _ in true })
  }

  func testOperatorsThatDropValuesAreCalledAsInTheProgram() {
    expect("output(at:) has received 2 values and let none", without: ["output(in"], of: subject.output(at: 7))
    expect("partition has received 2 values", without: ["filter"], of: subject.partition { _ in true }.others)
    let latest = subject.flatMapLatest { _ in Empty<Int, Never>(completeImmediately: false) }
    expect("Empty", without: ["switchToLatest"], of: latest)
    expect("Empty", without: ["output", "append"], of: subject.prefix(3).prepend(Empty(completeImmediately: false)))
  }

  func testAnOperatorThatSharesItsSourceIsNotCalledShare() {
    expect(
      "The only slot in flatMapFirst is taken by one inner publisher that hasn't finished (Empty), so the values of its outer "
        + "publisher, PassthroughSubject<Int, Never>", without: ["share"],
      of: subject.flatMapFirst { _ in Empty<Int, Never>(completeImmediately: false) })
  }

  func testWindowsAndGroupsAreCalledSo() {
    let boundary = Empty<Int, Never>(completeImmediately: false)
    expect(
      "collect has received 2 values, and sends its result when its source finishes, which a window hasn't done.",
      without: ["ReplaySubject", "merge", "buffer "],
      of: subject.window(by: boundary, bufferSize: 4).flatMap { $0.collect() })
    expect(
      "collect has received 1 value, and sends its result when its source finishes, which a group hasn't done.",
      without: ["ReplaySubject"], of: subject.groupBy({ $0 }, maxGroups: 4, bufferSize: 4).flatMap { $0.collect() })
  }
}
