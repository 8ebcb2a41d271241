import Foundation
import Workloads

/// Counts instructions of this program, run again under valgrind.
enum Instructions {
  static let valgrind: String? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.lazy.map { "\($0)/valgrind" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// What one element costs: the difference of two runs, so that what a program costs by itself falls out.
  static func perElement(_ workload: String, _ implementation: ImplementationName, _ sizes: Sizes) throws -> Double {
    let small = try total(workload, implementation, sizes.small)
    let large = try total(workload, implementation, sizes.large)
    return Double(large - small) / Double(sizes.large - sizes.small)
  }

  /// What the whole program costs.
  static func total(_ workload: String, _ implementation: ImplementationName, _ count: Int) throws -> Int {
    guard let valgrind else { throw Failure("valgrind is not installed") }
    let output = try run(
      valgrind,
      [
        "--tool=callgrind", "--callgrind-out-file=/dev/null", thisProgram, "count", workload, implementation.rawValue,
        String(count),
      ])
    guard
      let line = output.split(separator: "\n").last(where: { $0.contains("Collected") }),
      let number = line.split(separator: " ").last.flatMap({ Int($0) })
    else { throw Failure("valgrind does not say how many instructions it has counted:\n\(output)") }
    return number
  }

  /// Symbolic links followed: under valgrind, `/proc/self/exe` would be valgrind.
  static let thisProgram = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path

  /// Runs a program and returns what it says, on both channels.
  static func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    // The order of sets and dictionaries, and with it their cost, is otherwise another one in each run.
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

/// Something that cannot be gone on from.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The two sizes of which a measurement takes the difference.
struct Sizes {
  let small: Int
  let large: Int

  /// Sizes at which a run takes a few seconds under valgrind at the most, and the cost of an element no longer depends on
  /// how many there are.
  init(_ workload: Workload, _ implementation: ImplementationName) {
    let (small, elements) =
      switch workload {
      case .sequence, .scan, .removeDuplicates, .prefix: (1_000, 100_000)
      // Whole inner sequences, and several of them.
      case .flatMap: (10_000, 100_000)
      case .subject, .currentValue, .erasedMaps, .receiveOnImmediate: (1_000, 20_000)
      case .subject10, .share10, .subscribeCancel: (1_000, 5_000)
      case .flatMapJust, .merge8, .zip, .combineLatest, .debounce: (1_000, 10_000)
      // Two seconds of virtual time before, so that as many values come out of the delay as go in.
      case .delay: (2_000, 10_000)
      case .receiveOnQueue: (10_000, 50_000)
      // What an action costs is promised for a hundred thousand of them.
      case .testScheduler, .scheduleCancel: (100, 100_000)
      case .testSchedulerTimers: (2_000, 20_000)
      }
    self.small = small
    // At least five inner sequences of a thousand.
    large = small + max(elements / Self.divisor(implementation), 5_000)
  }

  /// Peers, and code that is not optimised, cost more for each element.
  private static func divisor(_ implementation: ImplementationName) -> Int {
    let peer =
      switch implementation {
      case .streams, .limit: 1
      case .openCombine, .async: 5
      }
    return Build.isDebug ? peer * 10 : peer
  }
}

/// How this program was built.
enum Build {
  static var isDebug: Bool {
    var isDebug = false
    // Assertions are evaluated in debug builds only.
    assert(
      {
        isDebug = true
        return true
      }())
    return isDebug
  }

  static var configuration: String { isDebug ? "debug" : "release" }

  /// That of the compiler on the path, which built this program when it was run with `swift run`. Programs do not know which
  /// compiler made them, and the standard library does not know all of its version.
  static let swiftVersion: String = {
    let answer = try? Instructions.run("/usr/bin/env", ["swift", "--version"])
    let words = (answer ?? "").split(whereSeparator: \.isWhitespace)
    guard let index = words.firstIndex(of: "version"), index + 1 < words.endIndex else { return "unknown" }
    return String(words[index + 1])
  }()
}
