import ArgumentParser
import StreamsWorkloads
import Workloads

/// Runs one workload once and nothing else, so that the program's instructions can be counted.
struct Count: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs one workload a number of times and prints its result.")

  @Argument(help: "The workload.")
  var workload: String

  @Argument(help: "The implementation.")
  var implementation: ImplementationName

  @Argument(help: "The number of times.")
  var count: Int

  @Flag(help: "Inspect the streams of a workload of inspection.")
  var inspected = false

  func validate() throws {
    guard count >= 0 else { throw ValidationError("The count is less than zero.") }
  }

  func run() throws {
    if let growing = GrowingWorkload(rawValue: workload), implementation == .streams {
      return print(StreamsWorkloads.growing(growing, count))
    }
    if let inspected = InspectionWorkload(rawValue: workload), implementation == .streams {
      return print(StreamsWorkloads.inspected(inspected, count, isInspected: self.inspected))
    }
    if let reading = ReadingWorkload(rawValue: workload), implementation == .streams {
      return print(StreamsWorkloads.reading(reading, count, isInspected: inspected))
    }
    guard let workload = Workload(rawValue: workload) else {
      throw ValidationError("There is no workload '\(workload)' of \(implementation.rawValue).")
    }
    let cell = Registry.cell(workload, implementation)
    guard let run = cell.run else { throw ValidationError(cell.note ?? "") }
    print(run(count))
  }
}

extension Workload: ExpressibleByArgument {}
extension ImplementationName: ExpressibleByArgument {}
