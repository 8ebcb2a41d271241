import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams

extension PlantedFault {
  /// A forecast falls back on yesterday's when the server does not answer. The request fails at once, every time, and
  /// is made again for ever, so that the fallback has no turn.
  static let endlessRetry = PlantedFault(
    name: "endless retry",
    goodSentence: "retry waits to make attempt 61: each of the 60 before has failed with unauthorized.",
    answer: [
      ["retry", "retries", "retried"], ["fail", "error", "unauthorized"],
      ["attempt", "again", "times", "each", "every", "always", "loop", "no limit", "endless"],
    ],
    arriving: 0, expected: 1,
    plant: { setUp(Weather()) }, corrected: { setUp(WeatherThatGivesUp()) })
}

@MainActor
private func setUp(_ service: Weather) -> Planted {
  service.start()
  service.scheduler.advance(by: .seconds(30))
  return Planted(
    cancellable: service.cancellable!, keepsAlive: [service, service.scheduler], line: service.line,
    received: { service.forecasts.count },
    provoke: { service.scheduler.advance(by: .seconds(30)) })
}

private enum RequestError: Error { case unauthorized }

private class Weather {
  let scheduler = DispatchQueue.test
  var forecasts: [String] = []
  var cancellable: AnyCancellable?
  var token: String?
  var line = 0

  func request() -> some Publisher<String, RequestError> {
    Deferred { [token] in
      Result<String, RequestError> { () throws(RequestError) in
        guard let token else { throw .unauthorized }
        return "sunny, says \(token)"
      }.publisher
    }
  }

  func start() {
    line = #line + 2
    cancellable = request()
      .retry(.delay(.seconds(1), maxRetries: .max), scheduler: scheduler)  // Fault: it never gives up.
      .catch { _ in Just("as yesterday") }
      .sink { [weak self] in self?.forecasts.append($0) }
  }
}

private final class WeatherThatGivesUp: Weather {
  override func start() {
    cancellable = request()
      .retry(.delay(.seconds(1), maxRetries: 3), scheduler: scheduler)
      .catch { _ in Just("as yesterday") }
      .sink { [weak self] in self?.forecasts.append($0) }
  }
}
