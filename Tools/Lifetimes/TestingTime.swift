// How the types of the article are released: `Tools/run examples` appends each function to the example that declares the type.

func releaseNameModel(_ watch: (AnyObject) -> Void) -> Any {
  let answers = PassthroughSubject<Bool, any Error>()
  let model = NameModel { _ in answers.eraseToAnyPublisher() }
  watch(model)
  model.name = "ada"
  return answers
}

@MainActor func releaseCountdown(_ watch: (AnyObject) -> Void) -> Any {
  let scheduler = DispatchQueue.test
  scheduler.withVirtualWorld {
    let countdown = Countdown(clock: scheduler.clock)
    watch(countdown)
    countdown.start(from: 3)
    scheduler.run()
  }
  return scheduler
}
