import Dispatch
import StreamSchedulers
import Streams

/// The environment in which an operator is examined: its sources, its scheduler, and the objects that its closures
/// capture.
final class Bench {
  let scheduler = DispatchQueue.test
  private let script: SourceScript
  private let hasSubjects: Bool

  /// Creates a bench, whose sources are subjects if a stream is to be inspected, and obey the script otherwise.
  init(script: SourceScript = .none, hasSubjects: Bool = false) {
    self.script = script
    self.hasSubjects = hasSubjects
  }

  private(set) var probes: [ProbePublisher<ContractError>] = []
  private(set) var unfailingProbes: [ProbePublisher<Never>] = []
  private(set) weak var lastCaptive: Captive?
  private(set) var feeds: [any Feed] = []

  /// An action that runs whenever a closure of the operator is called.
  var onClosure: () -> Void = {}

  /// Indicates whether the closures of a `try…` operator throw.
  var closuresThrow = false

  /// The number of calls of closures so far.
  private(set) var closureCount = 0

  /// An action that runs in the `deinit` of every value.
  var onParcelDeinit: (() -> Void)?

  /// The values that were sent.
  private(set) var sent: [WeakReference] = []

  /// Releases the subjects, which may retain their latest value.
  func dropFeeds() { feeds = [] }

  /// Releases all publishers, and returns weak references to those that had a subscriber.
  func dropSources() -> [WeakReference] {
    let attached =
      probes.filter { !$0.records.isEmpty }.map { WeakReference(object: $0) }
      + unfailingProbes.filter { !$0.records.isEmpty }.map { WeakReference(object: $0) }
    (probes, unfailingProbes, feeds) = ([], [], [])
    return attached
  }

  /// The sources that the operator was built with. Later ones are made by its closures.
  private var builtCounts: (probes: Int, unfailingProbes: Int, feeds: Int)?

  /// Forgets the subscriptions of all sources, and the sources that closures made, so that a test can count what the
  /// operator keeps.
  func forget() {
    let counts = builtCounts ?? (probes.count, unfailingProbes.count, feeds.count)
    builtCounts = counts
    probes.removeLast(probes.count - counts.probes)
    unfailingProbes.removeLast(unfailingProbes.count - counts.unfailingProbes)
    feeds.removeLast(feeds.count - counts.feeds)
    for probe in probes { probe.forget() }
    for probe in unfailingProbes { probe.forget() }
    sent = []
  }

  func closureHasRun() {
    closureCount += 1
    onClosure()
  }

  /// Creates a source.
  func source() -> ProbePublisher<ContractError> {
    let probe = ProbePublisher(script: script)
    if hasSubjects { probe.subject = PassthroughSubject() }
    probes.append(probe)
    feeds.append(probe)
    return probe
  }

  /// Creates a source that cannot fail.
  func unfailingSource() -> ProbePublisher<Never> {
    let probe = ProbePublisher<Never>(failure: nil, script: script)
    if hasSubjects { probe.subject = PassthroughSubject() }
    unfailingProbes.append(probe)
    feeds.append(probe)
    return probe
  }

  /// Adds another feed for values.
  func feed(_ feed: any Feed) { feeds.append(feed) }

  /// Returns the object that the operator's closures must capture.
  func captive() -> Captive {
    let captive = Captive(self)
    lastCaptive = captive
    return captive
  }

  /// The records of all subscriptions of all sources.
  var records: [ProbeRecord] { probes.flatMap(\.records) + unfailingProbes.flatMap(\.records) }

  /// Puts a value into every source, without letting time pass.
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

  /// Sends several values, one after another.
  func play(_ numbers: ClosedRange<Int> = 1...3) {
    for number in numbers { send(number) }
  }

  /// Finishes every source, including those subscribed after another has finished, and lets all time pass.
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
