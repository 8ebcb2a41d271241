import StreamInspection
import Streams
import Testing

/// What every operator of the catalog must tell when a stream is inspected.
@Suite struct InspectionLawTests {
  @Test(arguments: OperatorCatalog.all)
  func `a live stream names its operators`(_ entry: CatalogEntry) {
    let bench = Bench()
    let cancellable = entry.build(bench).sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    let inspection = cancellable.inspection
    #expect(inspection.parts.first?.name == "sink")
    // The bench's sources are subscriptions of other code.
    for part in inspection.parts where part.kind != .unknown {
      // A machine or an object of the kernel that has no words shows its own name.
      #expect(!part.name.contains("Machine"), "\(inspection)")
      #expect(!part.name.contains("Subscription"), "\(inspection)")
      #expect(!part.states.contains { $0.contains("Machine") }, "\(inspection)")
    }
    #expect(!inspection.description.isEmpty)
    cancellable.cancel()
    #expect(cancellable.inspection.parts.isEmpty)
  }
}
