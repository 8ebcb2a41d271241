import StreamSchedulers
import Streams
import Testing

/// The laws about the lifetimes of objects, and about `deinit`s that send signals or requests.
extension Law {
  func checkRelease(_ entry: CatalogEntry, _ end: (Trial) -> Void) {
    weak var subscriber: ProbeSubscriber?
    let trial = Trial(entry) { _, probe in subscriber = probe }
    trial.bench.play()
    end(trial)
    trial.dropSubscriber()
    trial.bench.dropFeeds()

    // The trial still holds the subscription.
    #expect(subscriber == nil, "the subscriber")
    #expect(trial.bench.lastCaptive == nil, "what the closures capture")
    #expect(trial.bench.sent.allSatisfy { $0.object == nil }, "the values")
    #expect(trial.bench.records.allSatisfy { $0.subscription == nil }, "the subscriptions of upstream")
    #expect(trial.bench.scheduler.pendingCount == 0, "what was scheduled")
  }

  func checkReleaseOfClosures(_ entry: CatalogEntry) {
    for attachment in ClosureTrial.Attachment.allCases {
      let cancelled = ClosureTrial(entry, attachment)
      cancelled.cancel()
      #expect(cancelled.captured == nil, "\(attachment), cancelled")

      let early = ClosureTrial(entry, attachment)
      early.bench.play()
      early.cancel()
      #expect(early.captured == nil, "\(attachment), cancelled after values")

      let reentrant = ClosureTrial(entry, attachment) { $0.cancelNow() }
      reentrant.bench.play()
      reentrant.cancel()
      #expect(reentrant.captured == nil, "\(attachment), cancelled from inside a value")

      for (fails, exemption) in [(false, Law.releaseOnFinish), (true, .releaseOnFailure)] {
        let ended = ClosureTrial(entry, attachment)
        ended.bench.play()
        if fails { ended.bench.fail() }
        ended.bench.finish()
        if entry.ends, entry.exemptions[exemption] == nil {
          #expect(ended.captured == nil, "\(attachment), failed: \(fails)")
        }
        ended.cancel()
        #expect(ended.captured == nil, "\(attachment), cancelled at the end")
      }
    }
  }

  func checkReleasePublisher(_ entry: CatalogEntry) {
    let trial = Trial(entry)
    let attached = trial.bench.dropSources()
    trial.request(.max(1))

    #expect(attached.allSatisfy { $0.object == nil })
    trial.cancel()
  }

  func checkRecursion(_ entry: CatalogEntry) {
    // First waiting values that are requested one by one, then values that are each sent during the delivery of
    // the preceding one. A level of recursion takes several times the limit: a call of the subscriber, of the subscription
    // and of what is between them.
    let (count, limit) = (100, 400 * 100)
    let trial = Trial(entry, demand: nil) { _, subscriber in
      subscriber.onValue = {
        $0.request(.max(1))
        return .none
      }
    }
    for number in 1...count { trial.bench.put(number) }
    trial.request(.max(1))
    trial.bench.finish()
    #expect(trial.subscriber.deepestStack < limit, "requests from inside a value")

    var next = 0
    let chain = Trial(entry) { bench, subscriber in
      subscriber.onValue = { _ in
        next += 1
        if next < count { bench.put(next) }
        return .none
      }
    }
    chain.bench.put(0)
    chain.bench.finish()
    #expect(chain.subscriber.deepestStack < limit, "values from inside a value")
  }

  func checkValueDeinit(_ entry: CatalogEntry) {
    for cancels in [false, true] {
      for demand in [Subscribers.Demand.max(1), .unlimited] {
        var budget = 20
        let trial = Trial(entry, demand: demand) { bench, subscriber in
          bench.onParcelDeinit = { [weak bench, weak subscriber] in
            budget -= 1
            guard budget > 0, let subscriber, let subscription = subscriber.subscription else { return }
            if !subscriber.hasEnded { subscription.request(.max(1)) }
            bench?.put(50)
            if cancels, budget < 15 { subscription.cancel() }
          }
        }
        trial.bench.play(1...5)
        trial.bench.finish()
        trial.cancel()

        #expect(!trial.subscriber.hasOverlapped)
      }
    }
  }

  func checkSubscriptionDeinit(_ entry: CatalogEntry) {
    for fails in [false, true] {
      var count = 0
      let trial = Trial(entry) { bench, subscriber in
        for source in bench.sources {
          source.onSubscriptionDeinit = { [weak subscriber] in
            count += 1
            guard let subscriber, let subscription = subscriber.subscription else { return }
            if !subscriber.hasEnded { subscription.request(.max(1)) }
            subscription.cancel()
          }
        }
      }
      trial.bench.play()
      for _ in 0..<3 {
        if fails { trial.bench.fail() } else { trial.bench.finish() }
      }
      trial.cancel()
      trial.dropSubscriber()

      if entry.exemptions[.releaseOnCancel] == nil { #expect(count == trial.bench.records.count) }
    }
  }

  func checkFailure(_ entry: CatalogEntry) {
    let trial = Trial(entry)
    trial.bench.send(1)
    if trial.subscriber.hasEnded { return }
    trial.bench.fail()
    trial.bench.send(2)
    trial.bench.finish()

    #expect(trial.events.last == "failed")
    #expect(trial.events.count { $0 == "finished" || $0 == "failed" } == 1)
    #expect(trial.bench.records.allSatisfy { $0.cancelCount == ($0.hasEnded ? 0 : 1) })
  }

  func checkThrown(_ entry: CatalogEntry) {
    let trial = Trial(entry) { bench, _ in bench.closuresThrow = true }
    trial.bench.play()
    for _ in 0..<2 where !trial.subscriber.hasEnded { trial.bench.fail() }
    trial.bench.play()
    trial.bench.finish()

    if entry.name.hasPrefix("try") || entry.name.hasSuffix("code") { #expect(trial.events.last == "failed") }
    #expect(trial.events.count { $0 == "finished" || $0 == "failed" } <= 1)
    if trial.subscriber.hasEnded, entry.exemptions[.cancelUpstream] == nil {
      #expect(trial.bench.records.allSatisfy { $0.cancelCount == ($0.hasEnded ? 0 : 1) })
    }
  }
}
