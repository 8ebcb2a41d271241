/// The kernel's state for the current thread: how deeply engines are nested, and the work they have deferred.
///
/// Engines can be nested without bound at run time (a `catch` whose handler returns a publisher that ends in a `catch`, a
/// recursive `flatMap`, a thousand `append`s in a loop). Each engine knows its level: one above the engine that attached it. 64
/// levels are a *segment*. Its last level is its *trampoline*, which keeps the stack short. Sources are attached at a
/// trampoline if closures create them (``Engine/attachNew(_:_:)``), or if they're type-erased (``trampolineAttaching(_:)``). An
/// erased source goes through a trampoline at any level at least 64 above the previous such trampoline. There may not be any
/// engine between erased sources, so an erased source also goes through a trampoline when attaching has used ``segmentRoom``
/// bytes of stack since the first erased source or the previous trampoline. In this case, the subscription, the completion,
/// requests and cancellations go through the same trampoline (``TrampolineSubscriber``). In a chain with neither kind of
/// source, the types are finite, and the code that attaches the chain is compiled once for each type.
///
/// - Work in the same direction as the work of a trampoline on the same thread, up (requests and cancellations) or down
///   (deliveries), is deferred until that work is done, which is before the caller of that trampoline continues. So the
///   stack holds only a few segments of levels, however long the chain is.
/// - Work in the other direction is done immediately, as it would be anywhere else. If a source sends values while it's being
///   attached, each one is delivered before the source sends the next.
/// - Sources that are created from values are also attached immediately, before the next value. They're deferred only if they
///   attach one another without end and have used up ``room``. In a debug build, a chain of more than a hundred engines may use
///   that much by itself. `switchToLatest` then skips the sources of values that follow one another.
///
/// The following picture shows the stack while a chain of three segments is being attached, oldest call first, if one segment
/// uses up ``room``. The second segment ran above the first trampoline until it reached its own trampoline, which only left its
/// work in ``deferred``. When everything above the first trampoline had returned, the first trampoline did that work, so the
/// third segment runs where the second one was:
///
/// ```text
/// subscribe                      the caller continues when all three are attached
/// levels 0 … 62                  first segment
/// level 63, trampoline           at work; has taken "attach level 128" out of `deferred`
/// levels 64 … 127                second segment: no longer on the stack
/// levels 128 … 190               third segment
/// level 191, trampoline          leaves "attach level 192" in `deferred`, and returns
/// ```
///
/// A delivery works the same way, upside down: it begins at a source, and the first trampoline that it reaches is at work.
@usableFromInline
package final class ThreadState {
  // Only one thread accesses these fields, but it re-enters: work at a trampoline and released objects can cause further
  // trampolines and releases. So no access is open while unknown code runs. Exclusivity is checked, because without the check,
  // the optimizer kept the list of objects to release in registers while it grew.
  var level = 0
  /// The level of the last trampoline of an erased publisher.
  private var floor = 0
  /// The stack position of the first erased publisher that's being attached, or of the last one that went through a trampoline.
  private var ground: Int?
  private var direction: Direction?
  private var top = 0
  private var deferred = Ring<(direction: Direction, work: () -> Void)>()

  private var releaseDepth = 0
  private var doomed = Ring<Any>()

  /// The number of levels between two trampolines.
  static let segment = 64

  /// The stack space, in bytes, that nested trampolines may use.
  private static let room = 1 << 16

  /// The stack space, in bytes, that attaching nested erased publishers may use before one goes through a trampoline.
  ///
  /// In optimized code, a frame that attaches may take only a fifth of the stack of one that completes (120 and 600 bytes for
  /// `share`), so the completion uses much more stack than is measured here. Unoptimized frames are about the same size, and
  /// need room for as many links.
  private static var segmentRoom: Int { _isDebugAssertConfiguration() ? 64 << 10 : 24 << 10 }

  /// The direction of work along the chain.
  enum Direction {
    /// Requests and cancellations.
    case up
    /// Deliveries.
    case down
    /// Upward work that values may have to wait for.
    case attaching
  }

  private static let key: Platform.ThreadKey = {
    guard let key = Platform.ThreadKey() else {
      stopProgram("Streams could not create a thread-local key: the process has too many of them.")
    }
    return key
  }()

  /// The state of the calling thread.
  static var current: ThreadState { unmanaged.takeUnretainedValue() }

  /// The calling thread's state, which the thread retains.
  private static var unmanaged: Unmanaged<ThreadState> {
    if let existing = key.object { return .fromOpaque(existing) }
    let context = Unmanaged.passRetained(ThreadState())
    key.object = context.toOpaque()
    return context
  }

  /// A number that no other thread has at the same time. Never 0.
  @usableFromInline
  package static var identity: UInt { UInt(bitPattern: unmanaged.toOpaque()) }

  /// The level of engines created now.
  static var level: Int { unmanaged._withUnsafeGuaranteedRef { $0.level } }

  /// The state of a thread before it entered a level.
  @usableFromInline package typealias SavedLevel = (context: Unmanaged<ThreadState>, outer: Int)

  /// Sets the level of the engines that this thread creates until it restores the returned level.
  static func enter(level: Int) -> SavedLevel {
    let context = unmanaged
    return context._withUnsafeGuaranteedRef { current in
      defer { current.level = level }
      return (context, current.level)
    }
  }

  /// The place where an erased publisher is attached.
  @usableFromInline
  package enum Ground {
    /// Outside of other erased publishers: ``leaveGround()`` must follow.
    case ground
    /// Inside other erased publishers.
    case low
    /// Inside so many engines that it needs a trampoline.
    case aboveEngines
    /// Inside so many other erased publishers that it needs a trampoline.
    case high
  }

  /// Begins to attach an erased publisher.
  @usableFromInline
  package static func enterErased() -> Ground {
    unmanaged._withUnsafeGuaranteedRef { context in
      guard let ground = context.ground else {
        context.ground = stackPointer
        return .ground
      }
      if context.level - context.floor >= segment { return .aboveEngines }
      return abs(ground - stackPointer) < segmentRoom ? .low : .high
    }
  }

  /// Finishes attaching an erased publisher that's outside of others.
  @usableFromInline
  package static func leaveGround() { unmanaged._withUnsafeGuaranteedRef { $0.ground = nil } }

  /// Attaches an erased publisher at a trampoline, because erased publishers may be nested without bound.
  static func trampolineAttaching(_ work: @escaping () -> Void) {
    let context = current
    let level = context.level
    context.trampoline(.attaching) {
      let outer = (level: context.level, floor: context.floor, ground: context.ground)
      context.level = level
      context.floor = level
      context.ground = stackPointer
      work()
      context.level = outer.level
      context.floor = outer.floor
      context.ground = outer.ground
    }
  }

  /// Runs work at a trampoline: immediately, followed by all work that it defers, or later if a trampoline is already at work.
  func trampoline(_ direction: Direction, _ work: @escaping () -> Void) {
    guard let outer = self.direction else {
      top = Self.stackPointer
      return begin(direction, work)
    }
    guard direction != outer || direction == .attaching, abs(top - Self.stackPointer) < Self.room else {
      return deferred.append((direction, ContextSnapshot.following(work)))
    }
    // The outer trampoline's deferred work has to wait until its own work is done.
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
  private func nextDeferred() -> (direction: Direction, work: () -> Void)? { deferred.popFirst() }

  private static var stackPointer: Int {
    var marker: UInt8 = 0
    return withUnsafeMutablePointer(to: &marker) { Int(bitPattern: $0) }
  }

  /// Releases a value that may hold more of its kind. Nests at most one segment of releases, and does the rest in a loop.
  func release<Value>(_ value: consuming Value) {
    guard releaseDepth < Self.segment else { return doom(value) }
    releaseDepth += 1
    drop(value)
    if releaseDepth == 1 {
      while let next = nextDoomed() { drop(next) }
    }
    releaseDepth -= 1
  }

  // These are separate functions that are never inlined, so code run by `drop` never runs inside an access, and the compiler
  // can't assume that the code changes nothing.

  @inline(never)
  private func doom(_ value: Any) { doomed.append(value) }

  @inline(never)
  private func nextDoomed() -> Any? { doomed.popLast() }

  @inline(never)
  private func drop<Value>(_ value: consuming Value) {}
}

extension ThreadState {
  /// A constant that may hold more of its kind, nested without bound. It's released in a loop.
  ///
  /// Streams may be nested a hundred thousand levels deep at run time, through erased subscribers.
  @usableFromInline @frozen
  package struct IterativelyReleased<Value>: ~Copyable {
    /// Not copyable, so the content can be moved out of its owner.
    @usableFromInline @frozen
    package struct Content: ~Copyable {
      @usableFromInline package let value: Value

      @inlinable
      package init(_ value: Value) { self.value = value }

      consuming func take() -> Value { value }
    }

    @usableFromInline package let content: Content

    @inlinable
    package init(_ value: Value) { content = Content(value) }

    @usableFromInline
    deinit { ThreadState.current.release(content.take()) }
  }
}
