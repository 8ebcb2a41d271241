// How the types of the article are released: `Tools/run examples` appends each function to the example that declares the type.

@MainActor func releaseCart(_ watch: (AnyObject) -> Void) -> Any {
  let cart = Cart()
  watch(cart)
  Observed { cart.items.count }.sink { _ in }.cancel()
  return ()
}

@MainActor func releaseBookingModel(_ watch: (AnyObject) -> Void) -> Any {
  let scheduler = DispatchQueue.test
  scheduler.withVirtualWorld {
    let model = BookingModel(scheduler: scheduler.eraseToAnyScheduler()) { $0 * 15 }
    watch(model)
    model.seats = 3
    scheduler.advance(by: .milliseconds(400))
  }
  scheduler.run()
  return scheduler
}
