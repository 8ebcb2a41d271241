import Dispatch
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

  /// ReactiveX/RxJava#6914, #6917, #7596, #7597
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

  /// ReactiveX/RxJava#6914, #6917, #7596, #7597
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
}
