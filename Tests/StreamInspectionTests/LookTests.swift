import Dispatch
import StreamSchedulers
import Testing

@testable import StreamInspection
@testable import Streams

@MainActor @Suite struct LookTests {
  @Test func look() {
    StreamInspector.start()
    defer { StreamInspector.stop() }
    for fault in PlantedFault.all {
      print("────", fault.name, fault.answer)
      let planted = fault.plant()
      planted.provoke()
      let inspection = planted.cancellable.inspection
      print(inspection)
      let text = fault.name == "dropped cancellable" ? StreamInspector.findings.last?.text ?? "" : inspection.diagnosis
      print(text)
      print(fault.isAnswered(by: text) ? "ANSWERED" : "NOT, e.g. \(fault.goodSentence)")
      planted.cancellable.cancel()
      planted.cleanUp()
    }
  }
}
