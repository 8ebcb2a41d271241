/// The state machine of an operator with several inputs or with timers: decides what happens next.
///
/// A machine knows slots and counts, never elements, publishers or threads. It is driven by an ``OldEngine``, which calls
/// it only while holding the lock and afterwards carries out what the machine decided. An operator overrides the
/// events that are relevant to it; by default a subscription is cancelled, an element refused and an end ignored.
///
/// There are two kinds of decisions: ``Effects``, which an event appends to those it is passed, go upstream, and
/// are done at once by the thread that caused them; deliveries, returned by ``next(_:)``, go downstream,
/// and are made by one thread at a time.
///
/// The ``phase`` is the state of the stream, from its beginning to its end. Only the methods under "The end of the
/// stream" change it.
@usableFromInline
class OldMachine {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  // The fields are ordered so that there is no padding: there is one machine for each live stream. `MachineMemoryTests`
  // checks its size.
  /// The demand that downstream has requested and that has not been fulfilled yet.
  @exclusivity(unchecked) final var demand = Subscribers.Demand.none

  /// The paths around the machine, and the state shared with them: the count of elements that wait.
  @usableFromInline @exclusivity(unchecked) final var paths = DirectPaths()

  /// The phase of the stream.
  @usableFromInline @exclusivity(unchecked) final private(set) var phase = Phase.running

  /// Indicates whether the stream ends with a completion that the operator makes, in place of that of a source.
  @exclusivity(unchecked) private final var endsWithSubstitute = false

  init() {}

  /// The path that elements may take around the machine in its present state. Read after every transition.
  ///
  /// It may differ from `.none` only while ``received(from:_:)`` would accept any element that can arrive on that path,
  /// and delivering the element would leave the machine in its present state, apart from what the path itself changes.
  /// ``updateDirectPath(asksMachine:)`` takes care of demand, the ``phase`` and, for elements that go
  /// straight downstream, waiting elements. ``DirectPaths`` has the details.
  var directPath: DirectPath { .none }

  /// Opens the path that elements may take until the next transition.
  @inline(__always)
  final func updateDirectPath(asksMachine: Bool) {
    let isUndisturbed = !isFinishing && demand == .unlimited && waiting == 0
    paths.setOpen(!asksMachine && isUndisturbed ? directPath : .none)
  }

  // MARK: Events

  /// Handles the subscription of a source. Returns the demand to request from it, or `nil` if it is not wanted and must
  /// be cancelled.
  func connected(_ subscription: SubscriptionObject, from slot: Slot, _ effects: inout Effects) -> Subscribers.Demand? {
    nil
  }

  /// Handles an element of a source, and returns whether it is wanted. The caller counts the elements that wait as a
  /// result.
  @usableFromInline
  func received(from slot: Slot, _ effects: inout Effects) -> Reception { .refused }

  /// Handles the end of a source, and returns what follows from it.
  @usableFromInline
  func ended(_ slot: Slot, failed: Bool, _ effects: inout Effects) -> Ending { .continues }

  /// Opens a slot for a further source that is about to be attached, unless it is not wanted any more.
  func open(_ effects: inout Effects) -> Slot? { nil }

  /// Handles a request from downstream.
  func requested(_ more: Subscribers.Demand, _ effects: inout Effects) { demand += more }

  /// Handles the delivery of an element, which has freed room for another.
  func delivered(_ effects: inout Effects) {}

  /// Cancels everything that is still held, because the stream has ended or was cancelled.
  func dismantle(_ effects: inout Effects) {}

  /// Returns the name of the operator, if it requests only as many elements of a source as it has room for, whatever
  /// downstream requests.
  func limitingOperator(of slot: Slot) -> String? { nil }

  /// Tells what this holds and waits for, beyond what every machine does: its sources, first of all. Called under the lock.
  func inspect(_ tell: StreamFact.Tell) {}

  // MARK: Elements

  /// Counts an element if it waits as a result of the decision about it.
  final func count(_ reception: Reception) -> Reception {
    switch reception {
    case .stored, .completes: paths.waiting &+= 1
    case .refused, .replaces, .setAside: break
    }
    return reception
  }

  /// Returns the next delivery, if there is one.
  func next(_ effects: inout Effects) -> Delivery? {
    if isOver { return nil }
    if waiting > 0, demand.spend() {
      paths.waiting -= 1
      return .element
    }
    return phase == .failing || isFinishing && waiting == 0 ? complete(&effects) : nil
  }

  /// Indicates whether the user has bounded the number of elements that wait.
  var isBounded: Bool { false }

  /// The number of elements waiting in the outlet.
  final var waiting: Int { paths.waiting }

  /// The number of waiting elements that are delivered whatever arrives meanwhile: those for which there is demand. They
  /// take no room in a buffer, and no element replaces them.
  var promised: Int { min(waiting, demand.max ?? waiting) }

  /// The number of waiting elements that others may replace.
  @usableFromInline
  final var unpromised: Int { waiting &- promised }

  /// Indicates whether there is something to deliver, provided that the stream is not over.
  final var hasMore: Bool { waiting > 0 || isFinishing }

  /// Indicates whether there is something that any thread may deliver.
  final var isReady: Bool { !isOver && hasMore }

  /// The number of further elements for which there is demand.
  final var room: Subscribers.Demand { demand - waiting }

  // MARK: The end of the stream

  /// Indicates whether the stream is certain to end, so that nothing more is accepted.
  @inlinable
  final var isFinishing: Bool { phase != .running }

  /// Indicates whether nothing more is to be delivered.
  @inlinable
  final var isOver: Bool { phase == .over }

  /// Ends the stream once the waiting elements have been delivered: with the completion of a source, or a `substitute`
  /// that the operator makes.
  final func finish(substitute: Bool = false) {
    guard phase == .running else { return }
    phase = .finishing
    endsWithSubstitute = substitute
  }

  /// Ends the stream once the waiting elements have been delivered, and cancels its sources now, because nothing more
  /// of them is needed.
  final func finishCancellingSources(_ effects: inout Effects, substitute: Bool = false) {
    finish(substitute: substitute)
    dismantle(&effects)
  }

  /// Ends the stream with a failure, or with another completion that does not wait for demand. It is delivered after
  /// the elements for which there is demand. Everything else ends now.
  final func fail(_ effects: inout Effects) -> Ending {
    if phase == .running { phase = .failing }
    dismantle(&effects)
    return .ends
  }

  /// Ends the stream now, without another delivery.
  final func end(_ effects: inout Effects) {
    phase = .over
    dismantle(&effects)
  }

  /// Ends the stream and returns its completion as the next delivery.
  final func complete(_ effects: inout Effects) -> Delivery {
    end(&effects)
    return endsWithSubstitute ? .substitute : .completion
  }
}

extension OldMachine {
  /// The phases of a stream, and the methods that change them. (``ended(_:failed:_:)`` is an event: a source has
  /// ended.)
  ///
  ///     running ── finish ──► finishing ── complete ──► over
  ///        └────── fail ────► failing ──── complete ─────▲
  ///
  ///     from each phase to over: end, when the stream is cancelled
  @usableFromInline
  enum Phase {
    /// Sources are attached, and elements arrive and are delivered according to demand.
    case running
    /// Nothing more is accepted; the waiting elements are delivered, and then the completion.
    case finishing
    /// Nothing more is accepted; the elements for which there is demand are delivered, and then an error, which does
    /// not wait for further demand.
    case failing
    /// Nothing more is delivered, because the completion has been delivered or the stream was cancelled.
    case over
  }

  /// The decision about an element.
  @usableFromInline
  enum Reception {
    /// The element is not wanted.
    case refused
    /// The element waits to be delivered.
    case stored
    /// The element is kept in its slot until others arrive, with which it will make an output.
    case setAside
    /// The element completes an output together with others, and the output waits to be delivered. If it completes
    /// several, the machine itself counts all but the first.
    case completes
    /// The element waits in place of another, which is removed first.
    case replaces
  }

  /// The consequence of the end of a source.
  @usableFromInline
  enum Ending {
    /// The stream continues, or finishes once the waiting elements have been delivered.
    case continues
    /// The stream ends, with the completion of this source.
    case ends
    /// Another source follows.
    case hasSuccessor
  }

  /// The number by which a machine knows a source. Machines have names for those that play a part of their own.
  @usableFromInline @frozen
  struct Slot: Equatable, ExpressibleByIntegerLiteral {
    @usableFromInline let number: Int

    @inlinable
    init(_ number: Int) { self.number = number }

    @inlinable
    init(integerLiteral number: Int) { self.number = number }

    @inlinable @inline(__always)
    static func == (a: Slot, b: Slot) -> Bool { a.number == b.number }
  }

  /// An action downstream.
  @usableFromInline
  enum Delivery {
    case element
    case completion
    /// The completion that the operator makes, in place of that of a source.
    case substitute
    /// Nothing: destroys the elements that still wait.
    case discard
    /// Nothing more: releases the subscriber.
    case release
  }
}

/// An object that disarms a timer.
@usableFromInline
typealias TimerObject = any Cancellable & AnyObject
