import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import SuiteSupport
import Testing

/// Runs the checks that users call against the catalog: none may report something that conforms.
@Suite(.ownThread) struct CatalogConformanceTests {
  /// Rules whose checks do not apply to some entries, because these do not send the same number of values for every demand,
  /// or need a request to end.
  private static let exceptions: [String: Set<String>] = {
    let dropsWithoutDemand = [
      "switchToLatest", "multicast.autoconnect", "buffer(cancel)", "merge(with:bounded, dropOldest)",
      "flatMap(bounded, dropNewest)", "Create", "flatMapFirst", "window(by:bufferSize:)", "groupBy",
      "pausable(runningWhile:buffering:)", "rateLimit", "share(replay:)",
    ]
    let dependsOnTime = ["timeout", "timeout with an error", "prefix(duration:)"]
    let endsOnRequest = [
      "append(sequence)", "Sequence of a lazy sequence", "values.publisher",
      "values(bounded:whenFull: .wait).publisher",
      "materialize.dematerialize",
    ]
    var rules: [String: Set<String>] = [:]
    for name in dropsWithoutDemand + dependsOnTime + endsOnRequest { rules[name] = ["1.5"] }
    // Its closure is called for the first value only, while that waits for a request.
    rules["flatMapFirst"] = ["1.5", "3.2"]
    return rules
  }()

  /// Returns the number of values that an entry sends if its sources send numbers on request; `nil` if it does not finish.
  private static func valueCount(of entry: CatalogEntry) -> Int? {
    if entry.exemptions[.insideRequests] == Reason.beginsAgain { return nil }
    let trial = Trial(entry, script: .numbers)
    trial.bench.scheduler.run()
    defer { trial.cancel() }
    return trial.events.last == "finished" ? trial.subscriber.values.count : nil
  }

  @Test(arguments: OperatorCatalog.all)
  func `a publisher conforms`(_ entry: CatalogEntry) {
    guard let count = Self.valueCount(of: entry), count >= 3 else { return }
    var bench = Bench(script: .numbers)
    let (violations, _) = IssueReporter.withCapture {
      ConformanceChecks.publisher(sends: count, settle: { bench.scheduler.run() }) {
        bench = Bench(script: .numbers)
        return entry.build(bench)
      }
    }
    #expect(violations.filter { Self.exceptions[entry.name]?.contains($0.rule) != true } == [])
  }

  @Test func `the checks apply to most entries`() {
    let count = OperatorCatalog.all.count { (Self.valueCount(of: $0) ?? 0) >= 3 }
    print("ConformanceChecks.publisher applies to \(count) of \(OperatorCatalog.all.count) entries.")
    #expect(count > OperatorCatalog.all.count / 2)
  }
}
