/// The ways past the machine: what is known of an engine between two transitions, so that most elements are taken
/// without asking.
///
/// A transition costs several times what an element costs that just passes. So after each one it is worked out which
/// *direct path* elements may take until the next: one locked section before the delivery, and where it is made at once
/// the ``Performer`` ends it. The machine has the paths; they are reached only under the lock of its engine, which wraps
/// each method here in a locked section (`Engine+DirectPaths.swift`), and keeps the element there, too.
///
/// | field | what it says | changed by |
/// | --- | --- | --- |
/// | `open` | which path is open | ``settle(_:)``, and ``close()`` |
/// | `waiting` | how many elements wait in the outlet | the machine, `queue`, `date`, ``takeDue()`` |
/// | `due` | how many of them are delivered one after the other without asking | the machine, ``takeDue()`` |
/// | `isDrainScheduled` | the scheduler has been asked for a drain that has not begun | the machine, `queue` |
/// | `isReplaced` | whether an element took the place of another since the machine looked | the machine, `replace` |
///
/// **What `settle` guarantees** until the next transition. Nothing is open at a landing, or once the stream is
/// finishing. If deliveries are made as elements come, a path is open only while demand is unlimited, which nothing can
/// be added to, and nothing waits. If a scheduler's work makes them, a path may be open whatever waits and whoever
/// delivers. Within that the machine decides with ``Machine/directPath``.
///
/// **What a path may assume, and leaves behind:**
///
/// - *every slot, one slot* (``Engine/beginDirect(from:)``, ``Engine/endDirect()``): nobody delivers and nothing waits.
///   The element goes straight downstream, and the caller is the performer meanwhile; nothing is counted. What others left
///   to it meanwhile has made a transition, which has closed the path, as something waits: then it remains the performer,
///   and goes on with that.
/// - *combining* (``Engine/combineDirect(from:store:combine:)``): the same, but the machine is asked about the element, as
///   it alone knows what is missing. An output is delivered like an element above, and never counted as waiting. Steps
///   that the machine recorded besides wait until the end of that delivery, for which the path is closed.
/// - *queue* (``queue()``): the element waits behind the others, and whoever finds no drain scheduled schedules one.
/// - *date* (``date()``): the element waits behind the others. The caller counts it for its date (``DelayMachine``),
///   and arms a timer for a date that is new.
/// - *replace* (``replace()``): one element waits and a timer is armed. The element takes its place; nothing else
///   changes, but that the timer finds ``isReplaced``.
/// - *due* (``takeDue()``): the caller is the performer, on the scheduler. Each element is taken off `due` and
///   `waiting` before it is delivered, and when none is left the caller stops being the performer, in the same locked
///   section.
@usableFromInline @frozen
struct DirectPaths {
  // The large ones first: then the others, and those of the machine that follow, fill one word.
  /// How many elements wait in the outlet.
  @usableFromInline var waiting = 0

  /// How many of them may be delivered one after the other without asking again.
  @usableFromInline var due = 0

  /// Which path is open.
  @usableFromInline private(set) var open = DirectPath.none

  /// Whether the scheduler has been asked for a drain that has not begun.
  @usableFromInline var isDrainScheduled = false

  /// Whether an element took the place of another since the machine looked.
  @usableFromInline var isReplaced = false

  init() {}

  /// Opens a path, or none, after a transition.
  @inline(__always)
  mutating func settle(_ path: DirectPath) { open = path }

  /// Closes the path that is open, since an output is delivered that the end follows.
  @inlinable @inline(__always)
  mutating func close() { open = .none }

  // MARK: On a scheduler

  /// Counts an element that is put behind those that wait, if it may be.
  @inlinable @inline(__always)
  mutating func queue() -> Queueing {
    guard open.kind == .queue else { return .refused }
    waiting &+= 1
    if isDrainScheduled { return .queued }
    isDrainScheduled = true
    return .queuedFirst
  }

  /// Counts an element that is put behind those that wait for a date, if it may be.
  @inlinable @inline(__always)
  mutating func date() -> Bool {
    guard open.kind == .date else { return false }
    waiting &+= 1
    return true
  }

  /// Notes that an element takes the place of the one that waits, if it may.
  @inlinable @inline(__always)
  mutating func replace() -> Bool {
    guard open.kind == .replace else { return false }
    isReplaced = true
    return true
  }

  /// Takes an element off those that are due, if there is one; then it is the caller's to deliver it.
  @inlinable @inline(__always)
  mutating func takeDue() -> Bool {
    if due == 0 { return false }
    due &-= 1
    waiting &-= 1
    return true
  }
}

/// A way on which elements pass without the machine being asked; ``DirectPaths`` says what is promised on each.
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
  }

  /// The slot if there is only one, else a number that is none.
  @usableFromInline let slot: Int
  // Not with the slot as its payload: to compare a kind would be to compare two words.
  @usableFromInline let kind: Kind

  private init(_ kind: Kind, slot: Int = .min) {
    self.kind = kind
    self.slot = slot
  }

  /// The machine is asked about each element.
  @usableFromInline static var none: DirectPath { DirectPath(.none) }
  /// Elements of every slot go straight downstream, or what they make together does.
  static var everySlot: DirectPath { DirectPath(.everySlot) }
  /// Elements of one slot go straight downstream.
  static func slot(_ slot: Int) -> DirectPath { DirectPath(.oneSlot, slot: slot) }
  /// Elements are put behind those that wait, and a drain is scheduled unless one is.
  static var queue: DirectPath { DirectPath(.queue) }
  /// Elements are put behind those that wait, each for a date of its own or that of the one before.
  static var date: DirectPath { DirectPath(.date) }
  /// An element takes the place of the one that waits.
  static var replace: DirectPath { DirectPath(.replace) }

  /// Whether elements of the slot go straight downstream.
  @inlinable @inline(__always)
  func contains(_ slot: Int) -> Bool { kind == .everySlot || self.slot == slot }
}

/// What became of an element that is put behind others.
@usableFromInline
enum Queueing {
  case queued
  /// It is the caller's to schedule a drain.
  case queuedFirst
  /// It has not been looked at.
  case refused
}

/// What became of an element that is put together with others.
@usableFromInline
enum Combination {
  /// It is the caller's to deliver what was made, and to call ``Engine/endDirect()``.
  case complete
  /// It waits for others.
  case incomplete
  /// It has not been looked at, since somebody is delivering, or demand is counted.
  case refused
}
