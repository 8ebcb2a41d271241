import StreamAlgorithms
import StreamInspection
import StreamSchedulers
import Streams
import Testing

/// What every operator of the catalog must tell when a stream is inspected.
@Suite struct InspectionLawTests {
  @Test(arguments: OperatorCatalog.all)
  func `a live stream names its operators`(_ entry: CatalogEntry) {
    let bench = Bench(hasSubjects: true)
    let cancellable = entry.build(bench).sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    bench.scheduler.advance()
    let inspection = cancellable.inspection
    #expect(inspection.parts.first?.name == "sink")
    // The bench's sources are subscriptions of other code.
    for part in inspection.parts where part.kind != .unknown {
      // A machine or an object of the kernel that has no words shows its own name.
      #expect(!part.name.contains("Machine"), "\(inspection)")
      #expect(!part.name.contains("Subscription"), "\(inspection)")
      #expect(!part.states.contains { $0.contains("Machine") }, "\(inspection)")
    }
    let names = inspection.parts.flatMap { [$0.name] + $0.upstreams.flatMap(\.operators) }
    let name = Self.base(of: Self.namesOfOthers[entry.name] ?? entry.name)
    // A stream that has ended has no parts but the sink.
    #expect(names.contains { Self.base(of: $0) == name } || names == ["sink"], "\(names)")
    #expect(!inspection.description.isEmpty)
    cancellable.cancel()
    #expect(cancellable.inspection.parts.isEmpty)
  }

  /// The name of an operator without its parameters, and without what is applied to it.
  private static func base(of name: String) -> Substring { name.prefix { $0.isLetter } }

  /// Operators that show another one, of which they are made or with which they share a type of publisher.
  private static let namesOfOthers = [
    "eraseToAnyPublisher": "map", "MergeMany": "merge", "multicast(subject:).autoconnect": "autoconnect",
    "multicast.autoconnect": "autoconnect", "makeConnectable.autoconnect": "autoconnect", "Deferred task": "Future",
    "Deferred": "PassthroughSubject", "values.publisher": "OnOneThread", "AsyncSequence.publisher": "OnOneThread",
    "values(bounded:whenFull: .wait).publisher": "OnOneThread", "ObservableObjectPublisher": "PassthroughSubject",
    "toggle": "map", "setOutputType": "map", "flatMapBatches(of:)": "zip", "mapToResult": "catch",
    "mapToPhase": "catch",
    "PassthroughRelay": "a subject", "CurrentValueRelay": "a subject", "ReplayRelay": "a subject",
  ]
}
