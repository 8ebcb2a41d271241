import Dispatch
import Foundation
import StreamAlgorithms
import StreamSchedulers
import Streams
import Testing

@testable import StreamTesting

// `@testable`: how long a call on another thread may take, which is shortened here.

private let numbers = [1, 2, 3, 4, 5]

@Suite(.ownThread)
struct MisbehavingPublisherTests {
  // MARK: Conformance

  @Test(arguments: Misbehavior.allCases, [5, 20])
  func `the checks detect exactly the rule that is violated`(_ misbehavior: Misbehavior, _ count: Int) {
    let line: UInt = #line + 2
    let (violations, issues) = IssueReporter.withCapture {
      ConformanceChecks.publisher(sends: count) { MisbehavingPublisher(Array(1...count), misbehavior) }
    }
    let rules = misbehavior.rule.map { [$0] } ?? []
    expect(violations, issues, toBe: rules, of: "MisbehavingPublisher<Int, Never>", line: line)
    #expect(violations.flatMap(\.identifiers) == misbehavior.identifiers)
  }

  @Test(arguments: Misbehavior.allCases)
  func `the checks detect the same rule in virtual time`(_ misbehavior: Misbehavior) {
    let scheduler = DispatchQueue.test
    let line: UInt = #line + 2
    let (violations, issues) = IssueReporter.withCapture {
      ConformanceChecks.publisher(sends: 5, settle: { scheduler.run() }) {
        MisbehavingPublisher(numbers, misbehavior, every: .seconds(1), on: scheduler)
      }
    }
    let rules = misbehavior.rule.map { [$0] } ?? []
    expect(violations, issues, toBe: rules, of: "MisbehavingPublisher<Int, Never>", line: line)
  }

  @Test func `a publisher without a misbehavior conforms`() {
    let scheduler = DispatchQueue.test
    ConformanceChecks.publisher(
      sends: 20,
      failing: { MisbehavingPublisher([1], nil, completion: .failure(Mishap())) },
      { MisbehavingPublisher(Array(1...20), nil) })
    ConformanceChecks.publisher(
      sends: 20,
      failing: { MisbehavingPublisher([], nil, completion: .failure(Mishap()), every: .seconds(1), on: scheduler) },
      settle: { scheduler.run() },
      { MisbehavingPublisher(Array(1...20), nil, every: .seconds(1), on: scheduler) })
    scheduler.assertIdle()
  }

  @Test func `a thread has another identity than those that have ended`() {
    var identities: [ThreadIdentity] = []
    for _ in 0..<100 { CallOnAnotherThread().call { identities.append(.current) } }
    let reused = identities.indices.filter { identities[..<$0].contains(identities[$0]) }
    #expect(reused == [])
  }

  // MARK: Signals

  /// The signals of each misbehavior: `S` for a subscription, `F` for a completion, `C` for a call of `cancel()`, with
  /// what happens meanwhile in parentheses; `*` for another thread.
  private static let signals: [(Misbehavior, SignalLog.Script, String)] = [
    (.sendsBeyondDemand, .requestsOne, "S() 1() 2() 3() F()"),
    (.sendsWithoutDemand, .requestsNone, "S() 1()"),
    (.sendsWithoutDemand, .requestsOne, "S() 1() 2()"),
    (.nestsValues, .requestsInside, "S() 1( 2() ) 3() F()"),
    (.nestsValues, .requestsAll, "S() 1() 2() 3() F()"),
    (.overlapsOnAnotherThread, .requestsInside, "S() 1( 2*() ) 3() F()"),
    (.completesDuringValue, .requestsInside, "S() 1() 2() 3( F() )"),
    (.sendsAfterCompletion, .requestsAll, "S() 1() 2() 3() F() 3()"),
    (.completesTwice, .requestsAll, "S() 1() 2() 3() F() F()"),
    (.sendsNoSubscription, .requestsAll, ""),
    (.sendsWithoutSubscription, .requestsAll, "1() 2() 3() F()"),
    (.sendsBeforeSubscription, .requestsAll, "1() S() 1() 2() 3() F()"),
    (.completesBeforeSubscription, .requestsAll, "F() S() 1() 2() 3() F()"),
    (.sendsSecondSubscription, .requestsAll, "S() S() 1() 2() 3() F()"),
    (.ignoresCancellation, .cancelsInValue, "S() 1( C() ) 2() 3() F()"),
    (.ignoresCancellation, .cancelsAfterValue, "S() 1() C()"),
    (.sendsFromCancel, .cancelsInValue, "S() 1( C() ) 2()"),
    (.sendsFromCancel, .cancelsAfterValue, "S() 1() C( 2() )"),
    (.completesFromCancel, .cancelsInValue, "S() 1( C() ) F()"),
    (.completesFromCancel, .cancelsAfterValue, "S() 1() C( F() )"),
    (.retainsSubscriberAfterCancel, .cancelsInValue, "S() 1( C() )"),
    (.retainsSubscriberAfterCompletion, .requestsAll, "S() 1() 2() 3() F()"),
    (.sendsInsideSubscription, .requestsAll, "S( 1() 2() 3() F() )"),
    (.changesThreads, .requestsAll, "S() 1() 2*() 3() F*()"),
    (.sendsLateOnAnotherThread, .cancelsInValue, "S() 1( C() ) 2*()"),
    (.sendsLateOnAnotherThread, .cancelsAfterValue, "S() 1() C( 2*() )"),
  ]

  @Test func `each misbehavior sends the signals that its documentation states`() {
    for (misbehavior, script, text) in Self.signals {
      let log = SignalLog(script)
      log.attach(to: MisbehavingPublisher([1, 2, 3], misbehavior))
      #expect(log.text == text, "\(misbehavior), \(script)")
    }
    #expect(Set(Self.signals.map(\.0)) == Set(Misbehavior.allCases))
  }

  @Test func `values are sent one interval after another, and the cancelled ones are not scheduled any more`() {
    let scheduler = DispatchQueue.test
    func recorded(_ misbehavior: Misbehavior?) -> String {
      let source = MisbehavingPublisher(["a", "b", "c"], misbehavior, every: .seconds(2), on: scheduler)
      let log = TimedLog(scheduler, cancelsAfter: "b")
      source.subscribe(log)
      scheduler.run()
      scheduler.assertIdle()
      return log.text
    }
    #expect(recorded(nil) == "a at 2, b at 4")
    #expect(recorded(.ignoresCancellation) == "a at 2, b at 4, c at 6, end at 6")
    #expect(recorded(.sendsFromCancel) == "a at 2, b at 4, c at 4")
  }

  @Test func `a source without values completes, and has nothing to send late`() {
    let log = SignalLog(.requestsNone)
    log.attach(to: MisbehavingPublisher([], .sendsAfterCompletion))
    #expect(log.text == "S() F()")
    let recorder = MisbehavingPublisher([Int](), .completesTwice, completion: .failure(Mishap()))
    let (_, issues) = IssueReporter.withCapture { recorder.record() }
    #expect(issues.count == 1)
  }

  @Test func `a subscriber is retained as long as its publisher, and no longer`() {
    func outlives(_ misbehavior: Misbehavior?, _ script: SignalLog.Script) -> [Bool] {
      weak var subscriber: SignalLog?
      var publisher: MisbehavingPublisher? = MisbehavingPublisher([1, 2, 3], misbehavior)
      func play() {
        let log = SignalLog(script)
        subscriber = log
        if let publisher { log.attach(to: publisher) }
      }
      play()
      let isRetained = subscriber != nil
      publisher = nil
      return [isRetained, subscriber != nil]
    }
    #expect(outlives(nil, .cancelsInValue) == [false, false])
    #expect(outlives(nil, .requestsAll) == [false, false])
    #expect(outlives(.retainsSubscriberAfterCancel, .cancelsInValue) == [true, false])
    #expect(outlives(.retainsSubscriberAfterCompletion, .requestsAll) == [true, false])
  }

  // MARK: Threads

  /// What a subscriber receives that holds a lock during its deliveries, or from its request on; other threads have to
  /// wait.
  private static let delayedSignals: [(Misbehavior?, LockingSubscriber.Section, String)] = [
    (nil, .request, "1 2 3 end"),
    (.nestsValues, .delivery, "1 2 3 end"),
    (.overlapsOnAnotherThread, .delivery, "1 2 3 end"),
    (.overlapsOnAnotherThread, .request, "1 2"),
    (.changesThreads, .request, "1 2"),
    (.sendsLateOnAnotherThread, .cancellation, "1 2"),
  ]

  @Test func `a subscriber that makes another thread wait does not hang`() {
    for (misbehavior, section, text) in Self.delayedSignals {
      let source = MisbehavingPublisher([1, 2, 3], misbehavior)
      let subscriber = LockingSubscriber(section, source)
      // No call returns while the lock is held. After a delivery it's free, so the call returns, whenever its thread runs.
      let isFreeLater = section == .delivery
      CallOnAnotherThread.$patience.withValue(0.05) {
        CallOnAnotherThread.$secondPatience.withValue(isFreeLater ? 3600 : 0.05) {
          source.subscribe(subscriber)
          subscriber.play()
        }
      }
      let received = subscriber.received(text.split(separator: " ").count)
      #expect(received == text, "\(String(describing: misbehavior)), \(section)")
    }
  }

  // MARK: Operators and subscribers of the package

  /// Returns what a sink receives behind an operator; its closure lets signals overlap, and cancels at a value.
  private func received<P: Publisher<Int, Never>>(
    _ misbehavior: Misbehavior, cancelsAt last: Int?, _ attach: (MisbehavingPublisher<Int, Never>) -> P
  ) -> String {
    let source = MisbehavingPublisher([1, 2, 3], misbehavior)
    let log = Locked<[String]>([])
    var sink: Subscribers.Sink<Int, Never>?
    let made = Subscribers.Sink<Int, Never> { _ in
      log.withLock { $0.append("end") }
    } receiveValue: { value in
      log.withLock { $0.append("\(value)") }
      if value == last { sink?.cancel() }
      source.overlap()
    }
    sink = made
    attach(source).subscribe(made)
    sink = nil
    made.cancel()
    return log.withLock { $0 }.joined(separator: " ")
  }

  /// Returns what a sink receives behind each of some operators.
  private func receivedBehindOperators(_ misbehavior: Misbehavior, cancelsAt last: Int? = nil) -> [String: String] {
    [
      "map": received(misbehavior, cancelsAt: last) { $0.map { $0 } },
      "filter": received(misbehavior, cancelsAt: last) { $0.filter { _ in true } },
      "scan": received(misbehavior, cancelsAt: last) { $0.scan(0) { $1 } },
      "buffer": received(misbehavior, cancelsAt: last) {
        $0.buffer(size: 5, prefetch: .keepFull, whenFull: .dropNewest)
      },
      "receive": received(misbehavior, cancelsAt: last) { $0.receive(on: DispatchQueue.immediate) },
      "share": received(misbehavior, cancelsAt: last) { $0.share() },
      "erased": received(misbehavior, cancelsAt: last) { $0.eraseToAnyPublisher() },
    ]
  }

  @Test(arguments: Misbehavior.allCases)
  func `sinks behind operators receive each value and one completion`(_ misbehavior: Misbehavior) {
    let (all, firstTwo) =
      switch misbehavior {
      case .sendsNoSubscription: ("", "")
      case .completesBeforeSubscription: ("end", "end")
      case .sendsBeforeSubscription: ("1 1 2 3 end", "1 1 end")
      default: ("1 2 3 end", "1 2 end")
      }
    for (name, text) in receivedBehindOperators(misbehavior) { #expect(text == all, "\(name)") }
    #expect(received(misbehavior, cancelsAt: nil) { $0.prefix(2) } == firstTwo)
  }

  @Test(arguments: Misbehavior.allCases)
  func `sinks behind operators receive nothing after they have cancelled`(_ misbehavior: Misbehavior) {
    let expected =
      switch misbehavior {
      case .sendsNoSubscription: ""
      case .completesBeforeSubscription: "end"
      default: "1"
      }
    for (name, text) in receivedBehindOperators(misbehavior, cancelsAt: 1) { #expect(text == expected, "\(name)") }
  }

  @Test(arguments: Misbehavior.allCases)
  func `a buffer makes a misbehaving publisher conform`(_ misbehavior: Misbehavior) {
    // Nothing can be made of a stream that has not begun, or that ends before it does.
    if [.sendsNoSubscription, .completesBeforeSubscription].contains(misbehavior) { return }
    ConformanceChecks.publisher(sends: 5) {
      MisbehavingPublisher(numbers, misbehavior).buffer(size: 5, prefetch: .keepFull, whenFull: .dropNewest)
    }
  }

  @Test(arguments: Misbehavior.allCases)
  func `a recorder reports what it can see of a misbehavior, and records the stream`(_ misbehavior: Misbehavior) {
    let (recorder, issues) = IssueReporter.withCapture {
      MisbehavingPublisher([1, 2, 3], misbehavior).record(demand: .max(3))
    }
    let expected: [String] =
      switch misbehavior {
      case .sendsAfterCompletion, .completesTwice: ["A signal arrived after the end"]
      case .sendsWithoutSubscription: Array(repeating: "A signal arrived before the subscription", count: 4)
      case .sendsBeforeSubscription, .completesBeforeSubscription: ["A signal arrived before the subscription"]
      case .sendsSecondSubscription: ["The recorder received a second subscription and cancelled it."]
      default: []
      }
    #expect(issues.map { $0.message.split(separator: ": ")[0] } == expected.map { $0[...] })
    let values: [Int] =
      switch misbehavior {
      case .sendsNoSubscription, .completesBeforeSubscription: []
      case .sendsBeforeSubscription: [1, 1, 2, 3]
      case .sendsAfterCompletion: [1, 2, 3, 3]
      default: [1, 2, 3]
      }
    #expect(recorder.values == values)
    #expect((recorder.completion != nil) == (misbehavior != .sendsNoSubscription))
  }

  @Test func `a recorder reports values that it has not requested`() {
    for (misbehavior, count) in [(Misbehavior.sendsBeyondDemand, 2), (.sendsWithoutDemand, 1)] {
      let (recorder, issues) = IssueReporter.withCapture {
        MisbehavingPublisher([1, 2, 3], misbehavior).record(demand: .max(1))
      }
      #expect(issues.map(\.message).filter { $0.hasPrefix("A value arrived that was not requested: ") }.count == count)
      recorder.cancel()
    }
  }
}

/// A subscriber that writes down the signals that it receives.
private final class SignalLog: Subscriber {
  enum Script {
    case requestsNone
    case requestsOne
    case requestsInside
    case requestsAll
    case cancelsInValue
    case cancelsAfterValue
  }

  private let script: Script
  private let thread = Thread.current
  private let log = Locked("")
  private var subscription: (any Subscription)?

  init(_ script: Script) { self.script = script }

  var text: String {
    log.withLock { $0 }.trimmingCharacters(in: .whitespaces).replacing("( )", with: "()")
  }

  func attach(to publisher: MisbehavingPublisher<Int, Never>) {
    publisher.subscribe(self)
    if script == .cancelsAfterValue { cancel() }
    subscription = nil
  }

  private func write(_ signal: String, _ body: () -> Void = {}) {
    let mark = Thread.current === thread ? "" : "*"
    log.withLock { $0 += "\(signal)\(mark)( " }
    body()
    log.withLock { $0 += ") " }
  }

  private func cancel() { write("C") { subscription?.cancel() } }

  func receive(subscription: any Subscription) {
    write("S") {
      guard self.subscription == nil else { return }
      self.subscription = subscription
      switch script {
      case .requestsNone: break
      case .requestsOne, .requestsInside, .cancelsAfterValue: subscription.request(.max(1))
      case .requestsAll, .cancelsInValue: subscription.request(.unlimited)
      }
    }
  }

  func receive(_ input: Int) -> Subscribers.Demand {
    write("\(input)") {
      if script == .requestsInside { subscription?.request(.max(1)) }
      if script == .cancelsInValue, input == 1 { cancel() }
    }
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) { write("F") }
}

/// A subscriber that writes down when signals arrive, and cancels after a value.
private final class TimedLog: Subscriber {
  typealias Failure = Never

  private let scheduler: TestSchedulerOf<DispatchQueue>
  private let start: DispatchQueue.SchedulerTimeType
  private let last: String
  private var subscription: (any Subscription)?
  private var entries: [String] = []

  init(_ scheduler: TestSchedulerOf<DispatchQueue>, cancelsAfter last: String) {
    self.scheduler = scheduler
    self.last = last
    start = scheduler.now
  }

  var text: String { entries.joined(separator: ", ") }

  private func write(_ signal: String) {
    entries.append("\(signal) at \(start.distance(to: scheduler.now).nanoseconds / 1_000_000_000)")
  }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.request(.unlimited)
  }

  func receive(_ input: String) -> Subscribers.Demand {
    write(input)
    if input == last { subscription.take()?.cancel() }
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) { write("end") }
}

/// A subscriber that holds a lock while it calls its subscription, which it should not.
private final class LockingSubscriber: Subscriber {
  /// What it does while it holds the lock, apart from writing down its signals.
  enum Section {
    /// Calls the subscription from inside `receive(_:)`.
    case delivery

    /// Requests the first values, and so receives all that are sent immediately.
    case request

    case cancellation
  }

  private let section: Section
  private let source: MisbehavingPublisher<Int, Never>
  private let lock = NSRecursiveLock()
  private let signals = DispatchSemaphore(value: 0)
  private var subscription: (any Subscription)?
  private var entries: [String] = []

  init(_ section: Section, _ source: MisbehavingPublisher<Int, Never>) {
    self.section = section
    self.source = source
  }

  func play() {
    let subscription = lock.withLock { self.subscription.take() }
    switch section {
    case .delivery: subscription?.request(.unlimited)
    case .request: lock.withLock { subscription?.request(.unlimited) }
    case .cancellation:
      subscription?.request(.max(1))
      lock.withLock { subscription?.cancel() }
    }
  }

  /// Returns what has been received, once there is a number of signals.
  func received(_ count: Int) -> String {
    for _ in 0..<count where signals.wait(timeout: .hang) == .timedOut { Issue.record("A signal did not arrive.") }
    return lock.withLock { entries.joined(separator: " ") }
  }

  func receive(subscription: any Subscription) { lock.withLock { self.subscription = subscription } }

  func receive(_ input: Int) -> Subscribers.Demand {
    lock.withLock {
      entries.append("\(input)")
      source.overlap()
    }
    signals.signal()
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {
    lock.withLock { entries.append("end") }
    signals.signal()
  }
}
