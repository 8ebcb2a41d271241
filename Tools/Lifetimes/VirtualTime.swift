// How the types of the article are released: `Tools/run examples` appends each function to the example that declares the type.

@MainActor func releaseClockSearchModel(_ watch: (AnyObject) -> Void) -> Any {
  let scheduler = DispatchQueue.test
  scheduler.withVirtualWorld {
    let model = ClockSearchModel(clock: scheduler.clock)
    watch(model)
    model.query = "swift"
    scheduler.advance(by: .milliseconds(300))
  }
  return scheduler
}
