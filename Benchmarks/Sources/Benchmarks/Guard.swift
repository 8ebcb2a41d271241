import ArgumentParser
import Foundation
import Workloads

/// Detects when Streams becomes slower.
struct Guard: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares the costs of Streams with the accepted counts and the promised ceilings.",
    discussion: """
      Fails when a workload costs more than its ceiling, which is a promise, or more than its tolerance above the count \
      that was last accepted. Accepted counts are those of one version of Swift: with another one only the ceilings are \
      compared.
      """)

  @Flag(help: "Accept the current costs of the workloads.")
  var accept = false

  @Option(help: "The file with ceilings and accepted counts.")
  var file = Files.package.appendingPathComponent("ceilings.json").path

  func run() throws {
    guard Instructions.valgrind != nil else {
      return print("valgrind is not installed: instruction counts are not compared")
    }
    guard !Build.isDebug else { throw Failure("Ceilings apply to release builds only: swift run -c release …") }
    var ceilings = try Files.read(Ceilings.self, from: file)
    let isOtherSwift = ceilings.swift != Build.swiftVersion
    var table = Table(header: ["Workload", "cost", "accepted", "ceiling"])
    var complaints: [String] = []
    var hints: [String] = []
    let comparesAccepted = !accept && !isOtherSwift
    func add(_ name: String, _ cost: Int, _ entry: Ceilings.Entry) {
      table.rows.append([
        name, cost.grouped, isOtherSwift ? "–" : entry.accepted.grouped, entry.ceiling?.grouped ?? "–",
      ])
      if let complaint = entry.complaint(cost, comparesAccepted: comparesAccepted) {
        complaints.append("\(name) costs \(cost.grouped): \(complaint)")
      }
      if comparesAccepted, entry.isMuchLess(cost) { hints.append(name) }
    }
    func compare<Name: RawRepresentable<String> & CaseIterable & Hashable & Sendable>(
      _ entries: WritableKeyPath<Ceilings, [Name: Ceilings.Entry]>,
      _ cost: @Sendable (Name, Ceilings.Entry) throws -> Int
    ) throws {
      let names = Name.allCases.filter { name in
        if ceilings[keyPath: entries][name] == nil { complaints.append("\(name.rawValue) is missing in \(file)") }
        return ceilings[keyPath: entries][name] != nil
      }
      let accepted = ceilings[keyPath: entries]
      let costs = try Instructions.concurrently(names) { name in
        Progress.show(name.rawValue)
        return try cost(name, accepted[name]!)
      }
      for (name, cost) in zip(names, costs) {
        add(name.rawValue, cost, accepted[name]!)
        if accept { ceilings[keyPath: entries][name]?.accepted = cost }
      }
    }
    try compare(\.workloads, Self.cost)
    try compare(\.inspection) { workload, _ in try Self.cost(workload) }
    Progress.end()
    print("Instructions per element, Swift \(Build.swiftVersion)\n\n\(table.plain)\n")
    if accept {
      ceilings.swift = Build.swiftVersion
      try Files.write(ceilings, to: file)
      print("The accepted counts have been updated.")
    } else if isOtherSwift {
      print("The accepted counts were measured with Swift \(ceilings.swift): only ceilings are compared.")
    }
    if !hints.isEmpty {
      print("Cheaper than accepted: \(hints.joined(separator: ", ")). To accept this: \(Self.acceptCommand)")
    }
    guard complaints.isEmpty else {
      print(complaints.map { "error: \($0)" }.joined(separator: "\n"))
      // The requested action is done.
      if accept { return }
      print(
        """

        Make it cheaper. If it is worth its price, accept it, and say why in the commit:
          \(Self.acceptCommand)
        Ceilings are promises, and are not raised.
        """)
      throw ExitCode.failure
    }
    if !accept { print("No workload exceeds its limit.") }
  }

  private static let acceptCommand = "swift run -c release --package-path Benchmarks Benchmarks guard --accept"

  /// Returns the cost: a single count, or the median of three for a workload whose counts differ from run to run.
  private static func cost(_ workload: Workload, _ entry: Ceilings.Entry) throws -> Int {
    let counts = try (0..<(entry.tolerance == nil ? 1 : 3)).map { _ in
      try Instructions.perElement(workload.rawValue, .streams, Sizes(workload, .streams))
    }
    return Int(counts.sorted()[counts.count / 2].rounded())
  }

  /// Returns by how much an element costs more while its stream is inspected.
  private static func cost(_ workload: InspectionWorkload) throws -> Int {
    let (off, on) = try Inspect.costs(workload)
    return Int((on - off).rounded())
  }
}

/// The permitted costs of workloads: the file `ceilings.json`.
struct Ceilings: Codable {
  /// The version of Swift to which the accepted counts belong.
  var swift: String
  var workloads: [Workload: Entry]
  /// What the inspection of streams adds to a workload.
  var inspection: [InspectionWorkload: Entry]

  struct Entry: Codable {
    /// The cost that was last accepted.
    var accepted: Int
    /// The maximum cost, if one has been promised.
    var ceiling: Int?
    /// The percentage by which the cost may exceed the accepted one, if it is not five, and the reason.
    var tolerance: Int?
    var reason: String?

    var allowedPercent: Int { tolerance ?? 5 }

    /// Returns a complaint about a cost, if there is one.
    func complaint(_ cost: Int, comparesAccepted: Bool) -> String? {
      var complaints: [String] = []
      if comparesAccepted,
        let complaint = Accepted.complaint(cost, accepted: accepted, allowedPercent: allowedPercent)
      {
        complaints.append(complaint)
      }
      if let ceiling, cost > ceiling {
        complaints.append("\(Accepted.percent(cost, ceiling)) more than its ceiling of \(ceiling.grouped)")
      }
      return complaints.isEmpty ? nil : complaints.joined(separator: "; ")
    }

    func isMuchLess(_ cost: Int) -> Bool {
      Accepted.isMuchLess(cost, accepted: accepted, allowedPercent: allowedPercent)
    }
  }
}
