import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams

/// A queue of jobs that run when a thread is told to run them. It uses the kernel's lock, so that the explorer sees each job
/// that is enqueued and taken; what the runtime does within a job is not controlled.
final class JobQueue: TaskExecutor, SerialExecutor, @unchecked Sendable {
  // Unchecked: the lock protects all state.
  private let jobs = Locked<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  private func next() -> UnownedJob? { jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() } }

  /// Runs the jobs of tasks until there are none.
  func run() {
    while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// Runs the jobs of an actor until there are none.
  func runSerially() {
    while let job = next() { job.runSynchronously(on: asUnownedSerialExecutor()) }
  }
}

/// Calls against the jobs of a task or of an actor: one thread runs jobs while another sends, requests or cancels.
extension Scenarios {
  /// An actor whose jobs run when a thread is told to run them.
  private actor Home {
    nonisolated let jobs = JobQueue()
    nonisolated var unownedExecutor: UnownedSerialExecutor { jobs.asUnownedSerialExecutor() }
  }

  /// Numbers, some of which are awaited.
  private struct Numbers: AsyncSequence, Sendable {
    let count: Int
    let suspends: Bool

    struct AsyncIterator: AsyncIteratorProtocol {
      let numbers: Numbers
      var last = 0

      mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(Never) -> Int? {
        if numbers.suspends { await Task.yield() }
        last += 1
        return last <= numbers.count ? last : nil
      }
      mutating func next() async -> Int? { await next(isolation: nil) }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(numbers: self) }
  }

  /// An asynchronous sequence as a publisher. What a task sends may come in a later run of its jobs.
  private static func task(
    _ name: String, count: Int = 3, suspends: Bool = false, demand: Demand = .none,
    prepare: @escaping @Sendable (JobQueue) -> Void = { _ in },
    _ calls: @escaping @Sendable (JobQueue, Trace<Int, Never>) -> [[() -> Void]]
  ) -> Scenario {
    Scenario("task: \(name)", mayEndEarly: name.contains("cancel"), mayBeLater: true) {
      let jobs = JobQueue()
      let trace = Trace<Int, Never>(demand)
      Numbers(count: count, suspends: suspends).publisher(executorPreference: jobs).subscribe(trace)
      prepare(jobs)
      return .init(
        calls: calls(jobs, trace),
        outcome: {
          jobs.run()
          defer {
            trace.cancel()
            jobs.run()
          }
          return trace.text
        })
    }
  }

  static let tasks: [Scenario] = [
    task("request ∥ run") { jobs, trace in [[{ trace.request(.max(2)) }], [{ jobs.run() }]] },
    task("request ∥ request") { _, trace in [[{ trace.request(.max(1)) }], [{ trace.request(.max(1)) }]] },
    task("request ∥ request ∥ run") { jobs, trace in
      [[{ trace.request(.max(1)) }], [{ trace.request(.max(2)) }], [{ jobs.run() }]]
    },
    task("request ∥ cancel") { _, trace in [[{ trace.request(.max(2)) }], [{ trace.cancel() }]] },
    task("begun, run ∥ cancel", demand: .unlimited) { jobs, trace in [[{ jobs.run() }], [{ trace.cancel() }]] },
    task("begun, run ∥ request", demand: .max(1)) { jobs, trace in
      [[{ jobs.run() }], [{ trace.request(.max(1)) }, { trace.request(.unlimited) }]]
    },
    task("waiting, request ∥ cancel", demand: .max(1), prepare: { $0.run() }) { _, trace in
      [[{ trace.request(.max(1)) }], [{ trace.cancel() }]]
    },
    task("waiting, request ∥ request ∥ run", demand: .max(1), prepare: { $0.run() }) { jobs, trace in
      [[{ trace.request(.max(1)) }], [{ trace.request(.max(1)) }], [{ jobs.run() }]]
    },
    task("waiting, request run ∥ cancel", demand: .max(1), prepare: { $0.run() }) { jobs, trace in
      [[{ trace.request(.max(1)) }, { jobs.run() }], [{ trace.cancel() }]]
    },
    task("suspended, run ∥ request", suspends: true, demand: .max(1)) { jobs, trace in
      [[{ jobs.run() }], [{ trace.request(.max(1)) }]]
    },
    task("suspended, run ∥ run ∥ request", count: 1, suspends: true, demand: .max(1)) { jobs, trace in
      [[{ jobs.run() }], [{ jobs.run() }], [{ trace.request(.max(1)) }]]
    },
    task("suspended, run ∥ cancel", suspends: true, demand: .unlimited) { jobs, trace in
      [[{ jobs.run() }], [{ trace.cancel() }]]
    },
  ]

  /// A subject whose values are delivered on an actor.
  private static func actor(
    _ name: String, demand: Demand = .unlimited,
    _ calls: @escaping @Sendable (Number, Trace<Int, Never>, JobQueue) -> [[() -> Void]]
  ) -> Scenario {
    Scenario("actor: \(name)", mayEndEarly: name.contains("cancel"), mayBeLater: true) {
      let subject = Number()
      let trace = Trace<Int, Never>(demand)
      let home = Home()
      subject.receive(on: home).subscribe(trace)
      return .init(
        calls: calls(subject, trace, home.jobs),
        outcome: {
          home.jobs.runSerially()
          return trace.text
        })
    }
  }

  static let actors: [Scenario] = [
    actor("send ∥ run") { subject, _, jobs in
      [[{ subject.send(1) }, { subject.send(2) }], [{ jobs.runSerially() }]]
    },
    actor("send ∥ send ∥ run") { subject, _, jobs in
      [[{ subject.send(1) }], [{ subject.send(2) }], [{ jobs.runSerially() }]]
    },
    actor("send ∥ complete ∥ run") { subject, _, jobs in
      [[{ subject.send(1) }], [{ subject.send(completion: .finished) }], [{ jobs.runSerially() }]]
    },
    actor("send run ∥ cancel") { subject, trace, jobs in
      [[{ subject.send(1) }, { jobs.runSerially() }], [{ trace.cancel() }]]
    },
    actor("send ∥ run cancel") { subject, trace, jobs in
      [[{ subject.send(1) }, { subject.send(2) }], [{ jobs.runSerially() }, { trace.cancel() }]]
    },
    actor("send ∥ request ∥ run", demand: .max(1)) { subject, trace, jobs in
      [[{ subject.send(1) }, { subject.send(2) }], [{ trace.request(.max(1)) }], [{ jobs.runSerially() }]]
    },
  ]

  /// A task that awaits the values of a subject.
  private static func loop(
    _ name: String, _ values: @escaping @Sendable (Number) -> AsyncPublisher<Number>,
    _ calls: @escaping @Sendable (Number, JobQueue) -> [[() -> Void]]
  ) -> Scenario {
    Scenario("values: \(name)", mayBeLater: true) {
      let subject = Number()
      let journal = Journal()
      let jobs = JobQueue()
      let values = values(subject)
      let task = Task(executorPreference: jobs) {
        for await value in values { journal.note("\(value)") }
        journal.note("end")
      }
      // Subscribes, and waits for the first value.
      jobs.run()
      return .init(
        calls: calls(subject, jobs),
        outcome: {
          jobs.run()
          defer {
            task.cancel()
            jobs.run()
          }
          return journal.entries.joined(separator: " ")
        })
    }
  }

  // Not with a cancellation: it runs the handlers of the task under a lock of the runtime, for which the thread that resumes
  // the task would wait, unseen by the controller.
  static let loops: [Scenario] = [
    loop("send ∥ run", { $0.values(bounded: .max, whenFull: .dropNewest) }) { subject, jobs in
      [[{ subject.send(1) }, { subject.send(2) }], [{ jobs.run() }]]
    },
    loop("send ∥ send ∥ run", { $0.values(bounded: .max, whenFull: .dropNewest) }) { subject, jobs in
      [[{ subject.send(1) }], [{ subject.send(2) }], [{ jobs.run() }]]
    },
    loop("send ∥ complete", { $0.values(bounded: .max, whenFull: .dropNewest) }) { subject, _ in
      [[{ subject.send(1) }], [{ subject.send(completion: .finished) }]]
    },
    loop("send complete ∥ run", { $0.values(bounded: 1, whenFull: .wait) }) { subject, jobs in
      [[{ subject.send(1) }, { subject.send(completion: .finished) }], [{ jobs.run() }]]
    },
    loop("newest, send ∥ run", { $0.values(bounded: 1, whenFull: .dropOldest) }) { subject, jobs in
      [[{ subject.send(1) }, { subject.send(2) }, { subject.send(3) }], [{ jobs.run() }]]
    },
    loop("requested one by one, send ∥ run", { AsyncPublisher($0, buffering: .none) }) { subject, jobs in
      [[{ subject.send(1) }, { subject.send(2) }], [{ jobs.run() }]]
    },
  ]

  /// Tasks that compute the elements of a stream on a timeline.
  private static func computed(
    _ name: String, demand: Demand = .unlimited,
    _ calls: @escaping @Sendable (Number, Trace<Int, Never>, TestSchedulerOf<DispatchQueue>) -> [[() -> Void]]
  ) -> Scenario {
    Scenario("map(maxTasks:): \(name)", mayEndEarly: name.contains("cancel"), mayBeLater: true) {
      let scheduler = DispatchQueue.test
      let subject = Number()
      let trace = Trace<Int, Never>(demand)
      subject.map(maxTasks: 2, on: scheduler) { $0 * 10 }.subscribe(trace)
      return .init(
        calls: calls(subject, trace, scheduler),
        outcome: {
          scheduler.advance()
          return trace.text
        })
    }
  }

  static let computations: [Scenario] = [
    computed("send ∥ advance") { subject, _, scheduler in [[{ subject.send(1) }], [{ scheduler.advance() }]] },
    computed("send ∥ send") { subject, _, _ in [[{ subject.send(1) }], [{ subject.send(2) }]] },
    computed("sent, advance ∥ cancel") { subject, trace, scheduler in
      subject.send(1)
      return [[{ scheduler.advance() }], [{ trace.cancel() }]]
    },
    computed("sent, advance ∥ complete") { subject, _, scheduler in
      subject.send(1)
      return [[{ scheduler.advance() }], [{ subject.send(completion: .finished) }]]
    },
    computed("sent, advance ∥ request", demand: .max(1)) { subject, trace, scheduler in
      subject.send(1)
      return [[{ scheduler.advance() }], [{ trace.request(.max(1)) }]]
    },
  ]

  /// A future whose task runs on a timeline.
  private static func future(
    _ name: String,
    _ calls:
      @escaping @Sendable (Future<Int, Never>, Trace<Int, Never>, TestSchedulerOf<DispatchQueue>)
      -> [[() -> Void]]
  ) -> Scenario {
    Scenario("task of a future: \(name)", mayEndEarly: name.contains("cancel"), mayBeLater: true) {
      let scheduler = DispatchQueue.test
      let trace = Trace<Int, Never>()
      let future = Future<Int, Never>(on: scheduler) { 1 }
      return .init(
        calls: calls(future, trace, scheduler),
        outcome: {
          scheduler.advance()
          return trace.text
        })
    }
  }

  static let futures: [Scenario] = [
    future("subscribe ∥ advance") { future, trace, scheduler in
      [[{ future.subscribe(trace) }], [{ scheduler.advance() }]]
    },
    future("advance ∥ cancel") { future, trace, scheduler in
      future.subscribe(trace)
      return [[{ scheduler.advance() }], [{ trace.cancel() }]]
    },
  ]
}
