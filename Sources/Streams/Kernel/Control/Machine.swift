/// Decides, for an operator with several inputs or with timers, what happens next.
///
/// A machine knows slots and counts, never elements, publishers or threads: it is driven by an ``Engine``, which calls
/// it only while its lock is held and afterwards does what the machine recorded. An operator overrides the events that
/// mean something to it; by default a subscription is cancelled, an element refused and an end ignored.
///
/// Two kinds of decisions: `steps` go upstream or to a scheduler, and are done at once by whoever caused them;
/// deliveries, returned by ``next()``, go downstream, and are done by one thread at a time.
///
/// How far the stream has come is the ``phase``, which only the methods under "The end of the stream" change.
@usableFromInline
class Machine {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  // In the order in which they leave no gaps: there is one of these for each live stream.
  /// What downstream has asked for and not received yet.
  @exclusivity(unchecked) final var demand = Subscribers.Demand.none

  /// Where steps are recorded: in a variable of whoever makes a transition, while that lasts; else nowhere, or in memory
  /// of its own until the next one.
  @exclusivity(unchecked) private final var record: UnsafeMutablePointer<Steps>?

  /// The ways past the machine, and what it shares with them: what waits, and what is due.
  @usableFromInline @exclusivity(unchecked) final var paths = DirectPaths()

  /// How far the stream has come.
  @usableFromInline @exclusivity(unchecked) final private(set) var phase = Phase.running

  /// Whose completion the stream ends with.
  @exclusivity(unchecked) private final var conclusion = Conclusion.ofSource

  /// When, and by whom, deliveries are made.
  private let deliveryMode: DeliveryMode

  /// Whether deliveries are only made by work that a scheduler runs.
  final var deliversOnScheduler: Bool { deliveryMode != .asElementsCome }

  init(_ deliveryMode: DeliveryMode = .asElementsCome) { self.deliveryMode = deliveryMode }

  deinit {
    if record != nil { _ = takeSteps() }
  }

  // MARK: Steps

  /// What is to be done outside the lock.
  final var steps: Steps {
    unsafeAddress { UnsafePointer(record ?? makeRecord()) }
    unsafeMutableAddress { record ?? makeRecord() }
  }

  final var hasSteps: Bool {
    guard let record else { return false }
    return !record.pointee.isEmpty
  }

  /// Makes a transition, whose steps are put behind those that are left over from elements on a direct path.
  @inline(__always)
  final func recording<Result>(in steps: inout Steps, _ transition: () -> Result) -> Result {
    if record != nil { steps = takeSteps() }
    return withUnsafeMutablePointer(to: &steps) {
      record = $0
      defer { record = nil }
      return transition()
    }
  }

  /// Takes out what was recorded outside of ``recording(in:_:)``.
  @inline(never)
  final func takeSteps() -> Steps {
    guard let record else { return Steps() }
    let taken = record.move()
    record.deallocate()
    self.record = nil
    return taken
  }

  /// Makes memory for steps that are recorded outside of ``recording(in:_:)``, by the last element that goes straight
  /// downstream.
  @inline(never)
  private final func makeRecord() -> UnsafeMutablePointer<Steps> {
    let made = UnsafeMutablePointer<Steps>.allocate(capacity: 1)
    made.initialize(to: Steps())
    record = made
    return made
  }

  /// Which way elements may take past the machine, as things stand; asked after every transition.
  ///
  /// It may be other than `.none` while ``received(from:)`` would keep any element that can come on that path, and the
  /// machine would be as it is now when the element has been delivered, but for what the path does itself. (An operator
  /// that puts elements together may always answer `.everySlot`: it is asked about each.) Demand, the ``phase`` and,
  /// for elements that go straight downstream, what waits are looked at by ``settle(isLanding:)``. ``DirectPaths`` says
  /// more.
  var directPath: DirectPath { .none }

  /// Opens the path that elements may take until the next transition.
  @inline(__always)
  final func settle(isLanding: Bool) {
    let isUndisturbed = !isFinishing && (deliversOnScheduler || demand == .unlimited && waiting == 0)
    paths.settle(!isLanding && isUndisturbed ? directPath : .none)
  }

  // MARK: Events

  /// A source has sent its subscription; returns how much it is asked for, or `nil` when it is not wanted and is to be
  /// cancelled.
  func connected(_ subscription: SubscriptionObject, from slot: Int) -> Subscribers.Demand? { nil }

  /// A source has sent an element; says whether it is wanted. What waits because of that is counted by whoever asks.
  @usableFromInline
  func received(from slot: Int) -> Reception { .refused }

  /// A source has ended; says what follows from that.
  func ended(_ slot: Int, failed: Bool) -> Ending { .continues }

  /// A further source is to be attached: makes a slot for it, unless it is not wanted any more.
  func open() -> Int? { nil }

  /// Downstream has asked for more.
  func requested(_ more: Subscribers.Demand) { demand += more }

  /// An element has been delivered, and room has become free.
  func delivered() {}

  /// A timer has been armed; returns whether it is still wanted, and if so keeps what disarms it.
  func armed(_ alarm: Alarm, _ timer: TimerObject) -> Bool { false }

  /// A timer has fired; which one does not matter when none is given. Returns what would have disarmed it, to be released
  /// outside the lock.
  func fired(_ alarm: Alarm?) -> TimerObject? { nil }

  /// What was to be run as soon as possible runs.
  final func drained() {
    paths.isDrainScheduled = false
    if deliveryMode == .onDrains { paths.due = waiting }
    conclude()
  }

  /// The stream has ended or was cancelled: everything that is still held is to be cancelled.
  func dismantle() {}

  // MARK: Elements

  /// Asks about an element, and counts it if it waits then.
  final func take(from slot: Int) -> Reception {
    let reception = received(from: slot)
    if reception == .stored || reception == .completes { paths.waiting &+= 1 }
    return reception
  }

  /// What is to be delivered next, if anything.
  func next() -> Delivery? {
    if isOver { return nil }
    if waiting > 0, demand.spend() {
      paths.waiting -= 1
      return .element
    }
    guard isFinishing, waiting == 0 || phase == .failing else { return nil }
    return complete()
  }

  /// Has the scheduler call ``drained()`` as soon as possible; a step, done outside the lock.
  final func scheduleDrain() {
    if paths.isDrainScheduled { return }
    paths.isDrainScheduled = true
    steps.drain()
  }

  /// How many elements wait in the outlet.
  final var waiting: Int { paths.waiting }

  /// How many of them may be delivered one after the other without asking again.
  final var due: Int { paths.due }

  /// Whether there is something to deliver, if the stream is not over.
  final var hasMore: Bool { waiting > 0 || isFinishing }

  /// Whether there is something that whoever comes by delivers.
  final var isReady: Bool { !deliversOnScheduler && !isOver && hasMore }

  /// How many more elements downstream has room for.
  final var room: Subscribers.Demand { demand - waiting }

  // MARK: The end of the stream

  /// Whether the end of the stream is certain, and nothing more is let in.
  @inlinable
  final var isFinishing: Bool { phase != .running }

  /// Whether nothing more is to be delivered.
  @inlinable
  final var isOver: Bool { phase == .over }

  /// Ends the stream once the waiting elements are delivered.
  final func finish(_ conclusion: Conclusion = .ofSource) {
    guard phase == .running else { return }
    phase = .finishing
    self.conclusion = conclusion
  }

  /// The same, and what still sends is cancelled now: nothing of it is needed.
  final func finishCancellingSources(_ conclusion: Conclusion = .ofSource) {
    finish(conclusion)
    dismantle()
  }

  /// Ends the stream with a failure: it is delivered after the elements that there is demand for, and ends everything
  /// else now.
  final func fail() -> Ending {
    if phase == .running { phase = .failing }
    dismantle()
    return .ends
  }

  /// Has the completion delivered after the elements that are due, if the stream is finishing; for machines that
  /// deliver on a scheduler, whose completion has a time of its own.
  final func conclude() {
    if phase == .finishing { phase = .concluding }
  }

  /// Ends the stream now, without another delivery.
  final func end() {
    phase = .over
    paths.due = 0
    dismantle()
  }

  /// Ends the stream with its completion, which is what is to be delivered next.
  final func complete() -> Delivery {
    end()
    return conclusion == .ofOperator ? .substitute : .completion
  }
}

/// How far a stream has come.
///
///     running ──► finishing ──► concluding ──► over        from each phase: over
///        └──────► failing ───────────────────►
@usableFromInline
enum Phase {
  /// Sources are attached, elements come, and are delivered as downstream asks for them.
  case running
  /// Nothing more is let in; what waits is delivered, and then the completion.
  case finishing
  /// Nothing more is let in; what downstream has asked for is delivered, and then an error, which does not wait for
  /// demand.
  case failing
  /// As `finishing`, and the scheduler has run what the completion waited for: it follows the elements that are due.
  case concluding
  /// Nothing more is delivered: the completion has been, or the stream was cancelled.
  case over
}

/// Whose completion a stream ends with.
enum Conclusion {
  case ofSource
  /// One that the operator makes, in place of that of a source.
  case ofOperator
}

/// When, and by whom, the elements of a machine are delivered.
enum DeliveryMode {
  /// As they come, by whoever brings them or asks for them.
  case asElementsCome
  /// When the machine says so, by a timer that has fired; a drain delivers only the completion.
  case onTimers
  /// As soon as the scheduler gets round to it, by a drain, which delivers what waits when it begins.
  case onDrains
}

/// Whether an element is wanted.
@usableFromInline
enum Reception {
  /// It is not.
  case refused
  /// It waits to be delivered.
  case stored
  /// It is kept where it waits for others, with which it will make an output.
  case setAside
  /// It is kept, and with others makes an output, which waits to be delivered. A machine counts those beyond the first
  /// itself.
  case completes
  /// It waits in place of another, which is taken out first.
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

/// What is done downstream.
@usableFromInline
enum Delivery {
  case element
  /// All elements that are due.
  case due
  case completion
  case substitute
}

/// One arming of a timer.
@usableFromInline @frozen
struct Alarm: Equatable {
  @usableFromInline let number: Int

  @inlinable
  init(number: Int) { self.number = number }
}

/// What disarms a timer.
@usableFromInline
typealias TimerObject = any Cancellable & AnyObject
