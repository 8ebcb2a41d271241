import StreamInspection
import Streams
import StreamsTestSupport
import Testing

/// Each planted fault is named by the first sentence, and the text shows where to look.
@MainActor @Suite(.serialized) struct DiagnosisTests {
  // These need what is known only of observed streams; the others are asked below. Places are looked up in the debugging
  // information of the whole test program, which takes seconds for each.
  @Test(arguments: [PlantedFault.droppedCancellable, .lateToShare, .retainCycle])
  func `the first sentence names the fault of a stream that is observed`(_ fault: PlantedFault) {
    StreamInspector.start()
    defer { StreamInspector.stop() }
    let planted = fault.plant()
    planted.provoke()
    let answer = answer(planted, fault)
    let tree = "\(planted.cancellable)"
    planted.cancellable.cancel()
    planted.cleanUp()
    let sentence = answer.prefix { $0 != "." } + "."
    #expect(fault.isAnswered(by: answer), "\(answer)\n\(tree)")
    #expect(!sentence.isEmpty)
    // On Linux, with debugging symbols, the text leads to the file.
    #if os(Linux) && compiler(>=6.3) && compiler(<6.4)
      #expect((answer + tree).contains(planted.file), "\(answer)\n\(tree)")
    #endif
  }

  private func answer(_ planted: Planted, _ fault: PlantedFault) -> String {
    // The stream whose cancellable was dropped is not there any more.
    guard fault.name == "dropped cancellable" else { return planted.cancellable.inspection.diagnosis }
    return StreamInspector.findings.last?.text ?? ""
  }

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
