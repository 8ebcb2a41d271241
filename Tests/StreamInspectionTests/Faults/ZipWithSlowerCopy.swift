import StreamAlgorithms
import Streams

extension PlantedFault {
  /// Every sample is to be paired with the mean of the four from there on. The stream of samples waits for the first
  /// mean, and holds back the samples that the mean needs.
  ///
  /// In Reactor, `shared.zip(shared.buffer(4))` stands still: a `publish()` with a prefetch below four waits for the
  /// side that is ahead. Here `share()` drops the samples for which that side has no demand, so that values arrive
  /// (`FlowingFormsTests`). A `BoundedSubject` drops nothing, and stands still. It takes a subscriber that requests one
  /// value at a time, such as `flatMap(maxPublishers: .max(1))`: with unlimited demand, `zip` keeps what is ahead.
  static let zipWithSlowerCopy = PlantedFault(
    name: "zip with a slower copy of itself",
    goodSentence:
      "zip waits for its second side, whose next sample waits in the BoundedSubject for room on the first side.",
    answer: [
      ["zip"], ["boundedsubject", "subject", "same", "cycle", "itself", "share", "each other"],
      ["room", "full", "bound", "demand", "cycle", "each other", "request", "deadlock", "itself"],
    ],
    arriving: 0, expected: 3,
    plant: { setUp(Smoother()) }, corrected: { setUp(SmootherOfOneStream()) })
}

@MainActor
private func setUp(_ smoother: Smoother) -> Planted {
  smoother.start()
  for sample in 1...6 { smoother.add(sample) }
  return Planted(
    cancellable: smoother.cancellable!, keepsAlive: [smoother, smoother.samples, smoother.storage],
    line: smoother.line,
    received: { smoother.storage.rows.count },
    provoke: {
      for sample in 7...12 { smoother.add(sample) }
    })
}

private final class Storage {
  var rows: [String] = []

  func write(_ row: String) -> some Publisher<Void, Never> {
    Deferred { [weak self] in Just(self?.rows.append(row) ?? ()) }
  }
}

private class Smoother {
  let samples = BoundedSubject<Int, Never>(bounded: 2)
  let storage = Storage()
  var backlog: [Int] = []
  var cancellable: AnyCancellable?
  var line = 0

  func start() {
    line = #line + 1
    let pairs = samples.zip(samples.collect(4).map(mean))  // Fault: one sample has to pass before four have.
    store(pairs)
  }

  func store(_ pairs: some Publisher<(Int, Int), Never>) {
    cancellable = pairs.flatMap(maxPublishers: .max(1)) { [storage] in storage.write("\($0) of \($1)") }.sink {}
  }

  /// Sends a sample, and before it those for which there was no room.
  func add(_ sample: Int) {
    backlog.append(sample)
    while let next = backlog.first, samples.offer(next) { backlog.removeFirst() }
  }
}

private final class SmootherOfOneStream: Smoother {
  override func start() {
    let pairs = samples.collect(4).map { ($0[0], mean($0)) }
    store(pairs)
  }
}

private func mean(_ samples: [Int]) -> Int { samples.reduce(0, +) / samples.count }
