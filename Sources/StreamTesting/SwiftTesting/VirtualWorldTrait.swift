#if canImport(Testing)
  public import Dispatch
  public import StreamSchedulers
  public import Testing

  /// Runs a test, or each test of a suite, in a virtual world of its own.
  ///
  /// ```swift
  /// @MainActor @Test(.virtualWorld)
  /// func aNewerSearchWins() async {
  ///   let scheduler = VirtualWorldTrait.scheduler
  ///   let model = SearchModel(clock: scheduler.clock)
  ///   model.query = "swift"
  ///   await scheduler.advance(by: .milliseconds(300))
  ///   #expect(model.results == ["Swift"])
  /// }
  /// ```
  ///
  /// Every test, and every case of a test with arguments, has a world and a scheduler of its own. It runs on the main actor, as
  /// ``StreamSchedulers/TestScheduler/runVirtualWorld(allowingExternalEvents:fileID:filePath:line:column:_:)`` does: plain
  /// tasks that it starts are in virtual time, and no time goes by. A test that can never go on fails with a `Deadlock`.
  public struct VirtualWorldTrait: TestTrait, SuiteTrait, TestScoping {
    /// The scheduler that moves the time of the test that is running.
    ///
    /// Outside of a test with the trait it is a scheduler that no test moves on.
    @TaskLocal public static var scheduler = DispatchQueue.test

    private let order: RunOrder

    init(order: RunOrder) { self.order = order }

    /// Whether a suite hands the trait on to its tests: it does.
    public var isRecursive: Bool { true }

    /// Runs a test in its world.
    public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      try await MainActor.run {
        let scheduler = DispatchQueue.test(order: order)
        try Self.$scheduler.withValue(scheduler) {
          try withoutActuallyEscaping(function) { function in
            try scheduler.runVirtualWorld { try await function() }
          }
        }
      }
    }
  }

  extension Trait where Self == VirtualWorldTrait {
    /// Runs a test, or each test of a suite, in a virtual world of its own, whose scheduler is
    /// ``VirtualWorldTrait/scheduler``.
    public static var virtualWorld: Self { Self(order: .fifo) }

    /// Runs a test, or each test of a suite, in a virtual world, and what is due at the same moment in a certain order.
    public static func virtualWorld(order: RunOrder) -> Self { Self(order: order) }
  }
#endif
