/// An effect of a transition, such as a request to upstream or a release. The transition's thread carries it out without the
/// lock.
package enum Action {
  case request(SubscriptionObject, Subscribers.Demand)
  case cancel(SubscriptionObject)
  /// Cancels a timer.
  case disarm(TimerObject)
  /// Releases the object, whose deinit may run user code.
  case release(AnyObject)
  /// In debug builds, reports that many elements wait.
  case reportWaiting
}

@usableFromInline @frozen
package enum ScheduledWork {
  /// The timer with a number, at the date that the operator chooses.
  case timer(Int)
  /// A delivery, as soon as possible.
  case delivery
}

/// A signal whose time an engine may have to know.
package enum Signal {
  case subscription, element, completion
  case timer
}

/// The actions of a transition, in order, followed by the transition's requests to a scheduler. A single action doesn't need an
/// allocation.
package struct Actions: ~Copyable {
  package private(set) var first: Action?
  package private(set) var others: [Action] = []
  package var timer: Int?
  package var delivers = false

  package init() {}
  package var isEmpty: Bool { isOnlyScheduling && timer == nil && !delivers }

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
