import Dispatch
import Foundation
import StreamFoundation
import StreamTesting
import Synchronization
import Testing

@Suite(.ownThread)
struct RecordTimelineTests {
  private let scheduler = DispatchQueue.test
  private let recording = RecordingFile()

  private struct Login: Encodable {
    let name: String
    let password: String
  }

  private enum Unencodable: Error { case lost }

  /// Cannot be encoded if it is negative.
  private struct Natural: Encodable {
    let number: Int

    func encode(to encoder: any Encoder) throws {
      if number < 0 { throw TestError.first }
      try number.encode(to: encoder)
    }
  }

  // MARK: What is recorded

  @Test func `a line of JSON describes the file, and one each event`() throws {
    let start = Date()
    let source = scheduler.hot(
      .next(at: 1, "a\nb"), .next(at: 1, "\u{1F9F5}"), .completed(at: .nanoseconds(2_000_000_001)))
    let recorder = scheduler.record(source.recordTimeline(to: recording.url, title: "one / two", using: scheduler))
    scheduler.run()
    #expect(recorder.events == source.events)

    let lines = try recording.allLines
    let header = try #require(try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
    #expect(header["format"] as? String == "stream-timeline")
    #expect(header["version"] as? Int == 1)
    #expect(header["title"] as? String == "one / two")
    let date = try Date(#require(header["date"] as? String), strategy: .iso8601)
    #expect((start - 1)...Date() ~= date)
    #expect(
      lines.dropFirst() == [
        #"{"event":"subscribed","subscription":1,"time":0}"#,
        #"{"event":"value","subscription":1,"time":1000000000,"value":"a\nb"}"#,
        #"{"event":"value","subscription":1,"time":1000000000,"value":"🧵"}"#,
        #"{"event":"finished","subscription":1,"time":2000000001}"#,
        "",
      ])
  }

  @Test func `a failure is recorded as text and, if it can be encoded, encoded as well`() throws {
    _ = log(Fail<Int, TestError>(error: .second).recordTimeline(to: recording.url, using: scheduler))
    #expect(
      try recording.lines.last == #"{"error":{"second":{}},"event":"failed","subscription":1,"text":"second","time":0}"#
    )
    _ = log(Fail<Int, any Error>(error: TestError.first).recordTimeline(to: recording.url, using: scheduler))
    #expect(try recording.lines.last?.contains(#""error":{"first":{}}"#) == true)
    _ = log(Fail<Int, Unencodable>(error: .lost).recordTimeline(to: recording.url, using: scheduler))
    #expect(try recording.lines.last == #"{"event":"failed","subscription":1,"text":"lost","time":0}"#)
  }

  @Test func `a cancellation is recorded once, and not after the end`() throws {
    let subject = PassthroughSubject<Int, Never>()
    let publisher = subject.recordTimeline(to: recording.url, using: scheduler)
    let cancelled = record(publisher)
    subject.send(1)
    scheduler.at(3) { cancelled.cancel() }
    scheduler.run()
    cancelled.cancel()
    subject.send(2)
    let finished = record(publisher)
    subject.send(completion: .finished)
    finished.cancel()
    #expect(
      try recording.lines == [
        #"{"event":"subscribed","subscription":1,"time":0}"#,
        #"{"event":"value","subscription":1,"time":0,"value":1}"#,
        #"{"event":"cancelled","subscription":1,"time":3000000000}"#,
        #"{"event":"subscribed","subscription":2,"time":0}"#,
        #"{"event":"finished","subscription":2,"time":0}"#,
      ])
  }

  @Test func `the lines of several subscriptions have their numbers, and times of their own`() throws {
    let subject = PassthroughSubject<Int, Never>()
    let publisher = subject.recordTimeline(to: recording.url, using: scheduler)
    let copy = publisher
    let (one, other) = (SignalRecorder<Int, Never>(), SignalRecorder<Int, Never>())
    publisher.subscribe(one)
    scheduler.at(1) { copy.subscribe(other) }
    scheduler.at(2) { subject.send(7) }
    scheduler.run()
    #expect(
      try recording.lines.suffix(2) == [
        #"{"event":"value","subscription":1,"time":2000000000,"value":7}"#,
        #"{"event":"value","subscription":2,"time":1000000000,"value":7}"#,
      ])
    one.cancel()
    other.cancel()
  }

  @Test func `a value is in the file when it is forwarded`() throws {
    let seen = try [1, 2].publisher.recordTimeline(to: recording.url, using: scheduler)
      .tryMap { _ in try recording.lines.count }
      .blocking().toArray()
    #expect(seen == [2, 3])
  }

  @Test func `the default time is that of dispatch queues`() throws {
    let before = DispatchTime.now()
    _ = log(Just(1).recordTimeline(to: recording.url))
    let duration = DispatchTime.now().uptimeNanoseconds - before.uptimeNanoseconds
    let line = try Data(recording.lines.last!.utf8)
    let end = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])["time"] as? UInt64
    #expect(try 1...duration ~= #require(end))
  }

  @Test func `a file is created for its owner, or replaced, at the first subscription`() throws {
    let publisher = Just(1).recordTimeline(to: recording.url, using: scheduler)
    #expect(!FileManager.default.fileExists(atPath: recording.url.path))
    _ = log(publisher)
    #expect(try FileManager.default.attributesOfItem(atPath: recording.url.path)[.posixPermissions] as? Int == 0o600)
    #expect(try recording.lines.count == 3)
    _ = log(Empty<Int, Never>().recordTimeline(to: recording.url, using: scheduler))
    #expect(try recording.lines.count == 2)
  }

  // MARK: Redaction

  @Test func `a closure or a key path replaces the recorded values only`() throws {
    let logins = [Login(name: "ada", password: "1234")].publisher
    let values = collect(logins.recordTimeline(to: recording.url, using: scheduler) { $0.name })
    #expect(values.map(\.password) == ["1234"])
    #expect(try recording.lines[1] == #"{"event":"value","subscription":1,"time":0,"value":"ada"}"#)
    #expect(try !recording.allLines.joined().contains("1234"))
    _ = log(logins.recordTimeline(to: recording.url, using: scheduler, redacting: \.password.count))
    #expect(try recording.lines[1].contains(#""value":4}"#))
  }

  // MARK: Limits

  @Test func `a file never has more bytes than its limit, and says that it was cut`() throws {
    let numbers = 0..<100
    _ = log(numbers.publisher.recordTimeline(to: recording.url, using: scheduler))
    let complete = try recording.allLines
    for limit in [1, 200, 999, 1_000, 1_001, 1_050, complete.joined(separator: "\n").utf8.count] {
      var converted = 0
      let publisher = numbers.publisher.recordTimeline(to: recording.url, limit: .bytes(limit), using: scheduler) {
        converted += 1
        return $0
      }
      #expect(collect(publisher) == Array(numbers))
      let lines = try recording.allLines
      let size = lines.joined(separator: "\n").utf8.count
      let last = #"{"event":"cut","text":"The limit of \#(limit) bytes was reached. Later events weren't recorded."}"#
      // The first and the last line are always there.
      #expect(size <= max(limit, lines[0].utf8.count + last.utf8.count + 2))
      #expect(lines.suffix(2) == [last, ""])
      #expect(lines.dropFirst().dropLast(2) == complete.dropFirst().prefix(lines.count - 3))
      // Not for events that are not recorded, except the one that exceeds the limit.
      #expect(converted == max(0, lines.count - 3))
    }
    _ = log(numbers.publisher.recordTimeline(to: recording.url, limit: .bytes(.min), using: scheduler))
    #expect(try recording.lines.count == 1)
  }

  @Test(arguments: [(4, 4), (3, 4), (2, 3), (0, 1), (-1, 1), (.min, 1), (.max, 4)])
  func `a file has at most a number of events`(_ limit: Int, _ lineCount: Int) throws {
    let publisher = [1, 2].publisher.recordTimeline(to: recording.url, limit: .events(limit), using: scheduler)
    #expect(log(publisher) == ["1", "2", "finished"])
    let lines = try recording.lines
    #expect(lines.count == lineCount)
    #expect(lines.last?.hasPrefix(#"{"event":"cut","text":"The limit of \#(limit) events"#) == (limit < 4))
  }

  // MARK: Mistakes

  @Test func `a file that cannot be created is reported once, and the stream goes on`() {
    let missing = recording.url.appendingPathComponent("file")
    var publisher = Just(1).recordTimeline(to: missing, using: scheduler)
    let line = #line - 1 as UInt
    let (values, issues) = IssueReporter.withCapture { collect(publisher) + collect(publisher) }
    #expect(values == [1, 1])
    #expect(
      issues.map(\.message) == [
        "A stream can't be recorded in \(missing.path): No such file or directory. It continues without being recorded."
      ])
    #expect(issues.map(\.line) == [line])

    publisher = Just(1).recordTimeline(to: URL(string: "https://example.org/a")!, using: scheduler)
    #expect(messages { _ = collect(publisher) }.map { $0.contains("the URL isn't a file URL") } == [true])
    publisher = Just(1).recordTimeline(to: FileManager.default.temporaryDirectory, using: scheduler)
    #expect(messages { _ = collect(publisher) }.map { $0.contains("directory") } == [true])
  }

  #if os(Linux)
    @Test func `a full disk is reported once, and the stream goes on`() {
      let publisher = [1, 2].publisher.recordTimeline(to: URL(fileURLWithPath: "/dev/full"), using: scheduler)
      let (values, issues) = IssueReporter.withCapture { collect(publisher) }
      #expect(values == [1, 2])
      #expect(issues.map { $0.message.contains("No space left on device") } == [true])
    }
  #endif

  @Test func `an error while writing is reported once, and ends the recording`() throws {
    try #require(mkfifo(recording.url.path, 0o600) == 0)
    // Not for the programs that other tests start meanwhile.
    let reader = open(recording.url.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    let publisher = [1, 2, 3].publisher.recordTimeline(to: recording.url, using: scheduler)
    let (values, issues) = IssueReporter.withCapture {
      let recorder = record(publisher, .max(1))
      close(reader)
      withoutPipeSignal { recorder.request(.unlimited) }
      return recorder.values
    }
    #expect(values == [1, 2, 3])
    #expect(issues.map { $0.message.contains("Broken pipe") } == [true])
  }

  @Test func `a value that cannot be encoded is reported once, and recorded without its value`() throws {
    let numbers = [1, -2, -3, 4].map(Natural.init)
    let (count, issues) = IssueReporter.withCapture {
      collect(numbers.publisher.recordTimeline(to: recording.url, using: scheduler)).count
    }
    #expect(count == 4)
    #expect(issues.map(\.message) == ["A value cannot be recorded in \(recording.url.path): first"])
    let without = #"{"event":"value","subscription":1,"text":"The value cannot be encoded: first","time":0}"#
    #expect(
      try recording.lines[1...4] == [
        #"{"event":"value","subscription":1,"time":0,"value":1}"#, without, without,
        #"{"event":"value","subscription":1,"time":0,"value":4}"#,
      ])
  }

  // MARK: The contract

  @Test func `demand and cancellation pass through unchanged`() {
    let source = ManualSource<Int, TestError>()
    let recorder = record(source.recordTimeline(to: recording.url, using: scheduler), .max(2))
    recorder.onValue = { $0 == 1 ? .max(3) : .none }
    #expect(source.requests == [.max(2)])
    #expect(source.send(1) == .max(3))
    #expect(source.send(2) == .none)
    recorder.request(.unlimited)
    #expect(source.requests == [.max(2), .unlimited])
    recorder.cancel()
    recorder.cancel()
    #expect(source.cancelCount == 1)
    #expect(recorder.log == ["1", "2"])
  }

  @Test func `keeps the rules of publishers`() {
    let violations = ConformanceChecks.publisher(
      sends: 5, failing: { Fail<Int, TestError>(error: .first).recordTimeline(to: recording.url) }
    ) {
      (1...5).publisher.setFailureType(to: TestError.self).recordTimeline(to: recording.url)
    }
    #expect(violations.isEmpty)
  }

  // MARK: Threads and memory

  @Test func `lines of several threads do not mix, and each subscription keeps its order`() throws {
    let count = 500
    let publisher = (0..<count).publisher.map { "\($0) " + String(repeating: "x", count: $0) }
      .recordTimeline(to: recording.url)
    nonisolated(unsafe) let shared = publisher
    onThreads(4) { _ in #expect(collect(shared).count == count) }
    var next = [0, 0, 0, 0]
    for line in try recording.lines where line.contains(#""event":"value""#) {
      let entry = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let subscription = try #require(entry["subscription"] as? Int)
      #expect(
        entry["value"] as? String == "\(next[subscription - 1]) "
          + String(repeating: "x", count: next[subscription - 1]))
      next[subscription - 1] += 1
    }
    #expect(next == [count, count, count, count])
    #expect(try recording.lines.count == 4 * (count + 2))
  }

  @Test func `the line of the limit is the last one, whichever threads record`() throws {
    nonisolated(unsafe) let shared = (0..<100).publisher.recordTimeline(to: recording.url, limit: .events(50))
    onThreads(4) { _ in #expect(collect(shared).count == 100) }
    let lines = try recording.lines
    #expect(lines.count == 51)
    #expect(lines.filter { $0.contains(#""event":"cut""#) } == [lines[50]])
  }

  /// A value that counts how many of its kind exist, and whose encoding sends another value.
  private final class Counted: Encodable {
    static let existing = Atomic(0)
    let number: Int
    let encoding: () -> Void

    init(_ number: Int, encoding: @escaping () -> Void = {}) {
      self.number = number
      self.encoding = encoding
      Self.existing.add(1, ordering: .relaxed)
    }

    deinit { Self.existing.subtract(1, ordering: .relaxed) }

    func encode(to encoder: any Encoder) throws {
      encoding()
      try number.encode(to: encoder)
    }
  }

  @Test func `encoding may subscribe to the same publisher, and no value is retained`() throws {
    let publisher = PassthroughSubject<Counted, Never>()
    let recorded = publisher.recordTimeline(to: recording.url, using: scheduler)
    var most = 0
    let subscription = recorded.sink { _ in most = max(most, Counted.existing.load(ordering: .relaxed)) }
    for number in 0..<50 { publisher.send(Counted(number) { _ = recorded.sink { _ in } }) }
    #expect(most == 1)
    #expect(Counted.existing.load(ordering: .relaxed) == 0)
    // A subscription and its cancellation for each value, before the value's own line.
    #expect(try recording.lines.count == 1 + 50 * 3)
    #expect(try recording.lines[3] == #"{"event":"value","subscription":1,"time":0,"value":0}"#)
    subscription.cancel()
  }

  @Test func `the file is closed with the last reference, or at the limit`() throws {
    func isOpen() throws -> Bool {
      let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/dev/fd")
      return descriptors.contains { descriptor in
        var (ours, other) = (stat(), stat())
        guard let number = CInt(descriptor), fstat(number, &other) == 0, stat(recording.url.path, &ours) == 0
        else { return false }
        return ours.st_ino == other.st_ino && ours.st_dev == other.st_dev
      }
    }
    let subject = PassthroughSubject<Int, Never>()
    var subscription: AnyCancellable? = subject.recordTimeline(to: recording.url).sink { _ in }
    #expect(try isOpen())
    subscription = nil
    #expect(try !isOpen())
    subscription = subject.recordTimeline(to: recording.url, limit: .events(1)).sink { _ in }
    #expect(try isOpen())
    subject.send(1)
    #expect(try !isOpen())
    withExtendedLifetime(subscription) {}
  }
}

/// Runs a closure on this thread. Otherwise the system would end the process at a write to a pipe that nobody reads. It isn't
/// enough to ignore the signal, because the library behind `URLSession` restores what it finds before other tests do so.
private func withoutPipeSignal(_ body: () -> Void) {
  var (signals, before, pending) = (sigset_t(), sigset_t(), sigset_t())
  sigemptyset(&signals)
  sigaddset(&signals, SIGPIPE)
  pthread_sigmask(SIG_BLOCK, &signals, &before)
  body()
  sigpending(&pending)
  var signal: CInt = 0
  if sigismember(&pending, SIGPIPE) == 1 { sigwait(&signals, &signal) }
  pthread_sigmask(SIG_SETMASK, &before, nil)
}
