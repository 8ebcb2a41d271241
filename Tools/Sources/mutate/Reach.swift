import Foundation
import Mutants

/// Which suites run the code of which mutants, and how long each takes.
struct Reach: Codable, Sendable {
  private(set) var suites: [String]
  private(set) var seconds: [Double]
  private(set) var failing: [String] = []
  private var bytes: [Data]

  /// Reads what was found out about a program, or runs its suites if it has been built again since.
  static func of(_ program: TestProgram, mutants count: Int, jobs: Int, scratch: URL) throws -> Reach {
    let file = scratch.appendingPathComponent("reach.json")
    func date(_ path: String) -> Date? {
      try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    }
    if let known = date(file.path), let built = date(program.path), known > built,
      let reach = try? JSONDecoder().decode(Reach.self, from: Data(contentsOf: file))
    {
      return reach.withoutStart
    }
    let reach = try Reach(of: program, mutants: count, jobs: jobs, scratch: scratch)
    try JSONEncoder().encode(reach).write(to: file)
    return reach.withoutStart
  }

  /// Without the time that a process takes to start, since a process runs many suites.
  private var withoutStart: Reach {
    var result = self
    // Among many suites, one does next to nothing.
    let start = seconds.count > 20 ? seconds.min() ?? 0 : 0
    result.seconds = seconds.map { $0 - start + 0.01 }
    return result
  }

  /// Only the suites whose names contain a text.
  func keeping(suites text: String) -> Reach {
    guard !text.isEmpty else { return self }
    var result = self
    let kept = suites.indices.filter { suites[$0].contains(text) }
    result.suites = kept.map { suites[$0] }
    result.seconds = kept.map { seconds[$0] }
    result.bytes = kept.map { bytes[$0] }
    return result
  }

  /// Runs every suite once, without a mutant.
  init(of program: TestProgram, mutants count: Int, jobs: Int, scratch: URL) throws {
    let names = try program.suites()
    let collected = Collected(count: names.count)
    inParallel(jobs, names.count) { index in
      let file = scratch.appendingPathComponent("reached-\(index)")
      defer { try? FileManager.default.removeItem(at: file) }
      try? Data(count: count + 1).write(to: file)
      let start = Date()
      let run = try? program.run(suites: [names[index]], reached: file, limit: 600)
      let bytes = (try? Data(contentsOf: file)) ?? Data()
      collected.set(index, bytes, -start.timeIntervalSinceNow, run?.ending.isSuccess == true)
    }
    suites = []
    seconds = []
    bytes = []
    for (name, run) in zip(names, collected.runs) {
      guard run.passed else {
        failing.append(name)
        continue
      }
      suites.append(name)
      seconds.append(run.seconds)
      bytes.append(run.bytes)
    }
  }

  /// The suites that run the code of a mutant.
  func suites(for mutant: Mutant) -> [Int] {
    suites.indices.filter { bytes[$0][mutant.id] != 0 }
  }

  private final class Collected: @unchecked Sendable {
    // Protected by `lock`.
    private(set) var runs: [(bytes: Data, seconds: Double, passed: Bool)]
    private let lock = NSLock()

    init(count: Int) { runs = Array(repeating: (Data(), 0, false), count: count) }

    func set(_ index: Int, _ bytes: Data, _ seconds: Double, _ passed: Bool) {
      lock.withLock { runs[index] = (bytes, seconds, passed) }
    }
  }
}

/// Calls a closure with each number below a count, on some threads at once.
func inParallel(_ jobs: Int, _ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let next = Counter()
  let threads = (0..<jobs).map { _ in
    let ended = DispatchSemaphore(value: 0)
    let thread = Thread {
      while true {
        let index = next.take()
        if index >= count { break }
        body(index)
      }
      ended.signal()
    }
    thread.stackSize = 8 << 20
    thread.start()
    return ended
  }
  for thread in threads { thread.wait() }
}

private final class Counter: @unchecked Sendable {
  // Protected by `lock`.
  private var value = 0
  private let lock = NSLock()

  func take() -> Int {
    lock.withLock {
      defer { value += 1 }
      return value
    }
  }
}
