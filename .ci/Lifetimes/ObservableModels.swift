// How the types of the article are released: `.ci/examples` appends each function to the example that declares the type.

@MainActor func releaseCart(_ watch: (AnyObject) -> Void) -> Any {
  let cart = Cart()
  watch(cart)
  Observed { cart.items.count }.sink { _ in }.cancel()
  return ()
}

@MainActor func releaseObservableSearchModel(_ watch: (AnyObject) -> Void) -> Any {
  let scheduler = DispatchQueue.test
  scheduler.withVirtualWorld {
    let model = ObservableSearchModel(scheduler: scheduler.eraseToAnyScheduler()) { [$0] }
    watch(model)
    model.query = "swift"
    scheduler.advance(by: .milliseconds(300))
  }
  scheduler.run()
  return scheduler
}
