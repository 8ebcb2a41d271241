// Broadcasts messages to clients on sockets of this machine, some of which never read, and measures what that costs the
// server and the other clients.
//
//     swift run -c release --package-path Benchmarks ServerLoad
//
// Each case is a process of its own, and so are the clients. The ways to broadcast are those of this package, of the standard
// library (an AsyncStream for each client), and of AsyncAlgorithms (`share`).

import ArgumentParser
import Foundation
import Synchronization

struct ServerLoad: ParsableCommand {
  static let configuration = CommandConfiguration(subcommands: [Compare.self, Serve.self, Read.self])

  struct Options: ParsableArguments {
    @Option(help: "The number of clients.") var clients = 2_000
    @Option(help: "The number of messages.") var messages = 800
    @Option(help: "The number of bytes of a message.") var size = 8_192
    @Option(help: "The number of messages in a second.") var rate = 40

    var arguments: [String] {
      ["--clients", "\(clients)", "--messages", "\(messages)", "--size", "\(size)", "--rate", "\(rate)"]
    }
  }

  /// Runs all cases, and prints a table.
  struct Compare: ParsableCommand {
    @OptionGroup var options: Options
    @Option(help: "The number of clients that never read; by default, one in a hundred.") var stalled: Int?
    @Flag(help: "Only the case of this package, which has to keep its promises.") var guarded = false

    func run() throws {
      let stalled = stalled ?? options.clients / 100
      print(
        "\(options.clients) clients, \(options.messages) messages of \(options.size) bytes, \(options.rate) in a second"
      )
      print(
        "broadcast with                          stalled   peak memory            received by others   latest after")
      for broadcast in Broadcast.allCases where !guarded || broadcast == .streams {
        let free = try measure(broadcast, stalled: 0)
        let loaded = try measure(broadcast, stalled: stalled)
        let ratio = Double(loaded.memory) / Double(free.memory)
        line(broadcast, 0, free, "")
        line(broadcast, stalled, loaded, String(format: "(%.2f ×)", ratio))
        if guarded, ratio > 1.2 || loaded.received < 1 { throw ExitCode.failure }
      }
    }

    private func line(_ broadcast: Broadcast, _ stalled: Int, _ result: Result, _ ratio: String) {
      let name = broadcast.title.padding(toLength: 38, withPad: " ", startingAt: 0)
      let latest = result.latest.map { String(format: "%.0f ms", $0 * 1_000) } ?? "–"
      let memory = String(format: "%.1f MB ", Double(result.memory) / 1_048_576) + ratio
      print(
        "\(name) \(String(stalled).leftPadded(8))   \(memory.padding(toLength: 22, withPad: " ", startingAt: 0)) "
          + "\(String(format: "%.1f %%", result.received * 100).leftPadded(18)) \(latest.leftPadded(14))")
    }

    private struct Result {
      /// The peak of the server's resident memory, in bytes.
      var memory: Int
      /// The part of the messages that the clients that read have received.
      var received: Double
      /// The longest time between a message and its arrival.
      var latest: Double?
    }

    private func measure(_ broadcast: Broadcast, stalled: Int) throws -> Result {
      let program = URL(fileURLWithPath: CommandLine.arguments[0])
      let server = try Program(program, ["serve", broadcast.rawValue] + options.arguments)
      guard let port = server.nextLine() else { throw ValidationError("the server printed no port") }
      let clients = try Program(program, ["read", port, "--stalled", "\(stalled)"] + options.arguments)
      let report = (clients.nextLine() ?? "").split(separator: " ").compactMap { Double($0) }
      let memory = try peakMemory(of: server.process.processIdentifier)
      server.process.terminate()
      clients.process.terminate()
      guard report.count == 2 else { throw ValidationError("the clients have failed") }
      return Result(memory: memory, received: report[0], latest: report[1] < 0 ? nil : report[1])
    }
  }

  /// Runs a server, and prints its port.
  struct Serve: ParsableCommand {
    @Argument var broadcast: Broadcast
    @OptionGroup var options: Options

    func run() throws {
      signal(SIGPIPE, SIG_IGN)
      raiseFileLimit()
      let socket = try listeningSocket()
      FileHandle.standardOutput.write(Data("\(port(of: socket))\n".utf8))
      let connections = (0..<options.clients).map { _ in Connection(accept(socket, nil, nil)) }
      let send = broadcast.start(connections)
      let interval = 1.0 / Double(options.rate)
      let start = now()
      for number in 0..<options.messages {
        Thread.sleep(forTimeInterval: max(0, start + Double(number) * interval - now()))
        send(message(size: options.size))
      }
      while true { Thread.sleep(forTimeInterval: 1) }
    }

    /// A message begins with the time at which it is sent.
    private func message(size: Int) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: size)
      withUnsafeBytes(of: now()) { bytes.replaceSubrange(0..<8, with: $0) }
      return bytes
    }
  }

  /// Connects clients, some of which never read, and prints which part of the messages the others have received, and the
  /// longest time that one has taken.
  struct Read: ParsableCommand {
    @Argument var port: UInt16
    @Option var stalled: Int
    @OptionGroup var options: Options

    func run() throws {
      raiseFileLimit()
      let sockets = try (0..<options.clients).map { _ in try connectedSocket(port: port) }
      let reading = Array(sockets.dropFirst(stalled))
      var polled = reading.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }

      let total = options.messages * reading.count
      let end = now() + Double(options.messages) / Double(options.rate) + 10
      var positions = [Int](repeating: 0, count: reading.count)
      var (received, latest) = (0, 0.0)
      var buffer = [UInt8](repeating: 0, count: 65_536)
      var times = [[UInt8]](repeating: [], count: reading.count)
      while received < total, now() < end {
        guard poll(&polled, nfds_t(polled.count), 1_000) > 0 else { continue }
        for index in polled.indices where polled[index].revents != 0 {
          let bytes = read(reading[index], &buffer, buffer.count)
          if bytes <= 0 {
            polled[index].fd = -1
            continue
          }
          // The first bytes of each message are its time.
          var place = 0
          while place < bytes {
            let offset = (positions[index] + place) % options.size
            if offset < 8 { times[index].append(buffer[place]) }
            if offset == 7 {
              let sent = times[index].withUnsafeBytes { $0.loadUnaligned(as: Double.self) }
              times[index].removeAll(keepingCapacity: true)
              latest = max(latest, now() - sent)
            }
            place += offset < 8 ? 1 : options.size - offset
          }
          received += (positions[index] + bytes) / options.size - positions[index] / options.size
          positions[index] += bytes
        }
      }
      let part = Double(received) / Double(total)
      print(part, part == 1 ? latest : -1)
    }
  }
}

extension String {
  fileprivate func leftPadded(_ length: Int) -> String { String(repeating: " ", count: max(0, length - count)) + self }
}

/// A program that is run, and its output.
private final class Program {
  let process = Process()
  private let output: FileHandle

  init(_ program: URL, _ arguments: [String]) throws {
    let pipe = Pipe()
    output = pipe.fileHandleForReading
    process.executableURL = program
    process.arguments = arguments
    process.standardOutput = pipe
    try process.run()
  }

  func nextLine() -> String? {
    var bytes: [UInt8] = []
    while let byte = try? output.read(upToCount: 1)?.first, byte != 10 { bytes.append(byte) }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}

ServerLoad.main()
