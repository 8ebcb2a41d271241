import ArgumentParser
import StreamsWorkloads
import Workloads

/// Runs one workload and nothing else, so that the program's instructions can be counted.
struct Count: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs one workload with one or more numbers of elements and prints its results.")

  @Argument(help: "The workload.")
  var workload: String

  @Argument(help: "The implementation.")
  var implementation: ImplementationName

  @Argument(help: "The numbers of elements, one for each run.")
  var counts: [Int]

  @Flag(help: "Inspect the streams of a workload of inspection.")
  var inspected = false

  func validate() throws {
    guard counts.allSatisfy({ $0 >= 0 }) else { throw ValidationError("A count is less than zero.") }
  }

  func run() throws {
    let run = try run(of: workload)
    for count in counts { Self.report(run(count)) }
  }

  private func run(of workload: String) throws -> (Int) -> Int {
    if let growing = GrowingWorkload(rawValue: workload), implementation == .streams {
      return { StreamsWorkloads.growing(growing, $0) }
    }
    if let inspection = InspectionWorkload(rawValue: workload), implementation == .streams {
      return { StreamsWorkloads.inspected(inspection, $0, isInspected: inspected) }
    }
    if let reading = ReadingWorkload(rawValue: workload), implementation == .streams {
      return { StreamsWorkloads.reading(reading, $0, isInspected: inspected) }
    }
    guard let workload = Workload(rawValue: workload) else {
      throw ValidationError("There is no workload '\(workload)' of \(implementation.rawValue).")
    }
    let cell = Registry.cell(workload, implementation)
    guard let run = cell.run else { throw ValidationError(cell.note ?? "") }
    return run
  }

  /// A pattern for the mangled name of the function after which the instructions of a run are counted.
  static let report = "*5CountV6report*"

  @inline(never)
  private static func report(_ result: Int) { print(result) }
}

extension Workload: ExpressibleByArgument {}
extension ImplementationName: ExpressibleByArgument {}
