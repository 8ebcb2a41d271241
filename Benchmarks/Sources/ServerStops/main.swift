// Stops a process of the chat server while its clients send as fast as they are answered, and counts what was lost.
//
//     swift build && swift run -c release --package-path Benchmarks ServerStops .build/debug/ChatServer 20
//
// A line is acknowledged when its sender has received it from the server. Each such line must have reached every other
// client when the server has ended the connections. Three of ten clients read more slowly than lines come, so that the server
// has lines for them when it is told to stop.

import ArgumentParser
import Foundation
import Synchronization

struct ServerStops: ParsableCommand {
  @Argument(help: "The program of the server.") var server: String
  @Argument(help: "The number of processes to stop.") var stops = 20
  @Option(help: "The number of clients.") var clients = 10

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    var random = SystemRandomNumberGenerator()
    var total = (acknowledged: 0, lost: 0, incomplete: 0)
    for number in 1...stops {
      let result = try stop(after: .random(in: 0.2...1.2, using: &random))
      total.acknowledged += result.acknowledged
      total.lost += result.lost
      if result.report != "stopped; 0 clients did not receive everything" { total.incomplete += 1 }
      print(
        "stop \(number): \(result.acknowledged) lines acknowledged, \(result.lost) lost; the server says: \(result.report)"
      )
    }
    print("\(stops) stops, \(total.acknowledged) lines acknowledged to their senders, \(total.lost) lost")
    if total.lost > 0 || total.incomplete > 0 || total.acknowledged < stops * 100 { throw ExitCode.failure }
  }

  private func stop(after seconds: Double) throws -> (acknowledged: Int, lost: Int, report: String) {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: server)
    process.arguments = ["serve"]
    process.standardOutput = output
    // Its log.
    process.standardError = FileHandle.nullDevice
    try process.run()
    var lines = LineReader(output.fileHandleForReading.fileDescriptor)
    guard let port = lines.next()?.split(separator: " ").last.flatMap({ UInt16($0) }) else {
      throw ValidationError("the server printed no port")
    }

    let all = try (0..<clients).map { try ChatClient(number: $0, port: port, count: clients) }
    for client in all { client.start() }
    Thread.sleep(forTimeInterval: seconds)
    process.terminate()
    let received = all.map { $0.waitUntilEnd() }
    let report = lines.next() ?? "nothing"
    process.waitUntilExit()

    // Lines of one sender arrive in order, so their number says which have arrived.
    var (acknowledged, lost) = (0, 0)
    for sender in all.indices {
      let own = received[sender]["c\(sender)"] ?? 0
      acknowledged += own
      lost += received.map { max(0, own - ($0["c\(sender)"] ?? 0)) }.reduce(0, max)
    }
    return (acknowledged, lost, report)
  }
}

/// A client that sends numbered lines, each at most a number of lines ahead of what it has received back.
final class ChatClient: Sendable {
  private static let window = 100
  private let name: String
  private let isSlow: Bool
  private let socket: Int32
  private let count: Int
  private let room = DispatchSemaphore(value: 0)
  private let hasJoined = DispatchSemaphore(value: 0)
  private let everyoneJoined = DispatchSemaphore(value: 0)
  private let end = DispatchSemaphore(value: 0)
  private let isOver = Atomic(false)
  private let received = Mutex<[String: Int]>([:])

  init(number: Int, port: UInt16, count: Int) throws {
    name = "c\(number)"
    isSlow = number % 10 < 3
    self.count = count
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var size: Int32 = 8192
    if isSlow { setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, 4) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    let result = withUnsafeBytes(of: &address) {
      $0.withMemoryRebound(to: sockaddr.self) {
        connect(socket, $0.baseAddress!, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result < 0 { throw ValidationError("cannot connect: \(String(cString: strerror(errno)))") }
  }

  /// Joins the room, and sends lines once all clients have joined, one after the other.
  func start() {
    // Not its initial value: a semaphore must not be released below that.
    for _ in 0..<Self.window { room.signal() }
    Thread.detachNewThread { self.receive() }
    _ = write(name)
    hasJoined.wait()
    Thread.detachNewThread { self.send() }
  }

  /// Returns the number of lines that have arrived from each client. Lines that are missing in between stop the program.
  func waitUntilEnd() -> [String: Int] {
    end.wait()
    return received.withLock { $0 }
  }

  private func write(_ line: String) -> Bool {
    let bytes = Array("\(line)\n".utf8)
    return Glibc.write(socket, bytes, bytes.count) == bytes.count
  }

  private func send() {
    everyoneJoined.wait()
    for number in 1... {
      room.wait()
      let line = "\(number) \(String(repeating: "x", count: 200))"
      if isOver.load(ordering: .relaxed) || !write(line) { return }
    }
  }

  private func receive() {
    var lines = LineReader(socket, size: isSlow ? 8192 : 65_536, pause: isSlow ? 0.01 : 0)
    var joined = 0
    while let line = lines.next() {
      if line.hasSuffix(" joins") {
        joined += 1
        if line == "\(name) joins" {
          // Those who joined before are not announced to this one.
          joined = Int(name.dropFirst()).map { $0 + 1 } ?? joined
          hasJoined.signal()
        }
        if joined == count { everyoneJoined.signal() }
        continue
      }
      let parts = line.split(whereSeparator: { $0 == ":" || $0 == " " })
      guard parts.count == 3, let number = Int(parts[1]) else { continue }
      let sender = String(parts[0])
      received.withLock { received in
        precondition(number == (received[sender] ?? 0) + 1, "\(name) received line \(number) of \(sender) too early")
        received[sender] = number
      }
      if sender == name { room.signal() }
    }
    isOver.store(true, ordering: .relaxed)
    hasJoined.signal()
    everyoneJoined.signal()
    room.signal()
    shutdown(socket, Int32(SHUT_RDWR))
    end.signal()
  }
}

/// Reads lines, and waits for them.
struct LineReader {
  private let file: Int32
  private let pause: Double
  private var buffer: [UInt8]
  private var bytes: ArraySlice<UInt8> = []

  init(_ file: Int32, size: Int = 65_536, pause: Double = 0) {
    self.file = file
    self.pause = pause
    buffer = [UInt8](repeating: 0, count: size)
  }

  mutating func next() -> String? {
    while true {
      if let end = bytes.firstIndex(of: 10) {
        defer { bytes = bytes[(end + 1)...] }
        return String(decoding: bytes[..<end], as: UTF8.self)
      }
      if pause > 0 { Thread.sleep(forTimeInterval: pause) }
      let count = read(file, &buffer, buffer.count)
      if count <= 0 { return nil }
      bytes = ArraySlice(bytes + buffer[..<count])
    }
  }
}

ServerStops.main()
