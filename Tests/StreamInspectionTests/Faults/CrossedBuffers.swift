import StreamAlgorithms
import Streams

extension PlantedFault {
  /// Edits are sent after each batch of changes that has been applied; changes are applied after each batch of edits
  /// that has been sent. Neither begins.
  ///
  /// The cycle is that of Reactor's `buffer(Publisher)` and `window(Publisher)`, and stands still in the same way: it
  /// is one of boundaries, not of demand. It would move on when `maxCount` values wait.
  static let crossedBuffers = PlantedFault(
    name: "two buffers, each delimited by the other's output",
    goodSentence: "buffer(by:) holds 2 values and waits for a boundary, which its own output would have to cause.",
    answer: [
      ["buffer"], ["boundary", "boundaries", "each other", "delimit", "cycle", "the other"],
      ["wait", "no boundary", "never", "has not", "not sent", "no value", "cycle", "each other", "nothing"],
    ],
    arriving: 0, expected: 1,
    plant: { setUp(Synchronization()) }, corrected: { setUp(TimedSynchronization()) })
}

@MainActor
private func setUp(_ model: Synchronization) -> Planted {
  model.start()
  model.edits.send("insert a")
  model.changes.send("delete b")
  return Planted(
    cancellable: model.cancellables[0], keepsAlive: [model, model.edits, model.changes, model.sent, model.applied],
    line: model.line,
    received: { model.sentCount },
    provoke: {
      model.edits.send("insert c")
      model.changes.send("delete d")
      model.minutes.send()
    })
}

@MainActor
private class Synchronization {
  let edits = PassthroughSubject<String, Never>()
  let changes = PassthroughSubject<String, Never>()
  let sent = PassthroughSubject<[String], Never>()
  let applied = PassthroughSubject<[String], Never>()
  let minutes = PassthroughSubject<Void, Never>()
  var sentCount = 0
  var cancellables: [AnyCancellable] = []
  var line = 0

  func start() {
    edits.buffer(by: applied, maxCount: 100).sink { [weak self] in self?.send($0) }.store(in: &cancellables)
    applyChanges()
  }

  func applyChanges() {
    line = #line + 1
    let batches = changes.buffer(by: sent, maxCount: 100)  // Fault: edits are sent when changes have been applied.
    batches.sink { [weak self] in self?.applied.send($0) }.store(in: &cancellables)
  }

  func send(_ edits: [String]) {
    sentCount += 1
    sent.send(edits)
  }
}

private final class TimedSynchronization: Synchronization {
  override func applyChanges() {
    let batches = changes.buffer(by: minutes, maxCount: 100)
    batches.sink { [weak self] in self?.applied.send($0) }.store(in: &cancellables)
  }
}
