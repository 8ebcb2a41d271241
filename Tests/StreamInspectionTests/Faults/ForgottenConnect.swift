import Streams

extension PlantedFault {
  /// Two displays share the readings of a sensor, and nobody starts them.
  static let forgottenConnect = PlantedFault(
    name: "forgotten connect",
    goodSentence: "makeConnectable() was never connected: call connect(), or use autoconnect().",
    answer: [["connect"], ["never", "nobody", "no one", "not ", "n't", "missing", "without"]],
    arriving: 0, expected: 2,
    plant: { setUp(Thermometer()) }, corrected: { setUp(ConnectedThermometer()) })
}

@MainActor
private func setUp(_ model: Thermometer) -> Planted {
  model.start()
  return Planted(
    cancellable: model.cancellables[0], keepsAlive: [model, model.sensor], line: model.line,
    received: { model.shown.count },
    provoke: {
      model.sensor.send(21)
      model.sensor.send(95)
    })
}

@MainActor
private class Thermometer {
  let sensor = PassthroughSubject<Double, Never>()
  var shown: [String] = []
  var alarmCount = 0
  var cancellables: [AnyCancellable] = []
  var line = 0

  func start() {
    line = #line + 1
    let readings = sensor.filter { $0 > -273 }.makeConnectable()  // Fault: nobody connects it.
    show(readings)
  }

  func show(_ readings: some Publisher<Double, Never>) {
    readings.map { "\($0) °C" }.sink { [weak self] in self?.shown.append($0) }.store(in: &cancellables)
    readings.filter { $0 > 90 }.sink { [weak self] _ in self?.alarmCount += 1 }.store(in: &cancellables)
  }
}

private final class ConnectedThermometer: Thermometer {
  override func start() {
    let readings = sensor.filter { $0 > -273 }.makeConnectable().autoconnect()
    show(readings)
  }
}
