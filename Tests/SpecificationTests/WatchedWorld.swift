import StreamInspection
import Streams

/// A world in which each subscription gets a second one, by a sink. Before each step, the inspection is asked what prevents that
/// sink's first value. If it accuses a part of the stream, and the value arrives nevertheless, the accusation was wrong.
final class WatchedWorld: Bench {
  /// A sink, and what has been said of it.
  private final class Watched {
    var cancellable: AnyCancellable?
    var accusation: String?
    var hasReceived = false
  }

  private let world: World
  private let thresholds: Inspection.Thresholds
  private var watched: [Watched] = []
  private(set) var inspections = 0
  private(set) var accusations = 0
  /// The accusations that were wrong.
  private(set) var wrong: [String] = []

  init(_ world: World, _ observation: Observation, _ thresholds: Inspection.Thresholds) {
    self.world = world
    self.thresholds = thresholds
    observation.bench = self
  }

  func perform(_ step: Step) {
    world.perform(step)
    if case .subscribe = step { subscribe() }
    watch()
  }

  private func subscribe() {
    let new = Watched()
    watched.append(new)
    new.cancellable = world.publisher.sink(isolation: nil) { [unowned new] _ in
      new.cancellable = nil
      new.hasReceived = true
    } receiveValue: { [weak self, unowned new] _ in
      if !new.hasReceived, let accusation = new.accusation { self?.wrong.append(accusation) }
      new.hasReceived = true
    }
    if new.hasReceived { new.cancellable = nil }
  }

  private func watch() {
    for one in watched where !one.hasReceived {
      guard let cancellable = one.cancellable else { continue }
      let inspection = Inspection(of: cancellable, thresholds: thresholds)
      inspections += 1
      // What the program itself has to do: to request, to connect.
      let finding = inspection.findings.first { ![.noDemand, .notConnected].contains($0.kind) }
      if finding != nil { accusations += 1 }
      one.accusation = finding.map { "\($0.kind): \($0.text)\n\(inspection)" }
    }
  }

  func cancelAll() {
    watched = []
    world.cancelAll()
  }

  func now(_ clock: Clock) -> Int { world.now(clock) }

  func advance(_ clock: Clock) {
    world.advance(clock)
    watch()
  }

  func schedule(at time: Int, _ action: @escaping () -> Void) { world.schedule(at: time, action) }

  var pendingCounts: [Int] { world.pendingCounts }
  var probes: [Int: ProbeRecord] { world.probes }
}
