import Dispatch
import StreamSchedulers
import Streams

/// Where an operator is put to be examined: its sources, its scheduler, and what its closures capture.
final class Bench {
  let scheduler = DispatchQueue.test
  private(set) var probes: [ProbePublisher<ContractError>] = []
  private(set) var unfailingProbes: [ProbePublisher<Never>] = []
  private(set) weak var lastCaptive: Captive?
  private(set) var feeds: [any Feed] = []

  /// What is done whenever a closure of the operator runs.
  var onClosure: () -> Void = {}

  /// Whether the closures of a `try…` operator throw.
  var closuresThrow = false

  /// Whether any closure has run.
  private(set) var closureCount = 0

  /// What the end of every value does.
  var onParcelDeinit: (() -> Void)?

  /// The values that were sent.
  private(set) var sent: [WeakReference] = []

  /// Lets go of subjects, which may keep their newest value.
  func dropFeeds() { feeds = [] }

  /// Lets go of all publishers, and returns those that something was attached to.
  func dropSources() -> [WeakReference] {
    let attached =
      probes.filter { !$0.records.isEmpty }.map { WeakReference(object: $0) }
      + unfailingProbes.filter { !$0.records.isEmpty }.map { WeakReference(object: $0) }
    (probes, unfailingProbes, feeds) = ([], [], [])
    return attached
  }

  func closureHasRun() {
    closureCount += 1
    onClosure()
  }

  /// A new source.
  func source() -> ProbePublisher<ContractError> {
    let probe = ProbePublisher()
    probes.append(probe)
    feeds.append(probe)
    return probe
  }

  /// A new source that cannot fail.
  func unfailingSource() -> ProbePublisher<Never> {
    let probe = ProbePublisher<Never>(failure: nil)
    unfailingProbes.append(probe)
    feeds.append(probe)
    return probe
  }

  /// Something else that values are to be put into.
  func feed(_ feed: any Feed) { feeds.append(feed) }

  /// What the operator's closures are to capture.
  func captive() -> Captive {
    let captive = Captive(self)
    lastCaptive = captive
    return captive
  }

  /// How all subscriptions of all sources were treated.
  var records: [ProbeRecord] { probes.flatMap(\.records) + unfailingProbes.flatMap(\.records) }

  /// Puts a value into every source; no time passes.
  func put(_ number: Int) {
    for feed in feeds {
      let parcel = Parcel(number, onDeinit: onParcelDeinit)
      sent.append(WeakReference(object: parcel))
      feed.send(parcel)
    }
  }

  /// Sends a value into every source, then lets time pass.
  func send(_ number: Int) {
    put(number)
    scheduler.advance(by: .seconds(1))
  }

  /// Sends some values.
  func play(_ numbers: ClosedRange<Int> = 1...3) {
    for number in numbers { send(number) }
  }

  /// Ends every source, also what is attached to it because another has ended, and lets all time pass.
  func finish() {
    for _ in 0..<4 {
      for feed in feeds { feed.finish() }
      scheduler.run()
    }
  }

  /// Fails the first source, then lets all time pass.
  func fail() {
    feeds.first?.fail()
    scheduler.run()
  }

  /// All sources.
  var sources: [any ProbeSource] { probes as [any ProbeSource] + unfailingProbes as [any ProbeSource] }
}

struct WeakReference {
  weak var object: AnyObject?
}
