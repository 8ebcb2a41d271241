import StreamAlgorithms
import Streams

extension PlantedFault {
  /// The readings of five sensors, three at a time, and room for four sensors.
  ///
  /// In Reactor, a source with more groups than `flatMap` has slots stands still as a whole: `groupBy` requests no more
  /// from it while a group waits. Here `groupBy` requests unlimited demand, and groups wait without holding anything
  /// up. A finite source therefore gets through: when it ends, its groups do, and the fifth has its turn, with what its
  /// buffer has kept (`FlowingFormsTests`). What stands still is a source that does not end: its first four groups keep
  /// their slots, and nothing of the fifth ever arrives.
  static let moreGroupsThanSlots = PlantedFault(
    name: "more groups than slots",
    goodSentence: "flatMap has no free slot for another group: its 4 groups have not ended.",
    answer: [
      ["flatmap"], ["group"],
      [
        "slot", "max(4)", "maxpublishers", " 4 ", "four", "wait", "full", "limit", "occupied", "running",
        "not subscribed",
      ],
    ],
    arriving: 4, expected: 5,
    plant: { setUp(Station()) }, corrected: { setUp(RoomyStation()) })
}

@MainActor
private func setUp(_ station: Station) -> Planted {
  station.start()
  for sensor in ["north", "east", "south", "west"] { station.measure(sensor) }
  return Planted(
    cancellable: station.cancellable!, keepsAlive: [station, station.readings], line: station.line,
    received: { station.means.count },
    provoke: { station.measure("roof") })
}

private struct Reading {
  let sensor: String
  let value: Int
}

private class Station {
  let readings = PassthroughSubject<Reading, Never>()
  var means: [Int] = []
  var cancellable: AnyCancellable?
  var line = 0

  func start() {
    line = #line + 2
    cancellable = readings.groupBy({ $0.sensor }, maxGroups: 100, bufferSize: 16)
      .flatMap(maxPublishers: .max(4)) { $0.map(\.value).collect(3) }  // Fault: there are five sensors.
      .map { $0.reduce(0, +) / $0.count }
      .sink { [weak self] in self?.means.append($0) }
  }

  func measure(_ sensor: String) {
    for value in [10, 11, 12] { readings.send(Reading(sensor: sensor, value: value)) }
  }
}

private final class RoomyStation: Station {
  override func start() {
    cancellable = readings.groupBy({ $0.sensor }, maxGroups: 100, bufferSize: 16)
      .flatMap(maxPublishers: .max(100)) { $0.map(\.value).collect(3) }
      .map { $0.reduce(0, +) / $0.count }
      .sink { [weak self] in self?.means.append($0) }
  }
}
