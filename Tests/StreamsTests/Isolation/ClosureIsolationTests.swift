import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// A closure that inherits the isolation of an actor and is called elsewhere is reported once, in debug builds.
@MainActor
@Suite(.enabled(if: isDebugBuild))
struct ClosureIsolationTests {
  @Test(arguments: Use.all)
  func isReportedOnceWithOperatorAndPlaceWhenCalledElsewhere(_ use: Use) {
    #expect(IssueReporter.withCapture(use.make()).issues.isEmpty)

    let issues = elsewhere(use.make())
    #expect(issues.count == 1)
    #expect(issues.first?.line == use.line)
    #expect(issues.first?.fileID == #fileID)
    #expect(issues.first?.filePath == #filePath)
    let message = issues.first?.message ?? ""
    #expect(
      message.hasPrefix("The closure of \(use.name), created at ClosureIsolationTests.swift:\(use.line) on MainActor,"))
    #expect(message.hasSuffix("write \(use.name)(isolation: nil) { … }."))

    #expect(elsewhere(use.make()).isEmpty)
  }

  @Test
  func closureDoesWhatItDidWhenItIsReported() {
    let subject = PassthroughSubject<Int, Never>()
    var received: [Int] = []
    let publisher = subject.map { $0 * 10 }.filter { $0 > 10 }
    let cancellable = publisher.sink(isolation: nil) { received.append($0) }
    let issues = elsewhere { for value in 1...3 { subject.send(value) } }
    cancellable.cancel()

    #expect(received == [20, 30])
    #expect(issues.count == 2)
  }

  @Test
  func errorOfAClosureThatIsReportedEndsTheStream() {
    let subject = PassthroughSubject<Int, Never>()
    var isFailed = false
    let publisher = subject.tryMap { (_: Int) -> Int in throw TestError.first }
    let cancellable = publisher.sink(isolation: nil) {
      isFailed = $0.isFailure
    } receiveValue: { _ in
    }
    let issues = elsewhere { subject.send(1) }
    cancellable.cancel()

    #expect(isFailed)
    #expect(issues.count == 1)
  }

  @Test
  func isNotReportedWithIsolationNil() {
    let subject = PassthroughSubject<Int, TestError>()
    let first = Deferred(isolation: nil) { subject }.map(isolation: nil) { next($0) }.scan(0, isolation: nil) {
      _, new in new
    }
    let second = first.removeDuplicates(isolation: nil) { isSame($0, $1) }.handleEvents(
      isolation: nil, receiveOutput: { _ in })
    let other = Just(1).setFailureType(to: TestError.self)
    let third = second.combineLatest(other, isolation: nil) { value, _ in value }
    let publisher = third.catch(isolation: nil) { _ in Just(1) }
    let issues = elsewhere {
      let cancellable = publisher.sink { _ in }
      subject.send(1)
      subject.send(completion: .failure(.first))
      cancellable.cancel()
    }
    #expect(issues.isEmpty)
  }

  @Test
  nonisolated func isNotReportedWhereNothingIsIsolated() {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.map { $0 }.filter { $0 > 0 }.sink { _ in }
    let issues = elsewhere { subject.send(1) }
    cancellable.cancel()
    #expect(issues.isEmpty)
  }

  @Test
  func isNotReportedOnAQueueThatTheMainActorWaitsFor() {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.map { $0 }.sink { _ in }
    let issues = DispatchQueue(label: "waited for").sync {
      IssueReporter.withCapture { subject.send(1) }.issues
    }
    cancellable.cancel()
    #expect(issues.isEmpty)
  }

  @Test
  func isNotReportedOnTheMainActorOfAVirtualWorld() throws {
    let scheduler = DispatchQueue.test
    let subject = PassthroughSubject<Int, Never>()
    let publisher = subject.map { $0 }
    let issues = IssueReporter.withCapture {
      scheduler.withVirtualWorld {
        let cancellable = publisher.sink { _ in }
        Task { @MainActor in subject.send(1) }
        scheduler.run()
        cancellable.cancel()
      }
    }.issues
    #expect(issues.map(\.message) == [])
  }

  @Test
  nonisolated func isReportedForAnActor() async {
    let counter = Counter()
    await counter.countItself()
    let onActor = await IssueReporter.withCapture { await counter.sendOnActor() }.issues
    #expect(onActor.isEmpty)
    #expect(await counter.total == 1)

    let issues = await counter.sendElsewhere()
    #expect(issues.count == 1)
    #expect(issues.first?.message.contains("The closure of map,") == true)
    #expect(issues.first?.message.contains("on Counter") == true)
  }

  @Test
  nonisolated func anIdleActorIsNeverTakenForTheCallersOwn() {
    // The actor may run a job that sends a request before the one that made the call continues.
    let counter = Counter()
    var answers = 0
    for _ in 0..<2_000 where ActorHop.isCurrent(counter) { answers += 1 }
    #expect(answers == 0)
  }

  @Test
  nonisolated func actorIsReleased() async {
    weak var released: Counter?
    do {
      let counter = Counter()
      released = counter
      await counter.keepStreamThatHoldsNothingOfTheActor()
    }
    #expect(released == nil)
  }
}

private actor Counter {
  var total = 0
  nonisolated let subject = PassthroughSubject<Int, Never>()
  private var cancellable: AnyCancellable?

  func countItself() {
    cancellable = subject.map { self.total += $0 }.sink { _ in }
  }

  func keepStreamThatHoldsNothingOfTheActor() {
    cancellable = subject.map { $0 }.sink { _ in }
    subject.send(1)
  }

  func sendOnActor() { subject.send(1) }

  nonisolated func sendElsewhere() async -> [ReportedIssue] { elsewhere { self.subject.send(1) } }
}

/// Indicates whether the check is compiled in: in builds with assertions.
private let isDebugBuild: Bool = {
  var isDebug = false
  assert(
    {
      isDebug = true; return true
    }())
  return isDebug
}()

/// Runs a closure on another thread, and returns its reports.
private func elsewhere(_ work: @escaping () -> Void) -> [ReportedIssue] {
  nonisolated(unsafe) var issues: [ReportedIssue] = []
  onThreads(1) { _ in issues = IssueReporter.withCapture(work).issues }
  return issues
}

extension Subscribers.Completion {
  fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}

/// A use of an operator on the main actor.
struct Use: CustomTestStringConvertible, Sendable {
  typealias Source = PassthroughSubject<Int, TestError>
  typealias Apply = @MainActor (Source, TestSchedulerOf<DispatchQueue>) -> any Publisher

  let name: String
  let line: UInt
  private let fails: Bool
  private let apply: Apply

  var testDescription: String { "\(name), line \(line)" }

  /// Applies the operator. The result subscribes, sends three values and then a failure, or cancels, where it is used.
  @MainActor
  func make() -> () -> Void {
    let (source, scheduler, fails) = (Source(), DispatchQueue.test, fails)
    let publisher = apply(source, scheduler)
    return {
      let cancellable = attach(publisher)
      source.send(1)
      source.send(2)
      source.send(3)
      scheduler.advance(by: 10)
      if fails { source.send(completion: .failure(.first)) }
      cancellable.cancel()
    }
  }

  // One statement each: a single expression with all of them takes long to compile.
  static let all: [Use] = {
    var all: [Use] = []
    func add(
      _ name: String, fails: Bool = true, line: UInt = #line, _ apply: @escaping Apply
    ) {
      all.append(Use(name: name, line: line, fails: fails, apply: apply))
    }
    add("map") { source, _ in source.map { $0 } }
    add("map") { source, _ in source.map(isolation: nil) { $0 }.map { $0 } }
    add("map") { source, _ in source.tryMap(isolation: nil) { $0 }.map { $0 } }
    add("map") { source, _ in source.compactMap(isolation: nil) { $0 }.map { $0 } }
    add("tryMap") { source, _ in source.tryMap { $0 } }
    add("tryMap") { source, _ in source.map(isolation: nil) { $0 }.tryMap { $0 } }
    add("tryMap") { source, _ in source.tryMap(isolation: nil) { $0 }.tryMap { $0 } }
    add("compactMap") { source, _ in source.compactMap { $0 } }
    add("compactMap") { source, _ in source.compactMap(isolation: nil) { $0 }.compactMap { $0 } }
    add("compactMap") { source, _ in source.tryCompactMap(isolation: nil) { $0 }.compactMap { $0 } }
    add("tryCompactMap") { source, _ in source.tryCompactMap { $0 } }
    add("filter") { source, _ in source.filter { $0 > 0 } }
    add("filter") { source, _ in source.filter(isolation: nil) { $0 > 0 }.filter { $0 > 0 } }
    add("filter") { source, _ in source.tryFilter(isolation: nil) { $0 > 0 }.filter { $0 > 0 } }
    add("tryFilter") { source, _ in source.tryFilter { $0 > 0 } }
    add("tryFilter") { source, _ in source.filter(isolation: nil) { $0 > 0 }.tryFilter { $0 > 0 } }
    add("tryFilter") { source, _ in source.tryFilter(isolation: nil) { $0 > 0 }.tryFilter { $0 > 0 } }
    add("flatMap") { source, _ in source.flatMap { Fail<Int, TestError>(error: $0 > 0 ? .first : .second) } }
    add("flatMap") { source, _ in source.flatMap { Just($0) } }
    add("flatMap", fails: false) { source, _ in source.assertNoFailure().flatMap { Just($0) } }
    add("flatMap", fails: false) { source, _ in source.assertNoFailure().flatMap { failing($0) } }
    add("scan") { source, _ in source.scan(0) { $0 + $1 } }
    add("tryScan") { source, _ in source.tryScan(0) { $0 + $1 } }
    add("reduce") { source, _ in source.reduce(0) { $0 + $1 } }
    add("tryReduce") { source, _ in source.tryReduce(0) { $0 + $1 } }
    add("removeDuplicates") { source, _ in source.removeDuplicates { $0 == $1 } }
    add("tryRemoveDuplicates") { source, _ in source.tryRemoveDuplicates { $0 == $1 } }
    add("first") { source, _ in source.first { $0 > 5 } }
    add("tryFirst") { source, _ in source.tryFirst { $0 > 5 } }
    add("last") { source, _ in source.last { $0 > 5 } }
    add("last") { _, _ in [1, 2].publisher.last { $0 > 5 } }
    add("tryLast") { source, _ in source.tryLast { $0 > 5 } }
    add("contains") { source, _ in source.contains { $0 > 5 } }
    add("tryContains") { source, _ in source.tryContains { $0 > 5 } }
    add("allSatisfy") { source, _ in source.allSatisfy { $0 > 0 } }
    add("tryAllSatisfy") { source, _ in source.tryAllSatisfy { $0 > 0 } }
    add("drop") { source, _ in source.drop { $0 > 0 } }
    add("tryDrop") { source, _ in source.tryDrop { $0 > 0 } }
    add("prefix") { source, _ in source.prefix { $0 > 0 } }
    add("tryPrefix") { source, _ in source.tryPrefix { $0 > 0 } }
    add("min") { source, _ in source.min { $0 < $1 } }
    add("tryMin") { source, _ in source.tryMin { $0 < $1 } }
    add("max") { source, _ in source.max { $0 < $1 } }
    add("tryMax") { source, _ in source.tryMax { $0 < $1 } }
    add("catch") { source, _ in source.catch { _ in Just(0) } }
    add("tryCatch") { source, _ in source.tryCatch { _ in Just(0) } }
    add("mapError") { source, _ in source.mapError { $0 } }
    add("handleEvents") { source, _ in source.handleEvents(receiveSubscription: { _ in }) }
    add("handleEvents") { source, _ in source.handleEvents(receiveOutput: { _ in }) }
    add("handleEvents") { source, _ in source.handleEvents(receiveCompletion: { _ in }) }
    add("handleEvents", fails: false) { source, _ in source.handleEvents(receiveCancel: {}) }
    add("handleEvents") { source, _ in source.handleEvents(receiveRequest: { _ in }) }
    add("breakpoint") { source, _ in source.breakpoint(receiveSubscription: { _ in false }) }
    add("breakpoint") { source, _ in source.breakpoint(receiveOutput: { _ in false }) }
    add("breakpoint") { source, _ in source.breakpoint(receiveCompletion: { _ in false }) }
    add("zip") { source, _ in source.zip(source) { $0 + $1 } }
    add("zip") { source, _ in source.zip(source, source) { $0 + $1 + $2 } }
    add("zip") { source, _ in source.zip(source, source, source) { $0 + $1 + $2 + $3 } }
    add("combineLatest") { source, _ in source.combineLatest(source) { $0 + $1 } }
    add("combineLatest") { source, _ in source.combineLatest(source, source) { $0 + $1 + $2 } }
    add("combineLatest") { source, _ in source.combineLatest(source, source, source) { $0 + $1 + $2 + $3 } }
    add("timeout") { source, scheduler in source.timeout(.seconds(1), scheduler: scheduler, customError: { .first }) }
    // The closure is called after the buffered values have been delivered.
    add("buffer", line: #line + 1) { source, scheduler in
      passOn(source.buffer(size: 1, prefetch: .byRequest, whenFull: .customError { .first }), slowly: scheduler)
    }
    add("withLatest") { source, _ in source.withLatest(from: source) { $0 + $1 } }
    let closed = Empty<Bool, TestError>(completeImmediately: false)
    add("pausable", fails: false, line: #line + 1) { source, _ in
      source.pausable(by: closed, buffering: 1, whenFull: .customError { .first })
    }
    add("rateLimit", fails: false, line: #line + 1) { source, scheduler in
      source.rateLimit(1, per: 1, scheduler: scheduler, queueSize: 0, whenFull: .customError { .first })
    }
    add("prefix") { source, _ in source.prefix(while: { $0 > 0 }, behavior: .inclusive) }
    add("Create", fails: false, line: #line + 1) { source, _ in
      Publishers.Create<Int, TestError>(bufferSize: 1, whenFull: .dropNewest) { _ in AnyCancellable {} }
    }
    add("groupBy") { source, _ in source.groupBy({ $0 }, maxGroups: 1, bufferSize: 1) }
    add("multicast") { source, _ in source.multicast { Source() }.autoconnect() }
    add("Deferred") { source, _ in Deferred { source } }
    add("partition") { source, _ in source.partition { $0 > 5 }.others }
    add("flatMapFirst") { source, _ in source.flatMapFirst { _ in source } }
    add("distinct") { source, _ in source.distinct(by: { $0 }, remembering: 2) }
    add("chunked") { source, _ in source.chunked(maxCount: 2) { $0 == $1 } }
    add("chunked") { source, _ in source.chunked(maxCount: 2, on: { $0 }) }
    add("retry") { source, scheduler in source.retry(.immediate(maxRetries: 1), scheduler: scheduler) { _ in false } }
    add("retry") { source, _ in source.retry(when: { $0.prefix(1) }) }
    add("retry") { source, _ in source.retry(when: { _ in source }) }
    return all
  }()
}

private func attach<P: Publisher>(_ publisher: P) -> AnyCancellable {
  publisher.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
}

private func next(_ value: Int) -> Int { value + 1 }

private func isSame(_ value: Int, _ other: Int) -> Bool { value == other }

private func failing(_ value: Int) -> Result<Int, TestError>.Publisher { .init(value) }

/// Requests the next value a second after the previous one.
private func passOn<P: Publisher>(_ publisher: P, slowly scheduler: TestSchedulerOf<DispatchQueue>) -> any Publisher {
  publisher.flatMap(maxPublishers: .max(1)) {
    Just($0).setFailureType(to: P.Failure.self).delay(for: .seconds(1), scheduler: scheduler)
  }
}
