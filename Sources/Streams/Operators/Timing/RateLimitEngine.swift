/// Grants up to `count` elements in each interval. Other elements wait, up to the bound.
///
/// An element is ready once it's granted. The timer is armed while a requested element is waiting.
@usableFromInline
package final class RateLimitEngine: TimedEngine {
  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  private let count: Int
  /// The dates at which the last elements (at most `count`) were granted, oldest first.
  @exclusivity(unchecked) private var dates = Ring<Instant>()
  /// The number of granted elements for which no replacements have been requested yet.
  @exclusivity(unchecked) private var granted = 0

  @usableFromInline
  package init(_ receiver: Receiver, _ layout: ElementLayout, _ place: ClockPlace, _ bound: Bound, _ count: Int) {
    self.count = count
    super.init(receiver, layout, [.timesElements, .timesSignals], place, bound)
    begin(receiver)
  }

  package override var name: String { "rateLimit" }

  package override func needsTime(of signal: Signal) -> Bool { signal == .timer }

  package override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction
  ) -> Subscribers.Demand? {
    guard let bound = reaction.bound else { return nil }
    return source.connected(subscription, requesting: bound.demand)
  }

  package override func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction) {
    armIfNeeded(&reaction)
  }

  private func armIfNeeded(_ reaction: inout Reaction) {
    if reaction.hasCandidate, reaction.wantsCandidate, !timer.isArmed { timer.arm(&reaction) }
  }

  package override func received(from slot: Int, _ reaction: inout Reaction) {
    if !reaction.hasCandidate, reaction.wantsCandidate {
      limitDates(to: reaction.now)
      if allows(at: reaction.now) {
        reaction.store()
        grant(&reaction)
        replenish(&reaction)
        return reaction.scheduleDelivery()
      }
    }
    switch makesRoom(&reaction, promised: reaction.ready) {
    case .free: reaction.store()
    case .freed(let offset): reaction.store(replacing: offset)
    case .full:
      if reaction.isRunning { return }
      // If the stream fails, the waiting elements come first, each at its time.
      if reaction.endsEarly { timer.disarm(&reaction) }
      if reaction.endsEarly || !reaction.hasCandidate { reaction.scheduleDelivery() }
      return
    }
    armIfNeeded(&reaction)
  }

  /// Makes the oldest waiting element ready.
  private func grant(_ reaction: inout Reaction) {
    reaction.setReady(reaction.ready &+ 1)
    granted &+= 1
  }

  /// Requests as many elements as have been granted, if upstream waits while the buffer is full.
  private func replenish(_ reaction: inout Reaction) {
    if reaction.bound?.overflow == .wait { reaction.request(.max(granted), from: source.subscription) }
    granted = 0
  }

  /// The date, if any, before which no other element may be granted.
  private var next: Instant? { dates.count < count ? nil : dates.first.map { place.ask(.later($0)) } }

  /// Returns whether the rate allows another element and, if so, notes the date.
  private func allows(at now: Instant) -> Bool {
    if let next {
      if place.isBefore(now, next) { return false }
      _ = dates.popFirst()
    }
    dates.append(now)
    return true
  }

  /// Moves future dates to now. If the clock was set back, elements don't wait until it reaches the old time again.
  private func limitDates(to now: Instant) {
    guard !dates.isEmpty, place.isBefore(now, dates[dates.count &- 1]) else { return }
    for index in 0..<dates.count { dates[index] = place.earlier(dates[index], now) }
  }

  /// Moves the dates by the difference between the clock and the date for which the timer was armed. So the timer measures the
  /// time, even if the clock was set or the timer is early or late.
  private func moveDates(to now: Instant) {
    guard let date = armedDate, !place.isEqual(date, now) else { return }
    for index in 0..<dates.count { dates[index] = place.moved(dates[index], from: date, to: now) }
  }

  package override func timerDate(at now: Instant) -> Instant {
    limitDates(to: now)
    return next.map { place.latest(now, $0) } ?? now
  }

  package override func isDue(_ reaction: inout Reaction) {
    // On a scheduler that runs work immediately, everything is granted.
    let isWaiting = !timer.isBeingArmed
    if isWaiting { moveDates(to: reaction.now) }
    while reaction.hasCandidate, reaction.wantsCandidate, !isWaiting || allows(at: reaction.now) { grant(&reaction) }
    replenish(&reaction)
    armIfNeeded(&reaction)
    reaction.setCompletionReady()
  }

  package override func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout Reaction
  ) {
    source.ended(&reaction)
    reaction.finish(completion)
    if !reaction.hasCandidate { reaction.scheduleDelivery() }
  }
}
