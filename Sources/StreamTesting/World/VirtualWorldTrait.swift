#if canImport(Testing)
  public import Dispatch
  public import StreamSchedulers
  public import Testing

  /// A trait that runs a test, or each test of a suite, in its own virtual world, where the tasks that it starts run in
  /// virtual time.
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
  /// Each test, and each case of a test with arguments, has a world and a scheduler of its own. The test runs on the main actor,
  /// like the closure of
  /// ``StreamSchedulers/TestScheduler/runVirtualWorld(allowingExternalEvents:fileID:filePath:line:column:_:)``. A test that can
  /// never continue fails with a `Deadlock`.
  public struct VirtualWorldTrait: TestTrait, SuiteTrait, TestScoping {
    /// The scheduler that advances the time of the current test.
    ///
    /// Outside of a test with the trait, it's a scheduler that no test advances.
    @TaskLocal public static var scheduler = DispatchQueue.test

    private let order: RunOrder

    init(order: RunOrder) { self.order = order }

    /// Indicates whether a suite applies the trait to each of its tests. It's always `true`.
    public var isRecursive: Bool { true }

    /// Runs a test in a virtual world.
    ///
    /// - Parameters:
    ///   - test: The test to run.
    ///   - testCase: The case of a test with arguments.
    ///   - function: A closure that runs the test.
    /// - Throws: The error that the test throws, or a `Deadlock` if the test can never continue.
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
    /// A ``VirtualWorldTrait``, whose scheduler is ``VirtualWorldTrait/scheduler``.
    ///
    /// ```swift
    /// @Test(.virtualWorld) func search() async {}
    /// ```
    public static var virtualWorld: Self { Self(order: .fifo) }

    /// Creates a ``VirtualWorldTrait`` with a given order of simultaneous work.
    ///
    /// - Parameter order: The order of work that is due at the same time.
    public static func virtualWorld(order: RunOrder) -> Self { Self(order: order) }
  }
#endif
