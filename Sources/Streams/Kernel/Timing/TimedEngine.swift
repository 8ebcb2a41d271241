/// An engine with a scheduler and an interval, which knows the time at which elements arrive: the common part of timed
/// operators.
///
/// A scheduler's times are plain values. They're compared and computed under the lock, where otherwise only the kernel's own
/// code is called.
@usableFromInline
package class TimedEngine: Engine {
  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  @exclusivity(unchecked) package final var source = SingleSource()
  @exclusivity(unchecked) package final var timer = OnlyTimer()
  /// The date for which the timer was last armed.
  @exclusivity(unchecked) package final var armedDate: Instant?
  package final let place: ClockPlace

  package init(
    _ receiver: Receiver, _ layout: ElementLayout, _ traits: Traits, _ place: ClockPlace, _ bound: Bound? = nil
  ) {
    self.place = place
    super.init(receiver, layout, traits.union(.deliversOnScheduler), bound)
  }

  /// Handles the timer, which has fired and is no longer armed.
  package func isDue(_ reaction: inout Reaction) {}

  /// The date that the operator waits for, which inspection shows.
  package var date: Instant? { nil }

  /// Returns the date to arm the timer for. By default, that's the end of the interval that ends at ``date``.
  package func timerDate(at now: Instant) -> Instant { place.deadline(at: now, until: date, armed: armedDate) }

  package final override var time: Instant { place.ask(.now) }

  package override func cancelSources(_ reaction: inout Reaction) { source.cancel(&reaction) }

  package override func tearDown(_ reaction: inout Reaction) {
    cancelSources(&reaction)
    timer.disarm(&reaction)
  }

  package override func fired(_ number: Int, _ reaction: inout Reaction) -> TimerObject? {
    guard timer.fires(number) else { return nil }
    let firedTimer = timer.object.take()
    isDue(&reaction)
    return firedTimer
  }

  package override func schedule(_ work: ScheduledWork) {
    guard case .timer(let number) = work else { return place.deliver(place, self) }
    let now = place.ask(.now)
    let thread = ThreadState.identity
    let date = withLock {
      let date = timerDate(at: now)
      armedDate = date
      timer.armingThread = thread
      return date
    }
    let object = place.arm(place, self, number, date)
    withLock { timer.armed(number, object) }?.cancel()
  }

  package override func inspectContents(_ tell: StreamFact.Tell) {
    source.tell(tell)
    if timer.isArmed { tell(.timer, 0, nil) }
    place.tellPlace(tell)
    if let date = date ?? armedDate { tell(.date, 0, StreamFact.Box(place.inspected(date))) }
  }
}
