import Dispatch
import StreamSchedulers
import Streams
import Workloads

// Workloads with sinks that belong to an actor. Everything happens on one thread, so that it can be counted.

extension StreamsWorkloads {
  /// The same without an actor, for comparison.
  static func sink(_ count: Int) -> Int {
    let sum = Sum()
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.sink { sum.add($0) }
    for value in 0..<count { subject.send(value) }
    cancellable.cancel()
    return sum.value
  }

  /// The main thread runs the workloads.
  static func isolatedSink(_ count: Int) -> Int {
    useScheduler()
    return MainActor.assumeIsolated {
      let sum = Sum()
      let subject = PassthroughSubject<Int, Never>()
      let cancellable = subject.sink { sum.add($0) }
      for value in 0..<count { subject.send(value) }
      cancellable.cancel()
      return sum.value
    }
  }

  static func isolatedSinkOfActor(_ count: Int) -> Int {
    useScheduler()
    let sum = Sum()
    let owner = Owner()
    let jobs = JobQueue()
    Task(executorPreference: jobs) { await owner.sendToItself(count, sum) }
    jobs.run()
    return sum.value
  }

  static func isolatedSinkHop(_ count: Int) -> Int {
    useScheduler()
    let subject = PassthroughSubject<Int, Never>()
    let actorJobs = ActorJobQueue()
    let owner = QueuedOwner(actorJobs)
    return inTurns(
      count, perTurn: 100, send: { subject.send($0) }, finish: { subject.send(completion: .finished) },
      runActor: { actorJobs.run() }
    ) { jobs, sum in
      Task(executorPreference: jobs) { await owner.observe(subject, sum) }
    }
  }

  /// Once a scheduler has been used, Streams knows whether it is on the main queue.
  private static func useScheduler() { MainQueueScheduler.shared.schedule {} }
}

/// An actor that sends what it receives.
private actor Owner {
  func sendToItself(_ count: Int, _ sum: Sum) {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.sink { sum.add($0) }
    for value in 0..<count { subject.send(value) }
    cancellable.cancel()
  }
}

/// An actor whose work is run by hand.
private actor QueuedOwner {
  private let jobs: ActorJobQueue
  private var cancellable: AnyCancellable?

  nonisolated var unownedExecutor: UnownedSerialExecutor { jobs.asUnownedSerialExecutor() }

  init(_ jobs: ActorJobQueue) { self.jobs = jobs }

  func observe(_ subject: PassthroughSubject<Int, Never>, _ sum: Sum) {
    cancellable = subject.sink { sum.add($0) }
  }
}
