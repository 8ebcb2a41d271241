import AsyncAlgorithms
import Dispatch
import Workloads

/// The workloads, implemented with the asynchronous sequences of the standard library and of swift-async-algorithms
/// where possible. They consume sequences, because there are no subjects.
package enum AsyncWorkloads {
  package static let implementation = Implementation(.async, [cells])

  private static let noSubject = "Asynchronous sequences have no subjects: sources with several consumers"
  private static let fromSequences = "From sequences, because asynchronous sequences have no subjects"
  private static let noScheduler = "Asynchronous sequences have no schedulers"

  private static let cells: [Workload: Cell] = [
    .sequence: .work { count in
      total { (0..<count).async.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 3 } }
    },
    .subject: .missing(because: noSubject),
    .subject10: .missing(because: noSubject),
    .currentValue: .missing(because: noSubject),
    .erasedMaps: .substitute(note: fromSequences) { count in
      erasedTotal { incremented(incremented(incremented(incremented(incremented((0..<count).async))))) }
    },
    .flatMap: .work { count in
      total { (0..<count / 1_000).async.flatMap { outer in (0..<1_000).async.map { $0 &+ outer } } }
    },
    .flatMapJust: .work { count in total { (0..<count).async.flatMap { CollectionOfOne($0).async } } },
    .flatMapOne: .work { count in total { (0..<count).async.flatMap { CollectionOfOne($0).async } } },
    .merge8: .substitute(note: "\(fromSequences); merge takes at most three inputs, so merges are nested") { count in
      total {
        merge(
          merge(turn(0, count), turn(1, count), turn(2, count)), merge(turn(3, count), turn(4, count), turn(5, count)),
          merge(turn(6, count), turn(7, count)))
      }
    },
    .zip: .substitute(note: fromSequences) { count in
      total { AsyncAlgorithms.zip((0..<count).async, (0..<count).async).map { $0 &+ $1 } }
    },
    .combineLatest: .missing(because: "With asynchronous sequences, the pairs from combineLatest depend on timing"),
    .share10: .missing(because: noSubject),
    .removeDuplicates: .work { count in total { (0..<count).async.removeDuplicates() } },
    .scan: .work { count in total { (0..<count).async.reductions(0) { $0 &+ $1 } } },
    .prefix: .work { count in total { (0..<Int.max).async.prefix(count + 1) } },
    .subscribeCancel: .missing(because: noSubject),
    .mergeSubscribeCancel: .missing(because: noSubject),
    .mergeJoins: .missing(because: noSubject),
    .shareJoins: .missing(because: noSubject),
    // Like the other implementations, one thread hands values over to another.
    .receiveOnQueue: .substitute(note: "An AsyncStream that a task consumes") { count in
      let (values, continuation) = AsyncStream.makeStream(of: Int.self)
      let sum = Sum()
      let finished = DispatchSemaphore(value: 0)
      Task {
        for await value in values { sum.add(value) }
        finished.signal()
      }
      for value in 0..<count { continuation.yield(value) }
      continuation.finish()
      finished.wait()
      return sum.value
    },
    .receiveOnImmediate: .missing(because: noScheduler),
    .testScheduler: .missing(because: noScheduler),
    .testSchedulerTimers: .missing(because: noScheduler),
    .scheduleCancel: .missing(because: noScheduler),
    .debounce: .missing(because: "In swift-async-algorithms, debounce sleeps in real time"),
    .collectByTime: .missing(because: "Chunks in swift-async-algorithms are timed in real time"),
    .delay: .missing(because: noScheduler),
    .delayDates: .missing(because: noScheduler),
    .wakeTask: .missing(because: noScheduler),
    .wakeTaskWorld: .missing(because: noScheduler),
    .values: .substitute(note: "An AsyncStream that a task consumes") { count in stream(count, perTurn: 1) },
    .valuesKept: .substitute(note: "An AsyncStream that a task consumes") { count in stream(count, perTurn: 100) },
    .valuesBounded: .substitute(note: "A swift-async-algorithms buffer, whose task runs on other threads") { count in
      total { (0..<count).async.buffer(policy: .bounded(64)) }
    },
    .asyncPublisher: .substitute(note: "The AsyncStream itself, which a task consumes") { count in
      stream(count, perTurn: 100)
    },
    .sink: .missing(because: noSubject),
    .isolatedSink: .missing(because: "A loop on the main actor receives no values until the main actor is free"),
    .isolatedSinkActor: .substitute(note: "An AsyncStream. A loop on the actor awaits each value") { count in
      stream(count, perTurn: 1, to: Owner())
    },
    .isolatedSinkHop: .substitute(note: "An AsyncStream, which a loop on the actor consumes") { count in
      stream(count, perTurn: 100, to: Owner())
    },
    .pairwise: .work { count in total { (0..<count).async.adjacentPairs().map { $0 &+ $1 } } },
    .distinct: .missing(because: "It compares a value only with the previous value"),
    .replaySubject: .missing(because: noSubject),
    .opaqueSequence: .work { count in
      let (first, isIncluded) = (OpaqueClosures.adding(1), OpaqueClosures.like(0))
      let last = OpaqueClosures.multiplying(by: 3)
      return total {
        (0..<count).async.map { first($0) }.filter { isIncluded($0) }.map { last($0) }
      }
    },
    .opaqueSubject: .missing(because: noSubject),
    .opaqueSubject10: .missing(because: noSubject),
    .opaqueCurrentValue: .missing(because: noSubject),
    .opaqueErasedMaps: .missing(because: noSubject),
    .opaqueSubscribeCancel: .missing(because: noSubject),
    .chain6: .missing(because: noSubject),
    .chain8: .missing(because: noSubject),
    .chain12: .missing(because: noSubject),
    .engines2: .missing(because: noSubject),
    .engines4: .missing(because: noSubject),
  ]
}

/// Sends numbers into an `AsyncStream` in portions, which a task consumes.
private func stream(_ count: Int, perTurn: Int) -> Int {
  let (values, continuation) = AsyncStream.makeStream(of: Int.self)
  return inTurns(count, perTurn: perTurn, send: { continuation.yield($0) }, finish: { continuation.finish() }) {
    jobs, sum in
    Task(executorPreference: jobs) { for await value in values { sum.add(value) } }
  }
}

/// Sends numbers into an `AsyncStream` in portions, which a loop on an actor consumes.
private func stream(_ count: Int, perTurn: Int, to owner: Owner) -> Int {
  let (values, continuation) = AsyncStream.makeStream(of: Int.self)
  return inTurns(count, perTurn: perTurn, send: { continuation.yield($0) }, finish: { continuation.finish() }) {
    jobs, sum in
    // An actor without an executor of its own runs the work of a task on the executor that the task prefers.
    Task(executorPreference: jobs) { await owner.consume(values, sum) }
  }
}

private actor Owner {
  func consume(_ values: AsyncStream<Int>, _ sum: Sum) async {
    for await value in values { sum.add(value) }
  }
}

/// Consumes a sequence in a task while the caller waits.
private func total<Values: AsyncSequence<Int, Never> & SendableMetatype>(
  _ make: @escaping @Sendable () -> Values
) -> Int where Values.AsyncIterator: SendableMetatype {
  let sum = Sum()
  let finished = DispatchSemaphore(value: 0)
  Task {
    for await value in make() { sum.add(value) }
    finished.signal()
  }
  finished.wait()
  return sum.value
}

private func erasedTotal(_ make: @escaping @Sendable () -> any AsyncSequence<Int, Never>) -> Int {
  let sum = Sum()
  let finished = DispatchSemaphore(value: 0)
  Task {
    for await value in make() { sum.add(value) }
    finished.signal()
  }
  finished.wait()
  return sum.value
}

/// Returns every eighth number below the count, from the given one.
private func turn(_ number: Int, _ count: Int) -> AsyncSyncSequence<StrideTo<Int>> {
  stride(from: number, to: count, by: 8).async
}

private func incremented(_ values: any AsyncSequence<Int, Never>) -> any AsyncSequence<Int, Never> {
  func map(_ values: some AsyncSequence<Int, Never>) -> any AsyncSequence<Int, Never> { values.map { $0 &+ 1 } }
  return map(values)
}
