// How the types of the article are released: `Tools/run examples` appends each function to the example that declares the type.

func releaseLoginViewModel(_ watch: (AnyObject) -> Void) -> Any {
  let names = PassthroughSubject<String, Never>()
  let model = LoginViewModel()
  watch(model)
  names.assign(to: &model.$name)
  names.send("ada")
  return names
}

func releaseChartViewModel(_ watch: (AnyObject) -> Void) -> Any {
  let scheduler = DispatchQueue.test
  let answers = PassthroughSubject<[Int], Never>()
  let model = ChartViewModel(scheduler: scheduler.eraseToAnyScheduler()) { _ in answers.eraseToAnyPublisher() }
  watch(model)
  model.days = 7
  scheduler.advance(by: .seconds(1))
  return (scheduler, answers)
}

@MainActor func releaseClicks(_ watch: (AnyObject) -> Void) -> Any {
  let scheduler = DispatchQueue.test
  let clicks = PassthroughSubject<String, Never>()
  let model = Clicks(clicks, scheduler: scheduler.eraseToAnyScheduler())
  watch(model)
  clicks.send("a")
  scheduler.advance(by: .seconds(1))
  return (clicks, scheduler)
}
