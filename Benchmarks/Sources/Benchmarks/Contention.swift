import ArgumentParser
import Foundation
import OpenCombineWorkloads
import StreamsWorkloads
import Synchronization
import Workloads

/// Shows how long `send` and `sink` take while other threads send, and how much a thread does for others.
struct Contention: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures what one send, and one new sink, take while other threads send.")

  @Option(help: "How many threads send.")
  var threads = 8

  @Option(help: "How many milliseconds each run takes.")
  var milliseconds = 300

  @Option(help: "How many nanoseconds the sink takes for each value.")
  var work = 1_000

  func run() {
    print("\(threads) threads that send for \(milliseconds) ms, a sink that takes \(work) ns for each value")
    print("Microseconds\n")
    print(sends.plain)
    print("\nA new sink that takes 100 times as long, while they send\n")
    print(sinks.plain)
  }

  private var implementations: [(String, (ContendedShape) -> ContendedSubject)] {
    [("Streams", StreamsWorkloads.contended), ("OpenCombine", OpenCombineWorkloads.contended)]
  }

  private var sends: Table {
    var table = Table(header: ["send", "p50", "p99", "max", "values delivered in one send", "sends", "left over"])
    for shape in ContendedShape.allCases {
      for (name, make) in implementations {
        let run = Storm(make(shape), threads: threads, milliseconds: milliseconds, work: work)
        run.go()
        table.rows.append(
          ["\(shape.rawValue), \(name)"] + run.percentiles + [
            run.longest.grouped, run.times.count.grouped, run.left.grouped,
          ])
      }
    }
    return table
  }

  private var sinks: Table {
    var table = Table(header: ["sink", "p50", "p99", "max"])
    for (name, make) in implementations {
      let run = Storm(make(.currentValue), threads: threads, milliseconds: milliseconds, work: 0)
      run.subscribe(work: work * 100)
      table.rows.append(["current-value, \(name)"] + run.percentiles)
    }
    return table
  }
}

/// Threads that send to one subject. Values that were left when the time was up are counted apart: somebody has to deliver them.
private final class Storm: @unchecked Sendable {
  // Unchecked: `counts` belong to their threads, the rest to the thread that waits for them.
  private let subject: ContendedSubject
  private let threads: Int
  private let milliseconds: Int
  private let work: Int
  private let isOver = Atomic(false)
  private let delivered = Atomic(0)
  private let counts: UnsafeMutablePointer<Int>
  private let identities: UnsafeMutablePointer<UInt>
  private(set) var times: [UInt64] = []
  private(set) var longest = 0
  private(set) var left = 0

  init(_ subject: ContendedSubject, threads: Int, milliseconds: Int, work: Int) {
    self.subject = subject
    self.threads = threads
    self.milliseconds = milliseconds
    self.work = work
    // A cache line for each.
    counts = .allocate(capacity: threads * 8)
    counts.initialize(repeating: 0, count: threads * 8)
    identities = .allocate(capacity: threads)
    identities.initialize(repeating: 0, count: threads)
  }

  deinit {
    counts.deallocate()
    identities.deallocate()
  }

  var percentiles: [String] {
    let sorted = times.sorted()
    func at(_ part: Double) -> String {
      guard !sorted.isEmpty else { return "–" }
      return String(format: "%.2f", Double(sorted[Int(Double(sorted.count - 1) * part)]) / 1_000)
    }
    return [at(0.5), at(0.99), at(1)]
  }

  private static func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

  private static func spin(_ nanoseconds: Int) {
    let end = now() + UInt64(nanoseconds)
    while now() < end {}
  }

  private static var identity: UInt { UInt(bitPattern: ObjectIdentifier(Thread.current)) }

  private func receive() {
    let identity = Self.identity
    for thread in 0..<threads where identities[thread] == identity { counts[thread * 8] += 1 }
    delivered.add(1, ordering: .relaxed)
    Self.spin(work)
  }

  /// Measures what sends take.
  func go() {
    let subscription = subject.subscribe { [self] _ in receive() }
    let before = send()
    left = delivered.load(ordering: .relaxed) - before
    withExtendedLifetime(subscription) {}
  }

  /// Measures what new sinks take.
  func subscribe(work: Int) {
    let sinks = Thread { [self] in
      while !isOver.load(ordering: .relaxed) {
        let start = Self.now()
        let subscription = subject.subscribe { _ in Self.spin(work) }
        times.append(Self.now() - start)
        withExtendedLifetime(subscription) {}
      }
    }
    sinks.start()
    _ = send(keepsTimes: false)
    while !sinks.isFinished { Thread.sleep(forTimeInterval: 0.001) }
  }

  /// Has the threads send until the time is up; returns how many values had been delivered then.
  private func send(keepsTimes: Bool = true) -> Int {
    let group = DispatchGroup()
    let merging = Mutex(())
    for thread in 0..<threads {
      group.enter()
      Thread.detachNewThread { [self] in
        identities[thread] = Self.identity
        var own: [UInt64] = []
        var most = 0
        var number = 0
        while !isOver.load(ordering: .relaxed) {
          counts[thread * 8] = 0
          let start = Self.now()
          subject.send(number)
          let time = Self.now() - start
          number += 1
          if isOver.load(ordering: .relaxed) { break }
          own.append(time)
          most = max(most, counts[thread * 8])
        }
        if keepsTimes {
          merging.withLock { _ in
            times += own
            longest = max(longest, most)
          }
        }
        group.leave()
      }
    }
    Thread.sleep(forTimeInterval: Double(milliseconds) / 1_000)
    let before = delivered.load(ordering: .relaxed)
    isOver.store(true, ordering: .relaxed)
    group.wait()
    return before
  }
}
