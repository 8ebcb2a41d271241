import Board
import Foundation
import Synchronization
import Testing

/// The program, as a process of its own.
final class BoardServerProcess: Sendable {
  let ports: Board.Ports
  private let process: Process

  /// Starts the program that is built beside the tests, and waits until it listens.
  init(database: String) async throws {
    let process = Process()
    process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appendingPathComponent("BoardServer")
    process.arguments = ["--port=0", "--feed-port=0", "--database=\(database)"]
    process.standardError = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    self.process = process
    ports = try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        var text = ""
        while !text.contains("\n") {
          let data = output.fileHandleForReading.availableData
          if data.isEmpty { break }
          text += String(decoding: data, as: UTF8.self)
        }
        let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
        if numbers.count >= 2 {
          var ports = Board.Ports()
          (ports.pages, ports.feed) = (numbers[0], numbers[1])
          continuation.resume(returning: ports)
        } else {
          continuation.resume(throwing: DidNotStart(output: text))
        }
      }
    }
  }

  struct DidNotStart: Error { let output: String }

  /// Sends a signal and waits until the process has ended. Returns its status.
  func stop(_ signal: Int32) async -> Int32 {
    kill(process.processIdentifier, signal)
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread { [process] in
        process.waitUntilExit()
        continuation.resume(returning: process.terminationStatus)
      }
    }
  }
}
