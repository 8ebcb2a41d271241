import StreamSchedulers
import Testing

/// A model and tests as users of other clock libraries write them: tasks of the main actor, and an injected clock.
@Suite
@MainActor
struct FeatureModelTests {
  @MainActor
  private final class FeatureModel {
    var count = 0
    var message: String?
    let clock: any Clock<Duration>
    private var timer: Task<Void, Never>?

    init(clock: any Clock<Duration>) { self.clock = clock }

    func load() -> Task<Void, any Error> {
      Task {
        try await clock.sleep(for: .seconds(1))
        message = "Welcome"
      }
    }

    func startTimer() -> Task<Void, Never> {
      Task { for await _ in clock.timer(interval: .seconds(1)) { count += 1 } }
    }

    func withTimeout() async -> String {
      await withTaskGroup(of: String.self) { [clock] group in
        group.addTask { (try? await clock.sleep(for: .seconds(5))).map { "timeout" } ?? "no timeout" }
        group.addTask { (try? await clock.sleep(for: .seconds(3))).map { "work" } ?? "no work" }
        let first = await group.next() ?? ""
        group.cancelAll()
        return first
      }
    }
  }

  @Test func `a message appears after a second`() async throws {
    let clock = TestClock()
    let model = FeatureModel(clock: clock)
    let task = model.load()
    await clock.armed(1)
    await clock.advance(by: .milliseconds(999))
    #expect(model.message == nil)
    await clock.advance(by: .milliseconds(1))
    try await task.value
    #expect(model.message == "Welcome")
    try await clock.checkSuspension()
  }

  @Test func `a test can sleep on a test clock directly`() async throws {
    let clock = TestClock()
    let task = Task {
      try await clock.sleep(for: .seconds(1))
      return clock.now
    }
    await clock.armed(1)
    await clock.advance(by: .seconds(1))
    #expect(try await task.value == .init(offset: .seconds(1)))
  }

  @Test func `a timer ticks, and ends with its task`() async {
    let clock = TestClock()
    let model = FeatureModel(clock: clock)
    let task = model.startTimer()
    for count in 0..<5 {
      await clock.armed(1)
      #expect(model.count == count)
      await clock.advance(by: .seconds(1))
    }
    task.cancel()
    await task.value
    #expect(model.count == 5)
    #expect(clock.pendingCount == 0)
  }

  @Test func `a task races against a timeout`() async {
    let clock = TestClock()
    let model = FeatureModel(clock: clock)
    async let result = model.withTimeout()
    await clock.armed(2)
    await clock.advance(by: .seconds(3))
    #expect(await result == "work")
    #expect(clock.pendingCount == 0)
  }

  @Test func `a feature does not wait on an immediate clock`() async throws {
    let model = FeatureModel(clock: .immediate)
    try await model.load().value
    #expect(model.message == "Welcome")
  }

  @Test func `clocks are found as static members of their protocol`() async {
    let model = FeatureModel(clock: .test)
    #expect((model.clock as? TestClock<Duration>)?.now == .init())
    let other = FeatureModel(clock: .unimplemented(name: "other"))
    #expect((other.clock as? UnimplementedClock<Duration>)?.name == "other")
    #expect(TestClock<Duration>(now: .init(offset: .seconds(1))).now.offset == .seconds(1))
    #expect(ImmediateClock<Duration>(now: .init(offset: .seconds(1))).now.offset == .seconds(1))
    #expect(ImmediateClock().minimumResolution == .zero && TestClock().minimumResolution == .zero)
  }

  @Test func `run drives a feature to its end`() async {
    let clock = TestClock()
    let task = Task {
      var ticks: [Duration] = []
      for await tick in clock.timer(interval: .seconds(1)).prefix(1) { ticks.append(tick.offset) }
      return ticks
    }
    await clock.armed(1)
    await clock.run()
    #expect(await task.value == [.seconds(1)])
  }
}
