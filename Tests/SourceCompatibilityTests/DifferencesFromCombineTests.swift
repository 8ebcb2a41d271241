import Dispatch
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
    self.subscriber = nil
    subscriber?.receive(completion: completion)
  }

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

/// A subscriber that notes what it receives, and retains its subscription.
private final class Observer<Input, Failure: Error>: Subscriber {
  private(set) var subscription: (any Subscription)?
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
