import Dispatch
@testable import StreamInspection
import StreamSchedulers
import Streams
import Testing

@MainActor @Suite struct LookTests {
  @Test func look() {
    let f = Future<Int, Never> { _ in }
    let fs = f.map { $0 + 1 }.sink { _ in }
    print(fs); print(fs.inspection.diagnosis)
    for fault in PlantedFault.all {
      print("────", fault.name, fault.answer)
      let planted = fault.plant()
      planted.provoke()
      let inspection = planted.cancellable.inspection
      print(inspection)
      print(inspection.diagnosis)
      print(fault.isAnswered(by: inspection.diagnosis) ? "ANSWERED" : "NOT, e.g. \(fault.goodSentence)")
      planted.cancellable.cancel()
      planted.cleanUp()
    }
  }
}
