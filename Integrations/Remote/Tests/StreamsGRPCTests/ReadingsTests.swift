import Foundation
import Testing

/// The example: two servers and a client in three processes, which are killed and stopped.
@Suite(.timeLimit(.minutes(5)))
struct ReadingsTests {
  @Test func `no reading is lost or stored twice when servers and clients are killed and stopped`() async throws {
    let process = Process()
    // Beside the bundle of tests, which is built into the same folder.
    let arguments = ProcessInfo.processInfo.arguments
    let bundle = try #require(arguments.first { $0.hasSuffix(".xctest") })
    process.executableURL = URL(filePath: bundle).deletingLastPathComponent().appending(path: "Readings")
    process.arguments = ["demo", "--total", "600"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    try await wait(for: "the example ends", within: .seconds(180)) { !process.isRunning }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(process.terminationStatus == 0, "\(text)")
    #expect(text.contains("Each reading was stored once."), "\(text)")
  }
}
