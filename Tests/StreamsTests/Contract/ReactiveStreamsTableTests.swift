import Foundation
import StreamAlgorithms
import Streams
import Testing

@testable import StreamTesting

// `@testable`: all rules, of which a check reports only those that are violated.

/// Compares the table of the rules of Reactive Streams with the specification's numbers, the tests and the documentation.
struct ReactiveStreamsTableTests {
  private func text(_ path: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private func texts(in folder: String) throws -> [String] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    return try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
      .filter { $0.hasSuffix(".swift") }.map { try text("\(folder)/\($0)") }
  }

  /// The names of all tests of the kit.
  private let names = ConformanceIdentifiers.byRule.values.flatMap(\.self)

  @Test func `lists the 43 rules`() {
    let numbers = [11, 13, 17, 2].enumerated().flatMap { chapter, count in (1...count).map { "\(chapter + 1).\($0)" } }

    #expect(numbers.count == 43)
    #expect(ReactiveStreamsRules.all.map(\.number) == numbers)
    #expect(Set(ConformanceIdentifiers.byRule.keys) == Set(numbers + [""]))
    #expect(Set(ConformanceRule.allCases.flatMap(\.numbers)).isSubset(of: numbers))
  }

  @Test func `verifies each rule, or gives the reason why not`() {
    for rule in ReactiveStreamsRules.all {
      #expect(!rule.laws.isEmpty || !rule.scenarios.isEmpty || rule.reason != nil, "\(rule.number)")
    }
  }

  @Test func `lists each test of the kit once`() {
    #expect(names.count == 94)
    #expect(names.count { $0.hasPrefix("untested_") } == 35)
    #expect(ReactiveStreamsKit.tests.map(\.key).sorted() == names.sorted())
  }

  /// `ContractTests` checks that a law applies to most operators.
  @Test func `names tests and rules that exist`() throws {
    let tests = try text("Tests/StreamsTests/Contract/ReactiveStreamsTests.swift")
    let covered = Set(ConformanceRule.allCases.map(\.rawValue))
    for (name, coverage) in ReactiveStreamsKit.tests {
      switch coverage {
      case .checks(let rule):
        #expect(covered.contains(rule), "\(name)")
        #expect(ConformanceIdentifiers.byRule[rule]?.contains(name) == true, "\(name)")
      case .test(let test): #expect(tests.contains("func `\(test)`("), "\(name)")
      case .law, .reason: break
      }
    }
  }

  @Test func `names scenarios and races that exist`() throws {
    let (scenarios, races) = (try texts(in: "Tests/ExplorerTests"), try texts(in: "Tests/StreamsThreadingTests"))
    for rule in ReactiveStreamsRules.all {
      for name in rule.scenarios {
        let parts = name.split(separator: ": ", maxSplits: 1)
        // Many are composed of the name of a pipeline and that of a pair of calls.
        let isListed = scenarios.contains { file in
          let isComposed = file.contains("\"\(parts[0])\"") || file.contains("\"\(parts[0]): \\(name)\"")
          return file.contains("\"\(name)\"") || isComposed && file.contains("\"\(parts[1])\"")
        }
        #expect(isListed, "\(name)")
      }
      for name in rule.races { #expect(races.contains { $0.contains("func `\(name)`") }, "\(name)") }
    }
  }

  @Test func `the article shows the same`() throws {
    let article = try text("Sources/Streams/Streams.docc/ReactiveStreams.md")
    let rows = article.split(separator: "\n").filter { $0.hasPrefix("| ") }
    let checked = Set(ConformanceRule.allCases.flatMap(\.numbers))
    var ways: [String] = []
    for rule in ReactiveStreamsRules.all {
      func way(_ word: String, _ names: [String]) -> String? {
        names.isEmpty ? nil : word + (names.count > 1 ? "s " : " ") + names.map { "`\($0)`" }.joined(separator: ", ")
      }
      let parts = [
        way("law", rule.laws.map { "\(caseOf: $0)" }), checked.contains(rule.number) ? "checks" : nil,
        way("scenario", rule.scenarios), way("race", rule.races), rule.reason,
      ]
      ways.append(parts.compactMap(\.self).joined(separator: "; "))
    }
    let shown = rows.filter { $0.prefixMatch(of: #/\| \d/#) != nil }

    #expect(shown.count == 43)
    for (row, (rule, way)) in zip(shown, zip(ReactiveStreamsRules.all, ways)) {
      #expect(row.hasPrefix("| \(rule.number) | ") && row.hasSuffix(" | \(way) |"), "\(row)")
    }
    for (name, coverage) in ReactiveStreamsKit.tests {
      let way =
        switch coverage {
        case .law(let law): "law `\(caseOf: law)`"
        case .checks: "checks"
        case .test(let test): "test `\(test)`"
        case .reason(let reason): reason
        }
      #expect(rows.contains("| `\(name)` | \(way) |"), "\(name)")
    }
  }
}

extension DefaultStringInterpolation {
  /// The name of an enumeration's case, whatever its description is.
  fileprivate mutating func appendInterpolation(caseOf law: Law) {
    var text = ""
    dump(law, to: &text)
    appendLiteral(String(text.split(separator: ".").last!.prefix { $0.isLetter }))
  }
}
