internal import Dispatch
internal import StreamInspection
internal import Streams
internal import StreamsHummingbird
internal import Synchronization

/// Reads the streams while pages are open, on a queue of its own.
final class Inspector: Sendable {
  private struct State {
    var sessions: [String: Session] = [:]
    var isTicking = false
    var snapshot: Snapshot?
    var marks: [Mark] = []
    var lastMark = 0
    var findings: [LiveFinding] = []
    var following: AnyCancellable?
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "streams.inspector-page", qos: .utility)
  private let lints: Inspection.Thresholds?

  static let sessionLimit = 32
  private static let markLimit = 8
  private static let findingLimit = 50

  init(lints: Inspection.Thresholds?) { self.lints = lints }

  // MARK: Sessions

  /// Begins to send to a page, unless there are too many.
  func begin() -> Session? {
    let session = Session()
    let (isAccepted, isFirst) = state.withLock { state in
      guard state.sessions.count < Self.sessionLimit else { return (false, false) }
      state.sessions[session.id] = session
      return (true, state.sessions.count == 1)
    }
    guard isAccepted else { return nil }
    session.onEnd { [weak self] in self?.end($0) }
    if isFirst { follow() }
    queue.async { self.tick(isFirst: true) }
    return session
  }

  private func end(_ session: String) {
    let following = state.withLock { state in
      state.sessions[session] = nil
      return state.sessions.isEmpty ? state.following.take() : nil
    }
    following?.cancel()
  }

  /// Looks for findings while pages are open.
  private func follow() {
    guard let lints else { return }
    let following = StreamInspector.follow(lints: lints) { [weak self] event in
      if case .found(let finding) = event.kind { self?.add(finding) }
    }
    let superfluous = state.withLock { state -> AnyCancellable? in
      if state.sessions.isEmpty { return following }
      defer { state.following = following }
      return state.following
    }
    superfluous?.cancel()
  }

  private func add(_ finding: Inspection.Finding) {
    state.withLock { state in
      let time = state.snapshot?.time ?? 0
      let new = LiveFinding(kind: finding.kind.rawValue, text: finding.text, place: finding.place, time: time)
      state.findings.removeAll { $0.kind == new.kind && $0.place == new.place && new.place != nil }
      state.findings.append(new)
      if state.findings.count > Self.findingLimit { state.findings.removeFirst() }
    }
  }

  /// Changes what a page shows. Returns false if it's connected no more.
  func show(_ view: PageView, in session: String) -> Bool {
    guard let session = state.withLock({ $0.sessions[session] }) else { return false }
    session.show(view)
    return true
  }

  /// Remembers this moment, and returns its number. The oldest of eight moments is forgotten.
  func mark() async -> Int {
    await onQueue { [self] in
      let snapshot = takeSnapshot()
      return state.withLock { state in
        state.lastMark += 1
        if state.marks.count == Self.markLimit { state.marks.removeFirst() }
        state.marks.append(Mark(id: state.lastMark, snapshot))
        return state.lastMark
      }
    }
  }

  // MARK: On the queue

  private func onQueue<Result: Sendable>(_ action: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: action()) }
    }
  }

  /// Reads the streams and wakes the pages, then comes again.
  private func tick(isFirst: Bool) {
    let mayTick = state.withLock { state in
      if isFirst && state.isTicking { return false }
      state.isTicking = !state.sessions.isEmpty
      // The rates of a page that opens later begin anew.
      if state.sessions.isEmpty { state.snapshot = nil }
      return state.isTicking
    }
    guard mayTick else { return }
    let snapshot = takeSnapshot()
    for session in state.withLock({ Array($0.sessions.values) }) { session.wake() }
    // Takes at most a tenth of a core, unless there are very many streams. The first time, places are looked up.
    let milliseconds = isFirst ? 1_000 : min(max(1_000, Int(snapshot.duration.inMilliseconds * 10)), 5_000)
    queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { self.tick(isFirst: false) }
  }

  private func takeSnapshot() -> Snapshot {
    let snapshot = Snapshot(after: state.withLock { $0.snapshot })
    state.withLock { $0.snapshot = snapshot }
    return snapshot
  }

  /// Puts into words what has changed for a page.
  func render(_ session: Session) async -> [ServerSentEvent] {
    await onQueue { [self] in
      let (snapshot, marks, findings) = state.withLock { ($0.snapshot, $0.marks, $0.findings) }
      guard let snapshot else { return [] }
      let view = session.view
      return session.render(
        snapshot, view, since: marks.first { $0.id == view.mark }, findings + Self.endedFindings())
    }
  }

  /// What was found in streams that have ended, by place.
  private static func endedFindings() -> [LiveFinding] {
    var found: [String: LiveFinding] = [:]
    for finding in StreamInspector.findings {
      found[
        finding.text,
        default: LiveFinding(kind: finding.kind.rawValue, text: finding.text, place: finding.place, count: 0)
      ].count += 1
    }
    return found.values.sorted { ($1.count, $0.text) < ($0.count, $1.text) }
  }
}

/// Something that was found, for a page.
struct LiveFinding: Encodable, Equatable, Sendable {
  let kind: String
  let text: String
  let place: String?
  /// In milliseconds since streams are observed.
  var time: Int?
  var count = 1
}
