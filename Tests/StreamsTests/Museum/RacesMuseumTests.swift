import Dispatch
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Bugs of other reactive libraries: races, here as far as they can be reproduced without a race.
///
/// `SubjectRaces`, `OperatorRaces` and others in `StreamsThreadingTests` cover the rest with threads.
struct RacesMuseumTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()

  /// ReactiveX/RxJava#1184, #658, #3261
  @Test func `a subscriber that arrived while a current value subject was sending missed a value or got one twice`() {
    func received(
      _ demand: Subscribers.Demand, whileSending act: @escaping (CurrentValueSubject<Int, Never>) -> Void
    ) -> [String] {
      let subject = CurrentValueSubject<Int, Never>(1)
      let late = SignalRecorder<Int, Never>(demand)
      let first = SignalRecorder<Int, Never>()
      var hasSubscribed = false
      func subscribe() {
        if hasSubscribed || first.log == ["1"] { return }
        hasSubscribed = true
        subject.subscribe(late)
        late.request(.max(1))
      }
      first.onValue = { _ in
        subscribe()
        return .none
      }
      first.onCompletion = subscribe
      subject.subscribe(first)
      act(subject)
      return late.log
    }
    #expect(received(.unlimited) { $0.send(2) } == ["2"])
    #expect(received(.max(1)) { $0.send(2) } == ["2"])
    #expect(received(.max(1)) { for value in 2...4 { $0.send(value) } } == ["2", "3"])
    #expect(received(.unlimited) { $0.send(completion: .finished) } == ["finished"])

    // The subscriber sends while it receives its first value.
    let subject = CurrentValueSubject<Int, Never>(1)
    let recorder = SignalRecorder<Int, Never>(.max(1))
    recorder.onValue = { value in
      if value == 1 { subject.send(2) }
      return .max(1)
    }
    subject.subscribe(recorder)
    #expect(recorder.log == ["1", "2"])
  }

  /// ReactiveX/RxJava#5426, reactor/reactor-core#1532
  @Test(arguments: [true, false], [Subscribers.Demand.unlimited, .max(1)])
  func `a group that was full when its time was over came twice, or another one empty`(
    _ isSentBeforeTheTimer: Bool, _ demand: Subscribers.Demand
  ) {
    let recorder = SignalRecorder<[Int], TestError>(demand, on: scheduler)
    recorder.onValue = { _ in .max(1) }
    scheduler.at(5) { [source] in source.send(1) }
    if isSentBeforeTheTimer { scheduler.at(10) { [source] in source.send(2) } }
    source.collect(.byTimeOrCount(scheduler, 10, 2)).subscribe(recorder)
    scheduler.advance(by: 6)
    if !isSentBeforeTheTimer { scheduler.at(10) { [source] in source.send(2) } }
    scheduler.run()
    source.send(3)
    source.finish()
    scheduler.run()
    #expect(recorder.values.flatMap { $0 } == [1, 2, 3])
    #expect(recorder.values.allSatisfy { !$0.isEmpty })
    #expect(recorder.log.first == (isSentBeforeTheTimer ? "[1, 2]@10" : "[1]@10"))
    #expect(recorder.log.last == (isSentBeforeTheTimer ? "finished@10" : "finished@20"))
  }

  /// ReactiveX/RxJava#7596, #7597
  @Test func `switchToLatest did not cancel the inner publisher that arrived at the cancellation`() {
    // Its subscription comes after the cancellation.
    let late = TardySource<Int, TestError>()
    let waiting = record(Just(late).setFailureType(to: TestError.self).switchToLatest())
    waiting.cancel()
    late.begin()
    #expect(late.link.cancelCount == 1)
    #expect(late.link.requests == [])
    #expect(waiting.log == [])

    // It replaces another while that one delivers a value, and then the stream is cancelled.
    let outer = ManualSource<ManualSource<Int, TestError>, TestError>()
    let inners = (0..<2).map { _ in ManualSource<Int, TestError>() }
    let recorder = SignalRecorder<Int, TestError>()
    recorder.onValue = { [unowned recorder] value in
      if value == 1 { outer.send(inners[1]) } else { recorder.cancel() }
      return .none
    }
    outer.switchToLatest().subscribe(recorder)
    outer.send(inners[0])
    inners[0].send(1)
    #expect(inners.map(\.cancelCount) == [1, 0])
    inners[1].send(2)
    #expect(inners.map(\.cancelCount) == [1, 1])
    #expect(outer.cancelCount == 1)

    // It is still active after the outer publisher has finished.
    let (ended, last) = (ManualSource<ManualSource<Int, TestError>, TestError>(), ManualSource<Int, TestError>())
    let other = record(ended.switchToLatest())
    ended.send(last)
    ended.finish()
    other.cancel()
    #expect(last.cancelCount == 1)
    #expect(other.log == [])
  }

  /// ReactiveX/RxSwift#1992, #1323, DeclarativeHub/ReactiveKit#279
  ///
  /// A lock that were held during a delivery would stop the other thread, and so this one, which waits for it.
  @Test(.ownThread) func `two threads waited for each other's lock while they delivered`() {
    let subject = CurrentValueSubject<Int, Never>(1)
    nonisolated(unsafe) let streams = [
      subject.eraseToAnyPublisher(), subject.share().eraseToAnyPublisher(),
      subject.share(replay: 1).eraseToAnyPublisher(), subject.combineLatest(subject) { $0 + $1 }.eraseToAnyPublisher(),
      subject.multicast { PassthroughSubject() }.autoconnect().eraseToAnyPublisher(),
    ]
    for index in streams.indices {
      let other = Tally()
      let recorder = SignalRecorder<Int, Never>()
      let isFirst = Box(true)
      recorder.onValue = { value in
        guard isFirst.value else { return .none }
        isFirst.value = false
        onAnotherThread {
          let cancellable = streams[index].sink { _ in other.add() }
          subject.send(subject.value + 1)
          cancellable.cancel()
        }
        return .none
      }
      streams[index].subscribe(recorder)
      subject.send(subject.value + 1)
      #expect(recorder.values.last == (index == 3 ? 2 * subject.value : subject.value))
      recorder.cancel()
    }
    // Two streams, whose subscribers subscribe to the other one on different threads.
    let (x, y) = (subject.share(replay: 1), subject.share(replay: 1))
    nonisolated(unsafe) let (first, second) = (SignalRecorder<Int, Never>(), SignalRecorder<Int, Never>())
    let third = Tally()
    let isFirst = Box(true)
    first.onValue = { _ in
      guard isFirst.value else { return .none }
      isFirst.value = false
      onAnotherThread {
        second.onValue = { _ in
          onAnotherThread { x.sink { _ in third.add() }.cancel() }
          return .none
        }
        y.subscribe(second)
      }
      return .none
    }
    x.subscribe(first)
    #expect(first.values == [subject.value])
    #expect(second.values == [subject.value])
  }

  /// dotnet/reactive#1493
  @Test(arguments: [true, false])
  func `debounce lost both values when the second came as the first was due`(_ isSentBeforeTheTimer: Bool) {
    let recorder = record(source.debounce(for: 10, scheduler: scheduler), on: scheduler)
    if isSentBeforeTheTimer { scheduler.at(10) { [source] in source.send(2) } }
    source.send(1)
    if !isSentBeforeTheTimer { scheduler.at(10) { [source] in source.send(2) } }
    scheduler.run()
    #expect(recorder.log == (isSentBeforeTheTimer ? ["2@20"] : ["1@10", "2@20"]))

    let immediate = record(source.debounce(for: 0, scheduler: scheduler))
    source.send(3)
    source.send(4)
    scheduler.run()
    #expect(immediate.values.last == 4)
  }

  /// dotnet/reactive#70, ReactiveX/RxJava#3066
  ///
  /// Chosen here: intervals are counted from the subscription, and a full group does not begin another one.
  @Test func `the timer of groups was not armed again after a full one`() {
    let recorder = record(source.collect(.byTimeOrCount(scheduler, 10, 2)), on: scheduler)
    for (value, second) in [(1, 0), (2, 0), (3, 3), (4, 41)] {
      scheduler.at(Double(second)) { [source] in source.send(value) }
    }
    scheduler.advance(by: 30)
    #expect(recorder.log == ["[1, 2]@0", "[3]@10"])
    scheduler.run()
    #expect(recorder.log == ["[1, 2]@0", "[3]@10", "[4]@50"])
  }

  /// reactor/reactor-core#744, ReactiveX/RxJava#851
  @Test(arguments: [true, false])
  func `a value that came as its time was over was lost, or came after the timeout`(_ isSentBeforeTheTimer: Bool) {
    source.ignoresCancellation = true
    if isSentBeforeTheTimer { scheduler.at(5) { [source] in source.send(1) } }
    let recorder = record(source.timeout(5, scheduler: scheduler, customError: { .second }), on: scheduler)
    if !isSentBeforeTheTimer { scheduler.at(5) { [source] in source.send(1) } }
    scheduler.run()
    source.send(2)
    source.finish()
    scheduler.run()
    #expect(recorder.log == (isSentBeforeTheTimer ? ["1@5", "second@10"] : ["second@5"]))
    #expect(source.cancelCount == 1)
  }

  /// ReactiveX/RxJava#6914, #6917
  @Test(.ownThread) func `switchToLatest lost the inner publisher when another thread cancelled`() {
    struct Round {
      let outer = PassthroughSubject<AnyPublisher<Int, Never>, Never>()
      let witness = Witness<Int, Never>()
      let subscribed = Tally()
      let cancelled = Tally()
    }
    race {
      let round = Round()
      round.outer.switchToLatest().subscribe(round.witness)
      return round
    } _: { round in
      let inner = PassthroughSubject<Int, Never>().handleEvents(
        receiveSubscription: { _ in round.subscribed.add() }, receiveCancel: { round.cancelled.add() })
      for _ in 0..<3 { round.outer.send(inner.eraseToAnyPublisher()) }
    } and: { round in
      round.witness.cancel()
    } check: { round in
      #expect(round.cancelled.value == round.subscribed.value)
    }
  }

  /// OpenCombine/OpenCombine#158 (#157, Apple feedback FB7722681)
  @Test(.ownThread) func `a publisher crashed when one thread requested and another cancelled`() {
    let subject = CurrentValueSubject<TestObject, Never>(TestObject())
    let publishers: [() -> AnyPublisher<TestObject, Never>] = [
      { Just(TestObject()).eraseToAnyPublisher() },
      { Optional(TestObject()).publisher.eraseToAnyPublisher() },
      { [TestObject(), TestObject()].publisher.eraseToAnyPublisher() },
      { Future { $0(.success(TestObject())) }.eraseToAnyPublisher() },
      { Record(output: [TestObject(), TestObject()], completion: .finished).eraseToAnyPublisher() },
      { subject.eraseToAnyPublisher() },
      {
        [TestObject(), TestObject()].publisher.buffer(size: 2, prefetch: .byRequest, whenFull: .dropNewest)
          .eraseToAnyPublisher()
      },
    ]
    for publisher in publishers {
      race(rounds: 500) {
        let witness = Witness<TestObject, Never>(.none)
        publisher().subscribe(witness)
        return witness
      } _: { witness in
        witness.subscription?.request(.max(1))
      } and: { witness in
        witness.cancel()
      } check: { witness in
        let count = witness.received.count
        #expect(count <= 1)
        witness.subscription?.request(.max(1))
        #expect(witness.received.count == count)
        #expect(witness.completionCount <= 1)
        #expect(witness.valuesAfterCompletion == 0)
      }
    }
  }

  /// ReactiveX/RxJava#5280, #5281
  @Test(.ownThread, arguments: [Subscribers.Demand.unlimited, .max(1)])
  func `a subscriber missed the end of a current value subject on another thread`(_ demand: Subscribers.Demand) {
    typealias Round = (subject: CurrentValueSubject<Int, Never>, witness: Witness<Int, Never>)
    for isSending in [true, false] {
      race {
        Round(CurrentValueSubject(1), Witness(demand, more: .max(1)))
      } _: { round in
        if isSending { round.subject.send(2) } else { round.subject.send(completion: .finished) }
      } and: { round in
        round.subject.subscribe(round.witness)
      } check: { round in
        #expect((isSending ? [[1, 2], [2]] : [[1], []]).contains(round.witness.received))
        #expect(round.witness.completionCount == (isSending ? 0 : 1))
        #expect(round.witness.valuesAfterCompletion == 0)
      }
    }
  }

  /// CombineCommunity/CombineExt#138, Cysharp/R3#228
  ///
  /// The subscriber arrives here during a delivery; `ReplaySubjectRaces` has it arrive on another thread.
  @Test func `a new value came before those that were replayed, or was missing`() {
    let subject = ReplaySubject<Int, Never>(bufferSize: 3)
    for value in 1...3 { subject.send(value) }
    let (first, late, slow) = (
      SignalRecorder<Int, Never>(), SignalRecorder<Int, Never>(), SignalRecorder<Int, Never>(.max(1))
    )
    first.onValue = { value in
      if value == 4 {
        subject.send(5)
        subject.subscribe(late)
        subject.subscribe(slow)
        subject.send(6)
      }
      return .none
    }
    subject.subscribe(first)
    subject.send(4)
    #expect(first.values == Array(1...6))
    for recorder in [late, slow] {
      recorder.request(.unlimited)
      guard let lowest = recorder.values.first else {
        Issue.record("received nothing")
        continue
      }
      #expect(lowest <= 4)
      #expect(recorder.values == Array(lowest...6))
    }
    // Its own first value makes it send another one.
    let sending = SignalRecorder<Int, Never>()
    sending.onValue = { value in
      if value == 4 { subject.send(7) }
      return .none
    }
    subject.subscribe(sending)
    #expect(sending.values == [4, 5, 6, 7])
  }

  /// CombineCommunity/CombineExt commit 43b7ceb, #90 (commit 60a9c36)
  ///
  /// `OperatorRaces` has two threads send to `combineLatest`, `zip` and `merge`.
  @Test(.ownThread) func `two sources on different threads used one field without protection`() {
    typealias Source = PassthroughSubject<TestObject, Never>
    typealias Combined = AnyPublisher<TestObject, Never>
    let operators: [(Source, Source) -> Combined] = [
      { $0.prefix(untilOutputFrom: $1.dropFirst(250)).eraseToAnyPublisher() },
      { $0.drop(untilOutputFrom: $1).eraseToAnyPublisher() },
      { $0.withLatest(from: $1).map { _, latest in latest }.eraseToAnyPublisher() },
      { $0.combineLatest($1) { first, _ in first }.eraseToAnyPublisher() },
    ]
    for build in operators {
      let (a, b) = (Source(), Source())
      let witness = Witness<TestObject, Never>()
      build(a, b).subscribe(witness)
      onThreads(2) { thread in
        for _ in 0..<500 { (thread == 0 ? a : b).send(TestObject()) }
      }
      #expect(!witness.hasOverlapped)
      #expect(witness.valuesAfterCompletion == 0)
      for _ in 0..<2 { a.send(TestObject()) }
      a.send(completion: .finished)
      b.send(completion: .finished)
      #expect(witness.completionCount == 1)
    }
  }

  /// CombineCommunity/CombineExt#74
  @Test(.ownThread) func `a replayed value was removed while another thread read it`() {
    for _ in 0..<100 {
      let subject = ReplaySubject<Int, Never>(bufferSize: 1)
      let witnesses = (0..<4).map { _ in Witness<Int, Never>() }
      onThreads(9) { thread in
        switch thread {
        case 0..<4: for number in 0..<20 { subject.send(thread * 20 + number) }
        case 4..<8: subject.subscribe(witnesses[thread - 4])
        default: subject.send(completion: .finished)
        }
      }
      for witness in witnesses {
        #expect(witness.completionCount == 1)
        #expect(witness.valuesAfterCompletion == 0)
        #expect(!witness.hasOverlapped)
        #expect(Set(witness.received).count == witness.received.count)
      }
    }
  }
}
