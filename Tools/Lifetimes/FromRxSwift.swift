// How the types of the article are released: `Tools/run examples` appends each function to the example that declares the type.

func releaseBusStopsModel(_ watch: (AnyObject) -> Void) -> Any {
  let scheduler = DispatchQueue.test
  let answers = PassthroughSubject<[String], TransitError>()
  let model = BusStopsModel(scheduler: scheduler.eraseToAnyScheduler()) { _ in answers.eraseToAnyPublisher() }
  watch(model)
  let names = model.names.sink { _ in }
  model.tile.accept("b1")
  scheduler.advance(by: .seconds(1))
  return (scheduler, answers, names)
}

@MainActor func releaseTitleView(_ watch: (AnyObject) -> Void) -> Any {
  let titles = PassthroughRelay<String>()
  let view = TitleView()
  watch(view)
  view.show(titles)
  titles.accept("Tea")
  return titles
}

func releaseScreen(_ watch: (AnyObject) -> Void) -> Any {
  let taps = PassthroughRelay<Int>()
  watch(Screen("released", taps: taps))
  taps.accept(1)
  return taps
}
