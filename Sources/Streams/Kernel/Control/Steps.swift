/// A few steps, in order. A single step needs no allocation.
@usableFromInline
struct Steps: ~Copyable {
  /// An action of an engine upstream or at a scheduler. No others exist.
  struct Step {
    enum Kind {
      /// There is nothing to do.
      case none
      /// Requests the demand from the subscription.
      case request
      /// Cancels the subscription.
      case cancel
      /// Releases the subscription outside the lock.
      case release
      /// Arms the timer with the number.
      case arm
      /// Requests a drain from the scheduler.
      case drain
      /// Cancels a timer.
      case disarm
    }

    var subscription: SubscriptionObject?
    var timer: TimerObject?
    /// The number of a timer, or a demand.
    var number = 0
    var kind = Kind.none

    var demand: Subscribers.Demand { Subscribers.Demand(rawValue: UInt(bitPattern: number)) }
  }

  // Not an optional, which would be accessed through functions that are looked up at run time.
  private var first = Step()
  private var others = Ring<Step>()

  /// The subscription of a source that has ended, which only needs to be released outside the lock. It is not a step,
  /// because there is nothing to do.
  var released: SubscriptionObject?

  private(set) var isEmpty = true

  private mutating func append(_ step: consuming Step) {
    if isEmpty {
      first = step
      isEmpty = false
    } else {
      others.append(step)
    }
  }

  mutating func request(_ demand: Subscribers.Demand, from subscription: SubscriptionObject?) {
    guard let subscription, demand != .none else { return }
    append(Step(subscription: subscription, number: Int(bitPattern: demand.rawValue), kind: .request))
  }

  mutating func cancel(_ subscription: consuming SubscriptionObject?) {
    if subscription != nil { append(Step(subscription: subscription, kind: .cancel)) }
  }

  mutating func release(_ subscription: consuming SubscriptionObject?) {
    if subscription != nil { append(Step(subscription: subscription, kind: .release)) }
  }

  mutating func arm(_ alarm: Machine.Alarm) { append(Step(number: alarm.number, kind: .arm)) }

  mutating func drain() { append(Step(kind: .drain)) }

  mutating func disarm(_ timer: consuming TimerObject?) {
    if timer != nil { append(Step(timer: timer, kind: .disarm)) }
  }

  /// Removes and returns the next step, or a step of the kind `none` if there is none.
  mutating func next() -> Step {
    var step = Step()
    if isEmpty { return step }
    swap(&step, &first)
    if step.kind == .none { step = others.removeExistingFirst() }
    if others.isEmpty { isEmpty = true }
    return step
  }
}
