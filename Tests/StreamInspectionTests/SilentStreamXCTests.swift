import Dispatch
import Foundation
import StreamAlgorithms
import StreamFoundation
import StreamInspection
import StreamSchedulers
import Streams
import XCTest

/// Streams from which nothing arrives, and their working twins, while streams are observed: the diagnosis of the first names
/// the operator to change and its line, and that of the second accuses nothing.
final class SilentStreamXCTests: XCTestCase {
  private let subject = PassthroughSubject<Int, Never>()
  private let time = DispatchQueue.test
  private var cancellables: [AnyCancellable] = []

  override func setUp() { StreamInspector.start() }

  override func tearDown() {
    cancellables = []
    StreamInspector.stop()
  }

  private func send(_ values: Int...) { values.forEach(subject.send) }

  /// Expects that the diagnosis begins with a text, in which `LINE` stands for a place, and whether it is a finding.
  private func expect(
    _ text: String, of stream: AnyCancellable, at line: Int? = nil, isFinding: Bool = true, caller: UInt = #line
  ) {
    let inspection = stream.inspection
    let place = Self.canLookUpPlaces ? " (SilentStreamXCTests.swift:\(line ?? 0))" : ""
    let expected = text.replacingOccurrences(of: " LINE", with: place)
    XCTAssert(inspection.diagnosis.hasPrefix(expected), inspection.diagnosis, line: caller)
    XCTAssertEqual(inspection.findings.isEmpty, !isFinding, "\(inspection.findings)", line: caller)
    if isFinding, let line, Self.canLookUpPlaces {
      XCTAssertEqual(inspection.findings.first?.place, "SilentStreamXCTests.swift:\(line)", line: caller)
    }
    cancellables.append(stream)
  }

  /// Expects what the first finding is as soon as the stream has been silent for long, since another value may pass until then.
  private func expectFinding(
    _ kind: Inspection.Cause, of stream: AnyCancellable, at line: Int, caller: UInt = #line
  ) {
    var thresholds = Inspection.Thresholds()
    thresholds.silence = .zero
    let first = Inspection(of: stream, thresholds: thresholds).findings.first
    XCTAssertEqual(first?.kind, kind, line: caller)
    if Self.canLookUpPlaces { XCTAssertEqual(first?.place, "SilentStreamXCTests.swift:\(line)", line: caller) }
  }

  /// Expects that a stream is told that it is idle.
  private func expectIdle(_ stream: AnyCancellable, _ count: Int, caller: UInt = #line) {
    let inspection = stream.inspection
    XCTAssert(
      inspection.diagnosis.hasPrefix("Idle: \(count) value\(count == 1 ? "" : "s") delivered"), inspection.diagnosis,
      line: caller)
    XCTAssertEqual(inspection.findings, [], line: caller)
    cancellables.append(stream)
  }

  // MARK: Values that are dropped

  func testAppendAwaitsTheEndOfItsFirstPublisher() {
    let stored = CurrentValueSubject<Int, Never>(1)
    let line = UInt(#line - 1)
    let silent = stored.filter { $0 > 1 }.append(subject).sink { _ in }
    let stream = stored.append(subject).sink { _ in }
    send(2)
    let name = "CurrentValueSubject<Int, Never>\(Self.canLookUpPlaces ? " (SilentStreamXCTests.swift:\(line))" : "")"
    let inspection = stream.inspection
    XCTAssert(
      inspection.diagnosis.contains(
        "subscribes to the publisher that follows when \(name) has finished. Before: 1 value"),
      inspection.diagnosis)
    XCTAssertEqual(inspection.findings, [])
    let first = PassthroughSubject<Int, Never>()
    let empty = first.append(subject).sink { _ in }
    XCTAssert(
      empty.inspection.diagnosis.contains("subscribes to the publisher that follows"), empty.inspection.diagnosis)
    first.send(completion: .finished)
    stored.send(completion: .finished)
    send(3)
    XCTAssert(stream.inspection.diagnosis.hasPrefix("Idle: 2 values delivered"), stream.inspection.diagnosis)
    XCTAssertFalse(stream.inspection.diagnosis.contains("follows"), stream.inspection.diagnosis)
    XCTAssertFalse(silent.inspection.diagnosis.contains("follows"), silent.inspection.diagnosis)
  }

  func testAFilterThatPassesNothing() {
    let silent =
      subject
      .map { $0 * 2 }
      .filter { $0 > 100 }
      .map { $0 + 1 }
      .sink(isolation: nil) { _ in }
    let line = #line - 3
    let working = subject.map { $0 * 2 }.filter { $0 < 100 }.sink(isolation: nil) { _ in }
    send(1, 2, 3)
    expect("filter LINE has received 3 values and let none through.", of: silent, at: line, isFinding: false)
    expectFinding(.dropped, of: silent, at: line)
    XCTAssert(silent.description.contains("← filter (3 in, 0 out) ←"), silent.description)
    expectIdle(working, 3)
  }

  func testAFilterAboveOneSideOfAZip() {
    let other = PassthroughSubject<Int, Never>()
    let silent = subject.zip(other.filter { $0 > 100 }).sink(isolation: nil) { _ in }
    let line = #line - 1
    send(1)
    other.send(2)
    let diagnosis = silent.inspection.diagnosis
    XCTAssert(
      diagnosis.hasPrefix(
        Self.canLookUpPlaces ? "zip (SilentStreamXCTests.swift:\(line)) is waiting for its right" : "zip"),
      diagnosis)
    XCTAssert(diagnosis.contains("filter has received 1 value and let none through."), diagnosis)
    cancellables.append(silent)
  }

  func testACompactMapBehindAnErasedPublisher() {
    let even = subject.compactMap { $0 % 2 == 0 ? $0 : nil }.eraseToAnyPublisher()
    let silent = even.scan(0, +).sink(isolation: nil) { _ in }
    send(1, 3)
    let place = Self.canLookUpPlaces ? " (SilentStreamXCTests.swift:\(#line - 3))" : ""
    expect("compactMap\(place) has received 2 values and let none through.", of: silent, isFinding: false)
    send(4)
    expectIdle(silent, 1)
  }

  func testAStageThatPassesNothing() {
    let silent = subject.removeDuplicates().dropFirst(5).sink(isolation: nil) { _ in }
    let line = #line - 1
    send(1, 2)
    expect("dropFirst LINE has received 2 values and let none through.", of: silent, at: line, isFinding: false)
    expectFinding(.dropped, of: silent, at: line)
  }

  func testEqualValues() {
    let silent = subject.removeDuplicates().sink(isolation: nil) { _ in }
    let line = #line - 1
    send(7, 7, 7, 7, 7)
    expect("removeDuplicates LINE has let 1 of 5 values through.", of: silent, at: line, isFinding: false)
  }

  func testAClosedGate() {
    let isOpen = CurrentValueSubject<Bool, Never>(false)
    let silent = subject.pausable(runningWhile: isOpen).sink(isolation: nil) { _ in }
    let line = #line - 1
    send(1, 2)
    expect(
      "pausable(runningWhile:) LINE is closed: it has received 2 values and let none through", of: silent, at: line,
      isFinding: false)
    isOpen.send(true)
    send(3)
    expectIdle(silent, 1)
  }

  func testValuesThatABoundaryReleasesAreNotDropped() {
    let boundary = PassthroughSubject<Void, Never>()
    let silent = subject.buffer(by: boundary, maxCount: 100).sink(isolation: nil) { _ in }
    send(1, 2, 3, 4, 5)
    XCTAssert(silent.inspection.findings.isEmpty, silent.inspection.diagnosis)
    boundary.send()
    expectIdle(silent, 1)
  }

  // MARK: Results that wait

  func testResultsThatWaitForTheEnd() {
    let silent = subject.filter { $0 > 1 }.collect().sink(isolation: nil) { _ in }
    let line = #line - 1
    let undecided = subject.first { $0 > 100 }.sink(isolation: nil) { _ in }
    let undecidedLine = #line - 1
    let ignored = subject.ignoreOutput().sink(isolation: nil, receiveCompletion: { _ in }, receiveValue: { _ in })
    let ignoredLine = #line - 1
    send(1, 2, 3)
    expect(
      "collect LINE has received 2 values, and sends its result when its source finishes", of: silent, at: line,
      isFinding: false)
    expect(
      "first LINE has received 3 values, none of which has decided its result.", of: undecided, at: undecidedLine,
      isFinding: false)
    expect(
      "ignoreOutput LINE has received 3 values, all of which it drops", of: ignored, at: ignoredLine, isFinding: false)
  }

  // MARK: Time

  func testVirtualTimeThatNobodyAdvances() {
    let silent = subject.delay(for: .seconds(1), scheduler: time).sink(isolation: nil) { _ in }
    let line = #line - 1
    send(1)
    expect(
      "1 value is waiting in delay LINE for virtual time to advance, due in 1 s. Call advance", of: silent, at: line,
      isFinding: false)
    expectFinding(.timeStandsStill, of: silent, at: line)
    time.advance(by: .seconds(1))
    expectIdle(silent, 1)
    send(2)
    // Somebody advances it, so this isn't wrong yet.
    XCTAssertEqual(silent.inspection.findings, [])
  }

  func testADebounceThatIsAlwaysSuperseded() {
    let silent = subject.debounce(for: .seconds(1), scheduler: time).sink(isolation: nil) { _ in }
    let line = #line - 1
    for value in 1...6 {
      send(value)
      time.advance(by: .milliseconds(500))
    }
    expect(
      "debounce LINE has received 6 values and sent none: each one came before the previous one was due. Shorten",
      of: silent, at: line, isFinding: false)
    expectFinding(.superseded, of: silent, at: line)
    time.advance(by: .seconds(1))
    expectIdle(silent, 1)
  }

  func testTimers() {
    let unconnected = time.timerPublisher(every: .seconds(1))
      .sink(isolation: nil) { _ in }
    let line = #line - 2
    let connected = time.timerPublisher(every: .seconds(1)).autoconnect().sink(isolation: nil) { _ in }
    let connectedLine = #line - 1
    let immediate = DispatchQueue.immediate.timerPublisher(every: .seconds(1)).autoconnect().dropFirst(2)
      .first { _ in true }.sink(isolation: nil) { _ in }
    expect("Timer LINE isn't connected, so it doesn't tick. Call autoconnect()", of: unconnected, at: line)
    expect(
      "Timer LINE hasn't ticked, because the virtual time of its test scheduler has never been advanced. Call",
      of: connected,
      at: connectedLine, isFinding: false)
    expectFinding(.timeStandsStill, of: connected, at: connectedLine)
    XCTAssert(connected.description.contains("← autoconnect ← Timer"), connected.description)
    XCTAssertFalse(immediate.inspection.findings.isEmpty)
    time.advance(by: .seconds(3))
    expectIdle(connected, 3)
    cancellables.append(immediate)
  }

  func testTheNumberOfAttempts() {
    struct Refused: Error {}
    let policy = RetryPolicy.exponentialBackoff(first: .seconds(1), longest: .seconds(1), maxRetries: 1_000)
    let silent = Fail<Int, Refused>(error: Refused()).retry(policy, scheduler: time)
      .sink(isolation: nil, receiveCompletion: { _ in }, receiveValue: { _ in })
    let line = #line - 2
    time.advance(by: .seconds(1))
    expect(
      "retry(_:scheduler:) LINE has failed 2 times and waits for its next attempt", of: silent, at: line,
      isFinding: false)
    time.advance(by: .seconds(10))
    expect(
      "retry(_:scheduler:) LINE has made 12 attempts that failed. To see", of: silent, at: line,
      isFinding: false)
    expectFinding(.retries, of: silent, at: line)
  }

  // MARK: Sources

  func testASubjectThatNothingElseHolds() {
    func values() -> AnyPublisher<Int, Never> { PassthroughSubject<Int, Never>().map { $0 + 1 }.eraseToAnyPublisher() }
    let lost = values().sink(isolation: nil) { _ in }
    XCTAssertEqual(lost.inspection.findings.map(\.kind), [.neverAgain])
    let held = subject.sink(isolation: nil) { _ in }
    XCTAssertEqual(held.inspection.findings, [])
    XCTAssert(held.inspection.diagnosis.contains("has sent this stream no value"))
    cancellables += [lost, held]
  }

  func testSourcesOfThePackageAreNamed() {
    let created = CreatePublisher<Int, Never> { _ in AnyCancellable {} }.sink(isolation: nil) { _ in }
    let origin = Self.canLookUpPlaces ? ", in the stream at SilentStreamXCTests.swift:\(#line - 1)" : ""
    expect("Create hasn't sent a value\(origin).", of: created, isFinding: false)
    let observed = subject.buffer(size: 4, prefetch: .keepFull, whenFull: .dropNewest).map { $0 }
    let subscriber = Unwilling()
    observed.subscribe(subscriber)
    send(1, 2)
    let inspection = subscriber.subscription.map { Inspection(of: $0) }
    XCTAssertEqual(
      inspection?.diagnosis.hasPrefix("No demand: 2 values are waiting in buffer, because Unwilling hasn't"),
      true,
      inspection?.diagnosis ?? "")
  }

  func testACancellableWithoutAStream() {
    let cancellable = AnyCancellable {}
    XCTAssertEqual(cancellable.inspection.findings, [])
    XCTAssert(cancellable.inspection.diagnosis.contains("belongs to no stream"), cancellable.inspection.diagnosis)
  }

  func testValuesThatWereSentBeforeTheSubscription() {
    let early = PassthroughSubject<Int, Never>()
    let line = #line - 1
    early.send(1)
    early.send(2)
    let place = Self.canLookUpPlaces ? " (the first at SilentStreamXCTests.swift:\(#line - 2))" : ""
    let silent = early.sink(isolation: nil) { _ in }
    expect(
      "PassthroughSubject<Int, Never> LINE was sent 2 values\(place) before this stream subscribed to it, and none since.",
      of: silent, at: line, isFinding: false)
    expectFinding(.waitsForSource, of: silent, at: line)
    early.send(3)
    expectIdle(silent, 1)
    // A current value isn't lost.
    let state = CurrentValueSubject<Int, Never>(1)
    state.send(2)
    expectIdle(state.sink(isolation: nil) { _ in }, 1)
  }

  func testASubjectThatIsSendingIsNotSaidToHaveBeenSentNothing() {
    var diagnosis = ""
    var waiting: AnyCancellable?
    let sending = subject.prefix(1).sink(isolation: nil) { [subject] _ in
      waiting = subject.sink(isolation: nil) { _ in }
      // It waits for the present delivery.
      subject.send(2)
      diagnosis = waiting?.inspection.diagnosis ?? ""
    }
    send(1)
    XCTAssert(
      diagnosis.contains("is sending a value") && !diagnosis.contains("has sent this stream no value"), diagnosis)
    cancellables += [sending, waiting].compactMap { $0 }
  }

  func testDropFirstIsNotAccusedOfItsFirstValue() {
    let state = CurrentValueSubject<Int, Never>(1)
    let line = #line - 1
    let silent = state.dropFirst().sink(isolation: nil) { _ in }
    let place = Self.canLookUpPlaces ? " (SilentStreamXCTests.swift:\(#line - 1))" : ""
    expect(
      "CurrentValueSubject<Int, Never> LINE has sent 1 value so far. dropFirst\(place) drops the first one.",
      of: silent,
      at: line, isFinding: false)
    expectFinding(.waitsForSource, of: silent, at: line)
    state.send(2)
    expectIdle(silent, 1)
  }

  func testNotificationsAreCounted() {
    final class Sender {}
    let (center, sender) = (NotificationCenter(), Sender())
    let name = Notification.Name("saved")
    let silent = center.publisher(for: name, object: sender).compactMap { $0.userInfo?["id"] as? Int }
      .sink(isolation: nil) { _ in }
    center.post(name: name, object: nil)
    XCTAssert(
      silent.inspection.diagnosis.hasPrefix(
        "NotificationCenter.publisher(for: saved, object: Sender) hasn't sent a value"),
      silent.inspection.diagnosis)
    center.post(name: name, object: sender)
    XCTAssert(silent.description.contains("← compactMap (1 in, 0 out) ←"), silent.description)
    XCTAssert(silent.inspection.diagnosis.hasPrefix("compactMap"), silent.inspection.diagnosis)
    center.post(name: name, object: sender, userInfo: ["id": 1])
    expectIdle(silent, 1)
  }

  func testValuesThatAreDueLaterAreSaidToWait() {
    let queue = DispatchQueue(label: "rate")
    let silent = subject.rateLimit(1, per: .seconds(60), scheduler: queue, queueSize: 9, whenFull: .dropNewest)
      .sink(isolation: nil) { _ in }
    send(1, 2)
    // The first one is delivered.
    queue.sync {}
    let diagnosis = silent.inspection.diagnosis
    XCTAssert(diagnosis.hasPrefix("1 value is waiting in rateLimit") && diagnosis.contains(", due in "), diagnosis)
    XCTAssertEqual(silent.inspection.findings, [])
    cancellables.append(silent)
  }

  func testASinkWithAnOwnerShowsNoOperatorOfItsOwn() {
    final class Owner {}
    let owner = Owner()
    let stream = subject.map { $0 }.sink(with: owner, isolation: nil) { _, _ in }
    send(1)
    XCTAssert(stream.description.contains("\n← map ← PassthroughSubject"), stream.description)
    expectIdle(stream, 1)
  }

  // MARK: Ends

  func testEndsWithoutAValue() throws {
    func expect(_ end: String, of stream: AnyCancellable, caller: UInt = #line) throws {
      // Unless the clock, which counts hundredths of a second, has gone on meanwhile.
      let diagnosis = stream.inspection.diagnosis
      try XCTSkipUnless(Self.canLookUpPlaces && diagnosis.contains("immediately"))
      XCTAssert(diagnosis.hasSuffix(" completed immediately without a value, \(end)."), diagnosis, line: caller)
    }
    func erased(_ publisher: some Publisher<Int, Never>) -> AnyPublisher<Int, Never> { publisher.eraseToAnyPublisher() }
    let none: Int? = nil
    let empty = erased(Publishers.MergeMany([PassthroughSubject<Int, Never>]()))
    try expect("because MergeMany had no publishers to merge", of: empty.sink(isolation: nil) { _ in })
    let won = erased(none.publisher.race(with: subject))
    try expect("when an optional's publisher finished, and so won a race", of: won.sink(isolation: nil) { _ in })
    let ended = erased(subject.prefix(untilOutputFrom: CurrentValueSubject<Bool, Never>(false)))
    try expect(
      "when a trigger sent a value. CurrentValueSubject sends its current value to each new subscriber. If that isn't to end "
        + "the stream, use dropFirst()", of: ended.sink(isolation: nil) { _ in })
  }

  func testEnds() {
    let trigger = CurrentValueSubject<Bool, Never>(true)
    let ended = subject.prefix(untilOutputFrom: trigger).sink(isolation: nil) { _ in }
    let line = #line - 1
    let found = StreamInspector.findings.count
    let place = Self.canLookUpPlaces ? " at SilentStreamXCTests.swift:\(line)" : ""
    let reason = Self.canLookUpPlaces ? ", when a trigger sent a value" : ""
    let ender =
      Self.canLookUpPlaces
      ? ", perhaps because prefix (SilentStreamXCTests.swift:\(line)) ended it, as any value of trigger does" : ""
    // Unless the clock, which counts hundredths of a second, has gone on meanwhile.
    let diagnosis = ended.inspection.diagnosis.replacing("completed immediately", with: "completed")
    XCTAssertEqual(diagnosis, "The stream\(place) completed without a value\(reason)\(ender).")
    let cancelled = subject.sink(isolation: nil) { _ in }
    send(1)
    cancelled.cancel()
    XCTAssertEqual(StreamInspector.findings.count, found)
    for _ in 0..<100 where StreamInspector.findings.count == found { _ = subject.sink(isolation: nil) { _ in } }
    XCTAssertEqual(StreamInspector.findings.count, found + 1)
  }

  // MARK: Silence

  func testWhatAStreamWaitsForIsAFindingAfterAWhile() {
    let stream = subject.sink(isolation: nil) { _ in }
    var thresholds = Inspection.Thresholds()
    XCTAssertEqual(Inspection(of: stream, thresholds: thresholds).findings, [])
    thresholds.silence = .zero
    XCTAssertEqual(Inspection(of: stream, thresholds: thresholds).findings.map(\.kind), [.waitsForSource])
    cancellables.append(stream)
  }

  private final class Unwilling: Subscriber {
    var subscription: (any Subscription)?

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ input: Int) -> Subscribers.Demand { .none }

    func receive(completion: Subscribers.Completion<Never>) {}
  }
}
