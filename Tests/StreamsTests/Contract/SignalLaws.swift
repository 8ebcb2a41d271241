import StreamSchedulers
import Streams
import Testing

/// The laws about signals, their order, and demand.
extension Law {
  func checkOutput(_ entry: CatalogEntry) {
    let trial = Trial(entry)
    trial.bench.play()
    trial.bench.finish()

    #expect(trial.output == entry.gives)
  }

  func checkSubscription(_ entry: CatalogEntry) {
    let trial = Trial(entry)
    trial.bench.play()
    trial.bench.finish()

    #expect(trial.events.first == "subscription")
    #expect(trial.events.count { $0 == "subscription" } == 1)
  }

  func checkDemand(_ entry: CatalogEntry) {
    var isGenerous = false
    let trial = Trial(entry, demand: nil) { _, subscriber in
      subscriber.onValue = { _ in
        defer { isGenerous = false }
        return isGenerous ? .max(2) : .none
      }
    }
    trial.bench.send(1)
    #expect(trial.subscriber.values.count == 0)

    trial.request(.max(1))
    trial.bench.play(2...6)
    #expect(trial.subscriber.values.count <= 1)

    trial.request(.max(2))
    trial.bench.play(7...9)
    #expect(trial.subscriber.values.count <= 3)

    isGenerous = true
    trial.request(.max(1))
    trial.bench.play(10...15)
    trial.bench.finish()
    #expect(trial.subscriber.values.count <= 6)
  }

  func checkRequestNone(_ entry: CatalogEntry) {
    let trial = Trial(entry, demand: nil) { _, subscriber in
      subscriber.onSubscription = { subscription in
        for demand in [.none, .unlimited, .none] as [Subscribers.Demand] { subscription.request(demand) }
      }
    }
    trial.bench.play()
    trial.request(.none)
    trial.bench.finish()

    #expect(trial.output == entry.gives)
  }

  func checkDemandUpstream(_ entry: CatalogEntry) {
    let trial = Trial(entry, demand: nil)
    #expect(trial.bench.records.allSatisfy { $0.demand == .none })

    trial.request(.max(2))
    trial.bench.play(1...5)
    #expect(trial.bench.records.allSatisfy { $0.demand <= 2 })
  }

  func checkSerial(_ entry: CatalogEntry) {
    var budget = 5
    let trial = Trial(entry) { bench, subscriber in
      func react() {
        budget -= 1
        if budget >= 0 { bench.put(100 + budget) }
        if budget == 0 { for feed in bench.feeds { feed.finish() } }
      }
      subscriber.onSubscription = {
        $0.request(.unlimited)
        react()
      }
      subscriber.onValue = { _ in
        react()
        return .none
      }
      subscriber.onCompletion = { bench.put(200) }
    }
    trial.bench.play()
    trial.bench.finish()

    #expect(!trial.subscriber.hasOverlapped)
    #expect(trial.events.count { $0 == "finished" || $0 == "failed" } <= 1)
    if trial.subscriber.hasEnded { #expect(trial.events.last == "finished" || trial.events.last == "failed") }
  }

  func checkOrder(_ entry: CatalogEntry) {
    // Each value that arrives sends the next number, so the output must never decrease.
    var next = 2
    let trial = Trial(entry) { bench, subscriber in
      subscriber.onValue = { _ in
        if next < 20 {
          bench.put(next)
          next += 1
        }
        return .none
      }
    }
    trial.bench.send(1)
    trial.bench.finish()
    let numbers = trial.subscriber.values.compactMap { Int($0) }

    // Entries that send an additional value of their own, add numbers, or measure time are not plain.
    let isPlain = numbers.count == trial.subscriber.values.count && !numbers.contains { $0 > 20 || $0 == 8 || $0 == 9 }
    if isPlain { #expect(numbers == numbers.sorted()) }
  }

  func checkSilence(_ entry: CatalogEntry) {
    for fails in [false, true] {
      let trial = SinkTrial(entry)
      for source in trial.bench.sources { source.isStubborn = true }
      trial.bench.play()
      if fails { trial.bench.fail() } else { trial.bench.finish() }
      let events = trial.events
      let hasEnded = events.last == "finished" || events.last == "failed"

      for source in trial.bench.sources { source.babble() }
      trial.bench.finish()

      if hasEnded { #expect(trial.events == events) }
      #expect(trial.events.count { $0 == "finished" || $0 == "failed" } <= 1)
    }
  }

  func checkSecondSubscription(_ entry: CatalogEntry) {
    let trial = SinkTrial(entry)
    let intruder = Intruder()
    var expected = 0
    for source in trial.bench.sources { expected += source.intrude(intruder) }
    trial.bench.scheduler.advance()
    #expect(intruder.cancelCount == expected)

    trial.bench.play()
    trial.bench.finish()

    #expect(intruder.requestCount == 0)
    #expect(intruder.cancelCount == expected)
    #expect(trial.output == entry.gives)
  }
}

/// A second subscription, which violates the contract.
private final class Intruder: Subscription {
  private(set) var requestCount = 0
  private(set) var cancelCount = 0

  func request(_ demand: Subscribers.Demand) { requestCount += 1 }

  func cancel() { cancelCount += 1 }
}
