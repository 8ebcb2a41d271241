import Dispatch
import Foundation
import StreamAlgorithms
import StreamFoundation
import StreamTesting
import SuiteSupport
import Testing

@Suite(.ownThread)
struct LinePublisherTests {
  private let file = TemporaryFile()

  /// The lines of a text, and the failure that ends them.
  private func lines(of text: String, maximumLength: Int = 1_048_576) async throws -> [String] {
    let outcome = try await file.reading(text).linePublisher(maximumLength: maximumLength).outcome()
    return outcome.values + (outcome.failure.map { ["\($0)"] } ?? [])
  }

  // MARK: Lines

  @Test(
    arguments: [
      ("", []),
      ("\n", [""]),
      ("a", ["a"]),
      ("a\n", ["a"]),
      ("a\nb", ["a", "b"]),
      ("a\r\nb\r\n", ["a", "b"]),
      ("\n\r\n\n", ["", "", ""]),
      ("a\rb\n", ["a\rb"]),
      ("a\r", ["a\r"]),
      ("\u{2028}\u{85}\u{B}\n", ["\u{2028}\u{85}\u{B}"]),
      ("\u{FEFF}größer\n🧵", ["\u{FEFF}größer", "🧵"]),
    ])
  func `lines end with a line feed, optionally preceded by a carriage return`(_ text: String, _ lines: [String])
    async throws
  {
    #expect(try await self.lines(of: text) == lines)
  }

  @Test func `lines may extend across the boundaries of reads`() async throws {
    // The ends of lines and characters fall on every position around the boundary of a read.
    for length in 16_376...16_388 {
      let long = String(repeating: "x", count: length)
      #expect(try await lines(of: long + "\r\n🧵🧶\r\nc\n") == [long, "🧵🧶", "c"])
    }
    let longer = String(repeating: "longer", count: 50_000)
    #expect(try await lines(of: "a\n\(longer)\nb\n\(longer)") == ["a", longer, "b", longer])
  }

  @Test func `publishes many lines of various lengths in order`() async throws {
    let all = (0..<3_000).map { String(repeating: "\($0 % 10)", count: $0 % 211) }
    #expect(try await lines(of: all.map { $0 + "\n" }.joined()) == all)
  }

  @Test(.exits) func `lines have the context of the subscription`() async {
    await #expect(processExitsWith: .success) {
      enum Connection { @TaskLocal static var number = 0 }
      StreamContext.carry(Connection.$number)
      let pipe = Pipe()
      var numbers = Connection.$number.withValue(7) {
        pipe.fileHandleForReading.linePublisher().map { "\($0) \(Connection.number)" }.values(
          bounded: .max, whenFull: .dropNewest
        )
        .makeAsyncIterator()
      }
      for line in ["a", "b"] {
        // Read on the thread that waits for the pipe.
        try pipe.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
        #expect(try await numbers.next() == "\(line) 7")
      }
    }
  }

  @Test func `repairs invalid UTF-8`() async throws {
    let bytes = Array("a".utf8) + [0xFF] + Array("b\n".utf8) + [0xC3] + Array("\nc\n".utf8) + [0xE2, 0x82]
    let recorder = try file.reading(Data(bytes)).linePublisher().record()
    #expect(await recorder.finished())
    #expect(recorder.values == ["a\u{FFFD}b", "\u{FFFD}", "c", "\u{FFFD}"])
  }

  @Test(arguments: ["12345\n", "12345\r\n", "12345"])
  func `accepts lines of the maximum length, and fails at a longer one`(_ text: String) async throws {
    let lines = try await lines(of: "a\n" + text, maximumLength: 5)
    #expect(lines == ["a", "12345"])
    let failure = FileLinesPublisher.LineError.lineTooLong(maximumLength: 5)
    let tooLong = try await self.lines(of: "a\nb\n" + text.replacing("5", with: "56") + "c\n", maximumLength: 5)
    #expect(tooLong == ["a", "b", "\(failure)"])
  }

  @Test func `fails at a line that is too long before reading all of it`() async throws {
    let handle = try file.reading(String(repeating: "x", count: 1_000_000))
    #expect(await handle.linePublisher(maximumLength: 100).outcome().failure == .lineTooLong(maximumLength: 100))
    #expect(try handle.offset() == 16_384)
  }

  // MARK: Demand

  @Test func `the first ten lines of a huge file take one read`() async throws {
    let handle = try file.reading((1...100_000).map { "line \($0)\n" }.joined())
    // The rest of the file is sparse.
    truncate(file.path, 1 << 30)
    let recorder = handle.linePublisher().prefix(10).record()
    #expect(await recorder.finished())
    #expect(recorder.values == (1...10).map { "line \($0)" })
    #expect(try handle.offset() == 16_384)
  }

  @Test func `reads nothing without demand or while a line is buffered`() async throws {
    let handle = try file.reading((1...10_000).map { "line \($0)\n" }.joined())
    let queue = DispatchQueue(label: "reading")
    let recorder = handle.linePublisher(on: queue).record(demand: .none)
    queue.sync {}
    #expect(try handle.offset() == 0)
    recorder.request(.max(1))
    #expect(await recorder.next() == "line 1")
    recorder.request(.max(500))
    #expect(await recorder.next(500).last == "line 501")
    #expect(try handle.offset() == 16_384)
    recorder.request(.unlimited)
    #expect(await recorder.finished())
    #expect(recorder.values.count == 10_000)
  }

  @Test func `without demand, a writer to the pipe has to wait`() async throws {
    let pipe = Pipe()
    let writing = pipe.fileHandleForWriting.fileDescriptor
    _ = fcntl(writing, F_SETFL, fcntl(writing, F_GETFL) | O_NONBLOCK)
    let line = String(repeating: "x", count: 4095)
    func writeAll() -> Int {
      var count = 0
      while write(writing, line + "\n", 4096) > 0 { count += 4096 }
      return count
    }
    let recorder = pipe.fileHandleForReading.linePublisher().record(demand: .none)
    let room = writeAll()
    #expect(writeAll() == 0)
    recorder.request(.max(1))
    #expect(await recorder.next() == line)
    #expect(writeAll() == 16_384)
    recorder.request(.max(room / 4096))
    #expect(await recorder.next(room / 4096).filter { $0 == line }.count == room / 4096)
    recorder.cancel()
  }

  @Test func `completes together with the last line`() async throws {
    for text in ["a\nb\n", "a\nb"] {
      let recorder = try file.reading(text).linePublisher().record(demand: .max(2))
      #expect(await recorder.finished())
      #expect(recorder.values == ["a", "b"])
    }
  }

  @Test func `reads files of the proc file system to the end`() async throws {
    let handle = try #require(FileHandle(forReadingAtPath: "/proc/self/status"))
    let recorder = handle.linePublisher().record(demand: .initial(.max(1), perValue: .max(1)))
    #expect(await recorder.finished())
    #expect(recorder.values.first?.hasPrefix("Name:") == true)
    #expect(recorder.values.count > 20)
    let nothing = try #require(FileHandle(forReadingAtPath: "/dev/null"))
    #expect(await nothing.linePublisher().outcome().values == [])
  }

  // MARK: Input that arrives later

  @Test func `publishes lines of a pipe as they are written`() async throws {
    let pipe = Pipe()
    let recorder = pipe.fileHandleForReading.linePublisher().record()
    pipe.fileHandleForWriting.write(Data("a\nb".utf8))
    #expect(await recorder.next() == "a")
    pipe.fileHandleForWriting.write(Data("c\r".utf8))
    pipe.fileHandleForWriting.write(Data("\nd".utf8))
    #expect(await recorder.next() == "bc")
    try pipe.fileHandleForWriting.close()
    #expect(await recorder.next() == "d")
    #expect(await recorder.finished())
  }

  @Test func `publishes lines of a socket as they are sent`() async throws {
    let (one, other) = socketPair()
    let recorder = one.linePublisher().record()
    other.write(Data("a\nb\n".utf8))
    #expect(await recorder.next(2) == ["a", "b"])
    try other.close()
    #expect(await recorder.finished())
  }

  #if os(Linux)
    @Test func `publishes lines of a terminal as they are typed`() async throws {
      let keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY)
      var (isLocked, number) = (CInt(0), CInt(0))
      // The names of these two, TIOCSPTLCK and TIOCGPTN, are not imported.
      try #require(ioctl(keyboard, 0x4004_5431, &isLocked) == 0 && ioctl(keyboard, 0x8004_5430, &number) == 0)
      let typing = FileHandle(fileDescriptor: keyboard, closeOnDealloc: true)
      let screen = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
      let recorder = FileHandle(fileDescriptor: screen, closeOnDealloc: true).linePublisher().record()
      typing.write(Data("hello\n".utf8))
      #expect(await recorder.next() == "hello")
      // Control-D.
      typing.write(Data([4]))
      #expect(await recorder.finished())
    }
  #endif

  @Test func `waiting for lines occupies no thread`() async throws {
    let pipes = (0..<200).map { _ in Pipe() }
    let recorders = pipes.map { $0.fileHandleForReading.linePublisher().record() }
    #expect(try await lines(of: "a\nb") == ["a", "b"])
    for pipe in pipes { pipe.fileHandleForWriting.write(Data("c\n".utf8)) }
    for recorder in recorders { #expect(await recorder.next() == "c") }
    for recorder in recorders { recorder.cancel() }
  }

  // MARK: Cancellation

  @Test func `cancellation releases the subscriber and the file, even while no input is available`() async throws {
    for isWaiting in [false, true] {
      let pipe = Pipe()
      var token: Token? = Token()
      weak let weakToken = token
      let log = Log<String>()
      let kept = Box<(any Subscription)?>(nil)
      let cancellable = pipe.fileHandleForReading.linePublisher()
        .handleEvents(receiveSubscription: { kept.value = $0 })
        .sink(
          receiveCompletion: { _ in log.append("end") },
          receiveValue: { [token] line in
            token?.touch()
            log.append(line)
          })
      token = nil
      if isWaiting {
        pipe.fileHandleForWriting.write(Data("a\n".utf8))
        #expect(await log.first(1) == ["a"])
      }
      cancellable.cancel()
      try pipe.fileHandleForReading.close()
      // The pipe is no longer open for reading, which the writer can observe.
      var entry = pollfd(fd: pipe.fileHandleForWriting.fileDescriptor, events: 0, revents: 0)
      #expect(poll(&entry, 1, CInt(patience.components.seconds) * 1000) == 1)
      #expect(CInt(entry.revents) & CInt(POLLERR) != 0)
      #expect(weakToken == nil)
      #expect(log.all == (isWaiting ? ["a"] : []))
      kept.value?.request(.max(1))
    }
  }

  @Test func `a subscriber that cancels during a line receives no other`() async throws {
    let queue = DispatchQueue(label: "reading")
    let log = Log<String>()
    let subscription = Box<(any Subscription)?>(nil)
    try file.reading("a\nb\nc\n").linePublisher(on: queue).subscribe(
      AnySubscriber(
        receiveSubscription: {
          subscription.value = $0
          $0.request(.unlimited)
        },
        receiveValue: { line in
          if line == "b" { subscription.value?.cancel() }
          log.append(line)
          return .unlimited
        },
        receiveCompletion: { log.append("\($0)") }))
    _ = await log.first(2)
    queue.sync {}
    #expect(log.all == ["a", "b"])
  }

  @Test func `a subscriber that cancels before the first line receives none`() throws {
    let queue = DispatchQueue(label: "reading")
    let handle = try file.reading("a\n")
    queue.suspend()
    let recorder = handle.linePublisher(on: queue).record()
    recorder.cancel()
    queue.resume()
    queue.sync {}
    #expect(recorder.events.isEmpty)
    #expect(try handle.offset() == 0)
  }

  // MARK: Queues

  @Test func `delivers lines on the given queue, in order even if it is concurrent`() async throws {
    let key = DispatchSpecificKey<Int>()
    for queue in [DispatchQueue(label: "serial"), DispatchQueue(label: "concurrent", attributes: .concurrent)] {
      queue.setSpecific(key: key, value: 1)
      let log = Log<(line: String, isOnQueue: Bool)>()
      let cancellable = try file.reading((0..<1_000).map { "\($0)\n" }.joined()).linePublisher(on: queue)
        .sink(
          receiveCompletion: { _ in log.append(("end", DispatchQueue.getSpecific(key: key) == 1)) },
          receiveValue: { log.append(($0, DispatchQueue.getSpecific(key: key) == 1)) })
      let all = await log.first(1_001)
      #expect(all.map(\.line) == (0..<1_000).map { "\($0)" } + ["end"])
      #expect(all.filter(\.isOnQueue).count == all.count)
      cancellable.cancel()
    }
  }

  @Test func `delivers lines only after receive(subscription:) has returned`() async throws {
    let log = Log<String>()
    let queue = DispatchQueue(label: "reading")
    try file.reading("a\n").linePublisher(on: queue).subscribe(
      AnySubscriber(
        receiveSubscription: {
          $0.request(.unlimited)
          queue.sync {}
          log.append("subscription")
        },
        receiveValue: { line in
          log.append(line)
          return .none
        },
        receiveCompletion: { log.append("\($0)") }))
    #expect(await log.first(3) == ["subscription", "a", "finished"])
  }

  // MARK: The handle

  @Test func `does not close the handle, which its owner may close`() async throws {
    let handle = try file.reading("a\nb\n")
    let recorder = handle.linePublisher().record(demand: .max(1))
    #expect(await recorder.next() == "a")
    #expect(try handle.offset() == 4)
    try handle.seek(toOffset: 0)
    try handle.close()
    recorder.request(.unlimited)
    #expect(await recorder.next(3) == ["b", "a", "b"])
    #expect(await recorder.finished())
  }

  @Test func `reading begins at the handle's current offset`() async throws {
    let handle = try file.reading("a\nb\n")
    try handle.seek(toOffset: 2)
    let recorder = handle.linePublisher().record()
    #expect(await recorder.finished())
    #expect(recorder.values == ["b"])
  }

  @Test func `multicast delivers every line to every subscriber`() async throws {
    // Connected when both have subscribed: a later subscriber misses earlier lines.
    let lines = try file.reading("a\nb\n").linePublisher().multicast(subject: PassthroughSubject())
    let recorders = [lines.record(), lines.record()]
    let connection = lines.connect()
    defer { connection.cancel() }
    for recorder in recorders {
      #expect(await recorder.finished())
      #expect(recorder.values == ["a", "b"])
    }
  }

  @Test func `fails when the handle cannot be read`() async throws {
    let folder = FileHandle(fileDescriptor: open("/", O_RDONLY), closeOnDealloc: true)
    #expect(await folder.linePublisher().outcome().failure == .unreadable(POSIXError(.EISDIR)))
    let closed = FileHandle(fileDescriptor: 1_000_000).linePublisher().record()
    #expect(closed.completion == .failure(.unreadable(POSIXError(.EBADF))))
  }

  @Test(.exits) func `a maximum length of zero stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = FileHandle.standardInput.linePublisher(maximumLength: 0)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("linePublisher(maximumLength:) requires a length of at least 1, got 0."))
  }

  // MARK: Rules

  @Test func `conforms to the rules of publishers`() throws {
    let queue = DispatchQueue(label: "reading")
    try file.write(Data((1...20).map { "line \($0)\n" }.joined().utf8))
    let file = file
    ConformanceChecks.publisher(
      sends: 20, failing: { FileHandle(forReadingAtPath: "/")!.linePublisher(on: queue) },
      settle: { queue.sync {} },
      { FileHandle(forReadingAtPath: file.path)!.linePublisher(on: queue) })
  }
}

/// A file that is removed with this object.
private final class TemporaryFile: Sendable {
  let path = NSTemporaryDirectory() + "lines-" + UUID().uuidString

  deinit { unlink(path) }

  func write(_ data: Data) throws { try data.write(to: URL(fileURLWithPath: path)) }

  /// A handle that reads the file, whose contents are replaced by the data.
  func reading(_ data: Data) throws -> FileHandle {
    try write(data)
    return try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
  }

  func reading(_ text: String) throws -> FileHandle { try reading(Data(text.utf8)) }
}

private func socketPair() -> (FileHandle, FileHandle) {
  var ends: [CInt] = [0, 0]
  #if canImport(Darwin)
    socketpair(AF_UNIX, SOCK_STREAM, 0, &ends)
  #else
    socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends)
  #endif
  return (
    FileHandle(fileDescriptor: ends[0], closeOnDealloc: true), FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
  )
}
