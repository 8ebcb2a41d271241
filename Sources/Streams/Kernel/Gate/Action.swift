/// What a transition asks for upstream or at a scheduler. The thread that made the transition does it, without the lock.
@usableFromInline
enum Action {
  case request(SubscriptionObject, Subscribers.Demand)
  case cancel(SubscriptionObject)
  /// Cancels a timer.
  case disarm(TimerObject)
  /// Releases the object, whose deinit may run code of a user.
  case release(AnyObject)
  case schedule(ScheduledWork)
  /// In debug builds, reports that many elements wait.
  case reportWaiting
}

/// What a scheduler is asked to run.
@usableFromInline @frozen
enum ScheduledWork {
  /// The timer of the number, at the date that the machine says.
  case timer(Int)
  /// ``Gate/drained()``, as soon as possible.
  case drain
}

/// The actions of a transition, in order. A single action needs no allocation.
@usableFromInline
struct Actions {
  private(set) var first: Action?
  private(set) var others: [Action] = []

  @usableFromInline private(set) var isEmpty = true

  @usableFromInline
  init() {}

  @usableFromInline
  mutating func append(_ action: Action) {
    if isEmpty {
      first = action
      isEmpty = false
    } else {
      others.append(action)
    }
  }

  /// Removes and returns all actions.
  @usableFromInline
  mutating func take() -> Actions {
    if isEmpty { return Actions() }
    let all = self
    self = Actions()
    return all
  }
}
