import Dispatch
import Foundation
import StreamFoundation
import Testing

/// Rows of the tables in the article "From Combine" that concern no single operator, or several.
struct DifferencesFromCombineTests {
  private let journal = Journal()

  private func makeSource(_ name: String) -> Source { Source(name, journal) }

  /// Subscribes to a publisher, and returns the subscriber, which notes what it receives.
  @discardableResult
  private func observe<P: Publisher>(
    _ publisher: P, _ demand: Subscribers.Demand = .unlimited, returning returned: Subscribers.Demand = .none
  ) -> Observer<P.Output, P.Failure> {
    let observer = Observer<P.Output, P.Failure>(journal, demand, returned)
    publisher.subscribe(observer)
    return observer
  }

  // MARK: Demand

  @Test func `a subscriber of objectWillChange that requests one value receives one`() {
    let publisher = ObservableObjectPublisher()
    observe(publisher, .max(1))
    for _ in 1...3 { publisher.send() }
    #expect(journal.entries() == ["subscription", "()"])
  }

  @Test func `operators that may publish no value finish without a request if there is none`() {
    func finish(_ body: (Source) -> Void) -> [String] {
      let source = makeSource("a")
      body(source)
      _ = journal.entries()
      source.finish()
      return journal.entries()
    }
    #expect(finish { observe($0.first(), .none) } == ["finished"])
    #expect(finish { observe($0.first { _ in true }, .none) } == ["finished"])
    #expect(finish { observe($0.tryFirst { _ in true }, .none) } == ["finished"])
    #expect(finish { observe($0.last(), .none) } == ["finished"])
    #expect(finish { observe($0.last { _ in true }, .none) } == ["finished"])
    #expect(finish { observe($0.tryLast { _ in true }, .none) } == ["finished"])
    #expect(finish { observe($0.min(), .none) } == ["finished"])
    #expect(finish { observe($0.min { $0 < $1 }, .none) } == ["finished"])
    #expect(finish { observe($0.tryMin { $0 < $1 }, .none) } == ["finished"])
    #expect(finish { observe($0.max(), .none) } == ["finished"])
    #expect(finish { observe($0.max { $0 < $1 }, .none) } == ["finished"])
    #expect(finish { observe($0.tryMax { $0 < $1 }, .none) } == ["finished"])
    #expect(finish { observe($0.output(at: 0), .none) } == ["finished"])
    #expect(finish { observe($0.output(in: 0..<2), .none) } == ["finished"])
    #expect(finish { observe($0.prefix(2), .none) } == ["finished"])
    #expect(finish { observe($0.dropFirst(), .none) } == ["finished"])
    #expect(finish { observe($0.ignoreOutput(), .none) } == ["finished"])
    #expect(finish { observe($0.collect(2), .none) } == ["finished"])
    // These have a result, which waits for a request, as in Combine.
    #expect(finish { observe($0.collect(), .none) } == [])
    #expect(finish { observe($0.count(), .none) } == [])
    #expect(finish { observe($0.reduce(0) { $0 + $1 }, .none) } == [])
    #expect(finish { observe($0.tryReduce(0) { $0 + $1 }, .none) } == [])
    #expect(finish { observe($0.contains(1), .none) } == [])
    #expect(finish { observe($0.tryContains { $0 == 1 }, .none) } == [])
    #expect(finish { observe($0.allSatisfy { $0 == 1 }, .none) } == [])
    #expect(finish { observe($0.tryAllSatisfy { $0 == 1 }, .none) } == [])
    #expect(finish { observe($0.replaceEmpty(with: 1), .none) } == [])
  }

  @Test func `further demand after a value arrives as a request`() {
    func send(_ body: (Source) -> Void) -> [String] {
      let source = makeSource("a")
      body(source)
      _ = journal.entries()
      source.send(1)
      return journal.entries().filter { $0.hasPrefix("a ") }
    }
    let other = Empty<Int, TestError>()
    let expected = ["a request max(1)", "a returned max(0)"]
    #expect(send { observe($0.append(other), .max(1), returning: .max(1)) } == expected)
    #expect(send { observe($0.prepend(other), .max(1), returning: .max(1)) } == expected)
    #expect(send { observe($0.catch { _ in other }, .max(1), returning: .max(1)) } == expected)
    #expect(send { observe($0.tryCatch { _ in other }, .max(1), returning: .max(1)) } == expected)
    #expect(send { observe($0.replaceError(with: 0), .max(1), returning: .max(1)) } == expected)
    let never = Empty<Int, Never>(completeImmediately: false)
    #expect(send { observe($0.prefix(untilOutputFrom: never), .max(1), returning: .max(1)) } == expected)
    let first = Just(0).setFailureType(to: TestError.self)
    #expect(send { observe($0.drop(untilOutputFrom: first), .max(1), returning: .max(1)) } == expected)
    #expect(
      send { source in
        observe(
          Just(1).setFailureType(to: TestError.self).map { _ in source }.switchToLatest(), .max(1), returning: .max(1))
      } == expected)
    // Without demand from the subscriber, these refill what they buffer.
    #expect(
      send { source in observe(Just(1).setFailureType(to: TestError.self).flatMap { _ in source }, .max(1)) }
        == expected)
    #expect(
      send { observe($0.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest), .max(1)) } == expected)
    // Here the request is made on the scheduler, after the value.
    let scheduler = DispatchQueue.test
    let source = makeSource("a")
    observe(source.subscribe(on: scheduler), .max(1), returning: .max(1))
    scheduler.advance()
    _ = journal.entries()
    source.send(1)
    scheduler.advance()
    #expect(journal.entries() == ["1", "a returned max(0)", "a request max(1)"])
  }

  @Test func `measureInterval returns the demand that its subscriber returns`() {
    let source = makeSource("a")
    observe(source.measureInterval(using: DispatchQueue.test).map { _ in 0 }, .max(1), returning: .max(1))
    source.send(1)
    #expect(journal.entries() == ["subscription", "a request max(1)", "0", "a returned max(1)"])
  }

  @Test func `dropFirst requests what it drops separately`() {
    observe(makeSource("a").dropFirst(2), .max(3))
    #expect(journal.entries() == ["subscription", "a request max(3)", "a request max(2)"])
  }

  @Test func `ignoreOutput requests unlimited demand only`() {
    observe(makeSource("a").ignoreOutput(), .max(3)).subscription?.request(.max(1))
    #expect(journal.entries() == ["subscription", "a request unlimited"])
  }

  @Test func `demand returned for an array that a timer delivers counts`() {
    let scheduler = DispatchQueue.test
    let source = makeSource("a")
    observe(source.collect(.byTimeOrCount(scheduler, .seconds(1), 2)), .max(1), returning: .max(1))
    source.send(1)
    scheduler.advance(by: .seconds(1))
    #expect(
      journal.entries() == ["subscription", "a request max(2)", "a returned max(0)", "[1]", "a request max(2)"])
  }

  @Test func `values that weren't requested wait for a request where values can wait`() {
    func run(_ body: (Source) -> Observer<Int, TestError>) -> [[String]] {
      let source = makeSource("a")
      let observer = body(source)
      source.send(1)
      var received: [[String]] = []
      for _ in 1...2 {
        received.append(journal.entries().filter { !$0.hasPrefix("a ") && $0 != "subscription" })
        observer.subscription?.request(.max(1))
      }
      observer.subscription?.cancel()
      _ = journal.entries()
      return received
    }
    let waits = [[], ["1"]]
    let other = Empty<Int, TestError>(completeImmediately: false)
    let two = Just(2).setFailureType(to: TestError.self).append(other)
    #expect(run { observe($0.receive(on: ImmediateScheduler.shared), .none) } == waits)
    #expect(run { observe($0.zip(two).map { $0.0 }, .none) } == waits)
    #expect(run { observe($0.prefix(untilOutputFrom: other), .none) } == waits)
    #expect(run { observe($0.merge(with: other), .none) } == waits)
    #expect(run { observe($0.catch { _ in other }, .none) } == waits)
    #expect(run { observe($0.append(other), .none) } == waits)
    let passes = [["1"], []]
    #expect(run { observe($0.map { $0 }, .none) } == passes)
    #expect(run { observe($0.scan(0) { $1 }, .none) } == passes)
  }

  @Test func `collect(.byTime) requests unlimited demand with the first request for an array, and keeps others`() {
    let scheduler = DispatchQueue.test
    let source = makeSource("a")
    let observer = observe(source.collect(.byTime(scheduler, .seconds(1))), .none)
    #expect(journal.entries() == ["subscription"])
    observer.subscription?.request(.max(1))
    #expect(journal.entries() == ["a request unlimited"])
    observer.subscription?.request(.max(1))
    #expect(journal.entries() == [])
    for value in 1...3 {
      source.send(value)
      scheduler.advance(by: .seconds(1))
    }
    #expect(journal.entries().filter { !$0.hasPrefix("a ") } == ["[1]", "[2]"])
    observer.subscription?.request(.max(1))
    scheduler.advance()
    #expect(journal.entries() == ["[3]"])
  }

  @Test func `a demand isn't decoded from a number above that of unlimited demand`() throws {
    func decode(_ text: String) throws -> [Subscribers.Demand] {
      try JSONDecoder().decode([Subscribers.Demand].self, from: Data(text.utf8))
    }
    #expect(try decode("[9223372036854775807, 9223372036854775808]") == [.max(.max), .unlimited])
    for text in ["[9223372036854775809]", "[18446744073709551615]"] {
      #expect {
        try decode(text)
      } throws: { error in
        if case DecodingError.dataCorrupted = error { true } else { false }
      }
    }
  }

  // MARK: Order

  @Test func `values that a publisher sends before its subscription pass`() {
    func run(_ body: (Source) -> Void) -> [String] {
      let source = makeSource("a")
      source.sendsEarly = true
      body(source)
      source.send(2)
      source.finish()
      return journal.entries().filter { !$0.hasPrefix("a ") && $0 != "subscription" }
    }
    let expected = ["1", "2", "finished"]
    let other = Empty<Int, TestError>(completeImmediately: false)
    #expect(run { observe($0.map { $0 }) } == expected)
    #expect(run { observe($0.removeDuplicates()) } == expected)
    #expect(run { observe($0.drop { _ in false }) } == expected)
    #expect(run { observe($0.prefix(2)) } == expected)
    #expect(run { observe($0.replaceError(with: 0)) } == expected)
    #expect(run { observe($0.catch { _ in other }) } == expected)
    #expect(run { observe($0.retry(1)) } == expected)
    #expect(run { observe($0.prefix(untilOutputFrom: other)) } == expected)
    #expect(run { observe($0.append(Empty())) } == expected)
    #expect(run { observe($0.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest)) } == expected)
    #expect(run { observe($0.receive(on: ImmediateScheduler.shared)) } == expected)
    #expect(run { observe($0.subscribe(on: ImmediateScheduler.shared)) } == expected)
    #expect(run { observe($0.delay(for: 1, scheduler: ImmediateScheduler.shared)) } == expected)
    #expect(run { observe($0.share()) } == expected)
    #expect(run { observe($0.first()) } == ["1", "finished"])
    #expect(run { observe($0.collect()) } == ["[1, 2]", "finished"])
    #expect(run { observe($0.reduce(0) { $0 + $1 }) } == ["3", "finished"])
    #expect(run { observe($0.dropFirst()) } == ["2", "finished"])
  }

  @Test func `append and prepend pass their subscription on before they subscribe`() {
    for isPrepended in [false, true] {
      let (first, second) = (makeSource("a"), makeSource("b"))
      (first.notesSubscribers, second.notesSubscribers) = (true, true)
      if isPrepended { observe(second.prepend(first)) } else { observe(first.append(second)) }
      #expect(journal.entries() == ["subscription", "a subscribed", "a request unlimited"])
      first.finish()
      #expect(journal.entries() == ["b subscribed", "b request unlimited"])
    }
  }

  @Test
  func `operators that may have a signal of their own to deliver pass their subscription on before they subscribe`() {
    func run(_ body: (Source) -> Void) -> [String] {
      let source = makeSource("a")
      source.notesSubscribers = true
      body(source)
      return journal.entries()
    }
    let scheduler = DispatchQueue.test
    let expected = ["subscription", "a subscribed"]
    let other = Empty<Int, TestError>(completeImmediately: false)
    #expect(run { observe($0.catch { _ in other }, .none) } == expected)
    #expect(run { observe($0.tryCatch { _ in other }, .none) } == expected)
    #expect(run { observe($0.retry(1), .none) } == expected)
    #expect(run { observe($0.replaceError(with: 0), .none) } == expected)
    #expect(run { observe($0.combineLatest(other).map { $0.0 }, .none) } == expected)
    #expect(run { observe($0.prefix(untilOutputFrom: other), .none) } == expected)
    #expect(run { observe($0.receive(on: scheduler), .none) } == expected)
    #expect(run { observe($0.timeout(.seconds(1), scheduler: scheduler), .none) } == expected)
    #expect(run { observe($0.collect(.byTime(scheduler, .seconds(1))), .none) } == expected)
    // These request values that nobody has asked for.
    let requesting = expected + ["a request unlimited"]
    #expect(run { observe($0.debounce(for: .seconds(1), scheduler: scheduler), .none) } == requesting)
    #expect(run { observe($0.throttle(for: .seconds(1), scheduler: scheduler, latest: true), .none) } == requesting)
    // Operators that only handle values wait for the subscription of their publisher, as in Combine.
    #expect(run { observe($0.map { $0 }, .none) } == ["a subscribed", "subscription"])
    #expect(run { observe($0.tryMap { $0 }, .none) } == ["a subscribed", "subscription"])
  }

  @Test func `append subscribes to what follows when the call that subscribed to the first publisher has returned`() {
    observe(Immediate("a", journal).append(Immediate("b", journal)).append(Immediate("c", journal)))
    #expect(
      journal.entries() == [
        "subscription", "a begins", "1", "a returns", "b begins", "1", "b returns", "c begins", "1",
        "finished", "c returns",
      ])
  }

  @Test func `signals after a completion are dropped, and a second subscription is cancelled`() {
    func run(_ body: (Source) -> Void) -> [String] {
      let source = makeSource("a")
      source.keepsSubscriber = true
      body(source)
      source.subscribeAgain(as: makeSource("second"))
      source.send(1)
      source.finish()
      source.send(2)
      source.fail()
      return journal.entries().filter { !$0.hasPrefix("a ") }
    }
    let expected = ["subscription", "second cancelled", "1", "finished"]
    #expect(run { observe($0.scan(0) { $1 }) } == expected)
    #expect(run { observe($0.tryMap { $0 }) } == expected)
    #expect(run { observe($0.collect().map { $0[0] }) } == expected)
    #expect(run { observe($0.collect(2).map { $0[0] }) } == expected)
    #expect(run { observe($0.ignoreOutput()) } == expected.filter { $0 != "1" })
    #expect(run { observe($0.removeDuplicates()) } == expected)
    #expect(run { observe($0.receive(on: ImmediateScheduler.shared)) } == expected)
    #expect(run { observe($0.merge(with: Empty())) } == expected)
    // Operators that keep no state let them through.
    #expect(
      run { observe($0.map { $0 }) } == [
        "subscription", "subscription", "second request unlimited", "1", "finished", "2", "first",
      ])
  }

  @Test func `autoconnect connects once if a subscriber arrives while it is connecting`() {
    for isInConnect in [false, true] {
      let connectable = CountingConnectable()
      let publisher = connectable.autoconnect()
      var inner: Observer<Int, Never>?
      let attach = { if inner == nil { inner = self.observe(publisher) } }
      if isInConnect { connectable.onConnect = attach }
      let outer = Observer<Int, Never>(journal, .unlimited, .none)
      if !isInConnect { outer.onSubscription = attach }
      publisher.subscribe(outer)
      #expect(connectable.connections == 1)
      outer.subscription?.cancel()
      #expect(connectable.disconnections == 0)
      inner?.subscription?.cancel()
      #expect(connectable.disconnections == 1)
    }
  }

  @Test func `zip passes its subscription on before it subscribes, and requests values one publisher after the other`()
  {
    let (first, second) = (makeSource("a"), makeSource("b"))
    (first.notesSubscribers, second.notesSubscribers) = (true, true)
    observe(first.zip(second).map { $0.0 + $0.1 })
    #expect(
      journal.entries() == [
        "subscription", "a subscribed", "a request unlimited", "b subscribed", "b request unlimited",
      ])
  }

  @Test func `receive(on:) has one action scheduled, and delay one for each date`() {
    func pending<P: Publisher<Int, Never>>(
      _ operation: (PassthroughSubject<Int, Never>, TestSchedulerOf<DispatchQueue>) -> P
    )
      -> [Int]
    {
      let (subject, scheduler) = (PassthroughSubject<Int, Never>(), DispatchQueue.test)
      let observer = observe(operation(subject, scheduler))
      var counts: [Int] = []
      for value in 1...4 {
        if value == 4 { scheduler.advance(by: .milliseconds(1)) }
        subject.send(value)
        counts.append(scheduler.pendingCount)
      }
      observer.subscription?.cancel()
      return counts
    }
    #expect(pending { $0.receive(on: $1) } == [1, 1, 1, 1])
    #expect(pending { $0.delay(for: .seconds(1), scheduler: $1) } == [1, 1, 1, 2])
    #expect(pending { $0.debounce(for: .seconds(1), scheduler: $1) } == [1, 1, 1, 1])
  }

  @Test func `flatMap and switchToLatest cancel the outer publisher before the inner ones, which come in their order`()
  {
    let (outer, inner) = (makeSource("o"), (0..<5).map { makeSource("\($0)") })
    let flattened = observe(outer.flatMap { inner[$0] })
    for index in 0..<5 { outer.send(index) }
    _ = journal.entries()
    flattened.subscription?.cancel()
    #expect(journal.entries() == ["o cancelled"] + (0..<5).map { "\($0) cancelled" })

    let switched = observe(outer.map { inner[$0] }.switchToLatest())
    outer.send(0)
    _ = journal.entries()
    switched.subscription?.cancel()
    #expect(journal.entries() == ["o cancelled", "0 cancelled"])
  }

  @Test func `a failure cancels all other publishers before it arrives`() {
    let (a, b, c) = (makeSource("a"), makeSource("b"), makeSource("c"))
    observe(a.zip(b, c).map { $0.0 })
    _ = journal.entries()
    b.fail()
    #expect(journal.entries() == ["a cancelled", "c cancelled", "first"])

    observe(a.combineLatest(b, c).map { $0.0 })
    _ = journal.entries()
    b.fail()
    #expect(journal.entries() == ["a cancelled", "c cancelled", "first"])

    observe(a.merge(with: b, c))
    _ = journal.entries()
    b.fail()
    #expect(journal.entries() == ["a cancelled", "c cancelled", "first"])

    observe(a.flatMap { $0 == 0 ? b : c })
    a.send(0)
    a.send(1)
    _ = journal.entries()
    b.fail()
    #expect(journal.entries() == ["a cancelled", "c cancelled", "first"])
  }

  // MARK: Lifetimes

  @Test func `a stream that has ended or was cancelled retains no closures`() {
    final class Captured { var isUsed = false }
    func isReleased<P: Publisher>(byCancelling: Bool, _ operation: (Source, Captured) -> P) -> Bool {
      let source = makeSource("a")
      weak var witness: Captured?
      let observer: Observer<P.Output, P.Failure>
      do {
        let captured = Captured()
        witness = captured
        observer = observe(operation(source, captured))
      }
      source.send(1)
      guard witness?.isUsed == true else { return false }
      if byCancelling { observer.subscription?.cancel() } else { source.finish() }
      return withExtendedLifetime((observer, source)) { witness == nil }
    }
    for byCancelling in [false, true] {
      #expect(
        isReleased(byCancelling: byCancelling) { source, captured in
          source.tryMap { value in
            captured.isUsed = true
            return value
          }
        })
      #expect(
        isReleased(byCancelling: byCancelling) { source, captured in
          source.flatMap { value in
            captured.isUsed = true
            return Just(value).setFailureType(to: TestError.self)
          }
        })
      #expect(
        isReleased(byCancelling: byCancelling) { source, captured in
          source.scan(0) { _, value in
            captured.isUsed = true
            return value
          }
        })
    }
  }

  @Test func `a subscriber that its publisher releases without a completion is released with its subscription`() {
    func isReleased<P: Publisher>(_ operation: (Source) -> P) -> Bool {
      let source = makeSource("a")
      weak var witness: Observer<P.Output, P.Failure>?
      do { witness = observe(operation(source)) }
      source.send(1)
      let isRetained = witness?.subscription != nil
      source.releaseSubscriber()
      return isRetained && witness == nil
    }
    #expect(isReleased { $0.tryMap { $0 } })
    #expect(isReleased { $0.tryFilter { _ in true } })
    #expect(isReleased { $0.scan(0) { $1 } })
    #expect(isReleased { $0.removeDuplicates() })
    #expect(isReleased { $0.prefix { _ in true } })
    #expect(isReleased { $0.collect(2) })
  }

  @Test func `work that is left in a scheduler after a cancellation does not retain the subscriber`() {
    let scheduler = DispatchQueue.test
    func pendingWork<P: Publisher>(_ operation: (Source) -> P) -> Int? {
      let source = makeSource("a")
      weak var witness: Observer<P.Output, P.Failure>?
      var subscription: (any Subscription)?
      do {
        let observer = observe(operation(source))
        witness = observer
        subscription = observer.subscription
      }
      source.send(1)
      guard witness != nil else { return nil }
      subscription?.cancel()
      defer { scheduler.run() }
      return witness == nil ? scheduler.pendingCount : nil
    }
    #expect(pendingWork { $0.receive(on: scheduler) } == 1)
    // That of the value, but not that of the time.
    #expect(pendingWork { $0.timeout(.seconds(1), scheduler: scheduler) } == 1)
    #expect(pendingWork { $0.delay(for: .seconds(1), scheduler: scheduler) } == 0)
  }

  // MARK: Time

  @Test func `timeout and throttle have one timer, which is armed again`() {
    func calls<P: Publisher<Int, Never>>(
      _ operation: (PassthroughSubject<Int, Never>, SchedulerSpy) -> P
    ) -> [[SchedulerSpy.Call]] {
      let (subject, scheduler) = (PassthroughSubject<Int, Never>(), SchedulerSpy())
      let observer = observe(operation(subject, scheduler))
      var calls = [scheduler.takeCalls()]
      for value in 1...3 { subject.send(value) }
      calls.append(scheduler.takeCalls())
      scheduler.base.advance(by: .milliseconds(600))
      subject.send(4)
      scheduler.base.advance(by: .milliseconds(600))
      calls.append(scheduler.takeCalls())
      observer.subscription?.cancel()
      return calls
    }
    // One action for the values that wait, and one for the time, which is armed again when it comes too early.
    #expect(
      calls { $0.timeout(.seconds(1), scheduler: $1) } == [
        [.once(.seconds(1))], [.now], [.now, .once(.milliseconds(600))],
      ])
    #expect(
      calls { $0.throttle(for: .seconds(1), scheduler: $1, latest: true) } == [
        [], [.once(.zero)], [.once(.milliseconds(400))],
      ])
  }

  @Test func `the distance to the distant future is the longest`() {
    typealias Time = DispatchQueue.SchedulerTimeType
    let (time, future) = (Time(DispatchTime(uptimeNanoseconds: 10_000)), Time(.distantFuture))
    #expect(time.distance(to: future) == .nanoseconds(.max))
    #expect(future.distance(to: time) == .nanoseconds(-.max))
    #expect(future.distance(to: future) == .zero)
    #expect(time.advanced(by: time.distance(to: future)) == future)
    #expect(time < future)
  }

  @Test func `a timer without a tolerance has the smallest one`() {
    #expect(Timer.publish(every: 1, on: .main, in: .common).tolerance == nil)
    #expect(RunLoop.main.minimumTolerance == .zero)
    let scheduler = SchedulerSpy()
    let connections = [
      scheduler.timerPublisher(every: .seconds(1)),
      scheduler.timerPublisher(every: .seconds(1), tolerance: .milliseconds(5)),
    ].map { timer in
      observe(timer)
      return timer.connect()
    }
    #expect(scheduler.tolerances == [scheduler.minimumTolerance, .milliseconds(5)])
    for connection in connections { connection.cancel() }
  }

  // MARK: Positions

  @Test func `output(in:) of one value takes it if the range contains position zero`() {
    #expect(run(Just(1).output(in: -10..<10)) == ["1", "finished"])
    #expect(run(Just(1).output(in: -10..<0)) == ["finished"])
    #expect(run(Just(1).output(in: 0..<0)) == ["finished"])
    #expect(run(Optional(1).publisher.output(in: -10..<10)) == ["1", "finished"])
    #expect(run(Optional(1).publisher.output(in: 0..<0)) == ["finished"])
  }

  @Test func `ranges and counts up to the largest integer have no end`() {
    func expectUnbounded<P: Publisher<Int, Never>>(_ publisher: P) {
      #expect(run(publisher.output(in: ..<Int.max)) == ["1", "finished"])
      #expect(run(publisher.output(in: ...Int.max)) == ["1", "finished"])
      #expect(run(publisher.output(in: 0...Int.max)) == ["1", "finished"])
      #expect(run(publisher.output(in: 1...Int.max)) == ["finished"])
      #expect(run(publisher.output(in: Int.max...Int.max)) == ["finished"])
      #expect(run(publisher.output(in: Int.max...)) == ["finished"])
      #expect(run(publisher.output(at: .max)) == ["finished"])
      #expect(run(publisher.prefix(.max)) == ["1", "finished"])
      #expect(run(publisher.dropFirst(.max)) == ["finished"])
    }
    expectUnbounded(numbers(1))
    expectUnbounded(Just(1).eraseToAnyPublisher())
    expectUnbounded(AnySequence([1]).publisher)

    // The same, by the overloads of these types.
    let (just, optional, result) = (Just(1), Optional(1).publisher, Result<Int, TestError>.success(1).publisher)
    let sequence = [1].publisher
    #expect(run(just.output(in: ...Int.max)) == ["1", "finished"])
    #expect(run(just.output(in: Int.max...Int.max)) == ["finished"])
    #expect(run(just.output(at: .max)) == ["finished"])
    #expect(run(just.prefix(.max)) == ["1", "finished"])
    #expect(run(just.dropFirst(.max)) == ["finished"])
    #expect(run(optional.output(in: ...Int.max)) == ["1", "finished"])
    #expect(run(optional.output(in: 0...)) == ["1", "finished"])
    #expect(run(optional.output(in: Int.max...Int.max)) == ["finished"])
    #expect(run(optional.output(at: .max)) == ["finished"])
    #expect(run(optional.prefix(.max)) == ["1", "finished"])
    #expect(run(optional.dropFirst(.max)) == ["finished"])
    #expect(run(result.output(in: ...Int.max)) == ["1", "finished"])
    #expect(run(result.output(at: .max)) == ["finished"])
    #expect(run(result.prefix(.max)) == ["1", "finished"])
    #expect(run(result.dropFirst(.max)) == ["finished"])
    #expect(run(sequence.output(in: ...Int.max)) == ["1", "finished"])
    #expect(run(sequence.output(in: Int.max...Int.max)) == ["finished"])
    #expect(run(sequence.output(at: .max)) == ["finished"])
    #expect(run(sequence.prefix(.max)) == ["1", "finished"])
    #expect(run(sequence.dropFirst(.max)) == ["finished"])
  }
}

/// What sources and observers note, in one order.
private final class Journal {
  private var noted: [String] = []

  func note(_ entry: String) { noted.append(entry) }

  /// Removes the entries and returns them.
  func entries() -> [String] {
    defer { noted = [] }
    return noted
  }
}

/// A publisher that a test drives by hand, and that notes requests, cancellations and the demand returned to it.
private final class Source: Publisher {
  typealias Output = Int
  typealias Failure = TestError

  let name: String
  var sendsEarly = false
  var notesSubscribers = false
  /// Makes the publisher send signals after its completion.
  var keepsSubscriber = false
  private let journal: Journal
  private var subscriber: AnySubscriber<Int, TestError>?

  init(_ name: String, _ journal: Journal) {
    self.name = name
    self.journal = journal
  }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
    if notesSubscribers { journal.note("\(name) subscribed") }
    self.subscriber = AnySubscriber(subscriber)
    if sendsEarly { send(1) }
    subscriber.receive(subscription: SourceSubscription(self))
  }

  func send(_ value: Int) {
    guard let subscriber else { return }
    journal.note("\(name) returned \(subscriber.receive(value))")
  }

  func finish() { end(.finished) }
  func fail() { end(.failure(.first)) }

  private func end(_ completion: Subscribers.Completion<TestError>) {
    let subscriber = subscriber
    if !keepsSubscriber { self.subscriber = nil }
    subscriber?.receive(completion: completion)
  }

  func subscribeAgain(as second: Source) { subscriber?.receive(subscription: SourceSubscription(second)) }

  func releaseSubscriber() { subscriber = nil }

  fileprivate func request(_ demand: Subscribers.Demand) { journal.note("\(name) request \(demand)") }

  fileprivate func cancel() {
    subscriber = nil
    journal.note("\(name) cancelled")
  }
}

private final class SourceSubscription: Subscription {
  private let source: Source

  init(_ source: Source) { self.source = source }

  func request(_ demand: Subscribers.Demand) { source.request(demand) }
  func cancel() { source.cancel() }
}

/// A publisher that sends a value and finishes while it is subscribed to.
private struct Immediate: Publisher {
  typealias Output = Int
  typealias Failure = Never

  let name: String
  let journal: Journal

  init(_ name: String, _ journal: Journal) {
    self.name = name
    self.journal = journal
  }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    journal.note("\(name) begins")
    Just(1).receive(subscriber: subscriber)
    journal.note("\(name) returns")
  }
}

/// A publisher that counts its connections.
private final class CountingConnectable: ConnectablePublisher {
  typealias Output = Int
  typealias Failure = Never

  private(set) var connections = 0
  private(set) var disconnections = 0
  var onConnect: () -> Void = {}
  private let subject = PassthroughSubject<Int, Never>()

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    subject.receive(subscriber: subscriber)
  }

  func connect() -> any Cancellable {
    connections += 1
    onConnect()
    return AnyCancellable { self.disconnections += 1 }
  }
}

/// A scheduler in virtual time that records how it is called.
private final class SchedulerSpy: Scheduler {
  typealias SchedulerTimeType = DispatchQueue.SchedulerTimeType
  typealias SchedulerOptions = DispatchQueue.SchedulerOptions

  enum Call: Equatable {
    case now
    case after(SchedulerTimeType.Stride)
    case once(SchedulerTimeType.Stride)
    case repeatedly(SchedulerTimeType.Stride)
  }

  let base = DispatchQueue.test
  private var calls: [Call] = []
  private(set) var tolerances: [SchedulerTimeType.Stride] = []

  var now: SchedulerTimeType { base.now }
  let minimumTolerance = SchedulerTimeType.Stride.milliseconds(3)

  /// Removes the calls and returns them.
  func takeCalls() -> [Call] {
    defer { calls = [] }
    return calls
  }

  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    calls.append(.now)
    base.schedule(options: options, action)
  }

  func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    calls.append(.after(now.distance(to: date)))
    base.schedule(after: date, tolerance: tolerance, options: options, action)
  }

  func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    calls.append(.repeatedly(interval))
    tolerances.append(tolerance)
    return base.schedule(after: date, interval: interval, tolerance: tolerance, options: options, action)
  }

  func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    calls.append(.once(now.distance(to: date)))
    return base.scheduleOnce(after: date, tolerance: tolerance, options: options, action)
  }
}

/// A subscriber that notes what it receives, and retains its subscription.
private final class Observer<Input, Failure: Error>: Subscriber {
  private(set) var subscription: (any Subscription)?
  var onSubscription: () -> Void = {}
  private let journal: Journal
  private let demand: Subscribers.Demand
  private let returned: Subscribers.Demand

  init(_ journal: Journal, _ demand: Subscribers.Demand, _ returned: Subscribers.Demand) {
    self.journal = journal
    self.demand = demand
    self.returned = returned
  }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    journal.note("subscription")
    if demand > .none { subscription.request(demand) }
    onSubscription()
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    journal.note("\(input)")
    return returned
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: journal.note("finished")
    case .failure(let error): journal.note("\(error)")
    }
  }
}
