import Dispatch
import StreamSchedulers
import Streams
import Workloads

/// The workloads, implemented with Streams.
package enum StreamsWorkloads {
  package static let implementation = Implementation(.streams, [cells, beyondCombine, opaqueClosures, chains])

  private static let cells: [Workload: Cell] = [
    .sequence: .work { count in
      let sum = Sum()
      let cancellable = operators((0..<count).publisher).sink { sum.add($0) }
      cancellable.cancel()
      return sum.value
    },
    .subject: .work { count in subject(count, subscribers: 1) },
    .subject10: .work { count in subject(count, subscribers: 10) },
    .currentValue: .work { count in
      let sum = Sum()
      let subject = CurrentValueSubject<Int, Never>(0)
      let cancellable = subject.sink { sum.add($0) }
      for value in 0..<count { subject.send(value) }
      cancellable.cancel()
      return sum.value
    },
    .erasedMaps: .work { count in
      let sum = Sum()
      let subject = PassthroughSubject<Int, Never>()
      // Different closures, because the compiler merges equal ones into one function.
      let cancellable =
        subject
        .map { $0 &+ 1 }.eraseToAnyPublisher()
        .map { $0 &+ 2 }.eraseToAnyPublisher()
        .map { $0 &+ 3 }.eraseToAnyPublisher()
        .map { $0 &+ 4 }.eraseToAnyPublisher()
        .map { $0 &- 5 }.eraseToAnyPublisher()
        .sink { sum.add($0) }
      for value in 0..<count { subject.send(value) }
      cancellable.cancel()
      return sum.value
    },
    // One element is one value of an inner publisher of 1,000.
    .flatMap: .work { count in
      let sum = Sum()
      let cancellable = (0..<count / 1_000).publisher
        .flatMap { outer in (0..<1_000).publisher.map { $0 &+ outer } }
        .sink { sum.add($0) }
      cancellable.cancel()
      return sum.value
    },
    .flatMapJust: .work { count in
      let sum = Sum()
      let cancellable = (0..<count).publisher.flatMap { Just($0) }.sink { sum.add($0) }
      cancellable.cancel()
      return sum.value
    },
    .flatMapOne: .work { count in
      let sum = Sum()
      let cancellable = (0..<count).publisher.flatMap { CollectionOfOne($0).publisher }.sink { sum.add($0) }
      cancellable.cancel()
      return sum.value
    },
    .merge8: .work { count in
      let sum = Sum()
      let subjects = (0..<8).map { _ in PassthroughSubject<Int, Never>() }
      let cancellable = subjects[0]
        .merge(with: subjects[1], subjects[2], subjects[3], subjects[4], subjects[5], subjects[6], subjects[7])
        .sink { sum.add($0) }
      for value in 0..<count { subjects[value & 7].send(value) }
      cancellable.cancel()
      return sum.value
    },
    // One element is one pair.
    .zip: .work { count in
      let sum = Sum()
      let (left, right) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      let cancellable = left.zip(right).sink { sum.add($0.0 &+ $0.1) }
      for value in 0..<count {
        left.send(value)
        right.send(value)
      }
      cancellable.cancel()
      return sum.value
    },
    .combineLatest: .work { count in
      let sum = Sum()
      let (left, right) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      let cancellable = left.combineLatest(right).sink { sum.add($0.0 &+ $0.1) }
      right.send(0)
      for value in 0..<count { left.send(value) }
      cancellable.cancel()
      return sum.value
    },
    .share10: .work { count in
      let sum = Sum()
      let subject = PassthroughSubject<Int, Never>()
      let shared = subject.map { $0 &+ 1 }.share()
      let cancellables = (0..<10).map { _ in shared.sink { sum.add($0) } }
      for value in 0..<count { subject.send(value) }
      for cancellable in cancellables { cancellable.cancel() }
      return sum.value
    },
    .scan: .work { count in
      let sum = Sum()
      let cancellable = (0..<count).publisher.scan(0) { $0 &+ $1 }.sink { sum.add($0) }
      cancellable.cancel()
      return sum.value
    },
    .removeDuplicates: .work { count in
      let sum = Sum()
      let cancellable = (0..<count).publisher.removeDuplicates().sink { sum.add($0) }
      cancellable.cancel()
      return sum.value
    },
    .prefix: .work { count in
      let sum = Sum()
      let cancellable = (0..<Int.max).publisher.prefix(count + 1).sink { sum.add($0) }
      cancellable.cancel()
      return sum.value
    },
    .subscribeCancel: .work { count in
      let sum = Sum()
      let subject = PassthroughSubject<Int, Never>()
      for _ in 0..<count { operators(subject).sink { sum.add($0) }.cancel() }
      return sum.value
    },
    .mergeSubscribeCancel: .work { count in
      let sum = Sum()
      let (first, second) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      for _ in 0..<count { first.merge(with: second).sink { sum.add($0) }.cancel() }
      return sum.value
    },
    .mergeJoins: .work { count in
      let (first, second) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      return joins(first.merge(with: second), first, count)
    },
    .shareJoins: .work { count in
      let subject = PassthroughSubject<Int, Never>()
      return joins(subject.map { $0 &+ 1 }.share(), subject, count)
    },
    .receiveOnQueue: .work { count in
      let sum = Sum()
      let finished = DispatchSemaphore(value: 0)
      let subject = PassthroughSubject<Int, Never>()
      let cancellable = subject.receive(on: DispatchQueue(label: "values"))
        .sink(receiveCompletion: { _ in finished.signal() }, receiveValue: { sum.add($0) })
      for value in 0..<count { subject.send(value) }
      subject.send(completion: .finished)
      finished.wait()
      cancellable.cancel()
      return sum.value
    },
    .receiveOnImmediate: .work { count in
      let sum = Sum()
      let cancellable = (0..<count).publisher.receive(on: DispatchQueue.immediate).sink { sum.add($0) }
      cancellable.cancel()
      return sum.value
    },
    .testScheduler: .work { count in
      let sum = Sum()
      let scheduler = DispatchQueue.test
      scheduler.maximumActions = .max
      let start = scheduler.now
      for number in 0..<count {
        scheduler.schedule(after: start.advanced(by: .milliseconds((number &* 7_919) % 100_003))) { sum.add(1) }
      }
      scheduler.run()
      return sum.value
    },
    // One element is one tick of one of 1,000 timers.
    .testSchedulerTimers: .work { count in
      let sum = Sum()
      let scheduler = DispatchQueue.test
      scheduler.maximumActions = .max
      let timers = (0..<1_000).map { number in
        scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(number + 1)), interval: .milliseconds(1_000))
        {
          sum.add(1)
        }
      }
      scheduler.advance(by: .milliseconds(count))
      for timer in timers { timer.cancel() }
      return sum.value
    },
    .scheduleCancel: .work { count in
      let scheduler = DispatchQueue.test
      let date = scheduler.now.advanced(by: .seconds(1))
      let armed = (0..<count).map { _ in
        scheduler.scheduleOnce(after: date, tolerance: .zero, options: nil) {}
      }
      for cancellable in armed { cancellable.cancel() }
      return scheduler.pendingCount
    },
    .debounce: .work { count in
      let sum = Sum()
      let scheduler = DispatchQueue.test
      let subject = PassthroughSubject<Int, Never>()
      let cancellable = subject.debounce(for: .seconds(1), scheduler: scheduler).sink { sum.add($0) }
      for value in 0..<count { subject.send(value) }
      scheduler.run()
      cancellable.cancel()
      return sum.value
    },
    .collectByTime: .work { count in
      let sum = Sum()
      let scheduler = DispatchQueue.test
      let subject = PassthroughSubject<Int, Never>()
      let cancellable = subject.collect(.byTime(scheduler, .seconds(1))).sink { sum.add($0.count) }
      for value in 0..<count { subject.send(value) }
      scheduler.run()
      cancellable.cancel()
      return sum.value
    },
    .delay: .work { count in delay(count, perTick: 10) },
    .delayDates: .work { count in delay(count, perTick: 1) },
    .wakeTask: .work { count in wakeTask(count) },
    .wakeTaskWorld: .work { count in wakeTaskInWorld(count) },
    .values: .work { count in values(count) },
    .valuesKept: .work { count in valuesKept(count) },
    .valuesBounded: .work { count in valuesBounded(count) },
    .asyncPublisher: .work { count in asyncPublisher(count) },
    .sink: .work { count in sink(count) },
    .isolatedSink: .work { count in isolatedSink(count) },
    .isolatedSinkActor: .work { count in isolatedSinkOfActor(count) },
    .isolatedSinkHop: .work { count in isolatedSinkHop(count) },
    .carriedNone: .work { count in carried(count, run: 100, isCarried: false) },
    .carriedEach: .work { count in carried(count, run: 1) },
    .carriedRun: .work { count in carried(count, run: 100) },
    .pairwise: .work { count in pairwise(count) },
    .distinct: .work { count in distinct(count) },
    .replaySubject: .work { count in replaySubject(count) },
  ]
}

/// Sends values through a delay with a timer of the scheduler, so that time is advanced once and not for every value.
/// The count includes the ticks of this timer, the values' way into the delay, and their delivery ten milliseconds
/// later.
private func delay(_ count: Int, perTick: Int) -> Int {
  let sum = Sum()
  let scheduler = DispatchQueue.test
  scheduler.maximumActions = .max
  let subject = PassthroughSubject<Int, Never>()
  let cancellable = subject.delay(for: .milliseconds(10), scheduler: scheduler).sink { sum.add($0) }
  let sent = Sum()
  let sender = scheduler.schedule(
    after: scheduler.now.advanced(by: .milliseconds(1)), interval: .milliseconds(1), tolerance: .zero, options: nil
  ) {
    for _ in 0..<perTick {
      subject.send(sent.value)
      sent.add(1)
    }
  }
  scheduler.advance(by: .milliseconds(count / perTick))
  sender.cancel()
  scheduler.run()
  cancellable.cancel()
  return sum.value
}

/// Sends values to eight subscribers, of which the oldest leaves before each value, and another joins.
private func joins<P: Publisher<Int, Never>>(_ publisher: P, _ subject: PassthroughSubject<Int, Never>, _ count: Int)
  -> Int
{
  let sum = Sum()
  var cancellables = (0..<8).map { _ in publisher.sink { sum.add($0) } }
  for value in 0..<count {
    cancellables[value & 7] = publisher.sink { sum.add($0) }
    subject.send(value)
  }
  return sum.value
}

/// The chain of three operators that several workloads share.
@inline(__always)
func operators<P: Publisher<Int, Never>>(_ publisher: P)
  -> Publishers.Map<Publishers.Filter<Publishers.Map<P, Int>>, Int>
{
  publisher.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 3 }
}

private func subject(_ count: Int, subscribers: Int) -> Int {
  let sum = Sum()
  let subject = PassthroughSubject<Int, Never>()
  let cancellables = (0..<subscribers).map { _ in operators(subject).sink { sum.add($0) } }
  for value in 0..<count { subject.send(value) }
  for cancellable in cancellables { cancellable.cancel() }
  return sum.value
}
