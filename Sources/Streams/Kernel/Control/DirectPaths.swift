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
/// | `waiting` | the number of elements waiting in the outlet; once the stream is over, of those that are lost | the machine |
///
/// **What `setOpen` guarantees** until the next transition: No path is open at a trampoline (an engine that defers work
/// to keep the stack short), nor once the stream is finishing. A path is open only while demand is unlimited, so that no
/// request can change it, and no element waits. Within these limits, the machine decides with ``OldMachine/directPath``.
///
/// **What a path may assume, and the state it leaves behind:**
///
/// - *every slot, one slot* (``OldEngine/deliverDirect(from:_:)``): no thread is delivering and no
///   element waits. The element goes straight downstream, the caller is the drainer for that time, and nothing is
///   counted. If other threads leave elements to it meanwhile, their transitions close the path, because something
///   waits: the caller then remains the drainer and delivers those elements.
@usableFromInline @frozen
struct DirectPaths {
  // The large fields come first: the others, and those of the machine that follow, then fill one word.
  /// The number of elements waiting in the outlet.
  @usableFromInline var waiting = 0

  /// The path that is open.
  @usableFromInline private(set) var open = OldMachine.DirectPath.none

  /// Indicates whether no path is open.
  @inlinable @inline(__always)
  var isClosed: Bool {
    if case .none = open.kind { true } else { false }
  }

  /// Opens a path, or none, after a transition.
  @inline(__always)
  mutating func setOpen(_ path: OldMachine.DirectPath) { open = path }
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
    /// Indicates whether elements of the slot go straight downstream.
    @inlinable @inline(__always)
    func contains(_ slot: Slot) -> Bool {
      if case .everySlot = kind { true } else { self.slot == slot }
    }
  }
}
