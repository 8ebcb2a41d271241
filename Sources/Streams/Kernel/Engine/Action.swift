/// What a transition asks for upstream, and what it releases. The thread that made the transition does it, without the lock.
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
  /// The timer of the number, at the date that the operator says.
  case timer(Int)
  /// A delivery, as soon as possible.
  case delivery
}

/// What an engine may have to know the time of.
package enum Signal {
  /// A subscription, an element or the completion of a source.
  case subscription, element, completion
  /// A timer that fires.
  case timer
}

/// The actions of a transition, in order, and then what a scheduler is asked for. A single action needs no allocation.
package struct Actions: ~Copyable {
  package private(set) var first: Action?
  package private(set) var others: [Action] = []
  /// The number of the timer that a scheduler is asked for.
  package var timer: Int?
  /// Indicates whether a scheduler is asked for a delivery.
  package var delivers = false

  package init() {}
  package var isEmpty: Bool { isOnlyScheduling && timer == nil && !delivers }

  /// Indicates whether at most a scheduler is asked for something.
  package var isOnlyScheduling: Bool { if case nil = first { true } else { false } }

  package mutating func append(_ action: Action) {
    if case nil = first { first = action } else { others.append(action) }
  }

  /// Removes and returns all actions.
  package mutating func take() -> Actions {
    var all = Actions()
    if !isEmpty { swap(&all, &self) }
    return all
  }
}
