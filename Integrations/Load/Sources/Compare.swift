import ArgumentParser
import Foundation

/// Runs each variant with and without stalled clients, and prints a table.
struct Compare: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs each variant, and prints a table. Its ratios are against Streams without stalled clients.")

  @OptionGroup var options: Options
  @Option(help: "How often everything is measured. With --guarded, at most.") var rounds = 3
  @Flag(help: "Checks what Streams guarantees, at the rate only, and fails if that isn't so.") var guarded = false
  @Option(help: "How often a run is repeated if other processes took more than a tenth of the processors.")
  var repetitions = 0
  @Flag(help: "Writes the result of each run to standard error.") var verbose = false

  private struct Case: Hashable {
    var broadcast: Broadcast
    var stalled: Int
  }

  private struct Runs {
    var paced: [Measurement] = []
    var fast: [Measurement] = []
  }

  func validate() throws {
    guard rounds > 0 else { throw ValidationError("There has to be a round.") }
    guard repetitions >= 0 else { throw ValidationError("The number of repetitions can't be below zero.") }
  }

  func run() throws {
    let cases = Broadcast.allCases.flatMap { broadcast in
      (options.stalled > 0 ? [0, options.stalled] : [0]).map { Case(broadcast: broadcast, stalled: $0) }
    }
    var runs: [Case: Runs] = [:]
    // Interleaved, so that what else the machine does affects all of them.
    var failures: [String] = []
    for _ in 0..<rounds {
      for each in cases where !guarded || each != Case(broadcast: .sharedSequence, stalled: options.stalled) {
        try runs[each, default: Runs()].paced.append(measure(each, isPaced: true))
        if !guarded { try runs[each, default: Runs()].fast.append(measure(each, isPaced: false)) }
      }
      if guarded {
        // Another round only if this one has failed, because what else the machine does can be the reason.
        failures = self.failures(in: runs)
        if failures.isEmpty { break }
      }
    }
    printTable(cases, runs)
    for failure in failures { FileHandle.standardError.write(Data("error: \(failure)\n".utf8)) }
    if !failures.isEmpty { throw ExitCode.failure }
  }

  /// Measures a case. If other processes disturb that, it repeats it and returns the run that was disturbed least.
  private func measure(_ each: Case, isPaced: Bool) throws -> Measurement {
    var best: Measurement?
    for _ in 0...repetitions {
      let result = try Measurement(each.broadcast, stalled: each.stalled, isPaced: isPaced, options)
      if verbose {
        let name = "\(each.broadcast.rawValue), \(each.stalled) stalled, \(isPaced ? "paced" : "fast")"
        FileHandle.standardError.write(Data("\(name): \(result)\n".utf8))
      }
      if result.others < best?.others ?? .infinity { best = result }
      if result.others < 0.1 { break }
    }
    guard let best else { throw ValidationError("There has to be a run.") }
    return best
  }

  // MARK: - The table

  private func printTable(_ cases: [Case], _ runs: [Case: Runs]) {
    print(
      """
      \(options.clients) clients, \(options.messages) messages of \(options.size) bytes, \(options.rate) a second for latency, \
      memory and the share received; medians of \(runs.values.first?.paced.count ?? 0) runs

      """)
    let titles = [
      "variant", "stalled", "peak memory", "p50", "p99", "server per message", "received", "messages/s",
      "stalled clients",
      "others' load",
    ]
    let base = cases.first.flatMap { runs[$0] }
    var rows = [titles]
    for each in cases {
      guard let run = runs[each] else { continue }
      let ratio = { (value: (Runs) -> Double) in
        guard let base, value(run).isFinite else { return "" }
        return String(format: " (%.2f ×)", value(run) / value(base))
      }
      let memory = { (run: Runs) in median(run.paced, \.memory) }
      let half = { (run: Runs) in median(run.paced, \.median) }
      let late = { (run: Runs) in median(run.paced, \.percentile99) }
      let processor = { (run: Runs) in median(run.paced, \.processorTime) }
      let throughput = { (run: Runs) in median(run.fast, \.throughput) }
      rows.append([
        each.broadcast.title, "\(each.stalled)",
        String(format: "%.1f MB", memory(run) / 1_048_576) + ratio(memory),
        String(format: "%.1f ms", half(run)) + ratio(half),
        String(format: "%.1f ms", late(run)) + ratio(late),
        String(format: "%.1f µs", processor(run)) + ratio(processor),
        String(format: "%.1f %%", median(run.paced, \.received) * 100),
        run.fast.isEmpty ? "" : String(format: "%.0f", throughput(run)) + ratio(throughput),
        each.stalled == 0 ? "" : fate(run.paced, stalled: each.stalled),
        String(format: "%.0f %%", ((run.paced + run.fast).map(\.others).max() ?? 0) * 100),
      ])
    }
    let widths = titles.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    rows.insert(widths.map { String(repeating: "-", count: $0) }, at: 1)
    for row in rows {
      print(
        "| " + zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: " | ")
          + " |")
    }
  }

  private func fate(_ runs: [Measurement], stalled: Int) -> String {
    let disconnected = runs.map(\.disconnected).sorted()[runs.count / 2]
    let received = String(format: "%.0f %%", median(runs, \.receivedByStalled) * 100)
    let fate = disconnected == stalled ? "disconnected" : disconnected == 0 ? "kept" : "\(disconnected) disconnected"
    return "\(fate), \(received) received"
  }

  private func median(_ runs: [Measurement], _ value: (Measurement) -> Double) -> Double {
    runs.isEmpty ? .nan : runs.map(value).sorted()[runs.count / 2]
  }

  // MARK: - The guard

  /// What isn't as it should be. No round may lose a message.
  ///
  /// Otherwise, the best round counts, because a busy machine only makes a run slower or larger.
  private func failures(in runs: [Case: Runs]) -> [String] {
    var failures: [String] = []
    let all = { (broadcast: Broadcast, stalled: Int) in runs[Case(broadcast: broadcast, stalled: stalled)]?.paced ?? []
    }
    let best = { (runs: [Measurement], value: (Measurement) -> Double) in runs.map(value).min() ?? .nan }
    for stalled in Set([0, options.stalled]).sorted() {
      let own = all(.streams, stalled)
      if own.contains(where: { $0.received < 1 }) { failures.append("Reading clients have lost messages.") }
      if !own.contains(where: { $0.disconnected == stalled }) {
        failures.append("Not all \(stalled) stalled clients were disconnected. Perhaps it takes more messages.")
      }
      let others = Broadcast.allCases.filter { $0 != .streams }.flatMap { all($0, stalled) }
      let ratio = best(own, \.percentile99) / best(others, \.percentile99)
      if ratio > 2 {
        failures.append(String(format: "With %d stalled clients, p99 is %.2f times the others'.", stalled, ratio))
      }
    }
    let memory = best(all(.streams, options.stalled), \.memory) / best(all(.streams, 0), \.memory)
    if memory > 1.25 { failures.append(String(format: "Stalled clients raise the memory to %.2f times.", memory)) }
    return failures
  }
}
