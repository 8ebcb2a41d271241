import Foundation
import Streams
import Testing

/// The faults are real: less arrives than is expected, and the line that is named is the reason.
@MainActor @Suite struct PlantedFaultTests {
  @Test(arguments: PlantedFault.all)
  func lessArrivesThanIsExpected(_ fault: PlantedFault) {
    #expect(fault.arriving < fault.expected)
    expect(fault.arriving, of: fault.plant)
  }

  @Test(arguments: PlantedFault.all)
  func everythingArrivesWhenTheLineIsCorrected(_ fault: PlantedFault) {
    expect(fault.expected, of: fault.corrected)
  }

  /// Plants a fault, and expects a number of values and that nothing of it is left.
  private func expect(_ count: Int, of plant: () -> Planted) {
    let released = {
      let planted = plant()
      planted.provoke()
      #expect(planted.received() == count)
      planted.cancellable.cancel()
      planted.cleanUp()
      return planted.released
    }()
    #expect(!released.isEmpty)
    #expect(released.compactMap(\.object).isEmpty)
  }

  /// The marks at the ends of the lines are there for readers, and for this.
  @Test(arguments: PlantedFault.all)
  func theLineIsTheMarkedOne(_ fault: PlantedFault) throws {
    let planted = fault.plant()
    defer {
      planted.cancellable.cancel()
      planted.cleanUp()
    }
    let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: planted.file)
    let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    let marked = lines.indices.filter { lines[$0].contains("  // Fault: ") }.map { $0 + 1 }
    #expect(marked == [planted.line])
  }

  /// The words tell the faults apart. Some are a special form of another one, whose answer is then true of them, too.
  @Test(arguments: PlantedFault.all)
  func aGoodSentenceAnswersOnlyThisFault(_ fault: PlantedFault) {
    #expect(fault.answer.joined().allSatisfy { !$0.isEmpty && $0 == $0.lowercased() })
    let general = [
      PlantedFault.moreGroupsThanSlots.name: PlantedFault.endlessInner.name,
      PlantedFault.innerWaitsForOuter.name: PlantedFault.endlessInner.name,
      PlantedFault.zipWithSlowerCopy.name: PlantedFault.silentZipSide.name,
    ]
    let answered = PlantedFault.all.filter { $0.isAnswered(by: fault.goodSentence) }.map(\.name)
    #expect(Set(answered) == Set([fault.name, general[fault.name]].compactMap(\.self)))
  }

  @Test func thereAreEighteen() {
    #expect(PlantedFault.all.count == 18)
    #expect(Set(PlantedFault.all.map(\.name)).count == 18)
  }
}
