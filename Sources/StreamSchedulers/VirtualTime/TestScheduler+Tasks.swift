internal import Dispatch
internal import Streams

/// The error thrown when an asynchronous closure can't complete in virtual time.
public struct Deadlock: Error, Equatable, Sendable, CustomStringConvertible {
  /// The known reasons why the closure can't complete.
  ///
  /// If your program links `StreamTesting`, the description also lists the streams that the closure's task and its child tasks
  /// wait for, and why nothing arrives from them.
  public var description: String

  package init(description: String) { self.description = description }

  /// Returns a description of the streams that tasks wait for, preceded by a line break. It's empty unless the program links a
  /// module that can describe streams.
  fileprivate static func describe(_ waits: [CancelledWait]) -> String {
    if waits.isEmpty { return "" }
    return ((Deadlock.self as Any.Type) as? any AwaitedStreamDescribing.Type)?.describe(waits.map(\.part)) ?? ""
  }
}

/// The protocol that ``Deadlock`` conforms to in a program that links the module `StreamTesting`, which can describe
/// streams.
package protocol AwaitedStreamDescribing {
  /// Describes the streams that tasks wait for.
  ///
  /// - Parameter parts: The waiting parts of the streams, from ``Streams/CancelledWait``.
  /// - Returns: The description, which begins with a line break.
  static func describe(_ parts: [AnyObject]) -> String
}

extension TestScheduler {
  /// Runs an asynchronous closure to completion in virtual time and returns the closure's result.
  ///
  /// The closure, its child tasks and the tasks that it starts with `Task(on:)` run on the calling thread, on the scheduler's
  /// timeline. When all of them sleep, time moves to the earliest deadline.
  ///
  /// ```swift
  /// let results = try scheduler.run {
  ///   async let one = client.search("one")
  ///   async let other = client.search("other")
  ///   return await [one, other]
  /// }
  /// ```
  ///
  /// Inside the closure, `await scheduler.advance(by:)` returns when everything else that's due up to its target has run.
  ///
  /// - Parameters:
  ///   - duration: The maximum real time to wait for events from outside the timeline when nothing is left to run on it.
  ///   - body: The closure to run.
  /// - Returns: The result of the closure.
  /// - Throws: The error that the closure throws, or a ``Deadlock`` if nothing is left to run, or a limit such as
  ///   ``maximumActions`` is exceeded, before the closure has returned. The closure's task is then cancelled.
  public func run<Result>(
    allowingExternalEvents duration: Duration = .zero, _ body: sending @escaping () async throws -> sending Result
  ) throws -> Result {
    let executor = timeline.taskExecutor
    return try timeline.run(within: budget.withLock { $0 }, allowingExternalEvents: duration, describe: describe) {
      box in
      Task(name: NamedTask.name("TestScheduler.run"), executorPreference: executor) { [body = UncheckedBody(body)] in
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
    return "The closure has not returned, but nothing is left to run on the timeline at "
      + "\(DurationText.described(timeline.now)). It's waiting for something else: a loop over a stream that hasn't ended, "
      + "a task that was not started on this scheduler, the main actor, a live queue, or a continuation that is never resumed."
  }

  /// Advances time by a stride and returns when everything that becomes due has run.
  ///
  /// In a task on this scheduler's timeline, the call waits until everything else that's due up to the target has run.
  ///
  /// Elsewhere, the call stops at each date until each task that wakes there sleeps, waits or has ended. It never misses a task
  /// on the caller's actor. For tasks on other threads, it waits until none of them has used the timeline for some time. If
  /// that isn't enough, first wait with `await scheduler.armed(_:)` until they sleep. Each date takes a few milliseconds.
  /// Cancelling the calling task doesn't stop the call.
  ///
  /// A negative stride is reported and changes nothing.
  ///
  /// - Parameter stride: The time to advance by.
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

  /// Advances time to a date and returns when everything that becomes due has run.
  ///
  /// Otherwise, it behaves like the asynchronous `advance(by:)`. A date in the past is reported and changes nothing.
  ///
  /// - Parameter date: The date to advance to.
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

  /// Runs actions until none is left and advances time to the date of the last one.
  ///
  /// In a task on this scheduler's timeline, the call waits until nothing else is left. Elsewhere, it stops at each date, like
  /// the asynchronous `advance(by:)`.
  ///
  /// A repeating action never runs out. The call gives up after the timeout (in real time) and a thousand dates, or after
  /// twenty times the timeout and a hundred dates. In a task on the timeline, it gives up after the timeout and ten thousand
  /// dates. It then reports the pending actions, and time stays at the date that it has reached. If ``maximumActions`` is
  /// exceeded, the call stops and reports the most frequent actions. If the calling task is cancelled, the call stops without a
  /// report.
  ///
  /// - Parameter timeout: The real time after which to give up.
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

  /// The number of foreign jobs (see `Timeline.enqueue`), plus other jobs that entered the timeline from another thread while
  /// time was being advanced.
  ///
  /// As long as it's zero, a test runs in the same order every time.
  package var foreignEnqueueCount: Int { timeline.withLock { agenda, _ in agenda.foreignEnqueueCount } }
}

extension Timeline {
  /// Indicates whether the calling thread is running a job of this timeline.
  var isRunningJobHere: Bool { DrivingThread.existing?.jobTimeline == ObjectIdentifier(self) }

  /// Suspends the caller until nothing else is left to run at a date.
  nonisolated(nonsending)
    func barrier(at date: Int) async
  {
    await withUnsafeContinuation { continuation in
      _ = insert(after: date, lane: .none, isBarrier: true) { continuation.resume() }
    }
  }

  /// Starts a task, runs actions until the task has put its result into a box, and returns the result.
  package func run<Result>(
    within budget: TimelineBudget, allowingExternalEvents duration: Duration,
    describe: (TimelineExcess?) -> String, start: (ResultBox<Result>) -> Task<Void, Never>
  ) throws -> Result {
    let box = ResultBox<Result>()
    let task = start(box)
    let excess = driveInOneCall { excess in
      // The current wait's deadline, kept until an action runs: an action armed by another thread may be gone before this
      // thread looks.
      var deadline: DispatchTime?
      while !box.isSet {
        if let action = next(through: nil, within: budget, keepsCall: true, &excess) {
          action.run()
          deadline = nil
          continue
        }
        if excess != nil { break }
        if let deadline, DispatchTime.now() >= deadline { break }
        let end = deadline ?? .after(duration)
        deadline = end
        if !waitForArming(end, unless: { box.isSet }) { break }
      }
    }
    guard let result = box.take() else {
      let waits = CancelledWait.collected { task.cancel() }
      let streams = excess == nil ? Deadlock.describe(waits) : ""
      for wait in waits { wait.end() }
      // Work that the body does when it's cancelled is still part of the run.
      _ = self.run(through: now, within: budget)
      let hint =
        duration > .zero && excess == nil && WaitingThread.current == .pool
        ? WaitingThread.hint(instead: "Call it on a thread of your own, or on the main actor.") : ""
      throw Deadlock(description: describe(excess) + hint + streams)
    }
    return try result.get()
  }
}

/// Carries the result from the body's task to the thread that drives it.
package final class ResultBox<Value>: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` doesn't declare it. The lock protects the result.
  private let result = Locked<Swift.Result<Value, any Error>?>(nil)

  var isSet: Bool { result.withLock { $0 != nil } }

  package func set(_ new: Swift.Result<Value, any Error>) { result.withLock { $0 = new } }
  func take() -> Swift.Result<Value, any Error>? { result.withLock { $0.take() } }
}

/// Carries the body into its task.
private struct UncheckedBody<Value>: @unchecked Sendable {
  // `Sendable` is unchecked because the caller has sent the body away, and only the task uses it.
  let run: () async throws -> Value

  init(_ run: @escaping () async throws -> Value) { self.run = run }
}
