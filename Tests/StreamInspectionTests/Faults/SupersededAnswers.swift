import Dispatch
import StreamSchedulers
import Streams

extension PlantedFault {
  /// A price is asked for every second, and the answer takes two: each question cancels the one before.
  static let supersededAnswers = PlantedFault(
    name: "switchToLatest that is always superseded",
    goodSentence:
      "switchToLatest has cancelled 9 inner publishers before they sent a value: a newer one replaced each.",
    answer: [
      ["switchtolatest", "switch"], ["cancel", "supersede", "replace", "newer", "switched", "before"],
      ["before", "without a value", "no value", "each", "every", "always", "none", "never"],
    ],
    arriving: 0, expected: 3,
    plant: { setUp(Ticker()) }, corrected: { setUp(PatientTicker()) })
}

@MainActor
private func setUp(_ model: Ticker) -> Planted {
  model.start()
  model.scheduler.advance(by: .seconds(4))
  return Planted(
    cancellable: model.cancellables[0], keepsAlive: [model, model.scheduler], line: model.line,
    received: { model.prices.count },
    provoke: { model.scheduler.advance(by: .seconds(6)) })
}

/// A server that takes its time.
private struct PriceServer {
  let scheduler: TestSchedulerOf<DispatchQueue>

  func price() -> some Publisher<Int, Never> { Just(42).delay(for: .seconds(2), scheduler: scheduler) }
}

@MainActor
private class Ticker {
  let scheduler = DispatchQueue.test
  var prices: [Int] = []
  var cancellables: [AnyCancellable] = []
  var line = 0

  func start() {
    let server = PriceServer(scheduler: scheduler)
    line = #line + 2
    scheduler.timerPublisher(every: .seconds(1)).autoconnect()
      .map { _ in server.price() }.switchToLatest()  // Fault: the next second comes before the answer.
      .sink { [weak self] in self?.prices.append($0) }
      .store(in: &cancellables)
  }
}

private final class PatientTicker: Ticker {
  override func start() {
    let server = PriceServer(scheduler: scheduler)
    scheduler.timerPublisher(every: .seconds(1)).autoconnect()
      .flatMap(maxPublishers: .max(1)) { _ in server.price() }
      .sink { [weak self] in self?.prices.append($0) }
      .store(in: &cancellables)
  }
}
