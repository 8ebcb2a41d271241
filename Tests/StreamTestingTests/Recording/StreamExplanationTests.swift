import Dispatch
import Foundation
import StreamSchedulers
import Streams
import Testing

@testable import StreamTesting

// `@testable`: what is attached to a failure.

/// Failures say why nothing arrives, and show the tree of the stream, if it is alive and something is missing.
@Suite struct StreamExplanationTests {
  private let scheduler = DispatchQueue.test
  private let left = PassthroughSubject<Int, Never>()
  private let right = PassthroughSubject<Int, Never>()

  private let standsStill =
    "\n\nWhy nothing arrives: 1 value is waiting in debounce for virtual time to advance, due in 300 ms. Call "
    + "advance(by:) or run() on this test scheduler, or pass the scheduler that your app uses."
  private let zipWaits =
    "Why nothing arrives: zip is waiting for a new value from its right source PassthroughSubject<Int, Never>. Call "
    + "send(_:) on this instance."
  private let debounceLine = "← debounce   1 value is waiting, due in 300 ms, on the test scheduler"
  private let zipLine = "← zip   left has 1, right has none"

  private func message(_ body: () -> Void) -> String {
    IssueReporter.withCapture(body).issues.map(\.message).joined(separator: "\n")
  }

  private func message(_ body: nonisolated(nonsending) () async -> Void) async -> String {
    await IssueReporter.withCapture(body).issues.map(\.message).joined(separator: "\n")
  }

  private typealias IntRecorder = Recorder<Int, Never, DispatchQueue.SchedulerTimeType.Stride>

  /// A recording of a stream in whose `debounce` a value waits for a scheduler that nobody advances.
  private func debounced(line: UInt = #line) -> IntRecorder {
    let recorder = scheduler.record(left.debounce(for: .milliseconds(300), scheduler: scheduler), line: line)
    left.send(1)
    return recorder
  }

  /// A recording of a stream whose right side has sent nothing.
  private func zipped(line: UInt = #line) -> IntRecorder {
    let recorder = scheduler.record(left.zip(right) { $0 + $1 }, line: line)
    left.send(1)
    return recorder
  }

  // MARK: Expectations

  @Test func `an expectation says that virtual time stands still`() {
    let recorder = debounced()
    for text in [
      message { recorder.expect("1") }, message { recorder.expect("a", values: ["a": 1]) },
      message { recorder.expect([.next(at: 0, 1)]) }, message { recorder.expect(values: [1]) },
      message { recorder.expect() },
    ] {
      let parts = text.components(separatedBy: standsStill)
      #expect(parts.count == 2)
      #expect(parts.first?.contains("Did you advance it?") == true)
      #expect(
        parts.last?.hasPrefix("\n  recorder   received 0\n  \(debounceLine)\n  ← PassthroughSubject<Int, Never>")
          == true)
    }
  }

  @Test func `an expectation names the silent side of zip`() {
    let recorder = zipped()
    #expect(message { recorder.expect("1") }.contains("\n\n\(zipWaits)\n  recorder   received 0\n"))
    #expect(message { recorder.expect(values: [1]) }.contains(zipLine))
    let stream = Just(1).append(left).zip(right)
    #expect(message { scheduler.expect(stream, "a") }.contains(zipWaits))
    right.send(1)
    #expect(message { recorder.expect(values: [2, 3]) }.contains("\n  recorder   received 1\n"))
  }

  @Test func `an expectation explains missing demand`() {
    let recorder = [1, 2].publisher.map { $0 * 2 }.record(demand: .max(1))
    let text = message { recorder.expect("(24|)") }
    #expect(text.contains("Why nothing arrives: No demand: recorder has received all the values that it requested"))
    #expect(text.contains("Call request(_:) on the recorder, or record with another demand."))
  }

  @Test func `nothing is explained if nothing is missing, or the stream is not alive`() {
    let recorder = zipped()
    right.send(1)
    let ended = Just(1).record()
    let cancelled = zipped()
    cancelled.cancel()
    for text in [
      message { recorder.expect("3") }, message { recorder.expect(values: [3]) }, message { recorder.expect("") },
      message { ended.expect("(12|)") }, message { ended.expect(values: [1, 2]) }, message { ended.expect() },
      message { cancelled.expect("3") },
    ] {
      #expect(text != "")
      #expect(!text.contains("Why nothing arrives"))
      #expect(!text.contains("recorder"))
    }
    #expect(message { recorder.expect("2") } == "")
  }

  @Test func `the cause survives when a message is cut, and a long tree is cut, too`() {
    let subjects = (0..<30).map { _ in PassthroughSubject<Int, Never>() }
    let recorder = scheduler.record(Publishers.MergeMany(subjects))
    let short = message { recorder.expect("1") }.components(separatedBy: "\n")
    #expect(short.last == "  …")
    #expect(short.drop { !$0.hasPrefix("Why nothing arrives: ") }.count == 1 + StreamExplanation.longestTree + 1)
    let marbles = (0..<300).map { "\($0 % 10)-" }.joined()
    let long = message { recorder.expect(Marbles(marbles)) }.components(separatedBy: "\n")
    #expect(long.count <= 28)
    #expect(
      long.contains { $0.hasPrefix("Why nothing arrives: PassthroughSubject<Int, Never> has sent this stream no") })
    #expect(long.contains { $0.contains("≠") })
    #expect(long.last == "  …")
  }

  // MARK: Waiting

  @Test func `a wait that gives up says why nothing arrives`() async {
    let (debounced, zipped) = (debounced(), zipped())
    let waits = [
      await message { await debounced.finished(timeout: .milliseconds(1)) },
      await message { _ = await debounced.next(timeout: .milliseconds(1)) },
    ]
    for text in waits {
      #expect(text.contains(" No events so far.\(standsStill)\n  recorder   received 0\n  \(debounceLine)"))
    }
    let text = await message { _ = await zipped.next(2, timeout: .milliseconds(1)) }
    #expect(text.contains(zipWaits))
    #expect(text.contains(zipLine))
    let fine = [1, 2].publisher.record()
    #expect(await message { await fine.finished(timeout: .milliseconds(1)) } == "")
  }

  @Test(.ownThread) func `a blocking read that gives up says why nothing arrives`() throws {
    let current = CurrentValueSubject<Int, Never>(1)
    let waiting = #expect(throws: BlockingError.waitsForTestScheduler) {
      try current.debounce(for: .milliseconds(300), scheduler: scheduler).blocking().toArray()
    }
    #expect(waiting?.description.contains("\(standsStill)\n  recorder   received 0\n  \(debounceLine)") == true)
    let zip = #expect(throws: BlockingError.self) {
      try current.zip(right).blocking(timeout: .milliseconds(1)).toArray()
    }
    #expect(zip?.description.contains("No events so far.\n\n\(zipWaits)\n") == true)
    let fine = #expect(throws: BlockingError.noElements) { try Empty<Int, Never>().blocking().single() }
    #expect(fine?.description.contains("Why") == false)
  }

  @Test func `Deadlock explains the recordings that are waited for`() {
    let other = DispatchQueue.test
    let debounced = debounced()
    let (zipped, line) = (zipped(), #line as UInt)
    let error = #expect(throws: Deadlock.self) {
      try other.run {
        async let one = zipped.finished()
        async let another = debounced.next()
        return await (one, another) == (true, 1)
      }
    }
    let text = error?.description ?? ""
    #expect(
      text.contains("\n\nA task waits for the stream recorded at StreamExplanationTests.swift:\(line).\n\(zipWaits)\n"))
    #expect(text.contains(zipLine))
    #expect(text.contains(standsStill.dropFirst()))
    #expect(text.contains(debounceLine))
    #expect(zipped.isLive)
  }

  @Test func `Deadlock explains the streams whose next values are waited for, and ends the waits`() {
    let current = CurrentValueSubject<Int, Never>(1)
    let cancelled = Log<String>()
    nonisolated(unsafe) let stream = current.zip(right).handleEvents(receiveCancel: { cancelled.append("cancelled") })
    let error = #expect(throws: Deadlock.self) { try scheduler.run { for await _ in stream.values {} } }
    let text = error?.description ?? ""
    #expect(
      text.contains("\n\nA task waits for the next value of a stream.\n\(zipWaits)\n  for await   awaits a value\n"))
    #expect(text.contains(zipLine))
    #expect(cancelled.all == ["cancelled"])
  }

  @MainActor
  @Test func `Deadlock of a virtual world explains what its tasks wait for`() {
    let current = CurrentValueSubject<Int, Never>(1)
    let other = DispatchQueue.test
    let stream = current.debounce(for: .milliseconds(300), scheduler: other)
    let error = #expect(throws: Deadlock.self) {
      try scheduler.runVirtualWorld { for await _ in stream.values {} }
    }
    #expect(error?.description.contains(standsStill.dropFirst()) == true)
    #expect(error?.description.contains(debounceLine) == true)
    let failure = ExploredFailure(order: .fifo, run: 1, reason: error?.description ?? "")
    #expect(failure.description.contains(debounceLine))
  }

  @Test func `Deadlock explains nothing if no stream is waited for`() {
    let (zipped, fine) = (zipped(), Just(1).record())
    let error = #expect(throws: Deadlock.self) {
      try scheduler.run {
        await fine.finished()
        let (never, _) = AsyncStream.makeStream(of: Int.self)
        for await _ in never {}
      }
    }
    #expect(error?.description.contains("Why nothing arrives") == false)
    #expect(zipped.isLive)
  }

  // MARK: Loose ends

  @Test func `the trees of recordings that are left alive are shown`() {
    let (zipped, zipPlace) = (zipped(), "StreamExplanationTests.swift:\(#line)")
    let (debounced, debouncePlace) = (debounced(), "StreamExplanationTests.swift:\(#line)")
    let text = message { scheduler.assertNothingLeft() }
    let end = "has neither ended nor been cancelled:\n    recorder   received 0\n    ←"
    #expect(text.contains("\n- the stream recorded at \(zipPlace) \(end)"))
    let debounce = "\n- the stream recorded at \(debouncePlace) \(end) debounce"
    #expect(text.contains("\(debounce)   2 values are waiting") == false)
    #expect(text.contains("\(debounce)   1 value is waiting, due in 300 ms"))
    #expect(!text.contains("Why nothing arrives"))
    for recorder in [zipped, debounced] { recorder.cancel() }
    let fine = scheduler.record(Just(1))
    #expect(message { scheduler.assertNothingLeft() }.contains("recorder   ") == false)
    withExtendedLifetime(fine) {}
  }

  @Test func `the tree of a recording that was released is not shown, as it has been cancelled by that`() {
    func record() { _ = zipped() }
    record()
    let text = message { scheduler.assertNothingLeft() }
    #expect(text.contains("has neither ended nor been cancelled"))
    #expect(!text.contains("has neither ended nor been cancelled:"))
  }

  // MARK: Attachments

  private func attachments<Failure, Time>(
    _ recorder: Recorder<Int, Failure, Time>, _ marbles: Marbles, lacksValues: Bool
  ) throws -> FailureAttachments {
    let place = CodeLocation(fileID: "Module/File.swift", filePath: "/File.swift", line: 7, column: 1)
    let expectation = Expectation<Int>(marbles, frame: 1_000_000, error: nil, place)
    let mismatch = try #require(expectation.mismatch(with: recorder.history, from: .zero, frame: 1_000_000))
    return FailureAttachments(mismatch, recorder.state.explanation, lacksValues: lacksValues)
  }

  @Test func `the tree and the cause are attached`() throws {
    let debounced = try attachments(debounced(), "1", lacksValues: true).files
    #expect(debounced.map(\.name) == ["timelines.svg", "timelines.txt", "stream.txt"])
    #expect(debounced.last?.content.hasPrefix("recorder   received 0\n\(debounceLine)\n← PassthroughSubject") == true)
    #expect(debounced.last?.content.hasSuffix("\(standsStill)\n") == true)
    let zipped = try attachments(zipped(), "1", lacksValues: true).files
    #expect(zipped.last?.content.contains(zipLine) == true)
    #expect(zipped.last?.content.hasSuffix("\n\n\(zipWaits)\n") == true)
  }

  @Test func `the tree is attached without a cause if nothing is missing, and not at all if the stream has ended`()
    throws
  {
    let fine = zipped()
    right.send(1)
    let files = try attachments(fine, "3", lacksValues: false).files
    #expect(files.last?.name == "stream.txt")
    #expect(files.last?.content.contains("recorder   received 1\n") == true)
    #expect(files.last?.content.contains("Why nothing arrives") == false)
    let ended = try attachments(Just(1).record(), "(2|)", lacksValues: false).files
    #expect(ended.map(\.name) == ["timelines.svg", "timelines.txt"])
  }

  @Test func `without Swift Testing, the tree is a file, which a later failure without one removes`() throws {
    let place = CodeLocation(fileID: "Module/Explained.swift", filePath: "/Explained.swift", line: 7, column: 1)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("stream-failures/Explained-swift-7")
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("stream.txt")
    let zipped = try attachments(zipped(), "1", lacksValues: true)
    #expect(zipped.write(for: place) == ["", "As a picture and as text: \(folder.path)"])
    #expect(try String(contentsOf: file, encoding: .utf8).contains(zipLine))
    let ended = try attachments(Just(1).record(), "(2|)", lacksValues: false)
    #expect(ended.write(for: place).count == 2)
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }
}
