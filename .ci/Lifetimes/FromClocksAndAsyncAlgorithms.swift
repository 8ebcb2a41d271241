// How the types of the article are released: `.ci/examples` appends each function to the example that declares the type.

@MainActor func releaseLaunchCountdown(_ watch: (AnyObject) -> Void) async throws -> Any {
  let clock = TestClock()
  let countdown = LaunchCountdown(clock: clock)
  watch(countdown)
  let task = Task { try await countdown.run() }
  await clock.run()
  try await task.value
  return clock
}

@MainActor func releaseSupersedingSearch(_ watch: (AnyObject) -> Void) -> Any {
  let scheduler = DispatchQueue.test
  let (queries, typing) = AsyncStream.makeStream(of: String.self)
  scheduler.withVirtualWorld {
    let model = SupersedingSearch(queries: queries, scheduler: scheduler.eraseToAnyScheduler()) { [$0] }
    watch(model)
    typing.yield("tea")
    scheduler.advance(by: .seconds(1))
  }
  scheduler.run()
  return (scheduler, typing)
}
