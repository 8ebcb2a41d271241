import Dispatch
import StreamAlgorithms
import StreamInspection
import Streams
import Synchronization
import XCTest

/// Streams that are observed, read one by one and followed by several listeners. They run one after another, before the tests
/// that observe nothing.
final class FollowedStreamXCTests: XCTestCase {
  override func tearDown() { StreamInspector.stop() }

  func testOneStreamIsReadWithoutTheOthers() throws {
    StreamInspector.start()
    let (one, other) = (PassthroughSubject<Int, Never>(), PassthroughSubject<String, Never>())
    let cancellables = [one.filter { $0 > 1 }.sink(isolation: nil) { _ in }, other.sink(isolation: nil) { _ in }]
    for value in 1...3 { one.send(value) }
    let streams = StreamInspector.streams.streams.suffix(2)
    let stream = try XCTUnwrap(streams.first { $0.received == 2 })
    let inspection = try XCTUnwrap(StreamInspector.inspection(of: stream))
    XCTAssertEqual(inspection.parts.map(\.name), ["sink", "PassthroughSubject<Int, Never>"])
    XCTAssertEqual(inspection.parts[0].id, stream.id)
    XCTAssertEqual(inspection.parts[0].count, 2)
    XCTAssertEqual(try XCTUnwrap(StreamInspector.inspection(of: stream, limit: 1)).isTruncated, true)
    cancellables[0].cancel()
    XCTAssertNil(StreamInspector.inspection(of: stream))
    cancellables[1].cancel()
  }

  func testTimeGoesOnWhileAListenerIsBusy() {
    let (isBusy, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    StreamInspector.start { _ in
      isBusy.signal()
      isOver.wait()
    }
    let subject = PassthroughSubject<Int, Never>()
    subject.sink(isolation: nil) { _ in }.cancel()
    isBusy.wait()
    let before = StreamInspector.streams.time
    let goesOn = expectation(description: "time")
    DispatchQueue.global().async {
      while StreamInspector.streams.time <= before + 0.01 {}
      goesOn.fulfill()
    }
    wait(for: [goesOn], timeout: 60)
    // One more for each event.
    for _ in 0..<10 { isOver.signal() }
  }

  func testAStreamThatIsReadUpToALimitNamesTheOperatorsThatWereRead() throws {
    StreamInspector.start()
    let subject = PassthroughSubject<Int, Never>()
    let before = Set(StreamInspector.streams.streams.map(\.id))
    let cancellable = subject.handleEvents().replaceEmpty(with: 0).map { $0 }.print().sink(isolation: nil) { _ in }
    let stream = try XCTUnwrap(StreamInspector.streams.streams.first { !before.contains($0.id) })
    let inspection = try XCTUnwrap(StreamInspector.inspection(of: stream, limit: 3))
    XCTAssertEqual(inspection.parts.map(\.name), ["sink", "print", "replaceEmpty(with:)"])
    XCTAssertTrue(inspection.isTruncated)
    cancellable.cancel()
  }

  func testAStreamHasTheNameOfTheCheckpointDirectlyBeforeItsSink() {
    StreamInspector.start()
    let before = Set(StreamInspector.streams.streams.map(\.id))
    let subject = PassthroughSubject<Int, Never>()
    let named = subject.map { $0 }.checkpoint("orders").sink(isolation: nil) { _ in }
    let unnamed = subject.checkpoint("not directly before").map { $0 }.filter { $0 > 0 }.scan(0, +).sink(isolation: nil)
    { _ in }
    let new = StreamInspector.streams.streams.filter { !before.contains($0.id) }
    XCTAssertEqual(new.count, 2)
    XCTAssertEqual(new.compactMap(\.checkpoint), ["orders"])
    withExtendedLifetime([named, unnamed]) {}
  }

  func testAListenerIsCalledBesideThatOfStartUntilItIsCancelled() {
    // It follows before anything is observed.
    let ends = ["one", "another", "that of start"].map { expectation(description: $0) }
    let isFirst = Atomic<Bool>(true)
    let lateCalls = Atomic<Int>(0)
    let isLate = DispatchSemaphore(value: 0)
    let following = ends.prefix(2).map { expectation in
      StreamInspector.follow { event in
        guard case .ended(received: 1, _) = event.kind else { return }
        if isFirst.load(ordering: .relaxed) { return expectation.fulfill() }
        lateCalls.add(1, ordering: .relaxed)
        isLate.signal()
      }
    }
    StreamInspector.start { event in
      if case .ended(received: 1, _) = event.kind, isFirst.load(ordering: .relaxed) { ends[2].fulfill() }
    }
    let subject = PassthroughSubject<Int, Never>()
    func endOne() {
      let cancellable = subject.sink(isolation: nil) { _ in }
      subject.send(1)
      cancellable.cancel()
    }
    endOne()
    wait(for: ends, timeout: 60)
    isFirst.store(false, ordering: .relaxed)
    following[0].cancel()
    endOne()
    XCTAssertEqual(isLate.wait(timeout: .now() + .seconds(60)), .success)
    XCTAssertEqual(lateCalls.load(ordering: .relaxed), 1)
    following[1].cancel()
  }

  func testAListenerWithThresholdsIsToldWhatIsFoundInObservedStreams() {
    StreamInspector.start()
    var thresholds = Inspection.Thresholds()
    thresholds.withoutDemand = .milliseconds(1)
    let isFound = expectation(description: "values without demand")
    let following = StreamInspector.follow(lints: thresholds) { event in
      if case .found(let finding) = event.kind, finding.kind == .noDemand { isFound.fulfill() }
    }
    let (subject, gate) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let cancellable = subject.buffer(bounded: 10, whenFull: .dropOldest)
      .flatMap(maxPublishers: .max(1)) { _ in gate }.sink(isolation: nil) { _ in }
    for value in 1...3 { subject.send(value) }
    wait(for: [isFound], timeout: 60)
    XCTAssertEqual(cancellable.inspection.parts.first { $0.name == "buffer" }?.bound, 10)
    following.cancel()
    cancellable.cancel()
  }
}
