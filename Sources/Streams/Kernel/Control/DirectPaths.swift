/// The paths around the machine: what is known of an engine between two transitions, so that most elements bypass the
/// machine.
///
/// A transition costs several times as much as an element that merely passes. After each transition, the engine
/// therefore determines which *direct path* elements may take until the next one: one locked section before the
/// delivery, and, if the delivery happens at once, the ``DrainRole`` ends it. The machine stores the paths. They are
/// accessed only under the lock of its engine, which wraps each method below in a locked section
/// (`OldEngine+DirectPaths.swift`) and stores the element in that section, too.
///
/// | field | meaning | changed by |
/// | --- | --- | --- |
/// | `open` | the path that is open | ``setOpen(_:)`` |
/// | `waiting` | the number of elements waiting in the outlet; once the stream is over, of those that are lost | the machine, ``take(_:)``, ``leave()``, ``takeDue()`` |
/// | `due` | how many of them are delivered in a row without asking the machine; none once the stream is over | the machine, ``takeDue()`` |
/// | `isDrainScheduled` | a drain has been scheduled that has not started | the machine, ``take(_:)``, ``leave()`` |
/// | `isReplaced` | whether an element has taken the place of another since the timer was armed | the machine, ``take(_:)`` |
///
/// **What `setOpen` guarantees** until the next transition: No path is open at a trampoline (an engine that defers work
/// to keep the stack short), nor on a scheduler if elements carry their context, nor once the stream is finishing. If
/// elements are delivered as they arrive, a path is open only while demand is unlimited, so that no request can change it,
/// and no element waits. If a scheduler's work delivers them, a path may be open whatever waits and whichever thread
/// delivers. Within these limits, the machine decides with ``OldMachine/directPath``.
///
/// **What a path may assume, and the state it leaves behind:**
///
/// - *every slot, one slot* (``OldEngine/deliverDirect(from:_:)``): no thread is delivering and no
///   element waits. The element goes straight downstream, the caller is the drainer for that time, and nothing is
///   counted. If other threads leave elements to it meanwhile, their transitions close the path, because something
///   waits: the caller then remains the drainer and delivers those elements.
/// - *combining* (``OldEngine/combineDirect(from:store:combine:deliver:)``): the same, but the machine is asked about each
///   element, because it alone knows what is missing. An output is delivered like an element above and never counted as
///   waiting. The machine makes no effects.
/// - *queue* (``take(_:)``, and so on): the element waits behind the others, and a caller that finds no drain scheduled
///   schedules one.
/// - *date*: the element waits behind the others. The caller counts it for its date (``DelayMachine``) and
///   arms a timer if the date is new.
/// - *replace*: one element waits that is not due (``NewestMachine/hasCandidate``), and a timer is armed. The new
///   element takes its place, and the waiting one is lost; nothing else changes, except that the timer finds
///   ``isReplaced`` set.
/// - *set aside*: the operator keeps the element for a later output, unless
///   the element completes that.
/// - *due* (``takeDue()``): the caller is the drainer, on the scheduler. Each element is subtracted from `due` and
///   `waiting` before it is delivered, and when none is left, the caller stops being the drainer in the same locked
///   section.
@usableFromInline @frozen
struct DirectPaths {
  // The large fields come first: the others, and those of the machine that follow, then fill one word.
  /// The number of elements waiting in the outlet.
  @usableFromInline var waiting = 0

  /// The number of waiting elements that may be delivered in a row without asking the machine again.
  @usableFromInline var due = 0

  /// The path that is open.
  @usableFromInline private(set) var open = OldMachine.DirectPath.none

  /// Indicates whether a drain has been scheduled that has not started.
  @usableFromInline var isDrainScheduled = false

  /// Indicates whether an element has replaced another since the machine last looked.
  @usableFromInline var isReplaced = false

  /// Indicates whether no path is open.
  @inlinable @inline(__always)
  var isClosed: Bool {
    if case .none = open.kind { true } else { false }
  }

  /// Opens a path, or none, after a transition.
  @inline(__always)
  mutating func setOpen(_ path: OldMachine.DirectPath) { open = path }

  /// Takes a path for an element that waits or is kept, if that path is open: records what changes.
  @inlinable @inline(__always)
  mutating func take(_ kind: OldMachine.DirectPath.Kind) -> Outcome {
    guard open.kind == kind else { return .refused }
    switch kind {
    case .queue, .date: waiting &+= 1
    case .replace: isReplaced = true
    case .none, .everySlot, .oneSlot, .setAside: break
    }
    guard case .queue = kind, !isDrainScheduled else { return .taken }
    isDrainScheduled = true
    return .takenToAct
  }

  /// Records an element that waits behind the others for a drain, whether or not a path is open.
  mutating func leave() -> Outcome {
    waiting &+= 1
    if isDrainScheduled { return .taken }
    isDrainScheduled = true
    return .takenToAct
  }

  /// Claims one of the elements that are due, if there is one; the caller must then deliver it.
  @inlinable @inline(__always)
  mutating func takeDue() -> Bool {
    if due == 0 { return false }
    due &-= 1
    waiting &-= 1
    return true
  }
}

extension DirectPaths {
  /// The outcome of an attempt to take a path.
  @usableFromInline
  enum Outcome {
    /// The element has not been processed: the machine must be asked about it.
    case refused
    case taken
    /// The element has been processed, and the caller must act: schedule a drain, or deliver the output that the
    /// element completes.
    case takenToAct
  }
}

extension OldMachine {
  /// A path on which elements bypass the machine. ``DirectPaths`` states the guarantees of each.
  @usableFromInline @frozen
  struct DirectPath {
    @usableFromInline
    enum Kind {
      case none
      case everySlot
      case oneSlot
      case queue
      case date
      case replace
      case setAside
    }

    /// The slot if the path is for one slot, otherwise a number that is not a slot.
    @usableFromInline let slot: Slot
    // The slot is not a payload of the case: comparing kinds would then compare two words.
    @usableFromInline let kind: Kind

    private init(_ kind: Kind, slot: Slot = Slot(.min)) {
      self.kind = kind
      self.slot = slot
    }

    /// The machine is asked about each element.
    @usableFromInline static var none: DirectPath { DirectPath(.none) }
    /// Elements of every slot, or the outputs combined from them, go straight downstream.
    static var everySlot: DirectPath { DirectPath(.everySlot) }
    /// Elements of one slot go straight downstream.
    static func slot(_ slot: Slot) -> DirectPath { DirectPath(.oneSlot, slot: slot) }
    /// Elements are appended to the waiting ones, and a drain is scheduled unless one already is.
    static var queue: DirectPath { DirectPath(.queue) }
    /// Elements are appended to the waiting ones, each for a date of its own or for that of the preceding element.
    static var date: DirectPath { DirectPath(.date) }
    /// An element replaces the waiting one.
    static var replace: DirectPath { DirectPath(.replace) }
    /// Elements are kept for a later output, except those that complete one.
    static var setAside: DirectPath { DirectPath(.setAside) }

    /// Indicates whether elements of the slot go straight downstream.
    @inlinable @inline(__always)
    func contains(_ slot: Slot) -> Bool {
      if case .everySlot = kind { true } else { self.slot == slot }
    }
  }
}
