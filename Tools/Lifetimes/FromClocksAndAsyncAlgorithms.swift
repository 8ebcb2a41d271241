// How the types of the article are released: `Tools/run examples` appends each function to the example that declares the type.

@MainActor func releaseLaunchCountdown(_ watch: (AnyObject) -> Void) async throws -> Any {
  let clock = TestClock()
  let countdown = LaunchCountdown(clock: clock)
  watch(countdown)
  let task = Task { try await countdown.run() }
  await clock.run()
  try await task.value
  return clock
}

@MainActor func releaseRoutePlanner(_ watch: (AnyObject) -> Void) -> Any {
  let scheduler = DispatchQueue.test
  let (destinations, choices) = AsyncStream.makeStream(of: String.self)
  scheduler.withVirtualWorld {
    let planner = RoutePlanner(destinations: destinations, scheduler: scheduler.eraseToAnyScheduler()) { [$0] }
    watch(planner)
    choices.yield("Park")
    scheduler.advance(by: .seconds(1))
  }
  scheduler.run()
  return (scheduler, choices)
}
