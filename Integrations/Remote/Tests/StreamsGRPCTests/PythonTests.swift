import Dispatch
import Foundation
import GRPCCore
import StreamAlgorithms
import Streams
import StreamsGRPC
import Testing

/// A client and a server in Python, from the code that `protoc` generates. `Python/setup` installs them, and without it these tests fail.
@Suite(.timeLimit(.minutes(2)))
struct PythonTests {
  private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func process(_ script: String, _ arguments: [String] = []) -> Process {
    let process = Process()
    process.executableURL = package.appending(path: ".build-python/bin/python")
    process.arguments = [package.appending(path: "Python/\(script)").path()] + arguments
    return process
  }

  @Test func `a client in Python gets what it requests, resumes, and learns each status`() async throws {
    let streams = ResumableStreams(limits: ResumableStreamLimits(window: 16))
    streams.add("values", identity: "log", serializer: BytesCoder()) { index in
      (Int(index)..<100).publisher.map { [UInt8($0 + 1)] }
    }
    streams.add("failing", serializer: BytesCoder()) {
      Fail<[UInt8], RPCError>(
        error: RPCError(code: .resourceExhausted, message: "no more", metadata: ["reason": "quota"]))
    }
    let server = try await SocketServer([streams])
    let process = Self.process("client.py", ["\(server.port)"])
    let output = Pipe()
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    try await wait(for: "the client ends") { !process.isRunning }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(process.terminationStatus == 0, "\(text)")
    #expect(text == "The Swift server follows the protocol.\n")
    try await server.stop()
  }

  @Test func `a server in Python is requested from and resumed`() async throws {
    let process = Self.process("server.py")
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)))
    let check = DemandCheck()
    try await withSocketClient(port: port, interceptors: [check]) { client in
      let subscriber = StepSubscriber<StreamDelivery<[UInt8]>, RPCError>(every: 7)
      client.resumableStream(
        "values", deserializer: BytesCoder(), retry: .delay(.milliseconds(10), maxRetries: 20),
        scheduler: DispatchQueue.global()
      ).subscribe(subscriber)
      try await wait(for: "the stream ends") { subscriber.completion != nil }
      #expect(subscriber.failure == nil)
      #expect(subscriber.values.map(\.index) == Array(1...1_000))
      #expect(
        subscriber.values.allSatisfy { delivery in
          delivery.value == (0..<8).map { UInt8(truncatingIfNeeded: delivery.index >> (8 * $0)) }
        })
      #expect(check.excess.value == 0)
    }
    try input.fileHandleForWriting.close()
    try await wait(for: "the server ends") { !process.isRunning }
  }
}
