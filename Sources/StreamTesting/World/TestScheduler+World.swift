public import StreamSchedulers
internal import Streams

extension TestScheduler {
  /// Runs a synchronous test in a virtual world: all tasks that it starts run on the scheduler's timeline.
  ///
  /// A plain `Task { }`, `Task.detached { }` and work on the main actor wait until the test advances time, and then run
  /// on the calling thread. So you can test a view model that isn't prepared for virtual time:
  ///
  /// ```swift
  /// @MainActor @Test func aNewerSearchWins() {
  ///   let scheduler = DispatchQueue.test
  ///   scheduler.withVirtualWorld {
  ///     let model = SearchModel(clock: scheduler.clock)
  ///     model.query = "swift"
  ///     scheduler.advance(by: .milliseconds(300))
  ///     #expect(model.results == ["Swift"])
  ///   }
  /// }
  /// ```
  ///
  /// The world ends with the closure. Tasks that haven't completed by then continue on the real main actor and on the
  /// global concurrent executor, but they still sleep in virtual time. If you enter another world of the same
  /// scheduler, the tasks that are sleeping or waiting rejoin it. Tasks that were started with `Task(on: scheduler)`
  /// stay on its timeline. Other threads, and so tests that run at the same time, aren't affected.
  ///
  /// Tasks that were started before the world, or by another thread, stay outside, even if the world resumes them. An
  /// actor that begins to work in the world runs on the timeline, whoever called it. The article on tasks in virtual
  /// time lists what isn't recognized.
  ///
  /// You can nest worlds of different schedulers. Each task stays in the world in which it was started: tasks of the
  /// outer world run when its scheduler advances time, even inside the inner one, and everything that they start or
  /// schedule belongs to the outer world, too.
  ///
  /// Worlds are based on two hooks of the Swift runtime, and on a default executor of the process that forwards everything that
  /// doesn't belong to a world. The first world installs and tests them. If one doesn't work, that's reported, and the closure
  /// runs without a world.
  ///
  /// - Parameters:
  ///   - body: A closure that runs the test.
  /// - Returns: The result of the closure.
  /// - Throws: The error that the closure throws.
  @discardableResult
  @MainActor
  public func withVirtualWorld<Result>(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    _ body: @MainActor () throws -> Result
  ) rethrows -> Result {
    guard isWorldPossible(CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)) else {
      return try body()
    }
    return try VirtualWorld.enter(timeline, body)
  }

  /// Runs an asynchronous test in a virtual world until it completes.
  ///
  /// The closure runs on the main actor of the world. Whenever all tasks are sleeping on the scheduler or its clock,
  /// time advances until the first one wakes. `await scheduler.advance(by:)` returns when everything that's due by its
  /// target time has run.
  ///
  /// ```swift
  /// try scheduler.runVirtualWorld {
  ///   let model = SearchModel(clock: scheduler.clock)
  ///   model.query = "swift"
  ///   await scheduler.advance(by: .milliseconds(300))
  ///   #expect(model.results == ["Swift"])
  /// }
  /// ```
  ///
  /// If nothing is left to run on the timeline, the method waits for external events in real time, for at most the
  /// allowed duration. By default, it doesn't wait.
  ///
  /// - Parameters:
  ///   - duration: The maximum real time to wait for external events.
  ///   - body: A closure that runs the test.
  /// - Returns: The result of the closure.
  /// - Throws: The error that the closure throws, or a `Deadlock` if nothing is left to run and the closure hasn't
  ///   completed, or if virtual worlds don't work in this process, which is also reported.
  @discardableResult
  @MainActor
  public func runVirtualWorld<Result>(
    allowingExternalEvents duration: Duration = .zero,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    _ body: @escaping @MainActor () async throws -> Result
  ) throws -> Result {
    guard isWorldPossible(CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)) else {
      throw Deadlock(description: "The closure cannot run, because virtual worlds do not work in this process.")
    }
    return try VirtualWorld.enter(timeline) {
      try timeline.run(within: budget.withLock { $0 }, allowingExternalEvents: duration, describe: describe) { box in
        Task { @MainActor in
          do {
            box.set(.success(try await body()))
          } catch {
            box.set(.failure(error))
          }
        }
      }
    }
  }

  /// The reasons why virtual worlds don't work in this process, each as a sentence.
  @MainActor
  package static var notCapturedByVirtualWorld: [String] { WorldProbe.failures }

  @MainActor
  private func isWorldPossible(_ location: CodeLocation) -> Bool {
    let failures = WorldProbe.failures
    guard !failures.isEmpty else { return true }
    location.report("Virtual worlds do not work in this process: \(failures.joined(separator: " "))")
    return false
  }
}

/// A one-time test of whether the runtime's hooks do what a world needs.
@MainActor
enum WorldProbe {
  static let failures: [String] = {
    let missing = RuntimeHooks.missing
    guard missing.isEmpty else {
      return [
        "The Swift runtime of this process has no \(missing.joined(separator: ", ")). It may be linked statically, or "
          + "its version may not be supported yet."
      ]
    }
    return probe()
  }()

  private static func probe() -> [String] {
    let timeline = Timeline()
    let steps = Locked<[String]>([])
    nonisolated(unsafe) let log = steps
    nonisolated func assumeMain(_ body: @MainActor () -> Void) { MainActor.assumeIsolated(body) }
    func note(_ step: String) { log.withLock { $0.append(step) } }
    VirtualWorld.enter(timeline) {
      // Each task waits until this thread runs it. If a hook isn't called, the task runs elsewhere, or later.
      Task.detached {
        log.withLock { $0.append("detached") }
        await Task.yield()
        log.withLock { $0.append("yielded") }
        await MainActor.run { log.withLock { $0.append("main") } }
        log.withLock { $0.append("back") }
        await Bystander().stand()
        await Task.yield()
        log.withLock { $0.append("yielded after an actor") }
      }
      Task { @MainActor in
        await Task.yield()
        assumeMain { log.withLock { $0.append("isolated") } }
      }
      let before = steps.withLock { $0 }
      if !before.isEmpty { note("early") }
      _ = timeline.run(through: 0, within: TimelineBudget())
    }
    let seen = steps.withLock { $0 }
    let expectations = [
      ("detached", "A detached task is not enqueued in the world."),
      ("yielded", "A task that yields leaves the world."),
      ("main", "Work of the main actor is not enqueued in the world."),
      ("back", "A task that comes back from the main actor leaves the world."),
      ("isolated", "A task of the main actor leaves the world."),
      ("yielded after an actor", "A task that yields after it has called an actor leaves the world."),
    ]
    return expectations.filter { !seen.contains($0.0) }.map(\.1)
      + (seen.contains("early") ? ["Tasks start too early."] : [])
  }
}

/// An actor without an executor of its own.
private actor Bystander {
  func stand() {}
}
