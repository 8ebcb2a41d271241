import Dispatch
import Foundation
import StreamAlgorithms
import StreamSchedulers
import Streams
import SuiteSupport
import Testing

/// Mistakes that have no effect are reported on standard error in debug builds, and only there.
@Suite(.exits) struct IgnoredMistakeTests {
  private static func output(of result: ExitTest.Result?) throws -> String {
    String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
  }

  @Test func `a value after the end of a subject is reported once`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let subject = PassthroughSubject<Int, Never>()
      subject.send(completion: .finished)
      for number in 1...3 { subject.send(number) }
    }
    let output = try Self.output(of: result)
    #expect(output.ranges(of: "sent to a subject after its completion").count == 1)
  }

  @Test func `a value that a subject drops because a loop is busy is reported once`() async throws {
    let careless = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let subject = PassthroughSubject<Int, Never>()
      var iterator = subject.values.makeAsyncIterator()
      for number in 1...3 { subject.send(number) }
      subject.send(completion: .finished)
      #expect(await iterator.next() == nil)
    }
    #expect(try Self.output(of: careless).ranges(of: "a loop over values (or run) was still handling").count == 1)

    let deliberate = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let subject = PassthroughSubject<Int, Never>()
      let dropping = subject.values(.unbuffered).makeAsyncIterator()
      let keeping = subject.values(bounded: 1, whenFull: .dropOldest).makeAsyncIterator()
      for number in 1...3 { subject.send(number) }
      withExtendedLifetime((dropping, keeping)) {}
    }
    #expect(try Self.output(of: deliberate).isEmpty)
  }

  @Test func `a subscription that is released without a request is reported once`() async throws {
    let used = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      [1, 2].publisher.append(3).sink { _ in }.cancel()
      Just(1).subscribe(Receiver { $0.request(.max(1)) })
      [1, 2, 3].publisher.subscribe(Receiver { $0.request(.max(1)) })
      [1].publisher.merge(with: Just(2)).subscribe(Receiver { $0.cancel() })
    }
    #expect(!(try Self.output(of: used)).contains("released its subscription"))

    let unused = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      Just(1).subscribe(Receiver { _ in })
      Just(1).map { $0 + 1 }.subscribe(Receiver { _ in })
    }
    #expect(try Self.output(of: unused).ranges(of: "released its subscription").count == 1)
    let sequence = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      [1, 2].publisher.filter { $0 > 1 }.subscribe(Receiver { _ in })
    }
    #expect(try Self.output(of: sequence).contains("released its subscription"))
  }

  @Test func `a subscriber of a subject that has never requested a value is reported once`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let subject = PassthroughSubject<Int, Never>()
      var subscriptions: [any Subscription] = []
      subject.subscribe(Receiver { $0.request(.max(1)) })
      subject.send(1)
      subject.send(2)
      subject.map { $0 }.subscribe(Receiver { subscriptions.append($0) })
      for number in 3...5 { subject.send(number) }
    }
    #expect(try Self.output(of: result).ranges(of: "A subject dropped a value").count == 1)
    let requested = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let subject = PassthroughSubject<Int, Never>()
      subject.subscribe(Receiver { $0.request(.max(1)) })
      for number in 1...3 { subject.send(number) }
    }
    #expect(!(try Self.output(of: requested)).contains("warning"))
  }

  @Test func `a value that another thread sends while a subscription arrives is not reported`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let subject = PassthroughSubject<Int, Never>()
      subject.subscribe(
        Receiver { subscription in
          let hasSent = DispatchSemaphore(value: 0)
          Thread.detachNewThread {
            subject.send(1)
            hasSent.signal()
          }
          hasSent.wait()
          subscription.request(.unlimited)
        })
      subject.send(2)
    }
    #expect(try Self.output(of: result).isEmpty)
  }

  @Test func `a value that an operator had not requested is reported once, with its name and the cure`() async throws {
    func checks(_ result: ExitTest.Result?, _ name: String, line: Int = #line) throws {
      let output = try Self.output(of: result)
      #expect(output.ranges(of: "because \(name) hadn't requested it").count == 1, "line \(line): \(output)")
      #expect(output.ranges(of: "warning").count == 1)
      #expect(output.contains("BoundedSubject") && output.contains("buffer("))
    }
    let tasks = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let (scheduler, subject) = (DispatchQueue.test, PassthroughSubject<Int, Never>())
      let cancellable = subject.map { $0 + 1 }.map(maxTasks: 3, by: { $0 % 2 }, on: scheduler) { $0 }.sink { _ in }
      for number in 1...200 { subject.send(number) }
      scheduler.run()
      cancellable.cancel()
    }
    try checks(tasks, "map(maxTasks:)")
    let batches = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let (scheduler, subject) = (DispatchQueue.test, PassthroughSubject<Int, Never>())
      let cancellable = subject.collect(.byTimeOrCount(scheduler, .seconds(1), 2))
        .flatMap(maxPublishers: .max(1)) { _ in Empty<Int, Never>(completeImmediately: false) }.sink { _ in }
      for number in 1...5 {
        subject.send(number)
        scheduler.advance()
      }
      cancellable.cancel()
    }
    try checks(batches, "flatMap(maxPublishers:) or flatMap(maxTasks:)")
    let elsewhere = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let (scheduler, subject) = (DispatchQueue.test, PassthroughSubject<Int, Never>())
      let cancellable = subject.eraseToAnyPublisher().receive(on: scheduler).scan(0, +).share()
        .receive(on: scheduler, bounded: 1, whenFull: .wait).sink { _ in }
      for number in 1...3 {
        subject.send(number)
        scheduler.advance()
      }
      for number in 4...6 { subject.send(number) }
      scheduler.run()
      cancellable.cancel()
    }
    try checks(elsewhere, "receive(on:bounded:whenFull: .wait)")
  }

  @Test func `a value that a bounded flatMap had not requested from a publisher of its own is reported`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let subject = PassthroughSubject<Int, Never>()
      Just(1).flatMap(bounded: 1, whenFull: .wait) { _ in subject }.subscribe(Receiver { $0.request(.max(1)) })
      for number in 1...4 { subject.send(number) }
    }
    let output = try Self.output(of: result)
    #expect(output.ranges(of: "because flatMap(bounded:whenFull: .wait) hadn't requested it").count == 1)
    #expect(!output.contains("noteMissingRequest"))
  }

  @Test func `a value that a loop behind a scheduler had not requested is reported`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let subject = PassthroughSubject<Int, Never>()
      let iterator = subject.receive(on: DispatchQueue.test).values.makeAsyncIterator()
      for number in 1...3 { subject.send(number) }
      withExtendedLifetime(iterator) {}
    }
    #expect(try Self.output(of: result).ranges(of: "a loop over values (or run) was still handling").count == 1)
  }

  @Test func `values that a subscriber has chosen not to request are not reported`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let subject = PassthroughSubject<Int, Never>()
      subject.map { $0 }.subscribe(Receiver { $0.request(.max(1)) })
      subject.merge(with: subject).subscribe(Receiver { $0.request(.max(1)) })
      Just(1).flatMap(maxPublishers: .max(1)) { _ in subject }.subscribe(Receiver { $0.request(.max(1)) })
      subject.flatMap(maxTasks: 2) { $0 }.prefix(1).subscribe(Receiver { $0.cancel() })
      let first = subject.flatMapFirst { _ in Empty<Int, Never>(completeImmediately: false) }.sink { _ in }
      for number in 1...5 { subject.send(number) }
      first.cancel()
    }
    #expect(try Self.output(of: result).isEmpty)
  }

  @Test func `a value without a subscription is reported once`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      SendsAtOnce().sink { _ in }.cancel()
      SendsAtOnce().map { $0 + 1 }.sink { _ in }.cancel()
    }
    #expect(try Self.output(of: result).ranges(of: "without a subscription").count == 1)
  }

  @Test func `a connectable publisher that was never connected is reported`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      Just(1).makeConnectable().autoconnect().sink { _ in }.cancel()
      _ = Just(1).makeConnectable()
      _ = Just(1).makeConnectable().connect()
      Just("a").makeConnectable().sink { _ in }.cancel()
    }
    let output = try Self.output(of: result)
    #expect(output.ranges(of: "was never connected").count == 1 && output.contains("Just<String>"))
  }

  @Test func `a test scheduler whose time stands still, or on which nothing runs, is reported`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      for _ in 1...2 { DispatchQueue.test.schedule {} }
      for _ in 1...2 { DispatchQueue.test.advance(by: .seconds(1)) }
    }
    let output = try Self.output(of: result)
    #expect(output.ranges(of: "on a test scheduler, but its time was never advanced").count == 1)
    #expect(output.ranges(of: "nothing was ever scheduled on it").count == 1)
    let used = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let scheduler = DispatchQueue.test
      scheduler.schedule {}
      scheduler.step()
      let other = DispatchQueue.test
      Just(1).delay(for: .seconds(1), scheduler: other).sink { _ in }.cancel()
      other.advance()
    }
    #expect(try Self.output(of: used) == "")
  }

  @Test func `values that wait without a bound are reported once for each operator`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      StreamWarnings.waitingLimit = 1_000
      let (scheduler, subject) = (DispatchQueue.test, PassthroughSubject<Int, Never>())
      let streams =
        [
          subject.receive(on: scheduler).sink { _ in }, subject.receive(on: scheduler).sink { _ in },
          subject.delay(for: 1, scheduler: scheduler).sink { _ in },
          subject.buffer(size: 2_000, prefetch: .byRequest, whenFull: .dropOldest).subscribe(Receiver { _ in }),
        ] as [Any]
      for number in 1...1_500 { subject.send(number) }
      scheduler.run()
      // Values that subscribers send wait for the sender.
      let echoes = PassthroughSubject<String, Never>()
      let echo = echoes.first().sink { _ in for _ in 1...1_500 { echoes.send("again") } }
      echoes.send("first")
      withExtendedLifetime((streams, echo)) {}
    }
    let output = try Self.output(of: result)
    #expect(output.ranges(of: "1000 values are waiting in").count == 3)
    #expect(output.contains("in receive(on:) for SinkSubscriber<Int, Never>, and") && output.contains("in delay for"))
    #expect(output.contains("in a subject or a shared publisher for subscribers that receive String"))
  }

  @Test func `values that wait for others are reported`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      StreamWarnings.waitingLimit = 1_000
      let (subject, silent) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      let streams =
        [
          subject.zip(silent).sink { _ in }, [subject, silent].zip().sink { _ in },
          subject.collect(.byTime(DispatchQueue.test, 1)).sink { _ in },
        ] as [Any]
      for number in 1...1_500 { subject.send(number) }
      withExtendedLifetime(streams) {}
    }
    let output = try Self.output(of: result)
    #expect(output.ranges(of: "1000 values are waiting in").count == 3)
    #expect(output.contains("waiting in zip for") && output.contains("waiting in collect(.byTime) for"))
  }

  @Test func `values that an operator is meant to drop are not reported`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let (taps, text) = (PassthroughSubject<Int, Never>(), PassthroughSubject<String, Never>())
      let cancellable = taps.withLatest(from: text).sink { _ in }
      taps.send(1)
      cancellable.cancel()
    }
    #expect(try Self.output(of: result).isEmpty)
  }

  @Test func `values that wait because the subscriber is busy are reported`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      StreamWarnings.waitingLimit = 1_000
      let (one, other) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      let cancellable = one.merge(with: other).sink { if $0 == 0 { for number in 1...1_500 { other.send(number) } } }
      one.send(0)
      cancellable.cancel()
    }
    #expect(
      try Self.output(of: result).ranges(of: "1000 values are waiting in merge for SinkSubscriber<Int, Never>").count
        == 1)
  }

  @Test func `a request for no values is reported once, even if the publisher has ended`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      for _ in 1...2 { Empty<Int, Never>().subscribe(Receiver { $0.request(.none) }) }
    }
    #expect(try Self.output(of: result).ranges(of: "with a demand of .none").count == 1)
  }

  @Test func `a promise that was released is reported when somebody waits for the result`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      // Nobody waits.
      _ = Future<Int, Never> { _ in }
      // Called, and kept.
      Future<Int, Never> { $0(.success(1)) }.sink { _ in }.cancel()
      var kept: [Future<Int, Never>.Promise] = []
      Future<Int, Never> { kept.append($0) }.sink { _ in }.cancel()
    }
    #expect(!(try Self.output(of: result)).contains("promise"))

    let waiting = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      // Released before, and after somebody waits.
      Future<String, Never> { _ in }.sink { _ in }.cancel()
      var kept: [Future<[Int], Never>.Promise] = []
      let cancellable = Future<[Int], Never> { kept.append($0) }.sink { _ in }
      kept = []
      cancellable.cancel()
    }
    let output = try Self.output(of: waiting)
    #expect(output.contains("Future<String, Never>") && output.contains("Future<Array<Int>, Never>"))
  }

  @Test func `a timer that was never connected is reported with its line`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let scheduler = DispatchQueue.test
      scheduler.timerPublisher(every: .seconds(1)).autoconnect().sink { _ in }.cancel()
      _ = scheduler.timerPublisher(every: .seconds(1))
      scheduler.timerPublisher(every: .seconds(1)).sink { _ in }.cancel()
    }
    let output = try Self.output(of: result)
    #expect(output.ranges(of: "was never connected").count == 1)
    #expect(output.contains("IgnoredMistakeTests.swift:\(#line - 8)"))
  }
}

/// A publisher that sends no subscription.
private struct SendsAtOnce: Publisher {
  typealias Output = Int
  typealias Failure = Never

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never { _ = subscriber.receive(1) }
}

/// A subscriber that does one thing, with its subscription.
private struct Receiver: Subscriber {
  let combineIdentifier = CombineIdentifier()
  let use: (any Subscription) -> Void

  init(_ use: @escaping (any Subscription) -> Void) { self.use = use }

  func receive(subscription: any Subscription) { use(subscription) }
  func receive(_ input: Int) -> Subscribers.Demand { .none }
  func receive(completion: Subscribers.Completion<Never>) {}
}
