public import StreamSchedulers
internal import Streams

extension TestScheduler {
  /// Runs a synchronous test in a virtual world: all tasks that it starts run on the timeline, as they are written.
  ///
  /// A plain `Task { }`, `Task.detached { }` and work of the main actor wait until the test moves time on, and run then, on
  /// the calling thread. So a view model is tested that knows nothing of it:
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
  /// The world ends with the closure; tasks that are not at their end then go on on the real main actor and on the threads
  /// of the process, when the scheduler is let go of. Other threads, and so tests that run at the same time, notice nothing.
  ///
  /// Inside of a world there may be another one, of another scheduler. Each task stays in the world in which it was started:
  /// those of the outer world run when its scheduler moves time on, also inside of the inner one, and what they start, and
  /// what is scheduled there, belongs to the outer world as well.
  ///
  /// It rests on two hooks of the Swift runtime, and on taking the place of the process's default executor, which hands on
  /// what does not belong to a world. They are set when the first world is entered, and tried out. Where one is missing, or
  /// does not do what it has to, that is reported, and the closure runs without a world.
  @discardableResult
  @MainActor
  public func withVirtualWorld<Result>(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    _ body: @MainActor () throws -> Result
  ) rethrows -> Result {
    guard isWorldPossible(SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)) else {
      return try body()
    }
    return try VirtualWorld.enter(timeline, body)
  }

  /// Runs an asynchronous test in a virtual world to its end.
  ///
  /// The body belongs to the main actor of the world. Where all tasks sleep on the scheduler, or on its clock, time moves on
  /// to the first that wakes; `await scheduler.advance(by:)` goes on when everything until then has run.
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
  /// While nothing is left to run on the timeline, it waits for something that comes from outside as long as it is allowed,
  /// in real time; that is not at all, unless something else is said.
  ///
  /// - Throws: What the body throws; a `Deadlock` when nothing is left to run and the body has not come to its end.
  @discardableResult
  @MainActor
  public func runVirtualWorld<Result>(
    allowingExternalEvents duration: Duration = .zero,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    _ body: @escaping @MainActor () async throws -> Result
  ) throws -> Result {
    guard isWorldPossible(SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)) else {
      throw Deadlock(description: "There is no virtual world here, in which the body could run.")
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

  /// What keeps virtual worlds from working in this process, each in a sentence; empty where they work.
  @MainActor
  public static var notCapturedByVirtualWorld: [String] { WorldProbe.failures }

  @MainActor
  private func isWorldPossible(_ place: SourcePlace) -> Bool {
    let failures = WorldProbe.failures
    guard !failures.isEmpty else { return true }
    place.report("There is no virtual world here: \(failures.joined(separator: " "))")
    return false
  }
}

/// Tries out, once, whether the hooks of the runtime do what a world needs.
@MainActor
enum WorldProbe {
  static let failures: [String] = {
    let missing = RuntimeHooks.missing
    guard missing.isEmpty else {
      return [
        "The Swift runtime of this process has no \(missing.joined(separator: ", ")); it may be linked statically, or be "
          + "of a version that is not known yet."
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
      // Each waits until it is driven, on this thread; if a hook is not called, it runs elsewhere, or later.
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
      ("detached", "A detached task is not handed to the world."),
      ("yielded", "A task that yields leaves the world."),
      ("main", "Work of the main actor is not handed to the world."),
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
