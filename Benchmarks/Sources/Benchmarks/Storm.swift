import ArgumentParser
import Foundation
import OpenCombineWorkloads
import StreamsWorkloads
import Synchronization
import Workloads

/// The number of threads that send, and the duration.
struct StormOptions: ParsableArguments {
  @Option(parsing: .upToNextOption, help: "The numbers of sending threads.")
  var threads = [2, 4, 8]

  @Option(help: "The duration of each run in milliseconds.")
  var milliseconds = 100
}

/// A number of threads that send to one stream until the time is up.
final class Storm: @unchecked Sendable {
  // Unchecked: receivers are called one at a time; the rest belongs to the thread that waits for the others.
  private let stream: Contended
  private let threads: Int
  private let milliseconds: Int
  private let time = Flag()

  init(_ stream: Contended, threads: Int, milliseconds: Int) {
    self.stream = stream
    self.threads = threads
    self.milliseconds = milliseconds
  }

  static func stream(_ shape: ContendedShape, of name: ImplementationName) -> Contended? {
    switch name {
    case .streams: StreamsWorkloads.contended(shape)
    case .openCombine: OpenCombineWorkloads.contended(shape)
    case .async, .limit: nil
    }
  }

  /// Returns the number of values that are sent and delivered per second, and the part of them that had been delivered
  /// when the threads stopped.
  func throughput() throws -> Throughput {
    // Only one sink's counter is read; each has a counter of its own, so that sinks do not affect one another.
    var counters: [Counter] = []
    let subscription = stream.subscribe {
      let counter = Counter()
      counters.append(counter)
      return { _ in counter.add() }
    }
    var deliveredMeanwhile = 0
    let start = Self.now()
    let sent = run(atEnd: { deliveredMeanwhile = counters[0].count }) { [self] _ in
      var number = 0
      while !time.isUp {
        stream.send(number)
        number += 1
      }
      return number
    }
    let duration = Self.now() - start
    withExtendedLifetime(subscription) {}
    let count = sent.reduce(0, +)
    let delivered = counters[0].count
    guard delivered >= count else {
      throw Failure("Only \(delivered) of \(count) values were delivered")
    }
    return Throughput(
      perSecond: Double(count) * 1_000_000_000 / Double(duration),
      meanwhile: Double(deliveredMeanwhile) / Double(max(count, 1)))
  }

  /// Returns the durations of sends while a sink works for the given number of nanoseconds on each value.
  func times(work: Int) -> Percentiles {
    let subscription = stream.subscribe { { [self] _ in spin(work) } }
    let times = run { [self] _ in
      var own: [UInt64] = []
      var number = 0
      while !time.isUp {
        let start = Self.now()
        stream.send(number)
        let duration = Self.now() - start
        number += 1
        // The thread that delivers at the end also delivers what all the others have left.
        if time.isUp { break }
        own.append(duration)
      }
      return own
    }
    withExtendedLifetime(subscription) {}
    return Percentiles(times.flatMap { $0 })
  }

  /// Returns the durations of attaching a new sink, which works for the given number of nanoseconds on each value,
  /// while other threads send.
  func timesOfNewSinks(work: Int) -> Percentiles {
    var times: [UInt64] = []
    let subscribe = { [self] in
      let start = Self.now()
      let subscription = stream.subscribe { { [self] _ in spin(work) } }
      times.append(Self.now() - start)
      withExtendedLifetime(subscription) {}
    }
    _ = run(beside: subscribe) { [self] _ in
      var number = 0
      while !time.isUp {
        stream.send(number)
        number += 1
      }
      return number
    }
    return Percentiles(times)
  }

  /// Returns the largest number of values that one thread delivers in one send while there is always another value of
  /// another thread: before a sink is done with a value, another thread sends one. The count therefore does not depend
  /// on the speed of threads.
  func longestDelivery() -> Int {
    let sends = SharedCount()
    // The number of values delivered in the current send of each thread, on a cache line each.
    let counts = UnsafeMutablePointer<Int>.allocate(capacity: threads * 8)
    counts.initialize(repeating: 0, count: threads * 8)
    let identities = UnsafeMutablePointer<UInt>.allocate(capacity: threads)
    identities.initialize(repeating: 0, count: threads)
    defer {
      counts.deallocate()
      identities.deallocate()
    }
    var longest = 0
    var isFirst = true
    let subscription = stream.subscribe {
      guard isFirst else { return { _ in } }
      isFirst = false
      return { [self] _ in
        let identity = Self.identity
        // A value that existed before any thread sends is delivered by the subscribing thread; the thread that delivers
        // at the end also delivers what all the others have left.
        guard let thread = (0..<threads).first(where: { identities[$0] == identity }), !time.isUp else { return }
        counts[thread * 8] += 1
        longest = max(longest, counts[thread * 8])
        // The thread spins instead of yielding, which would take a turn of all threads for each value.
        let before = sends.load()
        while sends.load() == before, !time.isUp {}
      }
    }
    _ = run { [self] thread in
      identities[thread] = Self.identity
      var number = 0
      while !time.isUp {
        counts[thread * 8] = 0
        stream.send(number)
        number += 1
        sends.add()
      }
      return number
    }
    withExtendedLifetime(subscription) {}
    return longest
  }

  /// Makes the threads send until the time is up, and repeats a closure concurrently. Returns the results of the
  /// threads.
  private func run<Result>(
    beside: (() -> Void)? = nil, atEnd: () -> Void = {}, _ body: @escaping (_ thread: Int) -> Result
  ) -> [Result] {
    nonisolated(unsafe) let body = body
    nonisolated(unsafe) let beside = beside ?? stream.run
    let group = DispatchGroup()
    let results = Gathered<Result>()
    for thread in 0..<threads {
      Self.start(group) { results.add(body(thread)) }
    }
    if beside != nil {
      Self.start(group) { [self] in
        while !time.isUp {
          beside?()
          sched_yield()
        }
      }
    }
    Thread.sleep(forTimeInterval: Double(milliseconds) / 1_000)
    atEnd()
    time.end()
    group.wait()
    // Runs the work that was scheduled last.
    stream.run?()
    return results.all
  }

  private static func start(_ group: DispatchGroup, _ work: @escaping @Sendable () -> Void) {
    group.enter()
    Thread.detachNewThread {
      work()
      group.leave()
    }
  }

  /// A collection of the threads' results.
  private final class Gathered<Result>: @unchecked Sendable {
    // Unchecked: accessed only under the lock.
    private let lock = Mutex(())
    private var results: [Result] = []

    func add(_ result: Result) { lock.withLock { _ in results.append(result) } }

    var all: [Result] { lock.withLock { _ in results } }
  }

  /// A flag that tells the threads to stop.
  private final class Flag: Sendable {
    private let value = Atomic(false)

    var isUp: Bool { value.load(ordering: .relaxed) }

    func end() { value.store(true, ordering: .relaxed) }
  }

  /// A counter that all threads increment.
  private final class SharedCount: Sendable {
    private let count = Atomic(0)

    func add() { count.add(1, ordering: .relaxed) }

    func load() -> Int { count.load(ordering: .relaxed) }
  }

  /// Spins for the given number of nanoseconds, or until the time is up.
  private func spin(_ nanoseconds: Int) {
    let end = Self.now() + UInt64(nanoseconds)
    while Self.now() < end, !time.isUp {}
  }

  private static func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

  private static var identity: UInt { UInt(bitPattern: ObjectIdentifier(Thread.current)) }

  /// A counter as large as two cache lines, so that counters do not share one.
  private final class Counter {
    private let number = Atomic(0)
    private let padding: (SIMD64<UInt8>, SIMD64<UInt8>) = (.zero, .zero)

    var count: Int { number.load(ordering: .relaxed) }

    /// Increments the count. Called by one thread at a time.
    func add() { number.store(count + 1, ordering: .relaxed) }
  }
}

/// The number of values that were delivered.
struct Throughput: Codable {
  /// The number of values per second, until the last one has been delivered.
  var perSecond: Double
  /// The fraction that had been delivered when the threads stopped sending.
  var meanwhile: Double
}

/// The median, the 99th percentile and the maximum of many durations, in nanoseconds.
struct Percentiles: Codable {
  var half = 0
  var most = 0
  var all = 0
  var count = 0

  init(_ times: [UInt64]) {
    let sorted = times.sorted()
    guard let last = sorted.last else { return }
    half = Int(sorted[(sorted.count - 1) / 2])
    most = Int(sorted[(sorted.count - 1) * 99 / 100])
    all = Int(last)
    count = sorted.count
  }

  /// The figures in microseconds.
  var figures: [String] {
    [half, most, all].map { nanoseconds in
      let microseconds = Double(nanoseconds) / 1_000
      return microseconds < 100 ? microseconds.formatted(digits: 2) : microseconds.grouped
    }
  }
}
