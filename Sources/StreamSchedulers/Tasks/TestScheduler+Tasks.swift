internal import Dispatch
internal import Streams

/// Why an asynchronous test could not be driven to its end.
public struct Deadlock: Error, Equatable, Sendable, CustomStringConvertible {
  /// What the test waits for, as far as it can be told.
  public var description: String

  package init(description: String) { self.description = description }
}

extension TestScheduler {
  /// Runs an asynchronous body on the timeline to its end, and returns its result.
  ///
  /// The body, its child tasks and what it starts with `Task(on:)` run on the calling thread, in virtual time: where all of
  /// them sleep, time moves on to the first that wakes.
  ///
  /// ```swift
  /// let results = try scheduler.run {
  ///   async let one = client.search("one")
  ///   async let other = client.search("other")
  ///   return await [one, other]
  /// }
  /// ```
  ///
  /// `await scheduler.advance(by:)` inside goes on when everything until then has run, and nothing is left to run then.
  ///
  /// While nothing is left to run on the timeline, it waits for something that comes from outside as long as it is allowed,
  /// in real time; that is not at all, unless something else is said.
  ///
  /// - Throws: What the body throws; a ``Deadlock`` when nothing is left to run and the body has not come to its end. Then its
  ///   task is cancelled.
  public func run<Result>(
    allowingExternalEvents duration: Duration = .zero, _ body: sending @escaping () async throws -> sending Result
  ) throws -> Result {
    let executor = timeline.taskExecutor
    return try timeline.run(within: budget.withLock { $0 }, allowingExternalEvents: duration, describe: describe) {
      box in
      Task(executorPreference: executor) { [body = UncheckedBody(body)] in
        do {
          box.set(.success(try await body.run()))
        } catch {
          box.set(.failure(error))
        }
      }
    }
  }

  package func describe(_ excess: TimelineExcess?) -> String {
    if let excess { return excess.description }
    return "The body has not come to its end, and nothing is left to run on the timeline, at "
      + "\(DurationText.described(timeline.now)). It waits for something else: a task that was not started on this "
      + "scheduler, the main actor, a live queue, or a continuation that nobody resumes."
  }

  /// Moves time on by a distance, and goes on when everything that is due on the way has run.
  ///
  /// Inside of a task on this scheduler's timeline it is a barrier: it returns when nothing is left to run at that moment.
  ///
  /// Elsewhere it stops at each date, lets everything come to rest that is woken there, and goes on. A task of the caller's
  /// actor is not missed. Tasks on other threads are waited for until none of them has done anything on the timeline for
  /// some time; where that is not enough, wait with `await scheduler.armed(_:)` until they sleep. It takes some milliseconds
  /// for each date. A cancelled task comes to its target all the same.
  nonisolated(nonsending)
    public func advance(
      by stride: SchedulerTimeType.Stride = .zero,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async
  {
    guard stride >= .zero else {
      return reportNegative(stride, fileID: fileID, filePath: filePath, line: line, column: column)
    }
    await advance(
      toOffset: timeline.now.addingSaturating(stride.nanoseconds), fileID: fileID, filePath: filePath, line: line,
      column: column)
  }

  /// Moves time on to a date, and goes on when everything that is due on the way has run.
  ///
  /// It does what the other asynchronous `advance` does.
  nonisolated(nonsending)
    public func advance(
      to date: SchedulerTimeType,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async
  {
    guard date >= now else {
      return reportPast(date, fileID: fileID, filePath: filePath, line: line, column: column)
    }
    await advance(toOffset: offset(of: date), fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Runs until nothing is left, and moves time to the date of the last action.
  ///
  /// Inside of a task on this scheduler's timeline it waits until nothing else is left. Elsewhere it stops at each date and
  /// lets everything come to rest that is woken there, as the asynchronous `advance` does.
  ///
  /// An action that repeats never leaves. When the timeout has gone by in real time and a thousand dates have come, or
  /// twenty times the timeout and a hundred dates, what still waits is reported at the line of the call, and time stays where
  /// it has come; so it is when ``maximumActions`` do not suffice. When the task is cancelled, time stays where it has come.
  nonisolated(nonsending)
    public func run(
      timeout: Duration = .milliseconds(500),
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async
  {
    let problem = await timeline.drive(
      untilIdleFor: timeout, within: budget.withLock { $0 }, of: "scheduler")
    if let problem { reportIssue(problem, fileID: fileID, filePath: filePath, line: line, column: column) }
  }

  nonisolated(nonsending)
    private func advance(
      toOffset offset: Int, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
    ) async
  {
    let problem = await timeline.drive(
      to: offset, within: budget.withLock { $0 }, of: "scheduler")
    if let problem { reportIssue(problem, fileID: fileID, filePath: filePath, line: line, column: column) }
  }

  /// How many jobs entered the timeline from another thread while time was moved on.
  ///
  /// As long as it is zero, a test has the same order in every run.
  public var foreignEnqueueCount: Int { timeline.withLock { agenda, _ in agenda.foreignEnqueueCount } }
}

extension Timeline {
  /// Whether the calling thread is running a job of this timeline.
  var isRunningJobHere: Bool { DrivingThread.existing?.jobTimeline == ObjectIdentifier(self) }

  /// Suspends the caller until nothing else is left to run at a date.
  nonisolated(nonsending)
    func barrier(at date: Int) async
  {
    await withUnsafeContinuation { continuation in
      _ = insert(after: date, lane: .none, isBarrier: true) { continuation.resume() }
    }
  }

  /// Drives a task, which puts its result into a box, to its end.
  package func run<Result>(
    within budget: TimelineBudget, allowingExternalEvents duration: Duration,
    describe: (TimelineExcess?) -> String, start: (ResultBox<Result>) -> Task<Void, Never>
  ) throws -> Result {
    let box = ResultBox<Result>()
    let task = start(box)
    let excess = inOneCall { excess in
      var hasWaited = false
      while !box.isSet {
        if let action = next(through: nil, within: budget, keepsCall: true, &excess) {
          action.run()
          hasWaited = false
        } else if excess != nil || hasWaited || !waitForArming(.after(duration), unless: { box.isSet }) {
          break
        } else {
          hasWaited = true
        }
      }
    }
    guard let result = box.take() else {
      task.cancel()
      // What the body does when it is cancelled still belongs to it.
      _ = self.run(through: now, within: budget)
      let hint =
        duration > .zero && excess == nil && WaitingThread.current == .pool
        ? WaitingThread.hint(instead: "Call it on a thread of your own, or on the main actor.") : ""
      throw Deadlock(description: describe(excess) + hint)
    }
    return try result.get()
  }
}

/// Carries the result from the body's task to the thread that drives it.
package final class ResultBox<Value>: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects the result.
  private let result = Locked<Swift.Result<Value, any Error>?>(nil)

  var isSet: Bool { result.withLock { $0 != nil } }

  package func set(_ new: Swift.Result<Value, any Error>) { result.withLock { $0 = new } }
  func take() -> Swift.Result<Value, any Error>? { result.withLock { $0.take() } }
}

/// Carries the body into its task.
private struct UncheckedBody<Value>: @unchecked Sendable {
  // `Sendable` is unchecked because the caller has sent the body away, and it is used by the task alone.
  let run: () async throws -> Value

  init(_ run: @escaping () async throws -> Value) { self.run = run }
}
