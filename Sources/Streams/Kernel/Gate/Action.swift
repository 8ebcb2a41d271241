/// What a transition asks for upstream, and what it releases. The thread that made the transition does it, without the lock.
@usableFromInline @frozen
package enum Action {
  case request(SubscriptionObject, Subscribers.Demand)
  case cancel(SubscriptionObject)
  /// Cancels a timer.
  case disarm(TimerObject)
  /// Releases the object, whose deinit may run code of a user.
  case release(AnyObject)
  /// In debug builds, reports that many elements wait.
  case reportWaiting
}

/// What a scheduler is asked to run.
@usableFromInline @frozen
package enum ScheduledWork {
  /// The timer of the number, at the date that the machine says.
  case timer(Int)
  /// A delivery, as soon as possible.
  case delivery

  @inlinable
  package var signal: Signal {
    switch self {
    case .timer: .timer
    case .delivery: .delivery
    }
  }
}

/// The actions of a transition, in order, and then what a scheduler is asked for. A single action needs no allocation.
@usableFromInline @frozen
package struct Actions: ~Copyable {
  @usableFromInline package private(set) var first: Action?
  @usableFromInline package private(set) var others: [Action] = []
  /// The number of the timer that a scheduler is asked for.
  @usableFromInline package var timer: Int?
  /// Indicates whether a scheduler is asked for a delivery.
  @usableFromInline package var delivers = false

  @inlinable package init() {}

  @inlinable
  package var isEmpty: Bool { isOnlyScheduling && timer == nil && !delivers }

  /// Indicates whether at most a scheduler is asked for something.
  @inlinable
  package var isOnlyScheduling: Bool { if case nil = first { true } else { false } }

  @usableFromInline
  package mutating func append(_ action: Action) {
    if case nil = first { first = action } else { others.append(action) }
  }

  /// Removes and returns all actions.
  @usableFromInline
  package mutating func take() -> Actions {
    var all = Actions()
    if !isEmpty { swap(&all, &self) }
    return all
  }
}
