import Workloads

/// The article about performance.
struct Article {
  let release: Results
  let debug: Results?
  let growth: GrowthResults?
  let memory: MemoryResults?

  var markdown: String {
    [introduction, releaseSection, debugSection, growthSection, memorySection, workloadSection, reproduction]
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

  private var debugSection: String? {
    debug.map {
      """
      ## Debug builds

      Tests and apps under development run code that is not optimised. All packages are built like that here.

      \(section($0))
      """
    }
  }

  /// Numbers of footnotes are those of their own table.
  private func section(_ results: Results) -> String {
    let table = ResultsTable(results)
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
    swift run Benchmarks measure --json debug.json
    swift run -c release Benchmarks report release.json --debug debug.json --growth growth.json --memory memory.json \\
      --output ../Sources/Streams/Streams.docc
    ```

    One workload, or one implementation:

    ```sh
    swift run -c release Benchmarks measure subject zip --implementations Streams OpenCombine
    ```

    What keeps the figures from rising is `swift run -c release Benchmarks guard`, which is part of `.ci/run`: it fails when
    a workload costs more than the ceiling that is promised for it, or 5 % more than what was last accepted, in
    `Benchmarks/ceilings.json`.
    """
  }
}

extension Results.Unit {
  /// How it is measured.
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
