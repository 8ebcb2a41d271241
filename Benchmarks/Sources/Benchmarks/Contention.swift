import ArgumentParser
import Foundation
import Workloads

/// Measures how many values are delivered when several threads send.
struct Contention: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures how many values per second are delivered when several threads send.",
    discussion: "Implementations take turns, and the best turn counts.")

  @OptionGroup var options: StormOptions

  @Option(help: "The number of runs of each implementation.")
  var runs = 3

  @Flag(name: .customLong("guard"), help: "Fail if fewer values are delivered than with OpenCombine.")
  var isGuard = false

  @Option(help: "A file to write the results to.")
  var json: String?

  func run() throws {
    var results = ContentionResults()
    for shape in ContendedShape.allCases {
      for threads in options.threads {
        Progress.show("\(shape.rawValue), \(threads) threads")
        var best: [ImplementationName: Throughput] = [:]
        var turns = 0
        // A machine that does something else for a moment only ever makes a turn worse.
        while turns < max(runs, 1) || isGuard && turns < 5 * runs && Self.isBehind(best) {
          turns += 1
          for name in ImplementationName.besideOneAnother {
            guard let stream = Storm.stream(shape, of: name) else { continue }
            let figure = try Storm(stream, threads: threads, milliseconds: options.milliseconds).throughput()
            if figure.perSecond > best[name]?.perSecond ?? 0 { best[name] = figure }
          }
        }
        results.figures[shape, default: [:]][threads] = best
      }
      if let json { try Files.write(results, to: json) }
    }
    Progress.end()
    print(
      """
      Thousands of values in a second; and how many of them had arrived when the threads stopped sending, \
      \(results.configuration) build

      \(results.table.plain)
      """)
    guard isGuard else { return }
    print()
    try Findings(complaints: results.complaints).report(
      success: "At least as many values are delivered as with OpenCombine.")
  }
}

extension Contention {
  /// Indicates whether fewer values have been delivered than with OpenCombine.
  private static func isBehind(_ best: [ImplementationName: Throughput]) -> Bool {
    guard let streams = best[.streams]?.perSecond, let peer = best[.openCombine]?.perSecond else { return false }
    return streams < peer
  }
}

/// The number of values delivered in a second, in the form in which it is written to a file.
struct ContentionResults: Codable {
  var configuration = Build.configuration
  var swift = Build.swiftVersion
  /// The figures for each number of threads.
  var figures: [ContendedShape: [Int: [ImplementationName: Throughput]]] = [:]

  var table: Table {
    var table = Table(header: ["Stream", "threads", "Streams", "meanwhile", "OpenCombine", "meanwhile"])
    for shape in ContendedShape.allCases {
      for (threads, figures) in (figures[shape] ?? [:]).sorted(by: { $0.key < $1.key }) {
        let cells = ImplementationName.besideOneAnother.flatMap { name -> [String] in
          guard let figure = figures[name] else { return ["–", "–"] }
          let times =
            name == .streams
            ? "" : figures[.streams].map { " (\((figure.perSecond / $0.perSecond).times))" } ?? ""
          return [(figure.perSecond / 1_000).grouped + times, "\((figure.meanwhile * 100).grouped) %"]
        }
        table.rows.append([shape.rawValue, String(threads)] + cells)
      }
    }
    return table
  }

  /// The cases in which fewer values are delivered than by OpenCombine.
  var complaints: [String] {
    ContendedShape.allCases.flatMap { shape in
      (figures[shape] ?? [:]).sorted { $0.key < $1.key }.compactMap { threads, figures in
        guard let streams = figures[.streams]?.perSecond, let peer = figures[.openCombine]?.perSecond, streams < peer
        else { return nil }
        return """
          \(shape.rawValue), \(threads) threads: \(streams.grouped) values in a second, \((streams / peer).times) \
          OpenCombine's \(peer.grouped)
          """
      }
    }
  }
}
