/// Decides, for an operator with several inputs or with timers, what happens next.
///
/// A machine knows slots and counts, never elements, publishers or threads: it is driven by an ``Engine``, which calls
/// it only while its lock is held and afterwards does what the machine recorded. An operator overrides the events that
/// mean something to it; by default a subscription is cancelled, an element refused and an end ignored.
///
/// Two kinds of decisions: `steps` go upstream or to a scheduler, and are done at once by whoever caused them;
/// deliveries, returned by ``next()``, go downstream, and are done by one thread at a time.
@usableFromInline
class Machine {
  /// What downstream has asked for and not received yet.
  @exclusivity(unchecked) final var demand = Subscribers.Demand.none

  /// How many elements wait in the outlet.
  @exclusivity(unchecked) final var waiting = 0

  /// Whether the stream ends once the waiting elements are delivered.
  @exclusivity(unchecked) final var isFinishing = false

  /// Whether it ends with an error, which does not wait for demand.
  @exclusivity(unchecked) final var isFailing = false

  /// Whether it ends with an error that the operator makes, in place of the completion of a source.
  @exclusivity(unchecked) final var endsWithSubstitute = false

  /// Whether nothing more is to be delivered.
  @exclusivity(unchecked) final var isOver = false

  /// What is to be done outside the lock.
  @exclusivity(unchecked) final var steps = Steps()

  final var hasSteps: Bool { !steps.isEmpty }

  final func takeSteps() -> Steps {
    let taken = steps
    steps = Steps()
    return taken
  }

  /// Whether deliveries are only made by work that a scheduler runs.
  var deliversOnScheduler: Bool { false }

  /// Whether an element that arrives from the slot may go straight downstream when nobody else is delivering.
  var directSlots: DirectSlots { .none }

  /// A source has sent its subscription.
  func connected(_ subscription: any Subscription, from slot: Int) { steps.cancel(subscription) }

  /// A source has sent an element; says whether it is wanted.
  func received(from slot: Int) -> Reception { .refused }

  /// A source has ended; says what follows from that.
  func ended(_ slot: Int, failed: Bool) -> Ending { .continues }

  /// A further source is to be attached: makes a slot for it, unless it is not wanted any more.
  func open() -> Int? { nil }

  /// Downstream has asked for more.
  func requested(_ more: Subscribers.Demand) { demand += more }

  /// An element has been delivered, and room has become free.
  func delivered() {}

  /// A timer has been armed.
  func armed(_ alarm: Alarm, _ cancellable: any Cancellable) { steps.cancel(cancellable) }

  /// A timer has fired.
  func fired(_ alarm: Alarm) {}

  /// The stream has ended or was cancelled: everything that is still held is to be cancelled.
  func dismantle() {}

  /// What is to be delivered next, if anything.
  func next() -> Delivery? {
    if isOver { return nil }
    if waiting > 0, demand.spend() {
      waiting -= 1
      return .element
    }
    guard isFinishing, waiting == 0 || isFailing else { return nil }
    return finish()
  }

  /// Ends the stream with its completion.
  final func finish() -> Delivery {
    isOver = true
    dismantle()
    return endsWithSubstitute ? .substitute : .completion
  }

  /// Records a failure: it is delivered after the elements that there is demand for, and ends everything else now.
  final func fail() -> Ending {
    isFailing = true
    isFinishing = true
    dismantle()
    return .ends
  }

  /// How many more elements downstream has room for.
  final var room: Subscribers.Demand { demand - waiting }
}

/// Whether an element is wanted.
@usableFromInline
enum Reception {
  /// It is not.
  case refused
  /// It is kept.
  case stored
  /// It is kept, and what follows from that is concluded afterwards: it completes a set.
  case storedThenConcluded
  /// It is kept in place of another, which is taken out first.
  case replaces
}

/// What follows from the end of a source.
@usableFromInline
enum Ending {
  /// The stream goes on, or finishes when the waiting elements are delivered.
  case continues
  /// The stream ends, with the completion of this source.
  case ends
  /// Another source follows.
  case hasSuccessor
}

/// From which slots elements may go straight downstream.
@usableFromInline
enum DirectSlots: Equatable {
  case none
  case all
  case only(Int)
}

/// What is done downstream.
@usableFromInline
enum Delivery {
  case element
  case completion
  case substitute
}

/// One arming of a timer.
@usableFromInline
struct Alarm: Hashable {
  let number: Int

  /// Whether it is to fire as soon as possible, and not at the operator's date.
  @usableFromInline let isImmediate: Bool
}

/// What an engine does upstream or at a scheduler. This is the only list of such things there is.
@usableFromInline
enum Step {
  case request(Subscribers.Demand, from: any Subscription)
  case cancel(any Cancellable)
  case arm(Alarm)
  /// Nothing; lets go of something outside the lock.
  case release(any Cancellable)
}

/// A few steps, in order; none of them take no memory.
struct Steps {
  private var list: [Step] = []

  var isEmpty: Bool { list.isEmpty }

  mutating func append(_ step: Step) { list.append(step) }

  mutating func request(_ demand: Subscribers.Demand, from subscription: (any Subscription)?) {
    guard let subscription, demand != .none else { return }
    append(.request(demand, from: subscription))
  }

  mutating func cancel(_ cancellable: (any Cancellable)?) {
    guard let cancellable else { return }
    append(.cancel(cancellable))
  }

  mutating func release(_ cancellable: (any Cancellable)?) {
    guard let cancellable else { return }
    append(.release(cancellable))
  }

  func forEach(_ body: (Step) -> Void) { list.forEach(body) }
}
