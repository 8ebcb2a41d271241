import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams

extension PlantedFault {
  /// Two devices are to be started one after the other, each when the server says that it is ready. The server is asked
  /// once: `repeat()` subscribes again every second, and `share(replay:)`, which has finished, replays the old answer.
  ///
  /// A repetition of a replayed stream has no end of its own, and keeps its slot of a bounded `flatMap`, in Reactor as
  /// here. Nothing waits for demand: it goes round for ever, since no value passes the `first` that would end it.
  /// Without the delay, it would go round on the subscribing thread, as the documentation of `repeat()` says, and the
  /// program would hang; a limited repetition gets through (`FlowingFormsTests`).
  static let repeatedReplay = PlantedFault(
    name: "repeated share(replay:) in a bounded flatMap",
    goodSentence: "share(replay: 1) has finished, and replays the same value to each repetition of the inner stream.",
    answer: [
      ["share", "replay"], ["repeat", "again", "repetition", "each time", "every time", "same", "old", "resubscri"],
      ["finish", "ended", "complet", "over", "same", "old", "once", "first"],
    ],
    arriving: 0, expected: 2,
    plant: { setUp(Startup()) }, corrected: { setUp(AskingStartup()) })
}

@MainActor
private func setUp(_ startup: Startup) -> Planted {
  startup.start(["printer", "scanner"])
  startup.scheduler.advance(by: .seconds(3))
  return Planted(
    cancellable: startup.cancellable!, keepsAlive: [startup, startup.server, startup.scheduler], line: startup.line,
    received: { startup.started.count },
    provoke: {
      startup.server.isReady = true
      startup.scheduler.advance(by: .seconds(10))
    })
}

private final class StatusServer {
  var isReady = false
}

private class Startup {
  let server = StatusServer()
  let scheduler = DispatchQueue.test
  var started: [String] = []
  var cancellable: AnyCancellable?
  var line = 0

  func start(_ devices: [String]) {
    line = #line + 1
    let isReady = Deferred { [server] in Just(server.isReady) }.share(replay: 1)  // Fault: the server is asked once.
    start(devices, when: isReady)
  }

  func start(_ devices: [String], when isReady: some Publisher<Bool, Never>) {
    cancellable = devices.publisher
      .flatMap(maxPublishers: .max(1)) { [scheduler] device in
        isReady.delay(for: .seconds(1), scheduler: scheduler).repeat().first { $0 }.map { _ in device }
      }
      .sink { [weak self] in self?.started.append($0) }
  }
}

private final class AskingStartup: Startup {
  override func start(_ devices: [String]) {
    let isReady = Deferred { [server] in Just(server.isReady) }
    start(devices, when: isReady)
  }
}
