// How the types of the README are released: `.ci/examples` appends each function to the example that declares the type.

func releaseSearchModel(_ watch: (AnyObject) -> Void) -> Any {
  let scheduler = DispatchQueue.test
  let model = SearchModel(scheduler: scheduler.eraseToAnyScheduler())
  watch(model)
  model.query = "swift"
  scheduler.advance()
  return scheduler
}

@MainActor func releaseTaskSearchModel(_ watch: (AnyObject) -> Void) -> Any {
  let scheduler = DispatchQueue.test
  scheduler.withVirtualWorld {
    let model = TaskSearchModel(clock: scheduler.clock)
    watch(model)
    model.query = "swift"
    scheduler.advance(by: .milliseconds(300))
  }
  return scheduler
}

@MainActor func releaseStatistics(_ watch: (AnyObject) -> Void) async -> Any {
  let orders = PassthroughSubject<Int, Never>()
  let statistics = Statistics()
  watch(statistics)
  await statistics.follow(orders)
  orders.send(1)
  _ = await statistics.total
  return orders
}

@MainActor func releaseForm(_ watch: (AnyObject) -> Void) -> Any {
  let form = Form()
  watch(form)
  let cancellable = Observed { form.query }.sink { _ in }
  form.query = "swift"
  cancellable.cancel()
  return cancellable
}
