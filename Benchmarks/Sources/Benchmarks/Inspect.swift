import ArgumentParser
import Foundation
import StreamsWorkloads
import Workloads

/// Measures what it costs to inspect streams and to read those that are alive.
struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Counts the instructions of inspecting and of reading live streams.",
    discussion: "The memory is measured by the command memory.")

  @Option(help: "The number of live streams that are read while instructions are counted.")
  var streams = 10_000

  @Option(help: "The number of live streams that are read while the time is measured.")
  var timed = 100_000

  func run() throws {
    guard Instructions.valgrind != nil else {
      throw Failure("valgrind is not installed; inspection requires instruction counts")
    }
    print("Instructions, \(Build.configuration) build, Swift \(Build.swiftVersion)\n")
    print("\(try values.plain)\n")
    print("\(try reading.plain)\n")
    print("\(times.plain)\n")
    print("\(try locks.plain)")
  }

  /// Returns the cost of an element of a workload whose stream is not inspected, and of one whose stream is.
  static func costs(_ workload: InspectionWorkload) throws -> (off: Double, on: Double) {
    let sizes = Sizes(workload)
    return (
      try Instructions.perElement(workload.rawValue, .streams, sizes),
      try Instructions.perElement(workload.rawValue, .streams, sizes, isInspected: true)
    )
  }

  private var values: Table {
    get throws {
      var table = Table(header: ["Per value", "not inspected", "inspected", "difference"])
      for workload in InspectionWorkload.allCases {
        Progress.show(workload.rawValue)
        let (off, on) = try Self.costs(workload)
        table.rows.append([workload.explanation] + [off, on, on - off].map { $0.formatted(digits: 1) })
      }
      Progress.end()
      return table
    }
  }

  /// The costs of reading, without places, which cannot be looked up under valgrind.
  private var reading: Table {
    get throws {
      var table = Table(header: ["Per stream, of \(streams.grouped) that are alive, without places", "instructions"])
      func total(_ workload: ReadingWorkload, isInspected: Bool = true) throws -> Int {
        Progress.show(workload.rawValue)
        return try Instructions.total(workload.rawValue, .streams, streams, isInspected: isInspected)
      }
      func add(_ name: String, _ difference: Int) {
        table.rows.append([name, (Double(difference) / Double(streams)).grouped])
      }
      for (name, workload) in [("sink", ReadingWorkload.madeSinks), ("subject, map, sink", .madeStreams)] {
        add(
          "\(name): made and ended while inspected, more than otherwise",
          try total(workload) - total(workload, isInspected: false))
      }
      for (name, alone, live, trees) in [
        ("subject, map, sink", ReadingWorkload.mapAlone, ReadingWorkload.mapStreams, ReadingWorkload.mapInspections),
        ("subject, debounce, sink", .debounceAlone, .debounceStreams, .debounceInspections),
      ] {
        let base = try total(alone)
        add("\(name): StreamInspector.streams", try total(live) - base)
        add("\(name): StreamInspector.inspections", try total(trees) - base)
      }
      Progress.end()
      return table
    }
  }

  private var times: Table {
    var table = Table(header: ["Microseconds per stream, of \(timed.grouped) that are alive", "streams", "inspections"])
    for (name, shape) in [
      ("subject, map, sink", StreamsWorkloads.LiveShape.map), ("subject, debounce, sink", .debounce),
    ] {
      Progress.show(name)
      let times = StreamsWorkloads.timesOfReading(shape, timed)
      table.rows.append(
        [name] + [times.streams, times.inspections].map { ($0 * 1_000_000 / Double(timed)).formatted(digits: 1) })
    }
    Progress.end()
    return table
  }

  /// The function in which each part of a stream is read, most of the time under its lock.
  private static let lockedFunction = "$s7Streams10StreamFactO4tell2of_yyXl_yAC_SiyXlSgtXEtFZ"

  private var locks: Table {
    get throws {
      var table = Table(header: ["One part, read under its lock: most instructions", "the first time", "later"])
      for (name, workload, count) in [
        ("debounce", ReadingWorkload.oneDebounce, 1), ("zip of 63", .oneZip, 1),
        ("flatMap with 64 inner subjects", .oneFlatMap, 64),
        ("flatMap with 10,000 inner subjects", .oneFlatMap, 10_000),
        ("flatMap of whose 10,000 inner subjects the last one is left", .oneEmptiedFlatMap, 10_000),
      ] {
        Progress.show(workload.rawValue)
        let calls = try Instructions.ofCalls(of: Self.lockedFunction, in: workload.rawValue, count)
        table.rows.append(
          [name]
            + [calls.prefix(calls.count / 2), calls.suffix(calls.count / 2)].map { $0.max().map(\.grouped) ?? "–" })
      }
      Progress.end()
      return table
    }
  }
}
