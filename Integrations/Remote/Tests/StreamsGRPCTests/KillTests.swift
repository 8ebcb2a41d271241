import Foundation
import Testing

/// Processes that are killed with `SIGKILL`.
@Suite(.timeLimit(.minutes(30)))
struct KillTests {
  // STREAMS_MESSAGES=200000 STREAMS_KILLS=100 sends more, and kills as often.
  private static let count = setting("STREAMS_MESSAGES") ?? 20_000
  private static let kills = setting("STREAMS_KILLS") ?? 6

  @Test func `each value has its effect once when server and client are killed in turn`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "effects-\(UInt64.random(in: 0 ... .max))")
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    func stored() throws -> Int {
      (try FileManager.default.attributesOfItem(atPath: file.path())[.size] as? Int ?? 0) / 8
    }
    func startServer(_ port: Int = 0) throws -> (Process, port: Int) {
      let output = Pipe()
      let process = try start("Peer", ["server", "--port", "\(port)", "--count", "\(Self.count)"], output: output)
      let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      return (process, try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines))))
    }

    let begin = ContinuousClock.now
    var (server, port) = try startServer()
    func startClient() throws -> Process { try start("Peer", ["client", "--port", "\(port)", "--file", file.path()]) }
    var client = try startClient()
    defer { for process in [server, client] where process.isRunning { kill(process.processIdentifier, SIGKILL) } }
    var next = 0
    for number in 0..<Self.kills {
      // Behind some values of the new process, and so that there are values left for the last one.
      let left = Self.count - Self.count / 10 - next
      next += .random(in: 1...max(1, 2 * left / (Self.kills - number)))
      try await wait(for: "values", within: .seconds(120)) { try stored() >= min(next, Self.count) }
      next = try stored()
      let killed = number.isMultiple(of: 2) ? server : client
      kill(killed.processIdentifier, SIGKILL)
      killed.waitUntilExit()
      if number.isMultiple(of: 2) { server = try startServer(port).0 } else { client = try startClient() }
    }
    try await wait(for: "the client ends", within: .seconds(600)) { !client.isRunning }
    #expect(client.terminationStatus == 0)
    let effects = try Data(contentsOf: file).withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 8).map { Int(bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self)) }
    }
    print("\(effects.count) values, \(Self.kills) kills, \(ContinuousClock.now - begin)")
    #expect(effects.elementsEqual(1...Self.count))
  }
}
