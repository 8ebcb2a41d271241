// How the types of the article are released: `Tools/run examples` appends each function to the example that declares the type.

func releasePageSearch(_ watch: (AnyObject) -> Void) -> Any {
  let scheduler = DispatchQueue.test
  let (typing, answers) = (PassthroughSubject<String, Never>(), PassthroughSubject<String, Never>())
  let model = PageSearch(typing: typing, scheduler: scheduler.eraseToAnyScheduler()) { _ in
    answers.eraseToAnyPublisher()
  }
  watch(model)
  typing.send("a")
  scheduler.advance(by: .seconds(1))
  return (scheduler, typing, answers)
}

func releaseNewestPageSearch(_ watch: (AnyObject) -> Void) -> Any {
  let scheduler = DispatchQueue.test
  let (typing, answers) = (PassthroughSubject<String, Never>(), PassthroughSubject<String, Never>())
  let model = NewestPageSearch(typing: typing, scheduler: scheduler.eraseToAnyScheduler()) { _ in
    answers.eraseToAnyPublisher()
  }
  watch(model)
  typing.send("a")
  scheduler.advance(by: .seconds(1))
  return (scheduler, typing, answers)
}

@MainActor func releaseDraft(_ watch: (AnyObject) -> Void) -> Any {
  let scheduler = DispatchQueue.test
  scheduler.withVirtualWorld {
    let draft = Draft()
    watch(draft)
    draft.edit("a", clock: scheduler.clock)
    scheduler.run()
  }
  return scheduler
}
