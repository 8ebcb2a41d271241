import Workloads

/// The article about performance.
struct Article {
  let release: Results
  let debug: Results?
  let growth: GrowthResults?
  let memory: MemoryResults?
  let size: SizeResults?
  let contention: ContentionResults?
  let latency: LatencyResults?

  var markdown: String {
    [
      introduction, releaseSection, opaqueSection, chainSection, debugSection, growthSection, memorySection,
      sizeSection, threadSection, workloadSection, reproduction,
    ]
    .compactMap { $0 }.joined(separator: "\n\n") + "\n"
  }

  private var introduction: String {
    """
    # Performance

    The costs of Streams, compared with other implementations of the same work.

    ## Overview

    The figures are \(release.unit.rawValue) per element: per value that passes through, per subscription, or per piece of
    scheduled work, as stated in the list of workloads. \(release.unit.method)

    Each workload is written once for each implementation, and all implementations must return the same result. Streams is
    compared with OpenCombine 0.14.0; with swift-async-algorithms 1.1.4 and the standard library's asynchronous sequences,
    where they can do the same work; and with code written by hand, which has closures, the cheapest available lock, and the
    heap and the deque of swift-collections 1.6.0, but no demand, no completion, and no cancellation in between. If Streams
    is close to that code, or below it because the compiler knows types that a closure hides, there is little to gain.

    ![A bar chart of the table below.](benchmarks)
    """
  }

  private var releaseSection: String {
    """
    ## Release builds

    \(section(release))
    """
  }

  private var opaqueSection: String? {
    let rows = Workload.opaque.filter { release.figures[$0.workload] != nil }
    guard !rows.isEmpty else { return nil }
    var seen = Table(header: ["Workload", "visible closures", "opaque closures"])
    for row in rows {
      guard let opaque = release.figures[row.workload]?[.streams] else { continue }
      seen.rows.append([
        row.workload.rawValue, release.figures[row.seen]?[.streams]?.figure ?? "–", opaque.figure,
      ])
    }
    return """
      ## Opaque closures

      In the tables above, the compiler sees the bodies of the closures that are passed to Streams, and combines them. Closures
      that an app stores and passes along are opaque: they can only be called. In this table, all implementations receive the
      same closures, each of which captures a value; by hand, one closure calls those of a chain one after another.

      \(section(release, of: rows.map(\.workload)))

      The costs of Streams with closures that the compiler sees, and with opaque closures:

      \(seen.markdown)
      """
  }

  private var chainSection: String? {
    let workloads = Workload.chains.filter { release.figures[$0] != nil }
    guard !workloads.isEmpty else { return nil }
    return """
      ## Long chains

      The costs of a value in longer chains, and in chains of operators with several inputs. By hand, each part of a chain is
      a separate closure.

      \(section(release, of: workloads))
      """
  }

  private var debugSection: String? {
    debug.map {
      """
      ## Debug builds

      Tests and apps under development run code that is not optimized. Here, all packages are built without optimization.

      \(section($0))
      """
    }
  }

  /// Footnotes are numbered separately for each table.
  private func section(_ results: Results, of workloads: [Workload] = Workload.common) -> String {
    let table = ResultsTable(results, of: workloads)
    var text = """
      \(results.unit.rawValue.capitalized) per element, Swift \(results.swift); in parentheses, the ratio to the \
      costs of Streams.

      \(table.table.markdown)
      """
    if !table.notes.isEmpty {
      text += "\n\n" + table.notes.enumerated().map { "\($0 + 1). \($1)." }.joined(separator: "\n")
    }
    return text
  }

  private var growthSection: String? {
    growth.map {
      """
      ## Growth

      Instructions per element, for growing numbers of elements at a time. From a thousand to a million, the logarithm
      doubles.

      \($0.table.markdown)

      \(GrowingWorkload.allCases.map { "- `\($0.rawValue)`: \($0.explanation)." }.joined(separator: "\n"))
      """
    }
  }

  private var memorySection: String? {
    memory.map {
      """
      ## Memory

      The memory of a live subscription, as sized by the allocator, and its number of allocations. The subjects are shared,
      and not counted.

      \($0.table.markdown)
      """
    }
  }

  private var sizeSection: String? {
    size.map { size in
      """
      ## Code and compile time

      The size of the compiled code of the same programs, in bytes of the object file that are loaded and never written, and
      the processor time of the compiler in seconds. The ratios are those to OpenCombine.

      \(size.table.markdown)

      \(ClientProgram.allCases.filter { size.figures[$0] != nil }.map { "- `\($0.rawValue)`: \($0.explanation)." }
        .joined(separator: "\n"))
      """
    }
  }

  private var threadSection: String? {
    guard contention != nil || latency != nil else { return nil }
    let shapes = ContendedShape.allCases.map { "- `\($0.rawValue)`: \($0.explanation)." }.joined(separator: "\n")
    let throughput = contention.map {
      """
      Thousands of values per second that several threads send, measured until all have arrived; in parentheses, the ratio to
      Streams; and the share of the values that had arrived when the threads stopped. OpenCombine has no merge, for which
      flatMap is measured, and no test scheduler.

      \($0.table.markdown)
      """
    }
    let times = latency.map {
      """
      Microseconds that a send takes, while a sink takes \(Double($0.work).grouped) ns for each value: half of the sends, 99
      of 100, and all of them take no longer. A thread that finds another thread delivering leaves its value and continues. The
      last column is the maximum number of values that one thread delivers in one send while more values keep arriving: after
      64 values, it offers the delivery to the other threads.

      \($0.table.markdown)

      Microseconds until a new sink is attached while other threads send; the sink takes 100 times as long for each value.

      \($0.tableOfSinks.markdown)
      """
    }
    return ["## Many threads", throughput, times, shapes].compactMap { $0 }.joined(separator: "\n\n")
  }

  private var workloadSection: String {
    """
    ## Workloads

    \(Workload.allCases.map { "- `\($0.rawValue)`: \($0.explanation)." }.joined(separator: "\n"))
    """
  }

  private var reproduction: String {
    """
    ## Measuring again

    Counts require valgrind. Without it, the program measures times, of which only the ratios are meaningful.

    ```sh
    cd Benchmarks
    swift build -c release
    swift run -c release Benchmarks measure --json release.json
    swift run -c release Benchmarks growth --json growth.json
    swift run -c release Benchmarks memory --json memory.json
    swift run -c release Benchmarks size --json size.json
    swift run -c release Benchmarks contention --json contention.json
    swift run -c release Benchmarks latency --json latency.json
    swift run Benchmarks measure --json debug.json
    swift run -c release Benchmarks report release.json --debug debug.json --growth growth.json --memory memory.json \\
      --size size.json --contention contention.json --latency latency.json --output ../Sources/Streams/Streams.docc
    ```

    One workload, or one implementation:

    ```sh
    swift run -c release Benchmarks measure subject zip --implementations Streams OpenCombine
    ```

    `swift run -c release Benchmarks guard`, which is part of `.ci/run`, keeps the figures from rising: it fails if a workload
    costs more than its promised ceiling, or 5 % more than the last accepted count, in `Benchmarks/ceilings.json`. Likewise,
    `memory --guard`, with `memory.json`, fails if a subscription takes more than was accepted; `size --brief --guard`, with
    `sizes.json`, if two small programs take 3 % more code; `contention --guard`, if fewer values are delivered than with
    OpenCombine; and `latency --guard`, if a thread delivers for others without bound.
    """
  }
}

extension Results.Unit {
  /// The description of the method of measurement.
  var method: String {
    switch self {
    case .instructions:
      """
      Instructions are counted by
      valgrind, for two numbers of elements; the difference, divided by the number of additional elements, excludes the
      fixed cost of a program. Unlike times, counts are the same in each run, except that they
      differ by a few percent where two threads take turns.
      """
    case .nanoseconds:
      """
      Times are the
      best of several runs, in which the implementations take turns; only their ratios are meaningful.
      """
    }
  }
}
