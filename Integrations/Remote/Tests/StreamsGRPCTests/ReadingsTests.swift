import Foundation
import Testing

/// The example: two servers and a client in three processes, which are killed and stopped.
@Suite(.timeLimit(.minutes(5)))
struct ReadingsTests {
  @Test func `no reading is lost or stored twice when servers and clients are killed and stopped`() async throws {
    let output = Pipe()
    let process = try start("Readings", ["demo", "--total", "600"], output: output)
    try await wait(for: "the example ends", within: .seconds(180)) { !process.isRunning }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(process.terminationStatus == 0, "\(text)")
    #expect(text.contains("Each reading was stored once."), "\(text)")
  }
}
