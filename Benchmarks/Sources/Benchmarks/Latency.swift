import ArgumentParser
import Foundation
import Workloads

/// Measures how long `send` and `sink` take while other threads send, and how much a thread delivers for others.
struct Latency: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures the duration of a send, and of attaching a sink, while other threads send.")

  @OptionGroup var options: StormOptions

  @Option(help: "The time that a sink takes for each value, in nanoseconds.")
  var work = 1_000

  @Flag(name: .customLong("guard"), help: "Fail if a thread delivers too many values for others.")
  var isGuard = false

  @Option(help: "A file to write the results to.")
  var json: String?

  func run() throws {
    var results = LatencyResults(work: work)
    for shape in ContendedShape.allCases {
      for threads in options.threads {
        Progress.show("\(shape.rawValue), \(threads) threads")
        for name in ImplementationName.besideOneAnother {
          guard let stream = Storm.stream(shape, of: name) else { continue }
          let figures = Storm(stream, threads: threads, milliseconds: options.milliseconds).times(work: work)
          results.sends[shape, default: [:]][threads, default: [:]][name] = figures
        }
        // In OpenCombine, threads do not deliver for others that send; the thread that advances time runs the actions.
        guard shape != .testScheduler else { continue }
        results.deliveries[shape, default: [:]][threads] = longestDelivery(shape, threads)
      }
      if let json { try Files.write(results, to: json) }
    }
    for threads in options.threads {
      Progress.show("new sinks, \(threads) threads")
      for name in ImplementationName.besideOneAnother {
        guard let stream = Storm.stream(.currentValue, of: name) else { continue }
        results.sinks[threads, default: [:]][name] =
          Storm(stream, threads: threads, milliseconds: options.milliseconds).timesOfNewSinks(work: work * 100)
      }
    }
    if let json { try Files.write(results, to: json) }
    Progress.end()
    print(
      """
      Microseconds of one send, while a sink takes \(work) ns for each value; and the most values that one thread \
      delivers in one send, while there is always one more

      \(results.table.plain)

      Microseconds of a new sink that takes \(work * 100) ns for each value, while others send

      \(results.tableOfSinks.plain)
      """)
    guard isGuard else { return }
    print()
    try Findings(complaints: results.complaints).report(success: "No thread delivers too many values for others.")
  }
}

extension Latency {
  /// Returns the smallest of three counts: if a thread is kept from running when it could take over, the others deliver
  /// more. The runs are longer, because each value waits for another thread.
  private func longestDelivery(_ shape: ContendedShape, _ threads: Int) -> Int? {
    let limit = LatencyResults.mostDeliveries(shape) ?? .max
    var least: Int?
    for _ in 0..<3 {
      guard let stream = Storm.stream(shape, of: .streams) else { return nil }
      let count = Storm(stream, threads: threads, milliseconds: options.milliseconds * 5).longestDelivery()
      least = min(least ?? count, count)
      if count <= limit { break }
    }
    return least
  }
}

/// The durations of sends, in the form in which they are written to a file.
struct LatencyResults: Codable {
  /// The maximum number of deliveries in one send. After 64 deliveries for others, a thread offers its role to the next
  /// sender; it makes a few more until one takes over.
  ///
  /// There is no maximum for a thread that delivers for others in two places at once: for those that send to the same
  /// subject, and for those that send to another one that is merged with it.
  static func mostDeliveries(_ shape: ContendedShape) -> Int? {
    switch shape {
    case .subject, .subject10, .currentValue, .share10: 128
    case .merge, .testScheduler: nil
    }
  }

  var configuration = Build.configuration
  var swift = Build.swiftVersion
  /// The number of nanoseconds that a sink took for each value.
  var work: Int
  /// The durations for each number of threads.
  var sends: [ContendedShape: [Int: [ImplementationName: Percentiles]]] = [:]
  var sinks: [Int: [ImplementationName: Percentiles]] = [:]
  var deliveries: [ContendedShape: [Int: Int]] = [:]

  init(work: Int) { self.work = work }

  private static let header = ["threads", "half", "99 %", "all", "OpenCombine: half", "99 %", "all"]

  var table: Table {
    var table = Table(header: ["send"] + Self.header + ["values delivered"])
    for shape in ContendedShape.allCases {
      for (threads, figures) in (sends[shape] ?? [:]).sorted(by: { $0.key < $1.key }) {
        table.rows.append(
          [shape.rawValue] + Self.cells(threads, figures) + [deliveries[shape]?[threads]?.grouped ?? "–"])
      }
    }
    return table
  }

  var tableOfSinks: Table {
    var table = Table(header: ["sink"] + Self.header)
    for (threads, figures) in sinks.sorted(by: { $0.key < $1.key }) {
      table.rows.append([ContendedShape.currentValue.rawValue] + Self.cells(threads, figures))
    }
    return table
  }

  private static func cells(_ threads: Int, _ figures: [ImplementationName: Percentiles]) -> [String] {
    [String(threads)] + ImplementationName.besideOneAnother.flatMap { figures[$0]?.figures ?? ["–", "–", "–"] }
  }

  /// The cases in which a thread delivers more for others than permitted.
  var complaints: [String] {
    ContendedShape.allCases.flatMap { shape in
      (deliveries[shape] ?? [:]).sorted { $0.key < $1.key }.compactMap { threads, count in
        guard let limit = Self.mostDeliveries(shape), count > limit else { return nil }
        return """
          \(shape.rawValue), \(threads) threads: one thread delivers \(count.grouped) values in one send, and may \
          deliver \(limit)
          """
      }
    }
  }
}
