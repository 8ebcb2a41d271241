import StreamSchedulers
import Streams
import Testing

/// The laws that only the rules of Reactive Streams require.
extension Law {
  func checkFewer(_ entry: CatalogEntry) {
    let trial = Trial(entry, demand: .max(1_000))
    trial.bench.play()
    trial.bench.finish()

    #expect(trial.output == entry.gives)
  }

  func checkUnlimited(_ entry: CatalogEntry) {
    let trial = Trial(entry, demand: nil) { _, subscriber in
      subscriber.onSubscription = { subscription in
        for demand in [.max(.max), .max(.max), .unlimited, .max(1)] as [Subscribers.Demand] {
          subscription.request(demand)
        }
      }
      subscriber.onValue = { _ in .max(.max) }
    }
    trial.bench.play()
    trial.bench.finish()

    #expect(trial.output == entry.gives)
  }

  func checkAddition(_ entry: CatalogEntry) {
    func output(_ demands: Subscribers.Demand...) -> String {
      let trial = Trial(entry, demand: nil) { _, subscriber in
        subscriber.onSubscription = { for demand in demands { $0.request(demand) } }
      }
      trial.bench.play()
      trial.bench.finish()
      return trial.output
    }

    #expect(output(.max(1), .max(1), .max(1)) == output(.max(3)))
    #expect(output(.max(1), .unlimited) == entry.gives)
  }

  func checkRequestInside(_ entry: CatalogEntry) {
    func events(isReturned: Bool) -> [String] {
      let trial = Trial(entry, demand: .max(1)) { _, subscriber in
        subscriber.onValue = {
          if isReturned { return .max(1) }
          $0.request(.max(1))
          return .none
        }
      }
      trial.bench.play()
      trial.bench.finish()
      return trial.events
    }
    let requested = events(isReturned: false)

    #expect(requested == events(isReturned: true))
    if !entry.gives.isEmpty { #expect(requested.count > 1) }
  }

  func checkOver(_ entry: CatalogEntry) {
    for fails in [false, true] {
      let trial = Trial(entry)
      trial.bench.play()
      if fails { trial.bench.fail() }
      trial.bench.finish()
      if !trial.subscriber.hasEnded { continue }
      let (events, records) = (trial.events, trial.bench.records.map { [$0.requestCount, $0.cancelCount] })

      trial.cancel()
      trial.subscription?.request(.max(1))
      trial.bench.play()
      trial.bench.finish()

      #expect(trial.events == events)
      if !entry.isTransparent { #expect(trial.bench.records.map { [$0.requestCount, $0.cancelCount] } == records) }
    }
  }

  func checkTwoSubscribers(_ entry: CatalogEntry) {
    let bench = Bench()
    let publisher = entry.build(bench)
    let subscribers = (1...2).map { _ in
      let subscriber = ProbeSubscriber(endsChain: entry.isTransparent)
      subscriber.onSubscription = { $0.request(.unlimited) }
      publisher.subscribe(subscriber)
      bench.scheduler.advance()
      return subscriber
    }
    bench.play()
    bench.finish()

    for subscriber in subscribers {
      #expect(subscriber.events.first == "subscription")
      #expect(subscriber.events.count { $0 == "subscription" } == 1)
      if !entry.gives.isEmpty { #expect(subscriber.events.count > 1) }
      subscriber.subscription?.cancel()
    }
  }

  func checkNewcomer(_ entry: CatalogEntry) {
    let bench = Bench()
    let publisher = entry.build(bench)
    let subscribers = (1...2).map { _ in
      let subscriber = ProbeSubscriber(endsChain: entry.isTransparent)
      publisher.subscribe(subscriber)
      bench.scheduler.advance()
      subscriber.subscription?.cancel()
      return subscriber
    }

    for subscriber in subscribers {
      #expect(subscriber.events.first == "subscription")
      #expect(subscriber.events.count { $0 == "subscription" } == 1)
      #expect(subscriber.values.isEmpty)
    }
  }

  func checkEndForGood(_ entry: CatalogEntry) {
    for fails in [false, true] {
      for isGenerous in [false, true] {
        let trial = Trial(entry) { _, subscriber in
          subscriber.onValue = { _ in isGenerous ? .max(1) : .none }
        }
        trial.bench.play()
        if fails { trial.bench.fail() }
        trial.bench.finish()
        if !trial.subscriber.hasEnded { trial.cancel() }
        trial.bench.finish()

        #expect(trial.bench.records.allSatisfy { $0.callsAfterEnd == 0 })
      }
    }
  }

  func checkLateValues(_ entry: CatalogEntry) {
    let trial = SinkTrial(entry)
    for source in trial.bench.sources { source.isStubborn = true }
    trial.bench.send(1)
    trial.sink.cancel()
    let (events, requests) = (trial.events, trial.bench.records.map(\.requestCount))
    for source in trial.bench.sources { source.babble() }
    trial.bench.scheduler.run()

    #expect(trial.events == events)
    #expect(trial.bench.records.map(\.requestCount) == requests)
  }

  func checkEndWithoutDemand(_ entry: CatalogEntry) {
    for fails in [false, true] {
      func end(_ trial: Trial) -> [String] {
        if fails { trial.bench.fail() }
        trial.bench.finish()
        return trial.events
      }
      let expected = end(Trial(entry))
      // An operator that has values of its own to send waits for demand.
      if expected.count > 2 || expected.last != (fails ? "failed" : "finished") { continue }

      #expect(end(Trial(entry, demand: nil)) == expected)
    }
  }

  func checkInsideRequests(_ entry: CatalogEntry) {
    // The same, however it is requested, as from sources that send after the subscription has been received.
    for demand in [Subscribers.Demand.unlimited, .max(1)] {
      let trial = Trial(entry, demand: demand, script: .numbersInsideRequests) { _, subscriber in
        if demand == 1 { subscriber.onValue = { _ in .max(1) } }
      }
      trial.bench.scheduler.run()

      #expect(trial.events.first == "subscription")
      #expect(!trial.subscriber.hasOverlapped)
      #expect(trial.events.count { $0 == "finished" || $0 == "failed" } <= 1)
      if trial.subscriber.hasEnded { #expect(trial.events.last == "finished" || trial.events.last == "failed") }
      if !trial.bench.records.isEmpty, entry.ends { #expect(trial.subscriber.hasEnded) }
      trial.cancel()
      #expect(trial.bench.records.allSatisfy { !$0.isLive })
    }
  }

  func checkCancelInLastValue(_ entry: CatalogEntry) {
    for demand in [Subscribers.Demand.unlimited, .max(1)] {
      for script in [SourceScript.none, .numbers]
      where script == .none || entry.exemptions[.insideRequests] != Reason.beginsAgain {
        func run(cancelsAt last: Int?) -> Trial {
          var count = 0
          let trial = Trial(entry, demand: demand, script: script) { _, subscriber in
            subscriber.onValue = {
              count += 1
              if count == last { $0.cancel() }
              return demand == 1 ? .max(1) : .none
            }
          }
          trial.bench.play()
          trial.bench.finish()
          return trial
        }
        let whole = run(cancelsAt: nil)
        let last = whole.subscriber.values.count
        if last == 0 { continue }
        let cut = run(cancelsAt: last)

        #expect(cut.subscriber.values.count == last)
        #expect(!cut.subscriber.hasEnded)
        whole.cancel()
      }
    }
  }
}
