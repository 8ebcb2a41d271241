import Dispatch
import StreamSchedulers
import Streams
import SuiteSupport

extension PlantedFault {
  /// The lines that a connection reads are delivered on the queue on which it reads, which it occupies until it is
  /// closed.
  static let blockedQueue = PlantedFault(
    name: "blocked queue",
    goodSentence: "receive(on:) waits for the queue connection.read, which is busy and has run nothing since.",
    answer: [
      ["queue", "receive(on", "connection.read"],
      ["block", "busy", "not run", "not come", "occupied", "has not", "stuck", "never ran", "not started", "wait"],
    ],
    arriving: 0, expected: 3,
    plant: { setUp(Transcript()) }, corrected: { setUp(TranscriptOnItsOwnQueue()) })
}

@MainActor
private func setUp(_ transcript: Transcript) -> Planted {
  transcript.connection.open()
  transcript.start()
  transcript.lines.send("HELO")
  return Planted(
    cancellable: transcript.cancellable!, keepsAlive: [transcript, transcript.connection, transcript.lines],
    line: transcript.line,
    received: { transcript.shown.value.count },
    provoke: {
      transcript.lines.send("MAIL")
      transcript.lines.send("QUIT")
      transcript.queue.sync {}
    },
    cleanUp: { transcript.connection.close() })
}

/// A connection that reads in a loop, on a queue of its own.
private final class Connection {
  let readQueue = DispatchQueue(label: "connection.read")
  private let isClosed = DispatchSemaphore(value: 0)

  /// Starts to read: that blocks the queue until the connection is closed.
  func open() { readQueue.async { [isClosed] in isClosed.wait() } }

  /// Stops reading, and returns when the queue has done all that it had to do.
  func close() {
    isClosed.signal()
    readQueue.sync {}
  }
}

private class Transcript {
  let connection = Connection()
  let lines = PassthroughSubject<String, Never>()
  let queue = DispatchQueue(label: "transcript")
  let shown = Locker<[String]>([])
  var cancellable: AnyCancellable?
  var line = 0

  func start() {
    line = #line + 2
    cancellable = lines.map { "> \($0)" }
      .receive(on: connection.readQueue)  // Fault: the connection reads there, and lets nothing else run.
      .sink { [shown] line in shown.change { $0.append(line) } }
  }
}

private final class TranscriptOnItsOwnQueue: Transcript {
  override func start() {
    cancellable = lines.map { "> \($0)" }
      .receive(on: queue)
      .sink { [shown] line in shown.change { $0.append(line) } }
  }
}
