// How the types of the article are released: `Tools/run examples` appends each function to the example that declares the type.

func releaseShippingModel(_ watch: (AnyObject) -> Void) -> Any {
  let scheduler = DispatchQueue.test
  let answers = PassthroughSubject<[String], ShippingError>()
  let prices = PassthroughSubject<Int, ShippingError>()
  let client = ShippingClient(
    offers: { _ in answers.eraseToAnyPublisher() }, price: { _ in prices.eraseToAnyPublisher() })
  let model = ShippingModel(client: client, scheduler: scheduler.eraseToAnyScheduler())
  watch(model)
  model.weight = 2.5
  model.bookings.send("van")
  scheduler.advance(by: .seconds(1))
  return (scheduler, answers, prices)
}

@MainActor func releaseStatistics(_ watch: (AnyObject) -> Void) async -> Any {
  let events = PassthroughSubject<Int, Never>()
  let statistics = Statistics()
  watch(statistics)
  await statistics.follow(events)
  events.send(1)
  _ = await statistics.count
  return events
}

func releaseStock(_ watch: (AnyObject) -> Void) -> Any {
  let stock = Stock()
  watch(stock)
  let changes = stock.objectWillChange.sink {}
  stock.amounts["tea"] = 0
  return changes
}
