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

    What Streams costs, beside other implementations of the same work.

    ## Overview

    The figures are \(release.unit.rawValue) for each element: for a value that passes through, for a subscription, or for a
    piece of scheduled work, as the list of workloads says. \(release.unit.method)

    Each workload is written once for each implementation, and all of them have to return the same result. Streams is
    compared with OpenCombine 0.14.0; with swift-async-algorithms 1.1.4 and the standard library's asynchronous sequences,
    where they can do the same work; and with code written by hand, which has closures, the cheapest lock there is, and the
    heap and the deque of swift-collections 1.6.0, but no demand, no completion, and no cancellation in the middle. Where
    Streams comes near to that, or below it because types are known where a closure hides them, there is little to gain.

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
    var seen = Table(header: ["Workload", "closures that are seen", "opaque closures"])
    for row in rows {
      guard let opaque = release.figures[row.workload]?[.streams] else { continue }
      seen.rows.append([
        row.workload.rawValue, release.figures[row.seen]?[.streams]?.figure ?? "–", opaque.figure,
      ])
    }
    return """
      ## Opaque closures

      Above, the compiler sees what the closures do that Streams is given, and puts them together. Closures that an app
      keeps and hands on are opaque: all that can be done is to call them. Here all implementations get the same closures,
      each of which captures something; by hand, one closure calls those of a chain one after the other.

      \(section(release, of: rows.map(\.workload)))

      What Streams costs, with closures that the compiler sees and with those.

      \(seen.markdown)
      """
  }

  private var chainSection: String? {
    let workloads = Workload.chains.filter { release.figures[$0] != nil }
    guard !workloads.isEmpty else { return nil }
    return """
      ## Long chains

      What a value costs in chains that are longer, and in chains of operators with several inputs. By hand, each part of a
      chain is a closure of its own.

      \(section(release, of: workloads))
      """
  }

  private var debugSection: String? {
    debug.map {
      """
      ## Debug builds

      Tests and apps under development run code that is not optimised. All packages are built like that here.

      \(section($0))
      """
    }
  }

  /// Footnotes are numbered separately for each table.
  private func section(_ results: Results, of workloads: [Workload] = Workload.common) -> String {
    let table = ResultsTable(results, of: workloads)
    var text = """
      \(results.unit.rawValue.capitalized) per element, Swift \(results.swift); in parentheses, how many times what Streams \
      costs.

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

      What an element costs, in instructions, when there are more of them at a time. From a thousand to a million the
      logarithm doubles.

      \($0.table.markdown)

      \(GrowingWorkload.allCases.map { "- `\($0.rawValue)`: \($0.explanation)." }.joined(separator: "\n"))
      """
    }
  }

  private var memorySection: String? {
    memory.map {
      """
      ## Memory

      What a live subscription takes, as large as the allocator makes it, in so many allocations. The subjects are shared,
      and not counted.

      \($0.table.markdown)
      """
    }
  }

  private var sizeSection: String? {
    size.map { size in
      """
      ## Code and compile time

      What the same programs are compiled to, in bytes of the object file that are loaded and never written, and the
      seconds of processor time that the compiler takes for them. The ratios say how many times OpenCombine's it is.

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
      Thousands of values in a second that several threads send, until all have arrived; in parentheses, how many times
      Streams's; and how many of them had arrived when the threads stopped. OpenCombine has no merge, and flatMap stands for
      it, and no test scheduler.

      \($0.table.markdown)
      """
    }
    let times = latency.map {
      """
      Microseconds that a send takes, while a sink takes \(Double($0.work).grouped) ns for each value: half of the sends, 99
      of 100, and all of them take no longer. Whoever finds another thread delivering leaves its value and goes on. The last
      column is the most values that one thread delivers in one send, while there is always one more: after 64 it offers that
      to the others.

      \($0.table.markdown)

      Microseconds that a new sink takes, which takes 100 times as long for each value, while others send.

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

    Counts need valgrind. Without it the program measures time, of which only the ratios mean something.

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

    What keeps the figures from rising is `swift run -c release Benchmarks guard`, which is part of `.ci/run`: it fails when
    a workload costs more than the ceiling that is promised for it, or 5 % more than what was last accepted, in
    `Benchmarks/ceilings.json`. So do `memory --guard`, with `memory.json`, when a subscription takes more than was accepted;
    `size --brief --guard`, with `sizes.json`, when two small programs take 3 % more code; `contention --guard`, when fewer
    values get through than OpenCombine's; and `latency --guard`, when a thread delivers for others without bound.
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
      valgrind, for two numbers of elements; the difference, divided by how many elements more there were, leaves out what
      a program costs by itself. Counts are the same in each run, where times are not; only where two threads
      take turns they differ by a few percent.
      """
    case .nanoseconds:
      """
      Times are the
      best of several runs, in which the implementations take turns; only ratios mean something.
      """
    }
  }
}
