import Dispatch
import OpenCombine
import OpenCombineDispatch
import Workloads

/// The workloads, implemented with OpenCombine.
package enum OpenCombineWorkloads {
  package static let implementation = Implementation(.openCombine, [cells, opaqueClosures, chains])

  private static let noTestScheduler = "OpenCombine has no test scheduler"
  private static let noOperatorsBeyondCombine = "OpenCombine has only Combine's operators"
  private static let byHand = "With handwritten virtual time, because OpenCombine has no test scheduler"

  private static let receivedAtOnce =
    "Received on a scheduler that runs work immediately and without a check, because OpenCombine's sinks don't support actors"

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
    .merge8: .substitute(note: "flatMap over the eight subjects, because OpenCombine 0.14 has no merge") { count in
      let sum = Sum()
      let subjects = (0..<8).map { _ in PassthroughSubject<Int, Never>() }
      let cancellable = subjects.publisher.flatMap { $0 }.sink { sum.add($0) }
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
    .combineLatest: .missing(because: "OpenCombine 0.14 has no combineLatest"),
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
    .mergeSubscribeCancel: .substitute(note: "flatMap over the two subjects, because OpenCombine 0.14 has no merge") {
      count in
      let sum = Sum()
      let (first, second) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      for _ in 0..<count { [first, second].publisher.flatMap { $0 }.sink { sum.add($0) }.cancel() }
      return sum.value
    },
    .mergeJoins: .substitute(note: "flatMap over the two subjects, because OpenCombine 0.14 has no merge") { count in
      let (first, second) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      return joins([first, second].publisher.flatMap { $0 }, first, count)
    },
    .shareJoins: .work { count in
      let subject = PassthroughSubject<Int, Never>()
      return joins(subject.map { $0 &+ 1 }.share(), subject, count)
    },
    .receiveOnQueue: .work { count in
      let sum = Sum()
      let finished = DispatchSemaphore(value: 0)
      let subject = PassthroughSubject<Int, Never>()
      let cancellable = subject.receive(on: DispatchQueue(label: "values").ocombine)
        .sink(receiveCompletion: { _ in finished.signal() }, receiveValue: { sum.add($0) })
      for value in 0..<count { subject.send(value) }
      subject.send(completion: .finished)
      finished.wait()
      cancellable.cancel()
      return sum.value
    },
    .receiveOnImmediate: .work { count in
      let sum = Sum()
      let cancellable = (0..<count).publisher.receive(on: ImmediateScheduler.shared).sink { sum.add($0) }
      cancellable.cancel()
      return sum.value
    },
    .testScheduler: .missing(because: noTestScheduler),
    // One element is one tick of one of 1,000 timers.
    .testSchedulerTimers: .missing(because: noTestScheduler),
    .scheduleCancel: .missing(because: noTestScheduler),
    .debounce: .substitute(note: byHand) { count in
      let sum = Sum()
      let time = VirtualTime()
      let subject = PassthroughSubject<Int, Never>()
      let cancellable = subject.debounce(for: .seconds(1), scheduler: VirtualTimeScheduler(time)).sink { sum.add($0) }
      for value in 0..<count { subject.send(value) }
      time.run()
      cancellable.cancel()
      return sum.value
    },
    .collectByTime: .missing(because: "OpenCombine collects by count only"),
    .delay: .substitute(note: byHand) { count in delay(count, perTick: 10) },
    .delayDates: .substitute(note: byHand) { count in delay(count, perTick: 1) },
    .wakeTask: .missing(because: noTestScheduler),
    .wakeTaskWorld: .missing(because: noTestScheduler),
    .values: .work { count in
      let subject = PassthroughSubject<Int, Never>()
      return inTurns(
        count, perTurn: 1, send: { subject.send($0) }, finish: { subject.send(completion: .finished) }
      ) { jobs, sum in
        consume(subject.values, on: jobs, into: sum)
      }
    },
    .valuesKept: .substitute(note: "With a buffer operator") { count in
      let subject = PassthroughSubject<Int, Never>()
      return inTurns(
        count, perTurn: 100, send: { subject.send($0) }, finish: { subject.send(completion: .finished) }
      ) { jobs, sum in
        consume(
          subject.buffer(size: .max, prefetch: .byRequest, whenFull: .dropNewest).values, on: jobs, into: sum)
      }
    },
    .valuesBounded: .substitute(note: "With a buffer operator") { count in
      inTurns(0, perTurn: 1, send: { _ in }, finish: {}) { jobs, sum in
        consume(
          (0..<count).publisher.buffer(size: 64, prefetch: .keepFull, whenFull: .dropNewest).values, on: jobs, into: sum
        )
      }
    },
    .asyncPublisher: .missing(because: "OpenCombine has no publisher for asynchronous sequences"),
    .sink: .work { count in
      let sum = Sum()
      let subject = PassthroughSubject<Int, Never>()
      let cancellable = subject.sink { sum.add($0) }
      for value in 0..<count { subject.send(value) }
      cancellable.cancel()
      return sum.value
    },
    .isolatedSink: .substitute(note: receivedAtOnce) { count in receivingAtOnce(count) },
    .isolatedSinkActor: .substitute(note: receivedAtOnce) { count in receivingAtOnce(count) },
    .isolatedSinkHop: .substitute(
      note: "Received on a queue of closures, because OpenCombine's sinks don't support actors"
    ) {
      count in
      let sum = Sum()
      let scheduler = ClosureQueue()
      let subject = PassthroughSubject<Int, Never>()
      let cancellable = subject.receive(on: scheduler).sink { sum.add($0) }
      var value = 0
      while value < count {
        let end = min(value + 100, count)
        while value < end {
          subject.send(value)
          value += 1
        }
        scheduler.run()
      }
      cancellable.cancel()
      return sum.value
    },
    .pairwise: .missing(because: noOperatorsBeyondCombine),
    .distinct: .missing(because: noOperatorsBeyondCombine),
    .replaySubject: .missing(because: noOperatorsBeyondCombine),
  ]
}

/// Adds up, in a task, the values that a publisher sends.
private func consume<P: Publisher & SendableMetatype>(_ values: AsyncPublisher<P>, on jobs: JobQueue, into sum: Sum)
where P.Output == Int {
  let values = HandedOver(content: values)
  Task(executorPreference: jobs) { for await value in values.content { sum.add(value) } }
}

private func receivingAtOnce(_ count: Int) -> Int {
  let sum = Sum()
  let subject = PassthroughSubject<Int, Never>()
  let cancellable = subject.receive(on: ImmediateScheduler.shared).sink { sum.add($0) }
  for value in 0..<count { subject.send(value) }
  cancellable.cancel()
  return sum.value
}

/// A value that is handed to one task and used nowhere else.
private struct HandedOver<Content>: @unchecked Sendable {
  let content: Content
}

/// Sends values through a delay with a timer of the scheduler, so that time is advanced once and not for every value.
/// The count includes the ticks of this timer, the values' way into the delay, and their delivery ten milliseconds
/// later.
private func delay(_ count: Int, perTick: Int) -> Int {
  let sum = Sum()
  let time = VirtualTime()
  let subject = PassthroughSubject<Int, Never>()
  let cancellable = subject.delay(for: .milliseconds(10), scheduler: VirtualTimeScheduler(time)).sink { sum.add($0) }
  let sent = Sum()
  let sender = time.schedule(at: 1, interval: 1) {
    for _ in 0..<perTick {
      subject.send(sent.value)
      sent.add(1)
    }
  }
  time.advance(by: count / perTick)
  sender.cancel()
  time.run()
  cancellable.cancel()
  return sum.value
}

/// Sends values to eight subscribers, of which the oldest leaves before each value, and another joins.
private func joins<P: Publisher>(_ publisher: P, _ subject: PassthroughSubject<Int, Never>, _ count: Int) -> Int
where P.Output == Int, P.Failure == Never {
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
func operators<P: Publisher>(_ publisher: P)
  -> Publishers.Map<Publishers.Filter<Publishers.Map<P, Int>>, Int>
where P.Output == Int, P.Failure == Never {
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
