import Dispatch
import StreamAlgorithms
import StreamInspection
import StreamSchedulers
import Streams
import SuiteSupport
import XCTest

/// Streams that wait for time, for tasks and promises, for queues and actors, for their own values, or for nothing any more, while
/// streams are observed. The first sentence of the diagnosis says so, with the line.
final class SilentWaitXCTests: XCTestCase {
  private let subject = PassthroughSubject<Int, Never>()
  private let time = DispatchQueue.test
  private var cancellables: [AnyCancellable] = []

  override func setUp() { StreamInspector.start() }

  override func tearDown() {
    cancellables = []
    StreamInspector.stop()
  }

  /// Expects that the diagnosis begins with a text, in which `:LINE` stands for a line of this file.
  private func expect(
    _ text: String, of stream: AnyCancellable, at line: Int, findings: [Inspection.Cause] = [], caller: UInt = #line
  ) {
    let inspection = stream.inspection
    let place = Self.canLookUpPlaces ? "(SilentWaitXCTests.swift:\(line))" : ""
    let expected = text.replacing("LINE", with: place).replacing(Self.canLookUpPlaces ? "" : " ()", with: "")
    if Self.canLookUpPlaces { XCTAssert(inspection.diagnosis.hasPrefix(expected), inspection.diagnosis, line: caller) }
    XCTAssertEqual(inspection.findings.map(\.kind), findings, line: caller)
    cancellables.append(stream)
  }

  // MARK: Time

  func testATimerBehindAFilterThatHasPassedNothing() {
    let ticks = Publishers.Timer(every: .seconds(1), scheduler: time).autoconnect()
      .filter { _ in false }
      .sink(isolation: nil) { _ in }
    let line = #line - 3
    time.advance(by: .seconds(2))
    expect("Timer LINE ticks only as virtual time advances on the test scheduler.", of: ticks, at: line)
  }

  func testAnotherValueOnItsWayToAFilter() {
    let stream = subject.delay(for: .milliseconds(250), scheduler: time).filter { $0 > 1 }.sink(isolation: nil) { _ in }
    let line = #line - 1
    subject.send(1)
    time.advance(by: .milliseconds(250))
    expect("filter LINE has received 1 value and let none through.", of: stream, at: line)
    subject.send(2)
    expect("1 value is waiting in delay LINE for virtual time to advance, due in 250 ms.", of: stream, at: line)
    time.advance(by: .milliseconds(250))
    expect("Idle: 1 value delivered", of: stream, at: line)
  }

  func testAnArrayThatWaitsForTheEndOfItsInterval() {
    let arrays = subject.filter { $0 > 0 }
      .collect(.byTime(time, .seconds(5)))
      .sink(isolation: nil) { _ in }
    let line = #line - 2
    for value in 0...2 { subject.send(value) }
    expect(
      "2 values are waiting in collect(.byTime) LINE for virtual time to advance, due in 5 s. Call advance", of: arrays,
      at: line)
    XCTAssert(arrays.description.contains("collect(.byTime)   2 values are waiting, due in 5 s"), "\(arrays)")
  }

  func testTheNumberThatASubjectHasSentIsNotWhatAFilterLetsThrough() {
    let stream = subject.filter { $0 > 1 }.merge(with: Empty(completeImmediately: false)).buffer(
      size: 1, prefetch: .byRequest, whenFull: .dropNewest
    ).sink(isolation: nil) { _ in }
    for value in 1...3 { subject.send(value) }
    XCTAssertFalse(stream.inspection.diagnosis.contains("has sent 2 values"), stream.inspection.diagnosis)
    cancellables.append(stream)
  }

  func testARelayWithoutSubscribersIsNotAccused() {
    let relay = PassthroughRelay<Int>()
    let connection = subject.subscribe(relay)
    XCTAssertEqual(connection.inspection.findings, [])
    XCTAssert(connection.inspection.diagnosis.contains("has no subscribers, so it requests nothing"))
    cancellables.append(connection)
  }

  // MARK: Ends

  func testAnEndIsFoundInTheCallThatCausedIt() {
    let stop = PassthroughSubject<Bool, Never>()
    let stopping = stop.map { $0 }
    let publisher = subject.finish(when: stopping)
    let stream = publisher.sink(isolation: nil) { _ in }
    let line = #line - 1
    subject.send(1)
    stop.send(false)
    guard Self.canLookUpPlaces else { return }
    XCTAssertEqual(
      stream.inspection.diagnosis,
      "The stream at SilentWaitXCTests.swift:\(line) ended after 1 value, when a trigger sent a value in the call at "
        + "SilentWaitXCTests.swift:\(line + 3), perhaps because finish (SilentWaitXCTests.swift:\(line - 1)) ended it, as any value "
        + "of stopping does.")
    let whole = subject.map { $0 }.sink(isolation: nil) { _ in }
    subject.send(completion: .finished)
    XCTAssert(
      whole.inspection.diagnosis.hasSuffix(
        "without a value, in the call at SilentWaitXCTests.swift:\(#line - 3)."),
      whole.inspection.diagnosis)
  }

  func testAPollThatWaitsForTimeBehindAFilter() {
    let states = Just(1).poll(every: .seconds(10), scheduler: time).drop { $0 < 2 }.sink(isolation: nil) { _ in }
    let line = #line - 1
    expect(
      "poll(every:scheduler:) LINE waits for virtual time to advance, to subscribe to its source again, due in 10 s, and the time "
        + "of its test scheduler has never been advanced. Call advance", of: states, at: line)
  }

  func testAPromiseThatWasDroppedIsTheCauseOfAReduction() {
    let futures = [1, 2].publisher.flatMap(maxPublishers: .max(1)) { number in
      Future<Int, Never> { promise in if number < 2 { promise(.success(number)) } }
    }
    let line = #line - 2
    let all = futures.collect().sink(isolation: nil) { _ in }
    expect(
      "The promise of Future LINE was released without being called, so no result can arrive.", of: all, at: line,
      findings: [.neverAgain])
  }

  func testASubscriptionThatWaitsForTime() {
    let late = subject.delay(subscription: .seconds(2), scheduler: time).map { $0 }.sink(isolation: nil) { _ in }
    let line = #line - 1
    expect(
      "delay(subscription:) LINE waits for virtual time to advance, to subscribe to its source, due in 2 s", of: late,
      at: line)
  }

  // MARK: Promises and tasks

  func testAPromiseIsFoundWhereItsFutureWasMade() {
    let promise = Locker<Future<Int, Never>.Promise?>(nil)
    let future = Future<Int, Never> { new in promise.change { $0 = new } }
    let line = #line - 1
    let stream = future.map { $0 }.sink(isolation: nil) { _ in }
    expect("The promise of Future LINE hasn't been called yet.", of: stream, at: line)
    promise.value?(.success(1))
    XCTAssertFalse(stream.inspection.diagnosis.contains("promise"))
  }

  func testTasksAreToldFromPromises() {
    let future = Future<Int, Never> { await Task.never() }
    let line = #line - 1
    expect("The task of Future LINE hasn't returned.", of: future.sink(isolation: nil) { _ in }, at: line)
    let newest = subject.flatMapLatest { _ in await Task.never() }.sink(isolation: nil) { _ in }
    let lineOfNewest = #line - 1
    let all = subject.map(maxTasks: 2) { _ in await Task.never() }.sink(isolation: nil) { _ in }
    let lineOfAll = #line - 1
    subject.send(1)
    expect("A task that flatMapLatest LINE has started hasn't returned.", of: newest, at: lineOfNewest)
    expect("A task that map(maxTasks:) LINE has started hasn't returned.", of: all, at: lineOfAll)
    subject.send(2)
    expect(
      "Both slots in map(maxTasks:) LINE are taken by tasks that haven't returned, so no more values are requested",
      of: all,
      at: lineOfAll)
  }

  // MARK: Connections

  @MainActor func testASinkOnTheMainActorWhosePublisherIsNotConnected() {
    let connectable = subject.makeConnectable()
    let stream = connectable.sink { _ in }
    let line = #line - 1
    expect(
      "The connectable publisher (multicast or makeConnectable, its subject made at SilentWaitXCTests.swift:\(line - 1)) that "
        + "sink LINE subscribes to isn't connected, so it sends nothing. Call connect()", of: stream, at: line,
      findings: [.notConnected])
    if Self.canLookUpPlaces {
      XCTAssertEqual(stream.inspection.findings.first?.place, "SilentWaitXCTests.swift:\(line - 1)")
    }
    let timer = Publishers.Timer(every: .seconds(1), scheduler: time)
    let ticks = timer.sink { _ in }
    let lineOfTicks = #line - 1
    if Self.canLookUpPlaces {
      XCTAssert(
        ticks.inspection.diagnosis.hasPrefix(
          "Timer (SilentWaitXCTests.swift:\(lineOfTicks - 1)) isn't connected, so it doesn't tick."),
        ticks.inspection.diagnosis)
    }
    cancellables.append(ticks)
  }

  func testASubscriberThatRequestsNoMoreIsNamed() {
    let writer = Writer()
    subject.buffer(size: 4, prefetch: .byRequest, whenFull: .dropNewest).map { "\($0)" }.subscribe(writer)
    for value in 1...3 { subject.send(value) }
    let inspection = writer.subscription.map { Inspection(of: $0) }
    let diagnosis = inspection?.diagnosis ?? ""
    XCTAssert(
      diagnosis.hasPrefix("No demand: 2 values are waiting in buffer, because Writer hasn't requested them."),
      diagnosis)
    XCTAssertEqual(inspection?.description.hasPrefix("Writer   subscriber of buffer\n"), true)
    writer.subscription?.cancel()
  }

  func testASubscriberThatHasRequestedNothingIsNamed() {
    let recorder = SignalRecorder<Int, Never>(.none)
    subject.buffer(size: 4, prefetch: .byRequest, whenFull: .dropNewest).subscribe(recorder)
    for value in 1...3 { subject.send(value) }
    let diagnosis = recorder.subscription.map { Inspection(of: $0) }?.diagnosis ?? ""
    XCTAssert(diagnosis.hasPrefix("No demand: 3 values are waiting in buffer, because"), diagnosis)
    XCTAssert(diagnosis.contains("hasn't requested them."), diagnosis)
    recorder.cancel()
  }

  func testADebounceWhoseValuesSupersedeOneAnother() {
    let stream = subject.debounce(for: .seconds(60), scheduler: DispatchQueue.main).sink(isolation: nil) { _ in }
    let line = #line - 1
    for value in 1...9 { subject.send(value) }
    expect("debounce LINE has received 9 values and sent none", of: stream, at: line)
    let diagnosis = stream.inspection.diagnosis
    XCTAssert(diagnosis.contains("each one came before the previous one was due. The newest one is due in"), diagnosis)
    XCTAssertFalse(diagnosis.contains("throttle"), diagnosis)
    // A value has been sent: it's no longer known that the next one won't be.
    let short = subject.debounce(for: .zero, scheduler: ImmediateScheduler.shared).sink(isolation: nil) { _ in }
    for value in 1...9 { subject.send(value) }
    XCTAssertFalse(short.inspection.diagnosis.contains("sent none"), short.inspection.diagnosis)
    short.cancel()
  }

  func testATimeoutInVirtualTimeThatStandsStill() {
    let time = DispatchQueue.test
    let stream = subject.timeout(1, scheduler: time).sink(isolation: nil) { _ in }
    let line = #line - 1
    expect("timeout LINE doesn't end the stream, due in 1 s, because the virtual time", of: stream, at: line)
    time.advance(by: .milliseconds(1))
    XCTAssertFalse(stream.inspection.diagnosis.contains("timeout"), stream.inspection.diagnosis)
  }

  func testGroupsThatWereLeftBeforeAnyValueCame() {
    let stream =
      subject.groupBy({ $0 % 2 }, maxGroups: 4, bufferSize: 8).flatMap { $0.prefix(1).filter { $0 > 9 } }
      .sink(isolation: nil) { _ in }
    for value in 1...5 { subject.send(value) }
    let diagnosis = stream.inspection.diagnosis
    XCTAssert(diagnosis.contains("values into groups whose streams in flatMap"), diagnosis)
    XCTAssertFalse(diagnosis.contains("catch"), diagnosis)
    cancellables.append(stream)
  }

  func testAnInputOfAMergeThatHasEnded() {
    let others = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let stream = subject.merge(with: others.0.map { $0 }, others.1).sink(isolation: nil) { _ in }
    let line = #line - 1
    subject.send(1)
    expect("Idle: 1 value delivered", of: stream, at: line)
    XCTAssertFalse(stream.inspection.diagnosis.contains("input"), stream.inspection.diagnosis)
    subject.send(completion: .finished)
    expect("Idle: 1 value delivered", of: stream, at: line)
    let place = Self.canLookUpPlaces ? " (SilentWaitXCTests.swift:\(line))" : ""
    let end = " merge\(place) receives nothing from input 1, which has ended or hasn't begun."
    XCTAssert(stream.inspection.diagnosis.hasSuffix(end), stream.inspection.diagnosis)
    XCTAssertEqual(
      stream.inspection.parts.first { $0.name == "merge" }?.upstreams.map(\.role), ["input 2", "input 3"])
    others.0.send(completion: .finished)
    XCTAssert(stream.inspection.diagnosis.contains("from input 1 and 2; they have ended"), stream.inspection.diagnosis)
  }

  func testEmptyInPlaceOfAFailure() {
    struct Refused: Error {}
    let stream = subject.tryMap { if $0 < 0 { throw Refused() } else { $0 } }
      .catch { _ in Empty<Int, Never>(completeImmediately: false) }
      .filter { $0 > 0 }
      .sink(isolation: nil) { _ in }
    let line = #line - 3
    subject.send(1)
    expect("Idle: 1 value delivered", of: stream, at: line)
    subject.send(-1)
    expect("catch LINE goes on with Empty, which never sends a value. Before: 1 value delivered", of: stream, at: line)
    var thresholds = Inspection.Thresholds()
    thresholds.silence = .zero
    XCTAssertEqual(Inspection(of: stream, thresholds: thresholds).findings.first?.kind, .neverAgain)
  }

  func testAnEmptyThatIsNotAllIsNotAccused() {
    let empty = Empty<Int, Never>(completeImmediately: false)
    let merged = empty.merge(with: subject).sink(isolation: nil) { _ in }
    let timed = empty.setFailureType(to: Late.self).timeout(.seconds(1), scheduler: time, customError: { Late() })
      .replaceError(with: 1).sink(isolation: nil) { _ in }
    let connected = PassthroughSubject<Int, Never>()
    let connection = empty.subscribe(connected)
    let fed = connected.sink(isolation: nil) { _ in }
    // Not Empty, but with its subscription.
    let other = Single().map { $0 }.sink(isolation: nil) { _ in }
    var thresholds = Inspection.Thresholds()
    thresholds.silence = .zero
    for stream in [merged, timed, fed, other] {
      let inspection = Inspection(of: stream, thresholds: thresholds)
      XCTAssertFalse(inspection.findings.contains { $0.kind == .neverAgain }, inspection.diagnosis)
    }
    cancellables += [merged, timed, fed, other, connection]
  }

  func testInnerPublishersThatEndWithoutAValue() {
    let stream = subject.removeDuplicates()
      .flatMap { $0 < 3 ? Optional<Int>.Publisher(nil) : Optional<Int>.Publisher($0) }
      .scan(0, +)
      .sink(isolation: nil) { _ in }
    let line = #line - 3
    expect("PassthroughSubject<Int, Never>", of: stream, at: line)
    subject.send(1)
    subject.send(2)
    expect(
      "flatMap LINE has received 2 values, and all that its closure returned has ended without a value.", of: stream,
      at: line)
    subject.send(3)
    expect("Idle: 1 value delivered", of: stream, at: line)
  }

  func testASchedulerThatHasNotSubscribed() {
    let stream = subject.subscribe(on: time).map { $0 }.sink(isolation: nil) { _ in }
    let line = #line - 1
    expect("subscribe(on:) LINE hasn't subscribed yet", of: stream, at: line)
    time.advance()
    expect("PassthroughSubject<Int, Never>", of: stream, at: line)
  }

  // MARK: Groups

  func testGroupsWhoseSubscribersHaveLeft() {
    let firsts = subject.groupBy({ $0 % 2 }, maxGroups: 2, bufferSize: 4)
      .flatMap { $0.prefix(1) }
      .sink(isolation: nil) { _ in }
    let line = #line - 3
    for value in 1...6 { subject.send(value) }
    expect(
      "groupBy LINE has put 4 of 6 values into groups whose streams in flatMap had ended, as with prefix(_:). Before: 2 values",
      of: firsts,
      at: line)
    let all = subject.groupBy({ $0 % 2 }, maxGroups: 2, bufferSize: 4).flatMap { $0 }.sink(isolation: nil) { _ in }
    for value in 1...6 { subject.send(value) }
    expect("Idle: 6 values delivered", of: all, at: line)
  }

  func testGroupsThatSwitchToLatestHasLeft() {
    let newest = subject.groupBy({ $0 % 2 }, maxGroups: 2, bufferSize: 4)
      .map { $0.map { $0 } }
      .switchToLatest()
      .sink(isolation: nil) { _ in }
    let line = #line - 2
    for value in [1, 2, 3, 5] { subject.send(value) }
    expect(
      "groupBy has put 2 of 4 values into groups that switchToLatest LINE no longer read. It reads only the newest one, and has "
        + "left 1. Before: 2 values", of: newest, at: line)
    let single = subject.groupBy({ _ in 0 }, maxGroups: 2, bufferSize: 4).map { $0.prefix(1) }.switchToLatest()
      .sink(isolation: nil) { _ in }
    let lineOfSingle = #line - 2
    for value in [1, 2] { subject.send(value) }
    expect(
      "groupBy LINE has put 1 of 2 values into groups whose streams in switchToLatest had ended, as with prefix(_:).",
      of: single, at: lineOfSingle)
  }

  func testGroupsWhoseSubscribersHaveLeftBehindAFilter() {
    let shipped = subject.groupBy({ $0 % 2 }, maxGroups: 2, bufferSize: 4)
      .flatMap { $0.prefix(1) }
      .filter { $0 > 2 }
      .sink(isolation: nil) { _ in }
    let line = #line - 4
    for value in 1...6 { subject.send(value) }
    expect("groupBy LINE has put 4 of 6 values into groups whose streams in flatMap had ended", of: shipped, at: line)
  }

  func testWindowsThatNobodyReadsAnyMore() {
    let boundary = PassthroughSubject<Void, Never>()
    let readers = Locker<[AnyCancellable]>([])
    let windows = subject.window(by: boundary, bufferSize: 4).sink(isolation: nil) { window in
      readers.change { $0.append(window.sink(isolation: nil) { _ in }) }
    }
    let line = #line - 3
    subject.send(1)
    expect("Idle: 1 value delivered", of: windows, at: line)
    readers.change { $0 = [] }
    subject.send(2)
    expect(
      "window(by:bufferSize:) LINE has put 1 of 2 values into windows whose subscribers had been cancelled.",
      of: windows,
      at: line)
    boundary.send(())
    subject.send(3)
    XCTAssertEqual(windows.inspection.parts[1].received, 3)
    XCTAssertEqual(windows.inspection.parts[1].count, 2)
  }

  // MARK: Queues and actors

  func testAQueueThatDoesNotRunWhatIsDue() async {
    let queue = DispatchQueue(label: "occupied")
    let isFree = DispatchSemaphore(value: 0)
    queue.async { isFree.wait() }
    defer { isFree.signal() }
    let stream = subject.delay(for: .milliseconds(1), scheduler: queue).sink(isolation: nil) { _ in }
    let line = #line - 1
    subject.send(1)
    while !stream.inspection.diagnosis.contains("hasn't run the delivery for") { await Task.yield() }
    expect(
      "1 value is waiting in delay LINE for the queue \"occupied\", which hasn't run the delivery for", of: stream,
      at: line)
  }

  func testAnActorThatAnotherStreamOccupies() async {
    let counter = Counter()
    let isFree = DispatchSemaphore(value: 0)
    defer { isFree.signal() }
    let (first, second) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let occupying = first.receive(on: counter).sink(isolation: nil) { _ in isFree.wait() }
    let lineOfOccupying = #line - 1
    let waiting = second.receive(on: counter).sink(isolation: nil) { _ in }
    let line = #line - 1
    first.send(1)
    while !occupying.inspection.diagnosis.contains("is delivering a value") { await Task.yield() }
    second.send(1)
    expect("1 value is waiting in receive(on:) LINE for Counter, which hasn't run the delivery", of: waiting, at: line)
    if Self.canLookUpPlaces {
      let reason =
        "because the closure of the stream at SilentWaitXCTests.swift:\(lineOfOccupying) hasn't returned there."
      XCTAssert(waiting.inspection.diagnosis.contains(reason), waiting.inspection.diagnosis)
    }
    cancellables.append(occupying)
  }

  // MARK: Streams that keep themselves alive, or wait for themselves

  func testAnOwnerThatItsSinkKeeps() {
    let stored = StoringModel()
    stored.start()
    let assigned = AssigningModel()
    let weak = WeakModel()
    let local = LocalModel()
    let byKey = KeyedModel()
    let passed = PassingModel()
    let inserting = (0...2).map { InsertingModel($0) }
    for model in [stored, assigned, weak, local, byKey, passed] + inserting { model.names.send("Ada") }
    guard Self.canLookUpPlaces else { return }
    let storing = stored.diagnosis
    XCTAssert(
      storing.contains(
        "Idle, and kept alive by itself, since a closure at SilentWaitXCTests.swift:\(stored.line) retains self, "
          + "whose property cancellables holds the cancellable: 1 value delivered"), storing)
    let assigning = assigned.diagnosis
    XCTAssert(
      assigning.contains(
        "Idle, and kept alive by itself, since a closure at SilentWaitXCTests.swift:\(assigned.line) retains self, "
          + "whose property cancellable holds the cancellable: 1 value delivered"), assigning)
    let keyed = byKey.diagnosis
    XCTAssert(keyed.contains("retains self, whose property byKey holds the cancellable"), keyed)
    for model in inserting {
      XCTAssert(
        model.diagnosis.contains("retains self, whose property inserted holds the cancellable"), model.diagnosis)
    }
    for other in [weak, local, passed] {
      XCTAssert(other.diagnosis.hasPrefix("Idle: 1 value delivered"), other.diagnosis)
      XCTAssertFalse(other.diagnosis.contains("alive"), other.diagnosis)
    }
    for model in [stored, assigned, weak, local, byKey, passed] + inserting { model.stop() }
  }

  func testAStreamThatWaitsForItself() {
    let batches = PassthroughSubject<[Int], Never>()
    let stream = subject.buffer(by: batches.map { _ in }, maxCount: 10).sink(isolation: nil) { batches.send($0) }
    let line = #line - 1
    subject.send(1)
    expect("PassthroughSubject<[Int], Never>", of: stream, at: line)
    let diagnosis = stream.inspection.diagnosis
    guard Self.canLookUpPlaces else { return }
    XCTAssert(
      diagnosis.contains(
        "this stream's own closure at SilentWaitXCTests.swift:\(line) would send to it, so the stream may wait for itself"
      ),
      diagnosis)
    XCTAssert(
      diagnosis.contains("PassthroughSubject<[Int], Never>")
        && diagnosis.contains("has sent this stream no value, and this"),
      diagnosis)
    // Feedback into an input that the stream can do without is none.
    let more = PassthroughSubject<Int, Never>()
    let merged = subject.merge(with: more).sink(isolation: nil) { if $0 < 3 { more.send($0 + 1) } }
    XCTAssertFalse(merged.inspection.diagnosis.contains("itself"), merged.inspection.diagnosis)
    cancellables.append(merged)
  }
}

/// Asks for the next page with a method.
private final class Pager {
  let next = PassthroughSubject<Int, Never>()
  private(set) var pages: [Int] = []
  private(set) var stream: AnyCancellable?
  let line: UInt

  init() {
    line = #line + 2
    stream = next.flatMap { Just($0) }
      .sink(isolation: nil) { [weak self] page in
        // The first page comes from nowhere.
        self?.append(page)
      }
  }

  func append(_ page: Int) {
    pages.append(page)
    next.send(page + 1)
  }
}

extension SilentWaitXCTests {
  func testAStreamThatWaitsForItselfThroughAMethod() {
    let pager = Pager()
    guard Self.canLookUpPlaces, let diagnosis = pager.stream?.inspection.diagnosis else { return }
    XCTAssert(diagnosis.contains("this stream's own closure at SilentWaitXCTests.swift:\(pager.line) would"), diagnosis)
    XCTAssert(diagnosis.contains("so the stream may wait for itself"), diagnosis)
    XCTAssertFalse(diagnosis.contains("prepend"), diagnosis)
    pager.stream?.cancel()
  }

  func testAStreamThatSendsToItsSourceAndHasDeliveredDoesNotWaitForItself() {
    let pages = PassthroughSubject<Int, Never>()
    let crawler =
      pages
      .flatMap { Just($0) }
      .handleEvents(receiveOutput: { if $0 < 3 { pages.send($0 + 1) } })
      .sink(isolation: nil) { _ in }
    pages.send(1)
    XCTAssert(crawler.inspection.diagnosis.hasPrefix("Idle: 3 values delivered"), crawler.inspection.diagnosis)
    // Nothing has been delivered, but other code sends.
    let collected =
      pages
      .handleEvents(receiveOutput: { if $0 < 3 { pages.send($0 + 1) } })
      .collect()
      .sink(isolation: nil) { _ in }
    pages.send(3)
    XCTAssertFalse(collected.inspection.diagnosis.contains("itself"), collected.inspection.diagnosis)
    // A first value that comes from elsewhere.
    let seeded = pages.prepend(3)
      .handleEvents(receiveOutput: { if $0 < 3 { pages.send($0 + 1) } })
      .sink(isolation: nil) { _ in }
    XCTAssert(seeded.inspection.diagnosis.hasPrefix("Idle: 1 value delivered"), seeded.inspection.diagnosis)
    for stream in [crawler, collected, seeded] { stream.cancel() }
  }

  func testAFailureThatWasReplaced() {
    struct Refused: Error {}
    let stream = subject.tryMap { if $0 < 0 { throw Refused() } else { $0 } }
      .replaceError(with: 0)
      .sink(isolation: nil) { _ in }
    let line = #line - 1
    subject.send(1)
    subject.send(-1)
    guard Self.canLookUpPlaces else { return }
    XCTAssertEqual(
      stream.inspection.diagnosis,
      "The stream at SilentWaitXCTests.swift:\(line) ended after 2 values, in the call at SilentWaitXCTests.swift:\(line + 3), "
        + "perhaps because replaceError (SilentWaitXCTests.swift:\(line - 1)) replaced a failure.")
    let finished = subject.setFailureType(to: Late.self).replaceError(with: 0).sink(isolation: nil) { _ in }
    subject.send(completion: .finished)
    XCTAssertFalse(finished.inspection.diagnosis.contains("replaced"), finished.inspection.diagnosis)
  }
}

private struct Late: Error {}

private struct Single: Publisher {
  typealias Output = Int
  typealias Failure = Never

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    subscriber.receive(subscription: Subscriptions.empty)
    _ = subscriber.receive(1)
  }
}

private final class Writer: Subscriber {
  var subscription: (any Subscription)?

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.request(.max(1))
  }

  func receive(_ input: String) -> Subscribers.Demand { .none }

  func receive(completion: Subscribers.Completion<Never>) {}
}

private actor Counter {}

extension Task where Success == Never, Failure == Never {
  /// Returns when the task is cancelled.
  fileprivate static func never() async -> Int {
    let values = AsyncStream<Int>.makeStream()
    for await value in values.stream { return value }
    return 0
  }
}

private class Model {
  let names = PassthroughSubject<String, Never>()
  var name = ""
  var cancellables: [AnyCancellable] = []
  var cancellable: AnyCancellable?
  var line = 0

  var diagnosis: String { (cancellable ?? cancellables[0]).inspection.diagnosis }

  func stop() {
    cancellables = []
    cancellable = nil
  }
}

private final class StoringModel: Model {
  func start() {
    line = #line + 3
    names
      .map { $0 + "!" }
      .sink(isolation: nil) { self.name = $0 }
      .store(in: &cancellables)
  }
}

private final class AssigningModel: Model {
  override init() {
    super.init()
    line = #line + 1
    cancellable = names.sink(isolation: nil) { [self] in name = $0 }
  }
}

private final class WeakModel: Model {
  override init() {
    super.init()
    names.sink(isolation: nil) { [weak self] in self?.name = $0 }.store(in: &cancellables)
  }
}

private final class InsertingModel: Model {
  private var inserted: Set<AnyCancellable> = []
  override var diagnosis: String { inserted.first?.inspection.diagnosis ?? "" }

  init(_ form: Int) {
    super.init()
    switch form {
    case 0: inserted.insert(names.sink(isolation: nil) { self.name = $0 })
    case 1:
      let new = names.sink(isolation: nil) { self.name = $0 }
      inserted.insert(new)
    default:
      let new = names.map(decorate).sink(isolation: nil) { [weak self] in self?.name = $0 }
      new.store(in: &inserted)
      _ = names.map { self.decorate($0) }
    }
  }

  private func decorate(_ name: String) -> String { name + "!" }

  override func stop() { inserted = [] }
}

private final class KeyedModel: Model {
  var byKey: [String: AnyCancellable] = [:]
  override var diagnosis: String { byKey["a"]?.inspection.diagnosis ?? "" }

  override init() {
    super.init()
    byKey["a"] = names.sink(isolation: nil) { self.name = $0 }
  }

  override func stop() { byKey = [:] }
}

private final class PassingModel: Model {
  override init() {
    super.init()
    follow(self)
  }

  private func follow(_ model: Model) {
    model.cancellable = names.sink(with: model, isolation: nil) { model, name in model.name = name }
  }
}

private final class LocalModel: Model {
  override init() {
    super.init()
    var stored: [AnyCancellable] = []
    names.sink(isolation: nil) { self.name = $0 }.store(in: &stored)
    cancellables = stored
  }
}
