import StreamSchedulers
import Streams
import Testing

/// The laws about cancellation.
extension Law {
  func checkRequestAfterCancel(_ entry: CatalogEntry) {
    let trial = Trial(entry, demand: .max(2))
    trial.bench.send(1)
    trial.cancel()
    let (events, requests) = (trial.events, trial.bench.records.map(\.requestCount))

    trial.subscription?.request(.max(1))
    trial.subscription?.request(.unlimited)
    trial.bench.scheduler.advance()
    trial.bench.play(2...4)
    trial.bench.finish()

    #expect(trial.events == events)
    #expect(trial.bench.records.map(\.requestCount) == requests)
  }

  func checkCancelUpstream(_ entry: CatalogEntry) {
    let trial = Trial(entry)
    trial.bench.send(1)
    let (live, events) = (trial.bench.records.filter(\.isLive), trial.events)
    if !trial.subscriber.hasEnded { #expect(!live.isEmpty) }

    trial.cancel()
    trial.cancel()
    trial.bench.play(2...3)
    trial.bench.finish()

    #expect(live.allSatisfy { $0.cancelCount == 1 })
    #expect(trial.bench.records.allSatisfy { $0.cancelCount == ($0.hasEnded ? 0 : 1) })
    #expect(trial.events == events)
  }

  func checkCancelInValue(_ entry: CatalogEntry) {
    let trial = Trial(entry) { _, subscriber in
      subscriber.onValue = {
        $0.cancel()
        return .unlimited
      }
    }
    trial.bench.play()
    trial.bench.finish()
    let hasValue = !trial.subscriber.values.isEmpty

    #expect(trial.subscriber.values.count <= 1)
    if hasValue { #expect(!trial.subscriber.hasEnded) }
    if hasValue, entry.exemptions[.cancelUpstream] == nil {
      #expect(trial.bench.records.allSatisfy { !$0.isLive && $0.cancelCount <= 1 })
    }
  }

  func checkCancelInSubscription(_ entry: CatalogEntry) {
    let trial = Trial(entry) { _, subscriber in subscriber.onSubscription = { $0.cancel() } }
    trial.bench.play()
    trial.bench.finish()
    let hasSent = trial.events != ["subscription"]

    // If there is nothing to cancel, the end follows the subscription at once.
    if hasSent { #expect(trial.subscriber.values.isEmpty && entry.exemptions[.cancelUpstream] == Reason.noUpstream) }
    if entry.exemptions[.cancelUpstream] == nil {
      // A buffer fills before downstream has its subscription.
      let isAsked = entry.exemptions[.demandUpstream] == Reason.buffers
      #expect(trial.bench.records.allSatisfy { !$0.isLive && $0.cancelCount == 1 && (isAsked || $0.requestCount == 0) })
    }
  }

  func checkCancelInClosure(_ entry: CatalogEntry) {
    var before: [String]?
    let trial = SinkTrial(entry) { trial in
      trial.bench.onClosure = { [unowned trial] in
        trial.sink.cancel()
        before = before ?? trial.events
      }
    }
    trial.bench.play()
    trial.bench.finish()

    if let before { #expect(trial.events == before) }
    if before != nil, entry.exemptions[.cancelUpstream] == nil {
      #expect(trial.bench.records.allSatisfy { !$0.isLive && $0.cancelCount <= 1 })
    }
  }

  func checkCancelInRequest(_ entry: CatalogEntry) {
    // Cancels once during the first request upstream, once during the second …
    for number in 1...6 {
      for step in [Subscribers.Demand.max(1), .unlimited] {
        var before: [String]?
        var count = 0
        let trial = Trial(entry, demand: step) { bench, subscriber in
          for source in bench.sources {
            source.onRequest = { [unowned subscriber] in
              count += 1
              guard count == number, let subscription = subscriber.subscription else { return }
              subscription.cancel()
              before = subscriber.events
            }
          }
          var budget = 3
          subscriber.onValue = { _ in
            budget -= 1
            if budget >= 0 { bench.put(10 + budget) }
            return .max(1)
          }
        }
        trial.bench.play()
        trial.bench.finish()

        if let before { #expect(trial.events == before, "cancelled from inside request \(number)") }
      }
    }
  }

  func checkCancelWhileWaiting(_ entry: CatalogEntry) {
    for demand in [Subscribers.Demand.max(1), .unlimited] {
      let trial = Trial(entry, demand: demand)
      for number in 1...3 { trial.bench.put(number) }
      for feed in trial.bench.feeds { feed.finish() }
      let events = trial.events
      trial.cancel()
      if entry.exemptions[.cancelUpstream] == nil { #expect(trial.bench.scheduler.pendingCount == 0) }
      trial.bench.scheduler.run()

      #expect(trial.events == events)
    }
  }

  func checkCancelBefore(_ entry: CatalogEntry) {
    let trial = SinkTrial(entry) { $0.sink.cancel() }
    trial.bench.play()
    trial.bench.finish()

    #expect(trial.events.isEmpty)
    if entry.exemptions[.cancelUpstream] == nil {
      #expect(trial.bench.records.allSatisfy { !$0.isLive && $0.cancelCount <= 1 })
    }
  }
}
