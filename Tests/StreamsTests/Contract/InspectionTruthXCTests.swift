import Foundation
import StreamAlgorithms
import StreamInspection
import StreamSchedulers
import Streams
import XCTest

/// What an inspection must not say of any operator of the catalog. Observing changes the messages of all tests of the process,
/// so that these run one after another, before the others.
final class InspectionTruthXCTests: XCTestCase {
  override func tearDown() { StreamInspector.stop() }

  func testNothingUntrueIsSaidOfAStreamThatIsNotObserved() { checkAll() }

  func testNothingUntrueIsSaidOfAStreamThatIsObserved() {
    StreamInspector.start()
    checkAll()
  }

  private func checkAll() {
    for entry in OperatorCatalog.all {
      let bench = Bench(hasSubjects: true)
      let cancellable = entry.build(bench).sink(isolation: nil, receiveCompletion: { _ in }, receiveValue: { _ in })
      bench.scheduler.advance()
      checkNames(entry, cancellable.inspection)
      for number in 1...2 {
        bench.put(number)
        bench.scheduler.advance()
      }
      let inspection = cancellable.inspection
      checkNames(entry, inspection)
      for sentence in ["hasn't received", "sent no value", "hasn't sent", "has sent nothing", "hasn't produced"]
      where inspection.diagnosis.contains(sentence) && !Self.awaitsMore.contains(entry.name) {
        XCTFail("\(entry.name): two values were sent, but: \(inspection.diagnosis)\n\(inspection)")
      }
      cancellable.cancel()
    }
  }

  /// Sources whose task awaits the third value, and so hasn't produced its next one.
  private static let awaitsMore = [
    "AsyncSequence.publisher", "values.publisher", "values(bounded:whenFull: .wait).publisher",
  ]

  /// Checks that an inspection shows each operator at most as often as the entry contains it.
  private func checkNames(_ entry: CatalogEntry, _ inspection: Inspection) {
    let names = inspection.parts.flatMap { [$0.name] + $0.upstreams.flatMap(\.operators) }
    XCTAssertFalse(names.contains { $0.isEmpty || $0 == "an operator" }, "\(entry.name): \(inspection)")
    // The end of each entry makes text of the values, and gives the stream another type of failure.
    let program = entry.program + ".map.mapError.setFailureType"
    let exception = Self.exceptions.first { $0.entries.contains(entry.name) }
    let words = program.split { !$0.isLetter } + (exception?.names ?? []).map { $0[...] }
    // A name with a space is a description, and one with arguments that of a source's type.
    let shown = names.filter { $0 != "sink" && $0 != "@Published" && !$0.contains { " <".contains($0) } }
    for (name, same) in Dictionary(grouping: shown.map { $0.prefix { $0.isLetter } }, by: { $0 }) {
      let count = words.count { $0 == name }
      if same.count > count {
        XCTFail("\(entry.name): \(name) is shown \(same.count) times, and written \(count) times:\n\(inspection)")
      }
    }
  }

  /// Operators that are shown although the entries don't contain them.
  private static let exceptions: [(reason: String, entries: Set<String>, names: [String])] = [
    (
      "its result is a public publisher of these operators",
      [
        "toggle", "setOutputType", "flatMapLatest", "mapToResult", "mapToPhase", "withLatest(from:) with a closure",
        "withLatest(from:) of 2", "withLatest(from:) of 3", "zip of 2 with a closure",
        "combineLatest of 2 with a closure",
        "combineLatest of 3", "combineLatest of 4", "share(bounded:)", "MergeMany", "flatMapBatches(of:)",
      ], ["map", "catch", "prepend", "combineLatest", "buffer", "merge", "flatMap", "zip"]
    ),
    ("its values wait in a buffer, whose size the program states", ["Create", "BoundedSubject"], ["buffer"]),
    ("its timer is a delay, which is shown with the time that remains", ["prefix(duration:)"], ["delay"]),
    (
      "it lets values in and out at two places, and its deadline is a delay of the signal that both share",
      ["drain(when:)"], ["drain", "delay", "share", "prefix"]
    ),
    ("each group has one", ["groupBy"], ["map"]),
    ("more sources than bits in a word are combined in groups", ["zip of very many"], ["zip", "map"]),
  ]
}

extension CatalogEntry {
  /// The code that builds the stream.
  fileprivate var program: String {
    let text = (try? String(contentsOfFile: place.file, encoding: .utf8)) ?? ""
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(place.line - 1)
    let end = lines.dropFirst().firstIndex { $0.contains("CatalogEntry(") } ?? lines.endIndex
    return lines[..<end].joined(separator: "\n")
  }
}
