import Dispatch
import Foundation
import Workloads

/// Counts the instructions of this program by running it again under valgrind.
enum Instructions {
  static let valgrind: String? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.lazy.map { "\($0)/valgrind" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// Returns the cost of one element: the difference of two runs in one process. A run before them pays for what is created once.
  static func perElement(
    _ workload: String, _ implementation: ImplementationName, _ sizes: Sizes, isInspected: Bool = false
  ) throws -> Double {
    let costs = try dumps(
      ["--dump-after=\(Count.report)"], workload, implementation, [sizes.small, sizes.small, sizes.large],
      isInspected: isInspected)
    guard costs.count >= 3 else { throw Failure("A run of \(workload) has no instruction count.") }
    return Double(costs[2] - costs[1]) / Double(sizes.large - sizes.small)
  }

  /// Calls a closure with each input, as many at a time as there are processors: the number of instructions does not depend on
  /// other processes.
  static func concurrently<Input: Sendable, Output: Sendable>(
    _ inputs: [Input], _ body: @Sendable (Input) throws -> Output
  ) throws -> [Output] {
    var results = [Result<Output, any Error>?](repeating: nil, count: inputs.count)
    results.withUnsafeMutableBufferPointer { results in
      // Each iteration has its own element.
      nonisolated(unsafe) let results = results
      DispatchQueue.concurrentPerform(iterations: inputs.count) { index in
        results[index] = Result { try body(inputs[index]) }
      }
    }
    return try results.map { try $0!.get() }
  }

  /// Returns the cost of the whole program.
  static func total(
    _ workload: String, _ implementation: ImplementationName, _ count: Int, isInspected: Bool = false
  ) throws -> Int {
    guard let valgrind else { throw Failure("valgrind is not installed") }
    let output = try run(
      valgrind,
      [
        "--tool=callgrind", "--callgrind-out-file=/dev/null", thisProgram, "count", workload, implementation.rawValue,
        String(count),
      ] + (isInspected ? ["--inspected"] : []))
    guard
      let line = output.split(separator: "\n").last(where: { $0.contains("Collected") }),
      let number = line.split(separator: " ").last.flatMap({ Int($0) })
    else { throw Failure("The output of valgrind has no instruction count:\n\(output)") }
    return number
  }

  /// Returns the cost of each call of a function, with what it calls, and nothing else.
  ///
  /// - Parameter function: The mangled name.
  static func ofCalls(of function: String, in workload: String, _ count: Int) throws -> [Int] {
    try dumps(["--toggle-collect=\(function)", "--dump-after=\(function)"], workload, .streams, [count]).filter {
      $0 > 0
    }
  }

  /// Runs a workload in one process, and returns the costs between the points at which the options dump them.
  private static func dumps(
    _ options: [String], _ workload: String, _ implementation: ImplementationName, _ counts: [Int],
    isInspected: Bool = false
  ) throws -> [Int] {
    guard let valgrind else { throw Failure("valgrind is not installed") }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).callgrind")
    defer { try? FileManager.default.removeItem(at: file) }
    _ = try run(
      valgrind,
      ["--tool=callgrind", "--callgrind-out-file=\(file.path)", "--combine-dumps=yes"] + options
        + [thisProgram, "count", workload, implementation.rawValue] + counts.map { String($0) }
        + (isInspected ? ["--inspected"] : []))
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("summary: ") }.compactMap { Int($0.dropFirst(9)) }
  }

  /// The path with symbolic links resolved: under valgrind, `/proc/self/exe` would be valgrind.
  static let thisProgram = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path

  /// Runs a program and returns its output to both standard output and standard error.
  static func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    // Without this, the order of sets and dictionaries, and with it their cost, differs from run to run.
    process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let output = String(decoding: data, as: UTF8.self)
    guard process.terminationStatus == 0 else {
      throw Failure("\(program) \(arguments.joined(separator: " ")) failed:\n\(output)")
    }
    return output
  }
}

/// An error that ends the program.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
