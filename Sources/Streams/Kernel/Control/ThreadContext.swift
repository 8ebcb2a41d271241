/// What the kernel knows of the current thread: how deep engines are nested, and what they have put off.
///
/// Engines can be nested without bound at run time (a `catch` whose handler returns a publisher that ends in a `catch`,
/// a recursive `flatMap`, a thousand `append`s in a loop). Each knows its level: one more than that of the engine that
/// attached it. 64 levels are a *flight*, and the last of them is its *landing*, where the stack is kept short. Sources are
/// attached at a landing if closures make them (``Engine/attachNew(_:_:)``), or if they are erased (``landAttaching(_:)``),
/// which may be at any level from the 64th above the one before on: without either, the types of a chain have an end, and
/// attaching it is code that is compiled once for each of them.
///
/// - What goes the same way as the work of a landing that is at work on the same thread, up (attaching, requests,
///   cancellations) or down (deliveries), is put off until that work is done, which is before whoever caused that goes
///   on. So the stack holds a few flights of levels, however long the chain is.
/// - What goes the other way is done at once, as it would be elsewhere: a source that sends while it is attached has
///   each of its values delivered before it sends the next, and sources that are made of values are attached before the
///   next value. Sources that attach one another in this way without end are put off, too, once they have used
///   ``room``.
///
/// This is the stack while a chain of three flights is attached, oldest call first. The second flight ran above the
/// first landing until it came to its own, which only left its work in ``deferred``; when everything above the first
/// landing had returned, this did that work, and so the third flight runs where the second has been:
///
///     subscribe                      the caller goes on when all three are attached
///     levels 0 … 62                  first flight
///     level 63, landing              at work; has taken "attach level 128" out of `deferred`
///     levels 64 … 127                second flight: no longer on the stack
///     levels 128 … 190               third flight
///     level 191, landing             leaves "attach level 192" in `deferred`, and returns
///
/// A delivery is the same upside down: it begins at a source, and the first landing that it comes to is at work.
@usableFromInline
final class ThreadContext {
  // One thread uses these, but it re-enters: what is landing, or released, lands and releases more. So no access is
  // open while unknown code runs, and exclusivity is checked: an optimiser that was told not to check it kept the list
  // of what is to be released in registers while it grew.
  var level = 0
  /// The level of the last landing of an erased publisher.
  private var floor = 0
  private var direction: Direction?
  private var top = 0
  private var deferred = Ring<Landing>()

  private var releaseDepth = 0
  private var doomed = Ring<Any>()

  /// How many levels there are between two landings.
  static let flight = 64

  /// How many bytes of stack landings inside landings may take.
  private static let room = 1 << 16

  /// Which way something goes along the chain.
  enum Direction {
    case up
    case down
    /// Up, because of something that came down.
    case across
  }

  private struct Landing {
    let direction: Direction
    let work: () -> Void
  }

  private static let key: Platform.ThreadKey = {
    guard let key = Platform.ThreadKey() else {
      stopProgram("Streams could not create a thread-local key: the process has too many of them.")
    }
    return key
  }()

  /// The context of the calling thread.
  @usableFromInline
  static var current: ThreadContext { unmanaged.takeUnretainedValue() }

  /// The context of the calling thread, which keeps it.
  private static var unmanaged: Unmanaged<ThreadContext> {
    if let existing = key.object { return .fromOpaque(existing) }
    let context = Unmanaged.passRetained(ThreadContext())
    key.object = context.toOpaque()
    return context
  }

  /// A number that no other thread has at the same time; never 0.
  @usableFromInline
  static var identity: UInt { UInt(bitPattern: unmanaged.toOpaque()) }

  /// The level at which engines are made.
  static var level: Int { unmanaged._withUnsafeGuaranteedRef { $0.level } }

  /// Makes engines be of that level, until the place is left that this returns.
  static func enter(level: Int) -> Place {
    let context = unmanaged
    let outer = context._withUnsafeGuaranteedRef { context in
      defer { context.level = level }
      return context.level
    }
    return Place(context: context, outer: outer)
  }

  /// Where the thread was before it entered a level; left by the same thread.
  @usableFromInline
  struct Place {
    fileprivate let context: Unmanaged<ThreadContext>
    fileprivate let outer: Int

    @usableFromInline
    func leave() { context._withUnsafeGuaranteedRef { $0.level = outer } }
  }

  /// Whether more engines than those of a flight have been attached, one in the other, since an erased publisher landed.
  @usableFromInline
  static var isDeep: Bool { unmanaged._withUnsafeGuaranteedRef { $0.level - $0.floor >= flight } }

  /// Attaches an erased publisher at a landing: erased publishers may be nested without bound, and engines in them.
  @usableFromInline
  static func landAttaching(_ work: @escaping () -> Void) {
    let context = current
    let level = context.level
    context.land(.across) {
      let outer = (level: context.level, floor: context.floor)
      context.level = level
      context.floor = level
      work()
      context.level = outer.level
      context.floor = outer.floor
    }
  }

  /// Runs work at a landing: at once, and then whatever is put off meanwhile; or later, when a landing is at work.
  func land(_ direction: Direction, _ work: @escaping () -> Void) {
    guard let outer = self.direction else {
      top = Self.stackPointer
      return begin(direction, work)
    }
    guard direction != outer || direction == .across, abs(top - Self.stackPointer) < Self.room else {
      return deferred.append(Landing(direction: direction, work: work))
    }
    // What the outer landing has put off comes after its own work.
    var outerDeferred = deferred.takeAll()
    begin(direction, work)
    swap(&deferred, &outerDeferred)
    self.direction = outer
  }

  private func begin(_ direction: Direction, _ work: () -> Void) {
    self.direction = direction
    work()
    while let next = nextDeferred() {
      self.direction = next.direction
      next.work()
    }
    self.direction = nil
  }

  @inline(never)
  private func nextDeferred() -> Landing? { deferred.popFirst() }

  private static var stackPointer: Int {
    var marker: UInt8 = 0
    return withUnsafeMutablePointer(to: &marker) { Int(bitPattern: $0) }
  }

  /// Lets go of something that may hold more of its kind: nested at most one flight deep, the rest in a loop.
  func release<Value>(_ value: consuming Value) {
    guard releaseDepth < Self.flight else { return doom(value) }
    releaseDepth += 1
    drop(value)
    if releaseDepth == 1 {
      while let next = nextDoomed() { drop(next) }
    }
    releaseDepth -= 1
  }

  // Functions of their own, so that nothing that `drop` runs happens inside an access, or is taken to change nothing.

  @inline(never)
  private func doom(_ value: Any) { doomed.append(value) }

  @inline(never)
  private func nextDoomed() -> Any? { doomed.popLast() }

  @inline(never)
  private func drop<Value>(_ value: consuming Value) {}
}

/// A constant that may hold more of its kind, and so on, without bound: it is released in a loop.
///
/// Streams may be nested a hundred thousand deep at run time, through erased subscribers.
@usableFromInline @frozen
struct Landed<Value>: ~Copyable {
  /// Not copyable, so that it can be moved out of what holds it.
  @usableFromInline @frozen
  struct Content: ~Copyable {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) { self.value = value }

    consuming func take() -> Value { value }
  }

  @usableFromInline let content: Content

  @inlinable
  init(_ value: Value) { content = Content(value) }

  @usableFromInline
  deinit { ThreadContext.current.release(content.take()) }
}
