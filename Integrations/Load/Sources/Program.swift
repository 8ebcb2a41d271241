import ArgumentParser
import Foundation

/// A process that runs this command, with its input and output.
final class Program {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var received = Data()

  init(_ arguments: [String]) throws {
    guard let program = Bundle.main.executableURL else { throw ValidationError("The path of this command is unknown.") }
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// Waits for a line of numbers.
  func nextNumbers() throws -> [Int] {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        defer { received = Data(received[(end + 1)...]) }
        return String(decoding: received[..<end], as: UTF8.self).split(separator: " ").compactMap { Int($0) }
      }
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw ValidationError("A process has ended early: \(process.arguments ?? [])") }
      received += data
    }
  }

  func send(_ number: Int) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(number)\n".utf8))
  }

  func end() {
    process.terminate()
    process.waitUntilExit()
  }

  /// The peak of the resident memory, in bytes.
  var peakMemory: Int {
    get throws {
      let line = try text(of: "status").split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      guard let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
        throw ValidationError("The memory of the server is unknown.")
      }
      return kilobytes * 1_024
    }
  }

  /// The time for which processors have run this process, in seconds.
  var processorTime: (user: Double, system: Double) {
    get throws {
      // The name of the program, which is in parentheses, may contain spaces. The 12th and the 13th field after it are times.
      let fields = try text(of: "stat").split(separator: ")").last?.split(separator: " ") ?? []
      guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
        throw ValidationError("The time of a process is unknown.")
      }
      return (user / Self.ticks, system / Self.ticks)
    }
  }

  /// The time for which processors have run the code of all processes and for which there were processors, in seconds.
  static var machineTime: (user: Double, all: Double) {
    get throws {
      let text = try String(contentsOfFile: "/proc/stat", encoding: .utf8)
      let fields = text.prefix { $0 != "\n" }.split(separator: " ").compactMap { Double($0) }
      guard fields.count > 7 else { throw ValidationError("The time of the processors is unknown.") }
      return ((fields[0] + fields[1]) / ticks, fields[..<8].reduce(0, +) / ticks)
    }
  }

  private static let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))

  private func text(of file: String) throws -> String {
    try String(contentsOfFile: "/proc/\(process.processIdentifier)/\(file)", encoding: .utf8)
  }
}
