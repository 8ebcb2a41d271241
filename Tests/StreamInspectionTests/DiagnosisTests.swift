import StreamInspection
import Streams
import SuiteSupport
import Testing

/// Each planted fault is named by the first sentence. Three of them need what is known only of observed streams; see
/// `ObservedStreamXCTests`.
@MainActor @Suite struct DiagnosisTests {
  @Test(
    arguments: PlantedFault.all.filter { !["dropped cancellable", "late to share", "retain cycle"].contains($0.name) })
  func `the first sentence names the fault of a stream that is not observed`(_ fault: PlantedFault) {
    let planted = fault.plant()
    planted.provoke()
    let answer = planted.cancellable.inspection.diagnosis
    planted.cancellable.cancel()
    planted.cleanUp()
    #expect(fault.isAnswered(by: answer), "\(answer)")
  }

  @Test(arguments: PlantedFault.all)
  func `a stream that delivers what is expected has none of the causes`(_ fault: PlantedFault) {
    let planted = fault.corrected()
    planted.provoke()
    let inspection = planted.cancellable.inspection
    planted.cancellable.cancel()
    planted.cleanUp()
    #expect(
      !inspection.findings.contains { [.cycle, .noDemand, .notConnected].contains($0.kind) },
      "\(inspection)")
  }
}
